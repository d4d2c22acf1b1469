"""What is ordered, allowed and forbidden, how much of it, and what contradicts it."""
