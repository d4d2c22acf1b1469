"""One file for each way to talk to an agent."""
