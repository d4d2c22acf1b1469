"""The course of a cycle as its journal tells it: the steps its roles took, some at the same time. Pure.

As in `course`: what is missing in a journal, or no such value, is not known.
"""

from collections.abc import Iterable, Iterator, Sequence

from loopwright.domain.course import Check, CourseStep, check_of, number, over
from loopwright.domain.cycle_names import CycleStep, Role, step_of
from loopwright.domain.engine_state import Checkpoint
from loopwright.domain.events import Entry

BOUNDS = frozenset({"step_started", "step_finished", "taken_over"})


class CycleCourseStep(CourseStep):
    """One step; `role`: whose it was, none for the aggregation."""

    role: Role | None = None


def cycle_timeline(
    entries: Sequence[Entry], checkpoints: Iterable[Checkpoint], iteration: int
) -> tuple[CycleCourseStep, ...]:
    """Every step, in the order in which they began. `iteration`: the present one."""
    kept = {checkpoint.rev: checkpoint.n for checkpoint in checkpoints}
    return tuple(_steps(entries, kept, iteration))


def cycle_validations(entries: Sequence[Entry]) -> tuple[Check, ...]:
    """Every validation, oldest first."""
    ends = (entry for entry in entries if entry.event.type == "step_finished")
    found = (check_of(ended, told) for ended in ends if (told := number(ended.event.data.get("iteration"))) is not None)
    return tuple(check for check in found if check)


def _steps(entries: Sequence[Entry], kept: dict[int, int], iteration: int) -> Iterator[CycleCourseStep]:
    for step, begun, ended, told in _numbered(entries, iteration):
        found = CycleCourseStep(
            seq=begun.seq, iteration=told, action=step.name, task=step.task, role=step.role, started_at=begun.ts
        )
        yield found if ended is None else over(found, ended, kept.get(ended.seq))


def _numbered(entries: Sequence[Entry], iteration: int) -> Iterator[tuple[CycleStep, Entry, Entry | None, int]]:
    """Each step with its begin and end, and its iteration: that of an end which does not tell it is the one before."""
    latest = 1
    for step, begun, ended in _pairs(entries):
        told = ended.event.data.get("iteration") if ended else iteration
        counted = number(told)
        here = latest if counted is None else counted
        yield step, begun, ended, here
        latest = max(latest, here + (step.name == "aggregation" and ended is not None))


def _pairs(entries: Sequence[Entry]) -> list[tuple[CycleStep, Entry, Entry | None]]:
    found: list[tuple[CycleStep, Entry, Entry | None]] = []
    under_way: dict[CycleStep, int] = {}
    about = ((step, entry) for entry in entries if entry.event.type in BOUNDS for step in _named(entry))
    for step, entry in about:
        if entry.event.type == "step_started":
            under_way[step] = len(found)
            found.append((step, entry, None))
        elif (place := under_way.pop(step, None)) is not None:
            found[place] = step, found[place][1], entry
    return found


def _named(entry: Entry) -> Iterator[CycleStep]:
    """The steps that an entry is about; what names none is passed over."""
    data = entry.event.data
    task, keys = data.get("task"), data.get("steps")
    one = f"{data.get('step')} {task}" if isinstance(task, str) else data.get("step")
    for key in keys if isinstance(keys, list) else [one]:
        try:
            yield step_of(str(key))
        except ValueError:
            continue
