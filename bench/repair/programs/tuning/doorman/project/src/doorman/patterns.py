"""Path patterns such as ``/notes/<int:number>``: matching and building."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

_VARIABLE = re.compile(r"<(?:(\w+):)?([A-Za-z_]\w*)>")


class PatternError(ValueError):
    """A pattern that is not well formed."""


class BuildError(LookupError):
    """No path can be built from the values given."""


class Converter:
    regex = r"[^/]+"
    weight = 1

    def read(self, text: str) -> Any:
        return text

    def write(self, value: Any) -> str:
        text = str(value)
        if not re.fullmatch(self.regex, text):
            raise BuildError(f"{text!r} does not fit")
        return quote(text, safe="")


class IntConverter(Converter):
    regex = r"\d+"
    weight = 0

    def read(self, text: str) -> int:
        return int(text)


class PathConverter(Converter):
    regex = r"[^/].*?"
    weight = 2

    def write(self, value: Any) -> str:
        return super().write(value).replace("%2F", "/")


CONVERTERS: dict[str, Converter] = {
    "str": Converter(),
    "int": IntConverter(),
    "path": PathConverter(),
}


class Pattern:
    def __init__(self, text: str):
        if not text.startswith("/"):
            raise PatternError(f"pattern must start with a slash: {text!r}")
        self.text = text
        self.variables: dict[str, Converter] = {}
        self.parts: list[str] = []
        regex = ""
        position = 0
        for match in _VARIABLE.finditer(text):
            kind, name = match.group(1) or "str", match.group(2)
            if kind not in CONVERTERS:
                raise PatternError(f"unknown converter {kind!r}")
            if name in self.variables:
                raise PatternError(f"variable {name!r} used twice")
            literal = text[position:match.start()]
            self._check(literal)
            self.variables[name] = CONVERTERS[kind]
            self.parts += [literal, name]
            regex += re.escape(literal) + f"(?P<{name}>{CONVERTERS[kind].regex})"
            position = match.end()
        literal = text[position:]
        self._check(literal)
        self.parts.append(literal)
        self._regex = re.compile(regex + re.escape(literal))

    def _check(self, literal: str) -> None:
        if "<" in literal or ">" in literal:
            raise PatternError(f"stray bracket in {self.text!r}")

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sorts patterns: the fewer and the narrower the variables, the earlier."""
        literals = sum(len(part) for part in self.parts[::2])
        widest = max((c.weight for c in self.variables.values()), default=-1)
        return widest, len(self.variables), -literals

    def match(self, path: str) -> dict[str, Any] | None:
        found = self._regex.fullmatch(path)
        if found is None:
            return None
        return {name: self.variables[name].read(text) for name, text in found.groupdict().items()}

    def build(self, values: Mapping[str, Any]) -> str:
        missing = [name for name in self.variables if name not in values]
        if missing:
            raise BuildError(f"missing {', '.join(missing)}")
        pieces = []
        for index, part in enumerate(self.parts):
            if index % 2:
                pieces.append(self.variables[part].write(values[part]))
            else:
                pieces.append(quote(part))
        return "".join(pieces)
