"""The room that the private git takes, and giving back what no run needs any more.

Nothing of it is packed or dropped by itself but what a deleted run leaves in a small directory: all else waits for
`gc`, while no run is being driven.
"""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from loopwright.workspace.file_store import add_facts, read_facts
from loopwright.workspace.private_git import PrivateGit
from loopwright.workspace.tree_index import read_last

OF_RUNS = ("refs/loopwright/", "refs/environment/", "refs/depot/")
SYNCED = "core.fsync=loose-object,pack,pack-metadata,reference"
"""Loose objects go once they are packed: a pack has to be as durable as they were."""
SMALL = 16
"""Loose objects in one of the 256 folders, below which a deleted run's are pruned at once."""


class PruneResult(NamedTuple):
    """Bytes on disk, and the runs whose snapshots were dropped."""

    before: int
    after: int
    dropped: tuple[str, ...]


def measure_snapshots(directory: Path) -> int:
    """Bytes on disk of a private git directory; 0 where there is none."""
    files = (os.path.join(at, name) for at, _, names in os.walk(directory) for name in names)
    return sum(_bytes_of(file) for file in files)


def prune_snapshots(
    private: PrivateGit, require_rest: Callable[[], None], known: Collection[str] | None
) -> PruneResult:
    """Packs what is needed and removes the rest.

    `require_rest` raises while a run is being driven: what it has in hand may be on no ref yet. `known`: the runs there
    are, without which the snapshots of others are dropped, too; None keeps them all.
    """
    if not private.directory.is_dir():
        return PruneResult(0, 0, ())
    with private.locked() as git:
        require_rest()
        before = measure_snapshots(git.directory)
        runs = _runs(git)
        dropped = tuple(sorted(runs - set(known))) if known is not None else ()
        for id in dropped:
            drop_run(git, id)
        _check_facts(git)
        git.run("-c", SYNCED, "gc", "--quiet", "--force", "--prune=now")
        return PruneResult(before, measure_snapshots(git.directory), dropped)


def drop_run(git: PrivateGit, id: str) -> bool:
    """Takes its snapshots off their refs; whether there were any. `git` is locked for us."""
    refs = git.run("for-each-ref", "--format=%(refname)", *(f"{kind}{id}" for kind in OF_RUNS)).decode().split()
    for ref in refs:
        git.run("update-ref", "-d", ref)
    return bool(refs)


def prune_if_small(git: PrivateGit) -> None:
    """Removes what a deleted run left, but for what others may have in hand just now. `git` is locked for us."""
    sample = git.directory / "objects" / "17"
    if not sample.is_dir() or len(os.listdir(sample)) < SMALL:
        _check_facts(git)
        git.run("prune", "--expire=1.hour.ago")


def _check_facts(git: PrivateGit) -> None:
    """What a file was is known no longer than its object is sure to be there: in the tree of the last look."""
    git.index.unlink(missing_ok=True)  # an earlier version held the tree in there
    for file in git.directory.glob("index*.files"):
        one = git.at(git.work_tree, file.with_suffix(""))
        held, facts = read_last(one)[1], read_facts(one)
        file.unlink()
        add_facts(one, {name: fact for name, fact in facts.items() if name in held and held[name].blob == fact.blob})


def _runs(git: PrivateGit) -> set[str]:
    refs = git.run("for-each-ref", "--format=%(refname)", *OF_RUNS).decode().split()
    return {ref.split("/")[2] for ref in refs}


def _bytes_of(file: str) -> int:
    try:
        return os.lstat(file).st_blocks * 512
    except OSError:  # it went away meanwhile
        return 0
