"""Names made of parts of which one is written once and another, which nearly is the same, often."""

import re
from collections.abc import Collection
from difflib import SequenceMatcher

ALIKE = 0.72
"""How much two parts of names have in common of which one is a slip of the other."""
_PART = re.compile(r"[^-_:./\s]+")
_PREFIXES = frozenset({"un", "de", "re", "dis", "in", "non", "pre", "sub", "out", "over", "under", "multi", "auto"})
"""What makes another word of one: subscribe and unsubscribe."""
_DEGREES = frozenset({
    "low", "medium", "high", "small", "large", "mini", "max", "min", "fast", "slow", "lite", "pro", "deep", "quick",
    "v1", "v2", "v3", "alpha", "beta", "a", "b", "c", "d", "new", "old", "zh", "en", "api", *"123456789",
})  # fmt: skip
"""Parts that make a family of names of one that has them and one that has not."""


_PAIRS = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "test/text", "tests/texts", "review/preview", "internal/external", "encode/decode", "encoder/decoder",
        "increase/decrease", "ascending/descending", "inbound/outbound", "include/exclude", "import/export",
        "code/core", "data/date", "planner/scanner", "reader/header", "loader/leader", "form/format",
    )
)  # fmt: skip
"""Words that look alike and are two."""


def twin(name: str, others: Collection[str]) -> str | None:
    """The one of `others` that `name` is a slip of: a part more or less, or one that is spelled nearly alike."""
    found = [other for other in sorted(others) if other != name and _is_twin(name, other)]
    return found[0] if len(found) == 1 else None


def _is_twin(name: str, other: str) -> bool:
    mine, its = (_PART.findall(one.casefold()) for one in (name, other))
    if len(mine) == len(its):
        differing = [(a, b) for a, b in zip(mine, its, strict=True) if a != b]
        return not differing or (len(differing) == 1 and _alike(*differing[0]))
    longer, shorter = (mine, its) if len(mine) > len(its) else (its, mine)
    rest = iter(longer)
    if len(longer) - len(shorter) > 1 or not all(part in rest for part in shorter):
        return False
    more = [part for part in longer if part not in shorter]
    return len(more) == 1 and more[0] not in _DEGREES


def _alike(one: str, other: str) -> bool:
    if one.isdigit() or other.isdigit() or {one, other} & _DEGREES or min(len(one), len(other)) < 3:
        return False
    if frozenset((one, other)) in _PAIRS:
        return False
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if longer.removesuffix(shorter) in _PREFIXES:
        return False
    return SequenceMatcher(None, one, other).ratio() >= ALIKE


def head(name: str) -> str:
    """The first part behind a plugin's name: `security` of `tools:security-reviewer`."""
    parts = _PART.findall(name.rpartition(":")[2].casefold())
    return parts[0] if len(parts) > 1 else ""
