"""The four roles, a file each, with their prompts beside them."""
