"""The detectors, one file each."""
