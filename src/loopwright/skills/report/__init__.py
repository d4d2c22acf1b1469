"""What a diagnosis has come to, for programs and for files. Text on a terminal is the command line's own."""
