"""The loop's actions, with the prompts of those that ask an agent beside them."""
