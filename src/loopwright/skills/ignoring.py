"""Reads `.gitignore` files, as far as the skill's own folder has them.

Those above the skill are left alone: many projects ignore `.claude/` as a whole, and the skill in it is to be read.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_TOKENS = re.compile(r"\*\*/|/\*\*\Z|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a `.gitignore`. `base`: the folder it stands in, `""` or with a `/` at its end."""

    base: str
    regex: "re.Pattern[str]"
    negated: bool
    folders_only: bool

    def matches(self, path: str, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        return path.startswith(self.base) and self.regex.fullmatch(path, len(self.base)) is not None


def patterns(base: str, text: str) -> tuple[Pattern, ...]:
    """The patterns of a `.gitignore` in that folder; what git would not understand is skipped."""
    found = (_pattern(base, line.rstrip("\r")) for line in text.split("\n"))
    return tuple(one for one in found if one is not None)


def is_ignored(path: str, is_folder: bool, known: tuple[Pattern, ...]) -> bool:
    """The last pattern that matches decides, as for git."""
    decisive = next((one for one in reversed(known) if one.matches(path, is_folder)), None)
    return decisive is not None and not decisive.negated


def _pattern(base: str, line: str) -> Pattern | None:
    line = re.sub(r"(?<!\\) +\Z", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line[negated:]
    folders_only = body.endswith("/")
    body = body.rstrip("/")
    if not body:
        return None
    regex = _regex(body.removeprefix("/"), anchored="/" in body)
    return Pattern(base, regex, negated, folders_only) if regex else None


@lru_cache(512)
def _regex(body: str, *, anchored: bool) -> "re.Pattern[str] | None":
    parts = "".join(_translated(token.group()) for token in _TOKENS.finditer(body))
    try:
        return re.compile(parts if anchored else f"(?:[^/]+/)*+{parts}", re.DOTALL)
    except re.error:
        return None


def _translated(token: str) -> str:
    match token:
        case "**/":
            return "(?:[^/]+/)*"
        case "/**":
            return "/.+"
        case "?":
            return "[^/]"
        case _ if token[0] == "*":
            return "[^/]*"
        case _ if token[0] == "[" and len(token) > 2:
            inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&")
            return f"(?!/)[{'^' + inner[1:] if inner[0] in '!^' else inner}]"
        case _ if token[0] == "\\" and len(token) > 1:
            return re.escape(token[1])
        case _:
            return re.escape(token)
