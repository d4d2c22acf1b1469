"""Task dependencies: reading, ordering, planning."""

from .errors import CycleError, DepweaveError, ReadError, UnknownTask
from .graph import TaskGraph
from .order import find_cycle, layers, topological
from .plan import Slot, critical_path, finish_times, schedule, stale
from .reader import dump, read

__all__ = [
    "CycleError",
    "DepweaveError",
    "ReadError",
    "Slot",
    "TaskGraph",
    "UnknownTask",
    "critical_path",
    "dump",
    "find_cycle",
    "finish_times",
    "layers",
    "read",
    "schedule",
    "stale",
    "topological",
]
