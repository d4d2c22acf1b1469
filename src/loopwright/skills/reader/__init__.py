"""A skill as it is read: pages, calls, references, and the graph they make."""
