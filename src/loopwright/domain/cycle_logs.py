"""The logs of a cycle that only grow: what a state adds to each of them, and what they say. Pure.

What is missing is found by what stands there already, so that after a crash nothing is lost and nothing comes twice.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from loopwright.domain.cycle import Blocker, ChangeLog, CycleState, Decision, FeedbackEntry
from loopwright.domain.cycle_timeline import timeline_lines
from loopwright.domain.json_line import json_line
from loopwright.domain.log_words import read_word, word
from loopwright.domain.record import Record

CHANGES, FEEDBACK, DECISIONS, TIMELINE = (
    "cd/changes.log", "coordination/feedback.md", "coordination/decisions.log", "coordination/timeline.md",
)  # fmt: skip
LOGS = (CHANGES, FEEDBACK, DECISIONS, TIMELINE)
"""Those that follow from the state."""

R = TypeVar("R", bound=Record)
Named = TypeVar("Named", Decision, Blocker)
Json = dict[str, Any]  # Any: parsed JSON

_FEEDBACK = re.compile(r"- (\S+) (\S+) → (\S+) \((\w+)\): (.*)")


def additions(state: CycleState, there: Mapping[str, str], since: CycleState | None = None) -> dict[str, list[bytes]]:
    """The lines that each log lacks, by name; `there` holds the texts of the logs as they are.

    `since`: the state before, where it is known; it says what each role said at the end of its iteration.
    """
    changes = state.changes.changes if state.changes else ()
    lines = {
        CHANGES: missing_lines(changes, there.get(CHANGES, "")),
        FEEDBACK: _missing_feedback(state.coordination.feedback_log, there.get(FEEDBACK, "")),
        DECISIONS: _missing_decisions(state, there.get(DECISIONS, "")),
        TIMELINE: timeline_lines(state, there.get(TIMELINE, ""), since),
    }
    return {name: [line.encode(errors="replace") for line in new] for name, new in lines.items() if new}


def missing_lines(entries: Iterable[ChangeLog], text: str) -> list[str]:
    """Those of the changes that a changes.log does not hold yet, a JSON object each."""
    return [json_line(entry.model_dump(mode="json")) for entry in _missing(entries, changes_in(text))]


def changes_in(text: str) -> tuple[ChangeLog, ...]:
    """The lines of a changes.log that can be read."""
    return tuple(_read(ChangeLog, _objects(text)))


def feedback_in(text: str) -> tuple[FeedbackEntry, ...]:
    found = (_FEEDBACK.fullmatch(line) for line in text.split("\n"))
    names = ("timestamp", "source", "target", "type", "content")
    raw = (dict(zip(names, (*one.groups()[:4], read_word(one[5])), strict=True)) for one in found if one)
    return tuple(_read(FeedbackEntry, raw))


def decisions_in(text: str) -> tuple[Decision, ...]:
    """As they stood last."""
    return _last_of(Decision, text, "decision")


def blockers_in(text: str) -> tuple[Blocker, ...]:
    """As they stood last."""
    return _last_of(Blocker, text, "blocker")


def _missing_feedback(entries: Iterable[FeedbackEntry], text: str) -> list[str]:
    head = [] if text else ["# Feedback", ""]
    new = [
        f"- {entry.timestamp} {entry.source} → {entry.target} ({entry.type}): {word(entry.content)}"
        for entry in _missing(entries, feedback_in(text))
    ]
    return [*head, *new] if new else []


def _missing_decisions(state: CycleState, text: str) -> list[str]:
    """Decisions and blockers, a line for each time that one of them is another than before."""
    coordination = state.coordination
    lines = []
    for kind, items, known in (
        ("decision", coordination.pending_decisions, decisions_in(text)),
        ("blocker", coordination.blockers, blockers_in(text)),
    ):
        before: dict[str, Record] = {one.id: one for one in known}
        lines += [
            json_line({"at": state.updated_at, "kind": kind, **item.model_dump(mode="json")})
            for item in items
            if before.get(item.id) != item
        ]
    return lines


def _last_of(model: type[Named], text: str, kind: str) -> tuple[Named, ...]:
    lines = (line for line in _objects(text) if line.get("kind") == kind)
    without = ({key: value for key, value in line.items() if key not in ("at", "kind")} for line in lines)
    return tuple({one.id: one for one in _read(model, without)}.values())


def _missing(entries: Iterable[R], known: Iterable[R]) -> list[R]:
    """Each as often as it is there more often than known."""
    left = Counter(one.model_dump_json() for one in known)
    missing = []
    for entry in entries:
        key = entry.model_dump_json()
        if left[key] > 0:
            left[key] -= 1
        else:
            missing.append(entry)
    return missing


def _objects(text: str) -> Iterable[Json]:
    for line in text.split("\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _read(model: type[R], raw: Iterable[Json]) -> Iterable[R]:
    for one in raw:
        try:
            yield model.model_validate(one)
        except ValidationError:
            continue
