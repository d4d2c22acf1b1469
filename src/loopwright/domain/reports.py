"""Reading an agent's ACTION_RESULT out of prose: strict in what it means, patient in how it is written."""

import json
import re
from typing import Any

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


def _bare(line: str) -> str:
    """A line without fences, bold and heading marks; indentation goes too."""
    line = line.strip()
    if line.startswith("```"):
        return ""
    return re.sub(r"\*\*|__(?=\w+__)|^#+\s*|^`|`$", "", line).strip()


def _parse_block(lines: list[str]) -> ActionReport | None:
    fields: dict[str, str] = {}
    files: dict[str, str] = {}
    part, key, next_action = "ACTION_RESULT", "", None
    for line in lines[1:]:
        if heading := HEADING.match(line):
            part = heading[1].upper()
            if part == "ACTION_RESULT":
                break
            if part == "NEXT_ACTION_NEEDED":
                next_action = heading[2].strip() or None
                break
        elif part == "FILES_UPDATED":
            if named := FILE.match(line):
                files[named[1].strip("`{}")] = named[2]
        elif field := FIELD.match(line):
            key = field[1].lower()
            fields[key] = field[2]
        elif key:
            fields[key] += "\n" + line
    return _report(fields, files, next_action)


def _report(fields: dict[str, str], files: dict[str, str], next_action: str | None) -> ActionReport | None:
    status = STATUSES.get(fields.get("status", "").strip().strip("`\"'.").lower())
    if status is None or not fields.get("action", "").strip():
        return None
    if next_action and next_action.upper().startswith("WAITING_INPUT"):
        status = "needs_input"
    options = tuple(o.strip() for o in fields.get("options", "").split("|") if o.strip())
    return ActionReport(
        action=fields["action"].strip().strip("`").upper(),
        status=status,
        message=fields.get("message", "").strip(),
        state_updates=_json(fields.get("state_updates", "")),
        files_updated=files,
        next_action_needed=next_action,
        options=options,
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
