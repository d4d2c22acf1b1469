"""The command line: parse → service → render."""
