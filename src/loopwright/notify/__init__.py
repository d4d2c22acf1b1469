"""Ways to tell somebody of news of a loop."""
