"""Command lines, their options and their variables."""
