"""A run's checkpoints with the files that led to each."""

from collections.abc import Callable
from itertools import pairwise

from loopwright.domain.engine_state import Checkpoint
from loopwright.domain.run import Run
from loopwright.ports import FileChange

Changes = Callable[[str, str], tuple[FileChange, ...]]
"""See Workspace.changes. What is between two commits never changes, so that it can be remembered."""


def with_files(state: Run, changes: Changes) -> tuple[tuple[Checkpoint, tuple[FileChange, ...]], ...]:
    """In order. The first has none: it is what the loop found."""
    known = state.engine.checkpoints
    return (
        *((first, ()) for first in known[:1]),
        *((after, changes(before.commit, after.commit)) for before, after in pairwise(known)),
    )
