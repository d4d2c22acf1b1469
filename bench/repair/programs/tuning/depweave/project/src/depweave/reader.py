"""Reading and writing of build files."""

import re

from .errors import ReadError
from .graph import TaskGraph

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_HEAD = re.compile(r"build\s+(?P<name>\S+)(?:\s+(?P<duration>\S+))?\s*")


def _logical_lines(text):
    """Pairs of line number and line, comments cut, continued lines joined."""
    held = ""
    first = 0
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split("#", 1)[0].rstrip()
        if not held:
            first = number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        line = held + line
        held = ""
        if line.strip():
            yield first, line.strip()
    if held.strip():
        yield first, held.strip()


def _check_name(number, name):
    if not _NAME.fullmatch(name):
        raise ReadError(number, f"bad name: {name}")
    return name


def read(text):
    """Read a build file into a graph."""
    if text.startswith("\ufeff"):
        text = text[1:]
    graph = TaskGraph()
    groups = {}
    for number, line in _logical_lines(text):
        head, colon, tail = line.partition(":")
        if head.startswith("group "):
            name = _check_name(number, head[len("group "):].strip())
            groups[name] = _names(number, tail, groups)
            continue
        match = _HEAD.fullmatch(head)
        if not match:
            raise ReadError(number, f"cannot read: {line}")
        name = _check_name(number, match["name"])
        duration = None
        if match["duration"] is not None:
            if not match["duration"].isdigit():
                raise ReadError(number, f"bad duration: {match['duration']}")
            duration = int(match["duration"])
        if colon and not tail.strip():
            raise ReadError(number, "nothing after the colon")
        graph.add(name, _names(number, tail, groups), duration)
    return graph


def _names(number, tail, groups):
    """Names in a list with commas; a group stands for its members."""
    found = []
    for part in tail.split(","):
        part = part.strip()
        if not part:
            continue
        if part.startswith("@"):
            if part[1:] not in groups:
                raise ReadError(number, f"unknown group: {part[1:]}")
            found.extend(groups[part[1:]])
        else:
            found.append(_check_name(number, part))
    return found


def dump(graph):
    """A build file that reads back as the same graph."""
    lines = []
    for name in sorted(graph):
        line = f"build {name} {graph.duration(name)}"
        if graph.needs(name):
            line += ": " + ", ".join(graph.needs(name))
        lines.append(line + "\n")
    return "".join(lines)
