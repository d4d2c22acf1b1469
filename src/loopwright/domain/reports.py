"""Reading an agent's ACTION_RESULT out of prose: strict in what it means, patient in how it is written."""

import json
import re
from typing import Any

from loopwright.domain.choices import read_choices
from loopwright.domain.protocol import ActionReport, ReportStatus

HEADING = re.compile(r"^(ACTION_RESULT|FILES_UPDATED|NEXT_ACTION_NEEDED)\s*:?\s*(.*)$", re.IGNORECASE)
FIELD = re.compile(r"^[-*]\s*(action|status|message|state_updates|options)\s*:\s*(.*)$", re.IGNORECASE)
FILE = re.compile(r"^[-*]\s*(.+?)\s*:\s+(.*)$")
STATUSES: dict[str, ReportStatus] = {
    "success": "success", "succeeded": "success", "completed": "success", "ok": "success",
    "failed": "failed", "failure": "failed", "error": "failed",
    "needs_input": "needs_input", "needs input": "needs_input", "waiting_input": "needs_input",
}  # fmt: skip


def parse_report(text: str) -> ActionReport | None:
    """The last complete block in `text`, or None. Blocks inside a quotation do not count."""
    lines = [_bare(line) for line in text.splitlines() if not line.lstrip().startswith(">")]
    starts = [i for i, line in enumerate(lines) if line.upper().startswith("ACTION_RESULT")]
    for start in reversed(starts):
        report = _parse_block(lines[start:])
        if report is not None:
            return report
    return None


def asks(next_action: str | None) -> bool:
    """Whether the next action that an agent wishes for is an answer of a person's."""
    return next_action is not None and next_action.upper().startswith("WAITING_INPUT")


def _bare(line: str) -> str:
    """A line without fences, bold and heading marks; indentation goes too."""
    line = line.strip()
    if line.startswith("```"):
        return ""
    return re.sub(r"\*\*|__(?=\w+__)|^#+\s*|^`|`$", "", line).strip()


def _parse_block(lines: list[str]) -> ActionReport | None:
    parts = _parts(lines)
    files = (FILE.match(line) for line in parts.get("FILES_UPDATED", ()))
    named = {match[1].strip("`{}"): match[2] for match in files if match}
    next_action = " ".join(parts.get("NEXT_ACTION_NEEDED", ())).split("\n")[0].strip() or None
    return _report(_fields(parts["ACTION_RESULT"]), named, next_action)


def _parts(lines: list[str]) -> dict[str, list[str]]:
    """The lines under each heading of the first block in `lines`; what follows the block is left out."""
    parts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        heading = HEADING.match(line)
        name = heading[1].upper() if heading else ""
        if name in parts:
            break
        if heading:
            current = parts.setdefault(name, [heading[2]] if heading[2] else [])
        elif name or "NEXT_ACTION_NEEDED" not in parts or not parts["NEXT_ACTION_NEEDED"]:
            current.append(line)
    return parts


def _fields(lines: list[str]) -> dict[str, str]:
    """`- name: value` lines; a value goes on until the next name."""
    fields: dict[str, str] = {}
    key = ""
    for line in lines:
        field = FIELD.match(line)
        if field:
            key = field[1].lower()
            fields[key] = field[2]
        elif key:
            fields[key] += "\n" + line
    return fields


def _report(fields: dict[str, str], files: dict[str, str], next_action: str | None) -> ActionReport | None:
    status = STATUSES.get(fields.get("status", "").strip().strip("`\"'.").lower())
    if status is None or not fields.get("action", "").strip():
        return None
    if asks(next_action):
        status = "needs_input"
    return ActionReport(
        action=fields["action"].strip().strip("`").upper(),
        status=status,
        message=fields.get("message", "").strip(),
        state_updates=_json(fields.get("state_updates", "")),
        files_updated=files,
        next_action_needed=next_action,
        options=read_choices(fields.get("options", "")),
    )


def _json(text: str) -> dict[str, Any]:  # Any: an agent's JSON, checked where it is used
    """The first JSON object in `text`; an empty one when there is none."""
    start = text.find("{")
    if start < 0:
        return {}
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
