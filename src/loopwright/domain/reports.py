"""Reading an agent's ACTION_RESULT out of prose: strict in what it means, patient in how it is written."""

import re
from typing import Any
from unicodedata import normalize

from loopwright.domain.block import Block, blocks, first_object, is_quoted
from loopwright.domain.choices import read_choices
from loopwright.domain.errors import Invalid
from loopwright.domain.protocol import ActionReport
from loopwright.domain.statuses import ALLOWED, read_status
from loopwright.domain.tool_calls import LINE_LENGTH, LONGEST, MOST_FILES, MOST_OPTIONS
from loopwright.domain.words import clipped

_NOTHING = frozenset({"", "{}", "none", "null", "n/a", "无", "空"})
_FILE = re.compile(r"^(.+?)\s*(?::\s|：|:$)\s*(.*)$|^(\S+)$")


def parse_report(text: str, action: str | None = None) -> ActionReport | None:
    """The last complete block in `text` that speaks of `action`; else the last complete one; else None."""
    complete = []
    for block in blocks(text):
        try:
            complete.append(_report(block))
        except Invalid:
            continue
    return next((report for report in complete if report.action == action), complete[0] if complete else None)


def problem_of(text: str) -> str:
    """What keeps a report from being read in `text`, as words that fit into a sentence; empty where one can be."""
    if parse_report(text) is not None:
        return ""
    for block in blocks(text):
        try:
            _report(block)
        except Invalid as error:
            return str(error)
    return "the ACTION_RESULT block stood in a quotation" if is_quoted(text) else "there was no ACTION_RESULT block"


def asks(next_action: str | None) -> bool:
    """Whether the next action that an agent wishes for is an answer of a person's."""
    return next_action is not None and next_action.upper().startswith("WAITING_INPUT")


def _report(block: Block) -> ActionReport:
    """Invalid says what is missing or unreadable."""
    fields, updates, files = _from_json(block) if block.report is not None else _from_lines(block)
    action = re.match(r"[\W_]*(\w+)", normalize("NFKC", fields.get("action", "")))
    if action is None:
        raise Invalid("the block had no line “- action: …”")
    if not fields.get("status", "").strip():
        raise Invalid(f"the block had no line “- status: …” ({ALLOWED})")
    try:
        status = read_status(fields["status"])
    except ValueError as error:
        raise Invalid(f"its status {error}") from error
    return ActionReport(
        action=action[1].strip("_").upper(),
        status="needs_input" if asks(block.next_action) else status,
        message=clipped(_unwrapped(fields.get("message", "")), LONGEST),
        state_updates=updates or {},
        files_updated=files,
        next_action_needed=clipped(block.next_action, LINE_LENGTH) or None,
        options=tuple(clipped(o, LINE_LENGTH) for o in read_choices(fields.get("options", ""))[:MOST_OPTIONS]),
        unread="" if updates is not None else "state_updates",
    )


Parts = tuple[dict[str, str], dict[str, Any] | None, dict[str, str]]  # Any: an agent's JSON, checked where it is used
"""Fields, state updates (None where there are some that can not be read), and files."""


def _from_lines(block: Block) -> Parts:
    updates = first_object(block.rest)
    if updates is None and block.fields.get("state_updates", "").strip("`*. ").lower() in _NOTHING:
        updates = {}
    return block.fields, updates, _files(block)


def _files(block: Block) -> dict[str, str]:
    """`path: what changed`, or a path alone."""
    files = {}
    for entry in block.files[:MOST_FILES]:
        found = _FILE.match(entry)
        name = (found[1] or found[3]).strip("`*{}\"' ") if found else ""
        if found and name.lower() not in _NOTHING:
            files[clipped(name, LINE_LENGTH)] = clipped(found[2] or "", LONGEST)
    return files


def _from_json(block: Block) -> Parts:
    """A block whose fields are one JSON object."""
    given = block.report or {}
    options = given.get("options")
    fields = {key: str(given[key]) for key in ("action", "status", "message") if given.get(key)}
    if options:
        fields["options"] = " | ".join(map(str, options)) if isinstance(options, list) else str(options)
    updates = given.get("state_updates") or {}
    return fields, updates if isinstance(updates, dict) else None, {}


def _unwrapped(words: str) -> str:
    """Without the marks that enclose all of it."""
    words = words.strip()
    for mark in ("**", "`", '"', "“”", "*"):
        first, last = (mark[0], mark[-1]) if len(mark) == 2 and mark[0] != mark[1] else (mark, mark)
        inner = words[len(first) : len(words) - len(last)]
        if len(words) > len(first) + len(last) and words.startswith(first) and words.endswith(last):
            words = words if first in inner or last in inner else inner.strip()
    return words
