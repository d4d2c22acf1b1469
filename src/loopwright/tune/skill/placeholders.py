"""What stands in a text for something that is filled in later."""

import re

from loopwright.tune.skill.model import Interpolation, Use
from loopwright.tune.skill.places import Places

_WORD = "A-Za-z_\u4e00-\u9fff"
_PLACEHOLDER = re.compile(
    r"\$\{([^{}\n]{1,200})\}|\{\{\s{0,8}+([^{}\n]{1,120}?)\s{0,8}\}\}|(\$ARGUMENTS\b|\$[1-9]\b)"
    rf"|(?<![\w$\"'])\{{([{_WORD}][\w.\[\]\- /{_WORD}]{{0,60}})\}}"
    rf"|<([{_WORD}][\w\- |./{_WORD}]{{0,60}})>"
    r"|(?<![\w\]])\[([a-z][a-z _-]{2,40}|[A-Z][A-Z_ ]{3,40}|[\u4e00-\u9fff]{2,20})\](?![(:\[])"
)
_CLOSING = re.compile(r"</([A-Za-z_][\w-]*)")


def placeholders(places: Places, start: int, end: int, use: Use) -> tuple[Interpolation, ...]:
    """`${x}`, `{{x}}`, `{x}`, `<x>` and `[x]`; a tag that is closed again is none."""
    closed = set(_CLOSING.findall(places.text, start, end)) if places.text.find("</", start, end) >= 0 else ()
    found = []
    for match in _PLACEHOLDER.finditer(places.text, start, end):
        inner = next(group for group in match.groups() if group is not None)
        if not (match[5] and inner.split()[0] in closed):
            found.append(Interpolation(inner, places.at(match.start(), match.end(), use)))
    return tuple(found)
