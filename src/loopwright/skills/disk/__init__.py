"""A skill's files on disk: read, copied, changed, and put back."""
