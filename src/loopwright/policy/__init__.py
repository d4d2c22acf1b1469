"""What may be done, and what may be shown. Pure."""
