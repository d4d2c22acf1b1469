"""A line of a log, for people. Pure."""

import json
from collections.abc import Callable

from loopwright.cli.text import local, short
from loopwright.domain.wording import CHANGES, NOTES, Fields

FORMS: dict[str, Callable[[Fields], str]] = {
    "changes.log": lambda f: (
        f"{_at(f['timestamp'])} {CHANGES[f['action']]} {f['file']} ({f['agent']}): {f['description']}"
    ),
    "debug.log": lambda f: f"{_at(f['ts'])} {f['hid']} {f['func']}:{f['line']} {json.dumps(f['data'])}",
    "transcript.ndjson": lambda f: f"{_at(f['ts'])} {NOTES[f['kind']].format(short(f['text'], CELLS))}",
}
CELLS = 400
"""Of a text in the transcript that people are shown; --json has it whole."""


def log_line(name: str, line: str) -> str:
    """Time first, then what happened; a line of another shape stays as it is."""
    form = FORMS.get(name)
    try:
        return form(json.loads(line)) if form else line
    except (ValueError, KeyError, TypeError, AttributeError):
        return line


def _at(timestamp: str) -> str:
    return local(timestamp, "%H:%M:%S")
