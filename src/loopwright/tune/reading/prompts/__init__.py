"""What agents are told, with what it is filled in, and what they are to answer."""
