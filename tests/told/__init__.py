"""What people tell agents at work."""
