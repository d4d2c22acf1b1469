"""What a diagnosis has come to, for programs and for files."""
