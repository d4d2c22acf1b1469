"""The logs of a cycle that only grow: what a state adds to each of them, and what they say. Pure.

What is missing is found by what stands there already, so that after a crash nothing is lost and nothing comes twice.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from loopwright.core.cycle_names import ROLES, TITLES, Role
from loopwright.core.record import Record
from loopwright.core.text import clip_text, decode_word, encode_word, json_line, json_objects, plural
from loopwright.workflows.cycle.model import (
    AgentResult,
    Blocker,
    ChangeLog,
    CycleState,
    Decision,
    FeedbackEntry,
    IterationRecord,
    TestResults,
)

FILES_NAMED, SAID = 30, 500
"""Files that an entry names, and characters of what a role said last."""

_FIELD = re.compile(r"- (title|task|tasks|created|started|ended|extension|issue|resolved|tests after): (.*)")
_ROLE = re.compile(r"- (ra|ep|cd|vas) \([^)]*\): (\S+), (\d{1,9}) files?(?: — (.*))?")
_BEGINS = re.compile(r"^## Iteration \d{1,8}$", re.MULTILINE)
_ENDS = re.compile(r"^<!-- iteration (\d{1,8}) is over -->$", re.MULTILINE)


class Timeline(NamedTuple):
    """What a timeline says; texts are empty where it does not say them.

    `tests`: by iteration, how they were after. `said`: by iteration and role, what that said last, cut.
    """

    title: str
    task: str
    tasks: tuple[str, ...]
    created: str
    records: tuple[IterationRecord, ...]
    tests: dict[int, str]
    said: dict[tuple[int, Role], str]


def timeline_lines(state: CycleState, text: str, since: CycleState | None = None) -> list[str]:
    """What a timeline.md of this text lacks. `since`: the state before, which knows what each role said last."""
    there = read_timeline(text)
    known = {record.number: record.completed_at for record in there.records}
    tests = dict(there.tests)
    lines = [] if text else _head(state)
    for record in state.iterations:
        if record.completed_at is None or known.get(record.number) == record.completed_at:
            continue
        is_last = record.number == max(r.number for r in state.iterations if r.completed_at)
        after = tests_words(state.test_results) if is_last and state.test_results else ""
        before = tests.get(record.number - 1) or (baseline_words(state) if record.number == 1 else "")
        tests[record.number] = after
        lines += _entry(state, record, before, after, since)
    return lines


def read_timeline(text: str) -> Timeline:
    """Entries that were broken off say nothing; of two of one iteration the later counts."""
    records: dict[int, IterationRecord] = {}
    tests: dict[int, str] = {}
    said: dict[tuple[int, Role], str] = {}
    first, *sections = _BEGINS.split(f"\n{text}")
    head = {found[1]: decode_word(found[2]) for found in reversed(_fields(first.split("\n")))}
    for section in sections:
        inside, ends, _ = _ENDS.split(section, maxsplit=1) if _ENDS.search(section) else (section, "", "")
        lines = inside.split("\n")
        if ends and (record := _record(int(ends), lines)):
            records[record.number] = record
            tests[record.number] = next((f[2] for f in _fields(lines) if f[1] == "tests after"), "")
            said |= {(record.number, role): words for role, words in _said(lines)}
    return Timeline(
        head.get("title", ""),
        head.get("task", ""),
        _texts(head.get("tasks", "")),
        head.get("created", ""),
        tuple(records[number] for number in sorted(records)),
        tests,
        said,
    )


def tests_words(results: TestResults) -> str:
    failing = len(results.failed_tests)
    return (
        f"{plural(results.total_tests, 'test')}, {failing} failing, {results.pass_rate:g} % pass,"
        f" coverage {results.coverage:g} %"
    )


def baseline_words(state: CycleState) -> str:
    """How the tests were before anything was done."""
    baseline = state.engine.baseline
    if baseline is None:
        return ""
    failing = sum(test.status == "failed" for test in baseline.tests.values())
    return f"{plural(len(baseline.tests), 'test')}, {failing} failing"


def _head(state: CycleState) -> list[str]:
    return [
        "# Timeline",
        "",
        f"Cycle `{state.cycle_id}`",
        "",
        f"- title: {encode_word(state.title)}",
        f"- task: {encode_word(state.description)}",
        f"- tasks: {json_line([*state.task_history])}",
        f"- created: {state.created_at}",
        "",
    ]


def _entry(
    state: CycleState, record: IterationRecord, before: str, after: str, since: CycleState | None
) -> Iterator[str]:
    yield from (f"## Iteration {record.number}", "", f"- started: {record.started_at}")
    yield f"- ended: {record.completed_at}"
    if record.extension is not None:
        yield f"- extension: {encode_word(record.extension)}"
    for role in ROLES:
        if result := record.agent_results.get(role):
            said = since.agents.of(role).last_message if since and since.current_iteration == record.number else None
            words = f" — {encode_word(clip_text(' '.join(said.split()), SAID))}" if said and said.strip() else ""
            yield f"- {role} ({TITLES[role]}): {result.status}, {plural(result.files_modified, 'file')}{words}"
    if files := _files(state, record.number):
        yield f"- files: {files}"
    yield from (f"- tests {when}: {words}" for when, words in (("before", before), ("after", after)) if words)
    yield from (f"- issue: {encode_word(issue)}" for issue in record.issues_found)
    yield from (f"- resolved: {'yes' if record.resolved else 'no'}", f"<!-- iteration {record.number} is over -->", "")


def _files(state: CycleState, number: int) -> str:
    """What cd changed in the iteration, a file once, with what was done to it last."""
    lines = state.changes.changes if state.changes else ()
    files = {line.file: line.action for line in lines if line.iteration == number}
    named = [f"{encode_word(file)} ({action})" for file, action in list(files.items())[:FILES_NAMED]]
    more = len(files) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _fields(section: list[str]) -> list[re.Match[str]]:
    return [found for line in section if (found := _FIELD.fullmatch(line))]


def _said(section: list[str]) -> Iterator[tuple[Role, str]]:
    for line in section:
        if (found := _ROLE.fullmatch(line)) and found[4]:
            yield next(role for role in ROLES if role == found[1]), decode_word(found[4])


def _record(number: int, section: list[str]) -> IterationRecord | None:
    fields = {found[1]: found[2] for found in _fields(section)}
    results = {
        found[1]: AgentResult(status=found[2], files_modified=int(found[3]))
        for line in section
        if (found := _ROLE.fullmatch(line))
    }
    raw = {
        "number": number,
        "started_at": fields.get("started"),
        "completed_at": fields.get("ended"),
        "extension": decode_word(fields["extension"]) if "extension" in fields else None,
        "agent_results": results,
        "issues_found": [decode_word(found[2]) for found in _fields(section) if found[1] == "issue"],
        "resolved": fields.get("resolved") == "yes",
    }
    try:
        return IterationRecord.model_validate(raw)
    except ValidationError:
        return None


def _texts(text: str) -> tuple[str, ...]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


CHANGES, FEEDBACK, DECISIONS, TIMELINE = (
    "cd/changes.log",
    "coordination/feedback.md",
    "coordination/decisions.log",
    "coordination/timeline.md",
)
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
    return tuple(_read(ChangeLog, json_objects(text)))


def feedback_in(text: str) -> tuple[FeedbackEntry, ...]:
    found = (_FEEDBACK.fullmatch(line) for line in text.split("\n"))
    names = ("timestamp", "source", "target", "type", "content")
    raw = (dict(zip(names, (*one.groups()[:4], decode_word(one[5])), strict=True)) for one in found if one)
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
        f"- {entry.timestamp} {entry.source} → {entry.target} ({entry.type}): {encode_word(entry.content)}"
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
    lines = (line for line in json_objects(text) if line.get("kind") == kind)
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


def _read(model: type[R], raw: Iterable[Json]) -> Iterable[R]:
    for one in raw:
        try:
            yield model.model_validate(one)
        except ValidationError:
            continue
