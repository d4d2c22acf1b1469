"""What a replay came to, held against what was recorded."""

from collections.abc import Sequence
from pathlib import Path

from loopwright.actions.replay import Replayed, actions_of
from loopwright.domain.events import Entry
from loopwright.domain.replaying import Difference, Recording, differences
from loopwright.ports import Workspace


def differences_of(
    recording: Recording,
    then: Sequence[Entry],
    replayed: Replayed,
    source: Workspace,
    here: Workspace,
    beside: Workspace,
) -> tuple[Difference, ...]:
    """What is not as it was. `then` is the recorded journal, `here` the copy, `beside` an empty folder."""
    files = _other_files(recording, source, here, beside)
    found = differences(recording.last, actions_of(then), replayed.state, replayed.actions)
    return (*found, Difference("files", ", ".join(files), "other or none")) if files else found


def _other_files(recording: Recording, source: Workspace, here: Workspace, beside: Workspace) -> tuple[str, ...]:
    """Files that are not as they were in the end."""
    known = recording.last.engine.checkpoints
    source.export(known[-1].commit, beside.root)
    without = recording.last.engine.run_writes
    if here.tree(without) == beside.tree(without):
        return ()
    there = (path for path in beside.root.rglob("*") if path.is_file())
    names = (path.relative_to(beside.root) for path in there)
    other = {str(name) for name in names if not _same(beside.root / name, here.root / name)}
    return tuple(sorted(other - set(without))) or ("some that were not there",)


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()
