"""The loop's actions: one file each, with the prompt of the same name beside it."""
