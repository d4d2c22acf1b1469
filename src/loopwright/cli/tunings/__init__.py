"""The commands of tuning sessions, and how they look on a terminal."""
