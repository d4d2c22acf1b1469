"""Variables of a skill that hold paths, or what was read from a file."""

import re
from collections.abc import Iterable

from loopwright.tune.skill.behaviour import Code
from loopwright.tune.skill.names import is_variable, names_file, parts

_PARSED = re.compile(r"(?:JSON\.parse|json\.loads?|yaml\.safe_load|tomllib\.loads?|loadJson|readJson|readJSON)\s*\(")
_QUOTED = re.compile(r"([\"'`])([^\"'`\n]{1,200})\1\Z")
_JOIN = re.compile(r"(?:path\.)?join\(([^()\n]{1,200})\)\Z")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


def paths(behaviours: Iterable[Code]) -> dict[str, str]:
    """What a variable's path is, where that says more than the variable: it names a file, or lies below another one."""
    found: dict[str, str] = {}
    for code in behaviours:
        for one in code.assignments:
            if not one.grows and one.name not in found and (value := _path(one.value.strip())) is not None:
                found[one.name] = value
    return found


def _path(value: str) -> str | None:
    quoted = _QUOTED.match(value)
    path = quoted[2] if quoted else _joined(value)
    if path is None or " " in path or "://" in path or ("/" not in path and not names_file(path)):
        return None
    return path if names_file(path) or any(map(is_variable, parts(path))) else None


def _joined(value: str) -> str | None:
    found = _JOIN.match(value)
    if found is None:
        return None
    pieces = [piece.strip() for piece in found[1].split(",")]
    return "/".join(quoted[2] if (quoted := _QUOTED.match(piece)) else f"${{{piece}}}" for piece in pieces if piece)


def held(behaviours: Iterable[Code]) -> frozenset[str]:
    """Variables that take what is parsed from a file."""
    return frozenset(
        one.name
        for code in behaviours
        for one in code.assignments
        if _NAME.match(one.name) and _PARSED.search(one.value[:200])
    )
