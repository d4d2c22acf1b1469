"""Fields and values: declared, shown in examples, used, and misspelled."""
