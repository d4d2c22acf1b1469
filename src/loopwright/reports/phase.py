"""What a role of a cycle reports at the end of a step. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal, NamedTuple, Self
from unicodedata import normalize

from pydantic import model_validator

from loopwright.core.cycle_names import ROLE_OF, TITLES, Role
from loopwright.core.protocol import ActionReport
from loopwright.core.record import Items, Record
from loopwright.core.text import clip_text
from loopwright.reports.block import BULLET, ListEntry, is_nothing, read_choices, read_json_entries, strip_marks
from loopwright.reports.block import PhaseStatus as PhaseStatus

MOST_ENTRIES, ENTRY_LENGTH = 50, 2_000
"""Issues, blockers or decisions of one report; characters of each."""

MOST_CHOICES, CHOICE_LENGTH = 10, 300
MOST_IDS, ID_LENGTH = 50, 60

_ID = r"[A-Za-z]{1,20}-\d[\w.-]{0,40}"
_TAIL = re.compile(
    rf"\s*[(（\[]\s*(?:\w+\s*[:：]\s*)?({_ID}(?:\s*(?:[,;、，；&+/]|\band\b)\s*{_ID})*)\s*[)）\]][.。]?\s*$"
)
_KEYS = {
    "option": "options",
    "options": "options",
    "choices": "options",
    "选项": "options",
    "recommended": "recommended",
    "recommendation": "recommended",
    "推荐": "recommended",
    "task": "tasks",
    "tasks": "tasks",
    "任务": "tasks",
}
_NAMED = re.compile(rf"^[*_`]*({'|'.join(_KEYS)})[*_`]*\s*[:：][*_`]*\s*(.*)$", re.IGNORECASE)
_PREFERRED = re.compile(
    r"\s*[(（\[]\W*(?:recommended|preferred|推荐|建议)\W*[)）\]]|\s+[-–—*_]+\s*(?:recommended|preferred|推荐)[*_]*\s*$",
    re.IGNORECASE,
)
_OPTIONS_BEHIND = re.compile(r"\s*[-–—;,.(（]*\s*\b(?:options?|choices)\s*[:：]\s*", re.IGNORECASE)
_WORDS = ("description", "question", "issue", "blocker", "decision", "text", "message", "title", "name", "summary")
_LABELS = ("option", "label", "name", "title", "text", "description", "value")
_TASKS = ("tasks", "task", "task_ids", "task_id", "blocks", "affects", "affected_tasks")
_OPTIONS = ("options", "choices", "alternatives")
_RECOMMENDED = ("recommended", "recommendation", "recommended_option", "default")

STEPS: Mapping[str, str] = {step: TITLES[role].lower() for step, role in ROLE_OF.items() if role}
"""Every step that a role reports on, with the role's title."""

Given = Mapping[str, Any]  # Any: an agent's JSON


class ReportedBlocker(Record):
    """Something that keeps the role from going on. `tasks`: ids of the plan's tasks that it keeps."""

    description: str
    tasks: Items[str] = ()


class ReportedDecision(Record):
    """A question with options; `recommended` is one of them, or empty. `tasks`: ids of what waits for the answer."""

    description: str
    options: Items[str] = ()
    recommended: str = ""
    tasks: Items[str] = ()

    @model_validator(mode="after")
    def _recommended_is_an_option(self) -> Self:
        if self.recommended and self.recommended not in self.options:
            raise ValueError(f"{self.recommended!r} is recommended, but is not one of the options")
        return self


class _Option(NamedTuple):
    text: str
    is_recommended: bool = False


def names_step(step: str, said: str) -> bool:
    """Whether the phase that an agent names is that step: as such, by its role or that one's title, or by its deed."""
    words = normalize("NFKC", said).lower()
    first = re.search(r"[^\W_][\w.]*", words)
    role, _, deed = step.partition(".")
    return first is not None and (first[0].rstrip("_.") in (step, role, deed) or STEPS[step] in words)


def read_issues(entries: Iterable[ListEntry]) -> tuple[str, ...]:
    """Each in one line."""
    words = (_first(entry.given, _WORDS) or _plain(entry.given) if entry.given else _joined(entry) for entry in entries)
    return tuple(dict.fromkeys(clip_text(each, ENTRY_LENGTH) for each in words if each))[:MOST_ENTRIES]


def read_blockers(entries: Iterable[ListEntry]) -> tuple[ReportedBlocker, ...]:
    """`text (TASK-001, TASK-002)`, text with its tasks below, or an object."""
    found = (_blocker(entry) for entry in islice(entries, MOST_ENTRIES))
    return tuple(dict.fromkeys(each for each in found if each.description))


def read_decisions(entries: Iterable[ListEntry]) -> tuple[ReportedDecision, ...]:
    """`question | one | other (recommended)`, a question with its options below, or an object."""
    found = (_decision(entry) for entry in islice(entries, MOST_ENTRIES))
    return tuple(dict.fromkeys(each for each in found if each.description))


def _blocker(entry: ListEntry) -> ReportedBlocker:
    if entry.given:
        words = _first(entry.given, _WORDS) or _plain(entry.given)
        return ReportedBlocker(description=clip_text(words, ENTRY_LENGTH), tasks=_ids(_any(entry.given, _TASKS)))
    named, below = _parted(entry.below)
    text, tasks = _without_tasks("; ".join((entry.text, *below)))
    return ReportedBlocker(
        description=clip_text(strip_marks(text), ENTRY_LENGTH), tasks=_unique((*tasks, *_ids(named.get("tasks"))))
    )


