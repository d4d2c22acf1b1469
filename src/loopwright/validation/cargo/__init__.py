"""Reading what cargo did."""
