"""A line of a log, for people. Pure."""

import json
from collections.abc import Callable
from typing import Any

from loopwright.cli.text import local

Fields = dict[str, Any]  # Any: parsed JSON; what is missing raises KeyError, and the line is shown as it is

FORMS: dict[str, Callable[[Fields], str]] = {
    "changes.log": lambda f: f"{_at(f['timestamp'])} {f['action']} {f['file']} ({f['agent']}): {f['description']}",
    "debug.log": lambda f: f"{_at(f['ts'])} {f['hid']} {f['func']}:{f['line']} {json.dumps(f['data'])}",
    "transcript.ndjson": lambda f: f"{_at(f['ts'])} {f['kind']}: {f['text']}",
}


def log_line(name: str, line: str) -> str:
    """Time first, then what happened; a line of another shape stays as it is."""
    form = FORMS.get(name)
    try:
        return form(json.loads(line)) if form else line
    except (ValueError, KeyError, TypeError):
        return line


def _at(timestamp: str) -> str:
    return local(timestamp, "%H:%M:%S")
