"""Values that a skill's schemas list for a field, and values that are used and not listed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.words.likeness import nearest
from loopwright.tune.skill.known import described, singular
from loopwright.tune.skill.model import FieldDeclared, FieldUse, Page, Schema, Skill

_STEP = re.compile(r"\[\w*\]")
_FILE = re.compile(r"(?<![\w\-])([\w\-]++\.(?:jsonl?|ya?ml|toml|csv))\b")
_FRONT = re.compile(r"front-?\s?matter|YAML|header|元数据", re.IGNORECASE)
_EACH = re.compile(
    r"(?<![\w$])(?P<list>[A-Za-z_$][\w$]*+)\s{0,40}\??\.(?:map|forEach|flatMap|filter|find|findIndex|some|every|sort)\("
    r"\s*+(?:async\s*+)?\(?\s*+(?P<one>[A-Za-z_$][\w$]*+)\s*+[,)=]"
)
_OF_LIST = re.compile(
    r"\bfor\s{0,3}\(?(?:const |let |var )?(?P<one>[A-Za-z_$][\w$]{0,40}) (?:of|in) (?P<list>[A-Za-z_$][\w$.?]{0,80})"
)
_TAKEN = re.compile(
    r"(?<![\w$.])(?P<one>[A-Za-z_$][\w$]*+) = (?P<list>[A-Za-z_$][\w$.?]{0,80}?)(?:\??\.(?:find|shift|pop|at)\(|\[)"
)
_TAIL = re.compile(r"(?<=[a-z])[A-Z][a-z]+\Z")
_SHOWN = re.compile(r"[\"']?\s?:\s?[\"']([^\"'\n]{1,60})[\"']")
FEWEST, NEAR, NEARBY = 2, 400, 600
"""Values that a field must list to list them at all; characters before a schema that say what it is of, and before a
use, in which its variable is taken out of a list."""
_WORD = re.compile(r"[A-Za-z][\w\-]{1,39}\Z")
_NO_VALUE = frozenset(
    {"true", "false", "null", "none", "undefined", "string", "number", "boolean", "empty", "set", "missing"}
)
_OF_TOOLS = frozenset({
    "completed", "running", "failed", "error", "errored", "timeout", "timed_out", "success", "killed", "cancelled",
    "interrupted", "pending", "not_found", "done",
})  # fmt: skip
_SAME = (
    ("accepted", "approved", "confirmed", "ok", "agreed"),
    ("pass", "passed", "ok", "success", "succeeded", "green", "passing", "valid"),
    ("done", "completed", "complete", "finished", "closed", "resolved", "success", "merged"),
    ("fail", "failed", "failure", "error", "errored", "red", "failing", "invalid"),
    ("blocked", "on_hold", "on-hold", "stuck", "paused", "waiting", "suspended", "stopped", "halted"),
    ("pending", "open", "todo", "new", "queued", "idle", "not_started", "created", "ready", "waiting"),
    ("running", "in_progress", "in-progress", "active", "working", "started", "in_work", "processing", "doing"),
    ("rejected", "declined", "refused", "denied", "revise", "rework", "changes_requested"),
    ("cancelled", "canceled", "aborted", "skipped", "stopped", "dropped"),
    ("critical", "blocker", "fatal", "severe"), ("high", "major", "error"), ("medium", "moderate", "warning"),
    ("low", "minor", "info", "trivial"), ("interactive", "manual"), ("auto", "automatic", "unattended", "autonomous"),
    ("question", "query", "blocker", "request", "help"), ("unknown", "none", "unset"),
)  # fmt: skip
"""Words that authors use for the same value."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A value of `field` that is not listed. `start`, `end`: the value itself; `right`: what is most likely meant."""

    page: Page
    use: FieldUse
    value: str
    start: int
    end: int
    listed: tuple[str, ...]
    schema: Schema
    right: str | None


def stray_values(skill: Skill) -> Iterator[Stray]:
    """Of fields whose every declaration lists its values."""
    if not any(field.values for schema in skill.schemas for field in schema.fields):
        return
    for use in skill.fields:
        if not use.values or use.mode == "example" or use.at.use not in ("instruction", "prompt"):
            continue
        found = _declarations(skill, use)
        listed = tuple(dict.fromkeys(value for _, field in found for value in field.values))
        if len(listed) < FEWEST or not all(field.values for _, field in found):
            continue
        if not use.root and "." not in use.path and not _is_of(skill, use, found):
            continue
        if use.root and _is_of_tool(skill, use):
            continue
        for value in use.values:
            if _is_stray(value, listed):
                page = skill.pages[use.at.file]
                start = _place(page.text, use, value)
                if start >= 0:
                    right = meant(value, listed)
                    yield Stray(page, use, value, start, start + len(value), listed, found[0][0], right)


