"""TUNE's exact rules on skills that nobody here wrote."""
