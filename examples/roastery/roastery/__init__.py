"""Stock keeping for a coffee roastery."""
