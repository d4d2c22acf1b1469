"""A cache in memory with expiry, weights and tags."""

from .cache import CacheFull, Entry, Larder
from .chain import Chain
from .memo import make_key, memoize
from .stats import Stats
from .storage import dump, load

__all__ = ["CacheFull", "Chain", "Entry", "Larder", "Stats", "dump", "load", "make_key", "memoize"]
