"""Files of a skill and of its runs: named, listed, moved, written and read."""