def _decision(entry: ListEntry) -> ReportedDecision:
    if entry.given:
        return _made(
            _first(entry.given, _WORDS) or _plain(entry.given),
            _options(_any(entry.given, _OPTIONS)),
            _any(entry.given, _RECOMMENDED),
            _ids(_any(entry.given, _TASKS)),
        )
    named, below = _parted(entry.below)
    text, tasks = _without_tasks(entry.text)
    question, parts = _asked(text)
    more, parts = _parted(part.strip() for part in parts)
    named = {**named, **more}
    question, asked_by = _without_tasks(question)
    options = _options([*parts, *below, *read_choices(named.get("options", ""))])
    return _made(question, options, named.get("recommended"), (*tasks, *asked_by, *_ids(named.get("tasks"))))


def _asked(text: str) -> tuple[str, list[str]]:
    """A question and its options, which stand between strokes or behind the word for them."""
    question, *behind = _OPTIONS_BEHIND.split(text, 1)
    if not behind or "|" in question:
        question, *parts = text.split("|")
        return question, parts
    is_closed = behind[0].count(")") > behind[0].count("(")
    return question, list(read_choices(behind[0].rstrip()[:-1] if is_closed else behind[0]))


def _made(question: str, options: Iterable[_Option], recommended: object, tasks: Iterable[str]) -> ReportedDecision:
    each = {option.text: option.is_recommended for option in options if option.text}
    texts = tuple(each)[:MOST_CHOICES]
    marked = [text for text in texts if each[text]]
    chosen = _among(texts, recommended) or next(iter(marked), "")
    return ReportedDecision(
        description=clip_text(strip_marks(question), ENTRY_LENGTH),
        options=texts,
        recommended=chosen,
        tasks=_unique(tasks),
    )


def _options(given: Any) -> Iterator[_Option]:  # Any: an agent's JSON
    each = read_choices(given) if isinstance(given, str) else given if isinstance(given, (list, tuple)) else ()
    for one in each:
        if isinstance(one, dict):
            yield _option(_first(one, _LABELS), is_recommended=any(one.get(key) is True for key in _RECOMMENDED))
        elif isinstance(one, (str, int, float)):
            yield _option(str(one))


def _option(text: str, *, is_recommended: bool = False) -> _Option:
    bare = _PREFERRED.sub("", text)
    return _Option(clip_text(strip_marks(BULLET.sub("", bare.strip())), CHOICE_LENGTH), is_recommended or bare != text)


def _among(options: tuple[str, ...], said: object) -> str:
    """The option that is meant: by its words, by how it begins, or by its number."""
    if not isinstance(said, (str, int)) or isinstance(said, bool):
        return ""
    words = strip_marks(str(said)).casefold()
    alike = [option for option in options if option.casefold() == words]
    begin = [option for option in options if words and option.casefold().startswith(words)]
    if not alike and len(begin) != 1 and words.isdecimal() and 1 <= int(words) <= len(options):
        return options[int(words) - 1]
    return alike[0] if alike else begin[0] if len(begin) == 1 else ""


def _parted(lines: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """What is named (`tasks: …`), and the other lines."""
    named: dict[str, str] = {}
    others = []
    for line in lines:
        found = _NAMED.match(line)
        if found:
            named[_KEYS[found[1].lower()]] = found[2]
        elif line:
            others.append(line)
    return named, others


def _without_tasks(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without the ids in brackets at its end, and these."""
    found = _TAIL.search(text[-ENTRY_LENGTH:])
    if found is None:
        return text, ()
    return text[: len(text) - len(found[0])], _ids(found[1])


def _ids(given: object) -> tuple[str, ...]:
    parts = re.split(r"[,;、，；&|\s]+", given) if isinstance(given, str) else given if isinstance(given, list) else ()
    words = (str(part).strip("`*_\"'()[]. ") for part in parts if isinstance(part, (str, int)))
    return _unique(word for word in words if word and word != "and" and not is_nothing(word) and len(word) <= ID_LENGTH)


def _unique(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))[:MOST_IDS]


def _any(given: Given, keys: Iterable[str]) -> Any:  # Any: an agent's JSON
    return next((given[key] for key in keys if given.get(key) not in (None, "", [])), None)


def _first(given: Given, keys: Iterable[str]) -> str:
    """The words under the first of these keys that has any."""
    return next((given[key].strip() for key in keys if isinstance(given.get(key), str) and given[key].strip()), "")


def _plain(given: Given) -> str:
    return json.dumps(given, ensure_ascii=False)


def _joined(entry: ListEntry) -> str:
    return strip_marks("; ".join((entry.text, *entry.below)))


class PhaseReport(Record):
    """The role's PHASE_RESULT. A claim, never a measurement. Status `none`: it gave no report, also when asked.

    `shown_by`: tests that are said to show the goal.
    """

    phase: Role
    status: PhaseStatus | Literal["none"]
    summary: str = ""
    files_written: Items[str] = ()
    issues: Items[str] = ()
    blockers: Items[ReportedBlocker] = ()
    decisions: Items[ReportedDecision] = ()
    shown_by: Items[str] = ()


def read_phase_report(report: ActionReport, role: Role) -> PhaseReport:
    """The report of that role, whatever phase it names. What it lists and nobody can read is left out.

    An agent that knows only actions may ask for input: then its message is a decision.
    """
    listed = {
        key: read_json_entries(report.state_updates.get(key)) or ()
        for key in ("issues", "blockers", "decisions", "shown_by")
    }
    asks = report.status == "needs_input"
    question = (ReportedDecision(description=report.message, options=report.options),) if asks else ()
    return PhaseReport(
        phase=role,
        status="partial" if report.status == "needs_input" else report.status,
        summary=report.message,
        files_written=tuple(report.files_updated),
        issues=read_issues(listed["issues"]),
        blockers=read_blockers(listed["blockers"]),
        decisions=(*question, *read_decisions(listed["decisions"])),
        shown_by=read_issues(listed["shown_by"]),
    )
