"""What agents were sent by earlier runners of a run, as far as it came to a result that the run still holds."""

from collections.abc import Iterator, Sequence

from loopwright.domain.engine_state import Checkpoint
from loopwright.domain.events import Entry
from loopwright.domain.run import R
from loopwright.domain.transcript import TRANSCRIPT, Asked, TurnEnded
from loopwright.engine.transcript import Kept, read_line
from loopwright.ports import Store

Span = tuple[int, int]
"""Numbers of the commits that began and ended an action."""


def earlier_messages(
    store: Store[R], id: str, agent: str, *, until: int, name: str = TRANSCRIPT, role: str | None = None
) -> tuple[Asked, ...]:
    """The messages that `agent` was sent before the commit `until`, in order.

    Those of actions that were interrupted or rewound are left out: they are sent again. `name` is that of the
    transcript among the progress files, `role` the one whose steps count, in a run that has roles.
    """
    lines = [line for line in _lines(store, id, name) if line.after < until]
    spans = [
        span for span in _spans(store.events(id), role, store.read(id).engine.checkpoints)
        if not any(_is_cancelled(line) for line in lines if _within(line, span))
    ]  # fmt: skip
    events = (line.note.event for line in lines if any(_within(line, span) for span in spans))
    return tuple(event for event in events if isinstance(event, Asked) and event.agent == agent)


def _lines(store: Store[R], id: str, name: str) -> Iterator[Kept]:
    """Those that can be read: the last may be torn."""
    path = store.progress_path(id) / name
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            yield read_line(line.decode())
        except ValueError:
            continue


def _spans(course: Sequence[Entry], role: str | None, checkpoints: Sequence[Checkpoint]) -> list[Span]:
    """The actions that came to an end, and were not rewound since."""
    revs = {checkpoint.n: checkpoint.rev for checkpoint in checkpoints}
    spans: list[Span] = []
    begun: dict[tuple[object, object], int] = {}
    for entry in course:
        data, key = entry.event.data, (entry.event.data.get("step"), entry.event.data.get("task"))
        match entry.event.type:
            case "action_started" | "step_started" if data.get("role") == role:
                begun[key] = entry.seq
            case "action_finished" | "step_finished" if key in begun:
                spans.append((begun.pop(key), entry.seq))
            case "taken_over":
                begun.clear()
            case "rewound":
                then = next((rev for n, rev in revs.items() if n == data.get("to")), entry.seq)
                spans = [span for span in spans if span[1] <= then]
    return spans


def _within(line: Kept, span: Span) -> bool:
    return span[0] <= line.after < span[1]


def _is_cancelled(line: Kept) -> bool:
    event = line.note.event
    return isinstance(event, TurnEnded) and event.error is not None and event.error.kind == "cancelled"
