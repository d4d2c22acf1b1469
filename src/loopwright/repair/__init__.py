"""Finds and mends small faults in Python projects by measuring, without a model.

Two sides. `debugger` runs in our process and speaks the types of `evidence`. Everything else runs in a worker
started with the project's own interpreter: it needs the standard library and pytest, imports only relatively (the
worker loads this folder under a name of its own, so that a project's modules cannot collide with ours), and knows
none of our types.
"""

PROGRESS = "repair: "
"""Starts a line of the worker's output that is meant for people."""
