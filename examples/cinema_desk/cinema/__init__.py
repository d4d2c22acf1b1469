"""The booking desk of a small cinema."""
