"""Reading the course of a loop: its journal for what it did, its transcript for what its agents answered."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from loopwright.domain.errors import Conflict, Corrupt, Invalid, NotFound
from loopwright.domain.events import Entry
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_selector import CHOSEN
from loopwright.domain.protocol import Capabilities
from loopwright.domain.replaying import Act, Change, Moment, Recording
from loopwright.domain.transcript import FORM, TRANSCRIPT, Able, TurnEnded
from loopwright.engine.transcript import Kept, read_line
from loopwright.ports import Store

ENDS = frozenset({"action_finished", "taken_over"})
OWN = frozenset({"lease_taken", "session", "session_left", "summarised", "recovered"})
"""What a runner commits beside its actions; a replay does the same by itself."""

OWN_TALK = ("permission", "menu", "question")
"""How the types begin of what a runner asks, and of its answers: a replay asks nobody."""


def read_recording(store: Store[LoopState], loop_id: str) -> Recording:
    """NotFound, Invalid or Conflict where there is nothing to play; Corrupt names the line that is damaged."""
    last = store.read(loop_id)
    if store.holder(loop_id) is not None:
        raise Conflict(f"{loop_id} is being driven; wait until it rests: loopwright watch {loop_id}")
    entries = store.events(loop_id)
    begins = next((e.seq for e in entries if e.event.type == "action_started"), None)
    if begins is None:
        raise Invalid(f"{loop_id} has not done anything yet; there is nothing to replay")
    if any(e.event.type == "rewound" for e in entries):
        raise Invalid(f"{loop_id} was rewound; only a course that was never put back can be replayed")
    if any(e.event.type == "rival_taken" for e in entries):
        raise Invalid(f"in {loop_id} a rival was put in the place of a patch; such a course can not be replayed")
    kept = tuple(_lines(store, loop_id))
    course = tuple(e for e in entries if e.seq >= begins)
    acts = tuple(_acts(store, last, course, kept))
    return Recording(
        first=store.read_at(loop_id, begins - 1),
        last=last,
        start=_start(store, last, course),
        acts=acts,
        changes=tuple(_changes(store, loop_id, course)),
        agents=_agents(kept),
        over=sum(e.event.type in ENDS for e in course),
        by_menu=any(e.event.data.get("row") == CHOSEN or e.event.type == "exited" for e in course),
    )


def _lines(store: Store[LoopState], loop_id: str) -> Iterator[Kept]:
    path = store.progress_path(loop_id) / TRANSCRIPT
    if not path.exists():
        raise NotFound(f"{loop_id} has no {TRANSCRIPT}: without it there is nothing to replay")
    for n, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            kept = read_line(line.decode())
        except ValueError as error:
            raise Corrupt(f"{TRANSCRIPT}, line {n}: can not be read: {error}") from error
        event = kept.note.event
        if isinstance(event, TurnEnded) and event.form != FORM:
            raise Corrupt(f"{TRANSCRIPT}, line {n}: recorded by another version (form {event.form}, not {FORM})")
        yield kept


def _agents(kept: Sequence[Kept]) -> dict[str, Capabilities]:
    told = (k.note.event for k in kept)
    return {event.agent: event.capabilities for event in told if isinstance(event, Able)}


def _start(store: Store[LoopState], last: LoopState, course: Sequence[Entry]) -> str:
    """The project before anything was done to it: what the first test run saw, else the first checkpoint."""
    known = last.engine.checkpoints
    if not known or known[0].n != 1:
        raise Invalid(f"{last.loop_id} has no first checkpoint (any more); there is nothing to begin with")
    ended = next(e.seq for e in course if e.event.type in ENDS)
    baseline = store.read_at(last.loop_id, ended).engine.baseline
    return baseline.commit if baseline and baseline.commit else known[0].commit


def _acts(store: Store[LoopState], last: LoopState, course: Sequence[Entry], kept: Sequence[Kept]) -> Iterator[Act]:
    commits = {checkpoint.rev: checkpoint.commit for checkpoint in last.engine.checkpoints}
    begun: Entry | None = None
    tasks = frozenset(task.task_id for task in store.read_at(last.loop_id, course[0].seq).engine.tasks)
    for entry in course:
        if entry.event.type == "action_started":
            begun = entry
        elif entry.event.type in ENDS and begun is not None:
            state = store.read_at(last.loop_id, entry.seq)
            ids = tuple(task.task_id for task in state.engine.tasks)
            yield replace(
                _act(begun, entry.seq, kept), commit=commits.get(entry.seq), spent=state.engine.budget.spent_seconds,
                broken_off=entry.event.type == "taken_over", tasks=tuple(id for id in ids if id not in tasks),
            )  # fmt: skip
            tasks |= frozenset(ids)
            begun = None
    if begun is not None:
        yield replace(_act(begun, last.engine.rev + 1, kept), broken_off=True)


def _act(begun: Entry, ended: int, kept: Sequence[Kept]) -> Act:
    events = (k.note.event for k in kept if begun.seq <= k.after < ended)
    turns = tuple(event for event in events if isinstance(event, TurnEnded))
    return Act(action=str(begun.event.data["action"]), at=begun.ts, turns=turns)


def _changes(store: Store[LoopState], loop_id: str, course: Sequence[Entry]) -> Iterator[Change]:
    """What was committed beside the actions: by people and other programs, and when a runner took the loop up."""
    begun = over = 0
    for entry in course:
        type = entry.event.type
        begun += type == "action_started"
        over += type in ENDS
        own = type in OWN or type.startswith(OWN_TALK) or (type == "resumed" and entry.actor == "runner")
        if type != "action_started" and type not in ENDS and not own:
            before, after = (store.read_at(loop_id, seq) for seq in (entry.seq - 1, entry.seq))
            yield Change(Moment(begun, over), type, before, after)
