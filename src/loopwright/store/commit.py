"""From a state to the next: the journal line and the file that shows it. Pure."""

from datetime import datetime
from typing import Generic, NamedTuple

import orjson

from loopwright.core.errors import Conflict, Invalid
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.store import patch, projection
from loopwright.store.journal import JournalDraft, draft_line
from loopwright.store.kind import S, StateKind, StateModel
from loopwright.store.mac_chain import JournalSeal, line_mac
from loopwright.store.state_reader import CommittedState

OWN_KEYS = frozenset({"/engine/rev", "/engine/digest", "/engine/journal_bytes"})
"""Said by every line about itself, so no patch repeats them."""
RECENT = 7
"""Lines before the last that are remembered."""


class CommitStamp(NamedTuple):
    """Who commits, what, when, and under which epoch."""

    ts: str
    actor: str
    event: JournalEvent
    epoch: int | None = None


class CommitStep(NamedTuple, Generic[S]):
    """A line to append, and what is known once it is durable."""

    line: bytes
    known: CommittedState[S]


def build_commit(
    kind: StateKind[S],
    known: CommittedState[S],
    state: S,
    stamp: CommitStamp,
    monotonic: float,
    seal: JournalSeal | None = None,
) -> CommitStep[S]:
    """The commit of `state` on top of `known`; its line has a MAC where there is a `seal`.

    Invalid for a state that a file cannot hold.
    """
    refuse_other_id(kind, known.state, state)
    seq = known.seq + 1
    state = state.model_copy(update={"updated_at": pick_later_time(known.state.updated_at, stamp.ts)})
    doc, line = _line(kind, known, state, seq, stamp, seal)
    end = known.end + len(line)
    try:
        file, digest = projection.render_projection(doc, rev=seq, journal_bytes=end)
    except Invalid:
        known.doc.clear()
        known.doc.update(patch.to_json(known.state))
        raise
    engine = state.engine.model_copy(update={"rev": seq, "journal_bytes": end, "digest": digest})
    state = state.model_copy(update={"engine": engine})
    behind = monotonic if known.pending is None else known.behind
    entry = JournalEntry.model_construct(seq=seq, ts=stamp.ts, actor=stamp.actor, event=stamp.event)
    entries, text = (*known.entries[-RECENT:], entry), orjson.dumps(doc)
    shown, inode = known.shown, known.inode
    data = line.sealed(digest, known.mac)
    mac = line_mac(data) if seal else ""
    after = CommittedState(state, doc, seq, end, inode, known.file, False, file, behind, shown, 0, entries, text, mac)
    return CommitStep(data, after)


def refuse_other_id(kind: StateKind[S], before: S, after: S) -> None:
    """Invalid when a rule has renamed its state."""
    if kind.id_of(before) != kind.id_of(after):
        raise Invalid(f"an id cannot change ({kind.id_of(before)} to {kind.id_of(after)})")


def refuse_old_epoch(epoch: int | None, state: StateModel) -> None:
    """Conflict when a lease has been taken since the one that `epoch` belongs to."""
    if epoch is not None and epoch < state.engine.epoch:
        raise Conflict(f"another runner has taken over: epoch {epoch} is over, {state.engine.epoch} is active")


def pick_later_time(before: str | None, now: str) -> str:
    """The later of two times, as it was written; a clock that went back does not take the state along."""
    return max(before or now, now, key=datetime.fromisoformat)


def _line(
    kind: StateKind[S], known: CommittedState[S], state: S, seq: int, stamp: CommitStamp, seal: JournalSeal | None
) -> tuple[patch.Doc, JournalDraft]:
    """The line is made before the document is touched: what cannot be written should not change it."""
    if known.whole:
        doc = patch.to_json(state)
        whole = draft_line(seq=seq, **stamp._asdict(), schema=kind.schema, state=doc, seal=seal)
        return doc, whole
    ops = [op for op in patch.diff_states(known.state, state) if op["path"] not in OWN_KEYS]
    line = draft_line(seq=seq, **stamp._asdict(), schema=kind.schema, patch=ops, seal=seal)
    patch.apply_patch(known.doc, ops)
    return known.doc, line
