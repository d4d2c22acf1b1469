"""The agents that people use, started for real on a scripted model: how they are installed, set up and talked to."""
