"""Limits written as text, such as "10/s burst 20; 500/h"."""

import re
from dataclasses import dataclass

from .buckets import SlidingWindow, TokenBucket

_UNITS = {
    "s": 1, "sec": 1, "second": 1,
    "m": 60, "min": 60, "minute": 60,
    "h": 3600, "hour": 3600,
    "d": 86400, "day": 86400,
}
_RULE = re.compile(
    r"(?P<count>\d+)\s*/\s*(?P<every>\d+)?\s*(?P<unit>[a-z]+)"
    r"(?:\s+burst\s+(?P<burst>\d+))?",
    re.IGNORECASE,
)


class RuleError(ValueError):
    """A rule that cannot be read."""


@dataclass(frozen=True)
class Rule:
    """So many units per span of seconds, at most burst at once.

    A rule with a burst becomes a token bucket, one without a sliding window.
    """

    count: int
    span: int
    burst: int | None = None

    def build(self, clock):
        """A fresh limit for this rule."""
        if self.burst is not None:
            return TokenBucket(self.burst, self.count / self.span, clock)
        return SlidingWindow(self.count, self.span, clock)

    def __str__(self):
        unit, size = "s", 1
        for name in ("m", "h", "d"):
            if self.span % _UNITS[name] == 0:
                unit, size = name, _UNITS[name]
        every = self.span // size
        text = f"{self.count}/{every if every > 1 else ''}{unit}"
        return text if self.burst is None else f"{text} burst {self.burst}"


def parse_rule(text):
    """Read one rule."""
    match = _RULE.fullmatch(text.strip())
    if not match:
        raise RuleError(f"cannot read rule: {text.strip()!r}")
    unit = match["unit"].lower()
    if unit not in _UNITS and unit.endswith("s"):
        unit = unit[:-1]
    if unit not in _UNITS:
        raise RuleError(f"unknown unit: {match['unit']!r}")
    count = int(match["count"])
    span = int(match["every"] or 1) * _UNITS[unit]
    burst = None if match["burst"] is None else int(match["burst"])
    if count == 0 or span == 0 or burst == 0:
        raise RuleError(f"zero in rule: {text.strip()!r}")
    return Rule(count, span, burst)


def parse_rules(text):
    """Read rules with semicolons between them, the same one only once."""
    rules = []
    for part in text.split(";"):
        if not part.strip():
            continue
        rule = parse_rule(part)
        if rule not in rules:
            rules.append(rule)
    if not rules:
        raise RuleError("no rules")
    return rules
