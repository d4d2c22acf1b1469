"""loopwright: autonomous, resumable coding loops that can be trusted."""

__version__ = "0.1.0"
