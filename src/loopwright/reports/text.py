"""Reading an agent's report out of prose: strict in what it means, patient in how it is written."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar
from unicodedata import normalize

from loopwright.core.errors import Invalid
from loopwright.core.protocol import ActionReport
from loopwright.core.text import clip_text
from loopwright.reports.block import (
    ACTION,
    ALLOWED,
    PHASE,
    PHASE_ALLOWED,
    ListEntry,
    ReportBlock,
    find_blocks,
    first_object,
    is_quoted,
    read_choices,
    read_json_entries,
    read_phase_status,
    read_status,
    strip_marks,
)
from loopwright.reports.phase import STEPS, names_step, read_blockers, read_decisions, read_issues
from loopwright.reports.tools import LINE_LENGTH, LONGEST, MOST_FILES, MOST_OPTIONS

S = TypeVar("S")

_NOTHING = frozenset({"", "{}", "none", "null", "n/a", "无", "空"})
_FILE = re.compile(r"^(.+?)\s*(?::\s|：|:$)\s*(.*)$|^(\S+)$")


def parse_report(text: str, action: str | None = None) -> ActionReport | None:
    """The last complete block in `text` that speaks of `action`, or of any where that is not known; else None.

    To a step of a cycle only a PHASE_RESULT answers, to an action of a loop only an ACTION_RESULT.
    """
    for block in _answers(text, action):
        try:
            return _report(block, action)
        except Invalid:
            continue
    return None


def find_report_problem(text: str, action: str | None = None) -> str:
    """What keeps a report from being read in `text`, as words that fit into a sentence; empty where one can be."""
    if parse_report(text, action) is not None:
        return ""
    for block in _answers(text, action):
        try:
            _report(block, action)
        except Invalid as error:
            return str(error)
    form = PHASE if action in STEPS else ACTION
    quoted = is_quoted(text, form)
    if quoted:
        return f"the {form.opening} block was inside a quotation"
    return f"there was no call of the report tool and no {form.opening} block"


def asks_person(next_action: str | None) -> bool:
    """Whether the next action that an agent wishes for is an answer of a person's."""
    return next_action is not None and next_action.upper().startswith("WAITING_INPUT")


def _answers(text: str, action: str | None) -> list[ReportBlock]:
    """The blocks of the kind that is ordered, the last one first; all of them where that is not known."""
    ordered = None if action is None else PHASE if action in STEPS else ACTION
    return [block for block in find_blocks(text) if ordered in (None, block.form)]


def _report(block: ReportBlock, action: str | None) -> ActionReport:
    """Invalid says what is missing or unreadable, or that it speaks of something else than the order."""
    report = _phase(block, action) if block.form is PHASE else _action(block)
    if action is None:
        return report
    if report.action.casefold() != action.casefold():
        raise Invalid(f"it reports {report.action}, but the order is {action}")
    return report.evolve(action=action)


def _action(block: ReportBlock) -> ActionReport:
    fields, updates, files = _from_json(block) if block.report is not None else _from_lines(block)
    action = _first_word(fields, "action", also="-")
    status = _ended(fields, read_status, ALLOWED)
    return ActionReport(
        action=action.rstrip("_-").upper(),
        status="needs_input" if asks_person(block.next_action) else status,
        message=clip_text(strip_marks(fields.get("message", "")), LONGEST),
        state_updates=updates or {},
        files_updated=files,
        next_action_needed=clip_text(block.next_action, LINE_LENGTH) or None,
        options=tuple(clip_text(o, LINE_LENGTH) for o in read_choices(fields.get("options", ""))[:MOST_OPTIONS]),
        unread="" if updates is not None else "state_updates",
    )


def _phase(block: ReportBlock, step: str | None) -> ActionReport:
    given: Mapping[str, Any] = block.fields if block.report is None else block.report  # Any: an agent's JSON
    fields = {name: value for key, value in given.items() if (name := PHASE.names.get(key.strip().lower()))}
    words = {name: str(value) for name, value in fields.items() if value}
    phase = _first_word(words, "phase", also=".").rstrip("_.").lower()
    status = _ended(words, read_phase_status, PHASE_ALLOWED)
    listed = {name: read_json_entries(fields.get(name)) for name in sorted(PHASE.lists)}
    updates = {
        "issues": list(read_issues(listed["issues"] or ())),
        "blockers": [each.model_dump(mode="json") for each in read_blockers(listed["blockers"] or ())],
        "decisions": [each.model_dump(mode="json") for each in read_decisions(listed["decisions"] or ())],
        "shown_by": list(read_issues(listed["shown_by"] or ())),
    }
    return ActionReport(
        action=step if step is not None and step in STEPS and names_step(step, words["phase"]) else phase,
        status=status,
        message=clip_text(strip_marks(words.get("summary", "")), LONGEST),
        state_updates={name: entries for name, entries in updates.items() if entries},
        files_updated=_named(file for entry in listed["files_written"] or () for file in _files_in(entry)),
        unread=", ".join(name for name, entries in listed.items() if entries is None),
    )


Parts = tuple[dict[str, str], dict[str, Any] | None, dict[str, str]]  # Any: an agent's JSON, checked where it is used
"""Fields, state updates (None where there are some that cannot be read), and files."""


def _from_lines(block: ReportBlock) -> Parts:
    updates = first_object(block.rest)
    if updates is None and block.fields.get("state_updates", "").strip("`*. ").lower() in _NOTHING:
        updates = {}
    return block.fields, updates, _named(block.files)


def _from_json(block: ReportBlock) -> Parts:
    """A block whose fields are one JSON object."""
    given = block.report or {}
    options = given.get("options")
    fields = {key: str(given[key]) for key in ("action", "status", "message") if given.get(key)}
    if options:
        fields["options"] = " | ".join(map(str, options)) if isinstance(options, list) else str(options)
    updates = given.get("state_updates") or {}
    return fields, updates if isinstance(updates, dict) else None, {}


def _first_word(fields: Mapping[str, str], name: str, also: str = "") -> str:
    """Of a field that names something. Invalid where there is none."""
    word = re.search(rf"[^\W_][\w{also}]*", normalize("NFKC", fields.get(name, "")))
    if word is None:
        raise Invalid(f"the block had no line “- {name}: …”")
    return word[0]


def _ended(fields: Mapping[str, str], read: Callable[[object], S], allowed: str) -> S:
    """The status. Invalid where there is none, or one that is not allowed."""
    if not fields.get("status", "").strip():
        raise Invalid(f"the block had no line “- status: …” ({allowed})")
    try:
        return read(fields["status"])
    except ValueError as error:
        raise Invalid(f"its status {error}") from error


def _files_in(entry: ListEntry) -> Iterator[str]:
    """The files of an entry, each as one line of a list would name it."""
    if entry.given:
        name = next((entry.given[key] for key in ("path", "file", "name") if isinstance(entry.given.get(key), str)), "")
        words = entry.given.get("description") or ""
        yield f"{name}: {words}" if words else name
    elif ": " in entry.text or "：" in entry.text:
        yield entry.text
    else:
        yield from (part.strip() for part in re.split(r"[,;、，；]", entry.text))


def _named(entries: Iterable[str]) -> dict[str, str]:
    """`path: what changed`, or a path alone."""
    files = {}
    for entry in islice(entries, MOST_FILES):
        found = _FILE.match(entry)
        name = (found[1] or found[3]).strip("`*{}\"' ") if found else ""
        if found and name.lower() not in _NOTHING:
            files[clip_text(name, LINE_LENGTH)] = clip_text(found[2] or "", LONGEST)
    return files
