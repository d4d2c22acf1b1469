"""The benchmark of orders: see `bench/prompts/__main__.py`."""
