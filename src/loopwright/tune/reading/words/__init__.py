"""Words and names as such: where they stand, how alike they are."""
