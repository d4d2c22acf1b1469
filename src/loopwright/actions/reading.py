"""Turns that only read: what an agent writes in them all the same is put back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loopwright.actions.session import Session
from loopwright.domain.words import plural
from loopwright.engine.threads import in_thread
from loopwright.ports import Snapshot

READING_MODES = frozenset({"analysis", "review"})

SHOWN = 10
"""Files that an incident names."""


@asynccontextmanager
async def only_reading(session: Session, before: Snapshot, who: str) -> AsyncIterator[None]:
    """However the block ends, files are put back that the agents' own tool calls wrote in it.

    Other changes may be the user's: they stay, and are told.
    """
    session.turns.written()
    try:
        yield
    finally:
        await _put_back(session, before, who, session.turns.written())


async def _put_back(session: Session, before: Snapshot, who: str, wrote: frozenset[str]) -> None:
    if await in_thread(session.workspace.tree) == before.tree:
        return
    now = await session.snapshot(f"after {who}")
    changed = [change.file for change in await in_thread(session.workspace.changes, before.commit, now.commit)]
    own = [file for file in changed if file in wrote]
    others = [file for file in changed if file not in wrote]
    if own:
        await in_thread(session.workspace.restore, before.commit, own)
        session.note("put_back", f"put back what {who} wrote: {_named(own)}")
    if others:
        session.note("changed_meanwhile", f"changed while {who} ran, and left alone: {_named(others)}")


def _named(files: list[str]) -> str:
    more = f" and {plural(len(files) - SHOWN, 'other')}" if len(files) > SHOWN else ""
    return ", ".join(files[:SHOWN]) + more
