"""Turns that only read: what an agent writes in them all the same is put back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loopwright.domain.run import R
from loopwright.domain.words import plural
from loopwright.engine.ground import TestedGround
from loopwright.engine.threads import in_thread
from loopwright.engine.turns import Turns
from loopwright.ports import Snapshot

SHOWN = 10
"""Files that an incident names."""


@asynccontextmanager
async def only_reading(ground: TestedGround[R], turns: Turns, before: Snapshot, who: str) -> AsyncIterator[None]:
    """However the block ends, files are put back that the tool calls of these `turns` wrote in it.

    Other changes may be the user's: they stay, and are told.
    """
    turns.written()
    try:
        yield
    finally:
        await _put_back(ground, before, who, turns.written())


async def _put_back(ground: TestedGround[R], before: Snapshot, who: str, wrote: frozenset[str]) -> None:
    if await in_thread(ground.workspace.tree) == before.tree:
        return
    now = await ground.snapshot(f"after {who}")
    changed = [change.file for change in await in_thread(ground.workspace.changes, before.commit, now.commit)]
    own = [file for file in changed if file in wrote]
    others = [file for file in changed if file not in wrote]
    if own:
        await in_thread(ground.workspace.restore, before.commit, own)
        ground.note("put_back", f"put back what {who} wrote: {_named(own)}")
    if others:
        ground.note("changed_meanwhile", f"changed while {who} ran, and left alone: {_named(others)}")


def _named(files: list[str]) -> str:
    more = f" and {plural(len(files) - SHOWN, 'other')}" if len(files) > SHOWN else ""
    return ", ".join(files[:SHOWN]) + more