def _is_of(skill: Skill, use: FieldUse, found: Sequence[tuple[Schema, FieldDeclared]]) -> bool:
    """A field that is named alone: its line names no file of another shape, and its values are mostly listed ones."""
    page = skill.pages[use.at.file]
    line = page.text[page.text.rfind("\n", 0, use.at.start) + 1 : use.at.end + 120].split("\n", 1)[0]
    files = _FILE.findall(line)
    if _FRONT.search(line) or (
        files and not any(_describes(skill, schema, name) for schema, _ in found for name in files)
    ):
        return False
    used = {value for one in skill.fields if one.path == use.path and one.mode != "example" for value in one.values}
    listed = {value for _, field in found for value in field.values}
    strange = [value for value in used if _is_stray(value, (*listed,))]
    return len(strange) == 1 and len(used) > 1


def _is_of_tool(skill: Skill, use: FieldUse) -> bool:
    """`result.status === "completed"`, where `result` is what a tool gave back and no schema describes it."""
    if use.path not in ("status", "state") or not {*use.values} <= _OF_TOOLS or described(skill.schemas, use.root):
        return False
    given = re.compile(
        rf"(?<![\w.$]){re.escape(use.root)} = (?:await )?(?:[A-Z]\w{{2,30}}|wait\w{{0,20}}|spawn_agent)\("
    )
    return given.search(skill.pages[use.at.file].text) is not None


def _describes(skill: Skill, schema: Schema, file: str) -> bool:
    text = skill.pages[schema.at.file].text
    return file in schema.name or file in text[max(0, schema.at.start - NEAR) : schema.at.start]


def _declarations(skill: Skill, use: FieldUse) -> list[tuple[Schema, FieldDeclared]]:
    """Those of the variable's shapes, else all of the field's name."""
    path, schemas = _STEP.sub("", use.path), skill.schemas
    found: list[tuple[Schema, FieldDeclared]] = []
    thing = _thing(skill, use) if use.root else ""
    places = described(schemas, thing) if thing else ()
    for schema, below in places:
        start = _STEP.sub("", below)
        found += [(schema, field) for field in schema.fields if _STEP.sub("", field.path) == start + path]
    if not found and (thing == use.root or not places):
        last = path.rsplit(".", 1)[-1]
        for schema in schemas:
            for field in schema.fields:
                whole = _STEP.sub("", field.path)
                if whole == path or ("." not in path and whole.rsplit(".", 1)[-1] == last):
                    found.append((schema, field))
    if use.root and thing != use.root and not places:
        # What is in a list is not the file that holds the list.
        found = [one for one in found if one[0].format != "json"]
    lists = [one for one in found if one[1].values]
    listed = {value for _, field in lists for value in field.values}
    if lists and use.root and not places and any(_shows_other(skill, one, field, listed) for one, field in found):
        return []
    # An example of the shape says nothing of the values that its fields may have.
    return [one for one in found if one[1].values or one[0].format != "json"] if lists else []


def _thing(skill: Skill, use: FieldUse) -> str:
    """What the variable holds: `task` for the `t` of `tasks.some(t =>`, and for `currentTask`; else itself."""
    if described(skill.schemas, use.root):
        return use.root
    text = skill.pages[use.at.file].text
    lists = [
        (found.start(), found["list"])
        for pattern in (_EACH, _OF_LIST, _TAKEN)
        for found in pattern.finditer(text, max(0, use.at.start - NEARBY), use.at.start + 1)
        if found["one"] == use.root
    ]
    if lists:
        return singular(max(lists)[1].rsplit(".", 1)[-1].rstrip("?"))
    tail = _TAIL.search(use.root)
    return tail[0].lower() if tail and described(skill.schemas, tail[0].lower()) else use.root


def _shows_other(skill: Skill, schema: Schema, field: FieldDeclared, listed: set[str]) -> bool:
    """The example has another value, so that fields of this name may have other values than the listed ones."""
    text = skill.pages[schema.at.file].text
    shown = _SHOWN.match(text, field.at.end) if schema.format == "json" and not field.values else None
    return shown is not None and shown[1] not in listed


def _is_stray(value: str, listed: tuple[str, ...]) -> bool:
    small = {one.lower() for one in listed}
    return (
        value.lower() not in small
        and value.lower() not in _NO_VALUE
        and bool(_WORD.match(value))
        and value not in listed
    )


def _place(text: str, use: FieldUse, value: str) -> int:
    """Where the value stands: behind the field, in its statement, or before it."""
    line = text.rfind("\n", 0, use.at.start) + 1
    after = re.compile(rf"(?<![\w\-]){re.escape(value)}(?![\w\-])")
    found = after.search(text, use.at.start, use.at.end + 160) or after.search(text, line, use.at.start)
    return found.start() if found else -1


def meant(value: str, listed: Sequence[str]) -> str | None:
    """The listed value of the same meaning or spelling."""
    small = value.lower()
    for group in _SAME:
        if small in group:
            there = [one for one in listed if one.lower() in group]
            if len(there) == 1:
                return there[0]
    return nearest(value, listed)
