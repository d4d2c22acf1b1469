"""The course of a run as its journal tells it: the steps it took, and what each validation measured. Pure.

A journal may be of an earlier version, or hold forged events: what is missing or no such value is not known.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.record import Items, JournalEntry, Record, Timestamp

BROKEN_OFF = "interrupted: its runner died"

VERDICTS = {"pass": True, "fail": False}
"""How a validation's result is named; any other word is that of a step without one."""

Data = Mapping[str, JsonValue]


class TouchedFile(Record):
    """`action`: create, modify or delete; `file` relative to the project."""

    file: str
    action: str


class ValidationCounts(Record):
    """What one validation counted; percentages are null where nothing ran, or was measured."""

    passed: bool
    total: int | None = None
    failed: int | None = None
    skipped: int | None = None
    pass_rate: float | None = None
    coverage: float | None = None


class Check(ValidationCounts):
    """A validation of the loop's history. `seq`: its number in the journal."""

    seq: int
    at: Timestamp
    iteration: int
    reasons: Items[str] = ()


class CourseStep(Record):
    """One action. `seq` is the number of its start; without `ended_at` it is in progress.

    `checkpoint` holds the files as it left them, while that is kept.
    """

    seq: int
    iteration: int
    action: str
    task: str | None = None
    started_at: Timestamp
    ended_at: Timestamp | None = None
    result: str | None = None
    reasons: Items[str] = ()
    files: Items[TouchedFile] = ()
    tokens: int | None = None
    cost: float | None = None
    checkpoint: int | None = None


C = TypeVar("C", bound=CourseStep)


def count_validation(outcome: object) -> dict[str, JsonValue] | None:
    """What the journal keeps of a validation; None for an outcome of another kind."""
    if not isinstance(outcome, ValidationOutcome):
        return None
    counts = outcome.counts
    found = ValidationCounts(
        passed=outcome.passed,
        total=counts.total,
        failed=counts.failed,
        skipped=counts.skipped,
        pass_rate=counts.pass_rate,
        coverage=None if outcome.coverage_files is None else outcome.coverage,
    )
    return found.model_dump()


def check_of(ended: JournalEntry, iteration: int) -> Check | None:
    """What the end of a step says that was measured in it; None where nothing was."""
    counted = _measured(ended.event.data)
    if counted is None:
        return None
    reasons = _texts(ended.event.data.get("reasons"))
    return Check(seq=ended.seq, at=ended.ts, iteration=iteration, reasons=reasons, **dict(counted))


def close_step(step: C, ended: JournalEntry, checkpoint: int | None) -> C:
    """The step with what the entry of its end says."""
    data = ended.event.data
    if ended.event.type == "taken_over":
        return step.evolve(ended_at=ended.ts, result=BROKEN_OFF, checkpoint=checkpoint)
    tokens, cost = data.get("tokens"), data.get("cost")
    return step.evolve(
        ended_at=ended.ts,
        result=str(data.get("result") or ""),
        reasons=_texts(data.get("reasons")),
        files=tuple(_files(data.get("changes"))),
        tokens=read_count(tokens),
        cost=float(cost) if isinstance(cost, (int, float)) else None,
        checkpoint=checkpoint,
    )


def _measured(data: Data) -> ValidationCounts | None:
    """None for a step that validated nothing. Journals of earlier versions only tell whether it passed."""
    try:
        return _MEASURED.validate_python(data["tests"])
    except (KeyError, ValidationError):
        verdict = VERDICTS.get(str(data.get("result"))) if data.get("action") == "VALIDATE" else None
        return None if verdict is None else ValidationCounts(passed=verdict)


def _files(changes: JsonValue) -> Iterator[TouchedFile]:
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            yield TouchedFile(file=str(change.get("file")), action=str(change.get("action")))


def read_count(given: JsonValue) -> int | None:
    """A count; true and false are none."""
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _texts(given: JsonValue) -> tuple[str, ...]:
    return tuple(map(str, given)) if isinstance(given, list) else ()


_MEASURED = TypeAdapter(ValidationCounts)
