"""Programs that are run, talked with, and ended with all that they started."""
