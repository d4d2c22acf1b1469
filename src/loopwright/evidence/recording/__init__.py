"""Tools that are recorded by a stand-in, because nothing can be loaded into them."""
