"""A skill as it is read: its files, what each span of them is, and the graph that joins them."""
