"""What must be understood is asked of an agent, a dimension at a time; every word of its evidence is checked."""
