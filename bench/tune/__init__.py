"""How well TUNE finds and mends faults that were put into skills on purpose."""
