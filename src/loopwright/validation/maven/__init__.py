"""Reading what Maven did."""
