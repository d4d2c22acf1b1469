"""What prompts are filled in with: the expressions in their braces, and what the skill knows of their variables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.prompts.orders import FUNCTION, holds, orders
from loopwright.tune.skill.model import Assignment, Interpolation, Prompt, Skill
from loopwright.tune.skill.once import once

_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_CALLS = frozenset(
    {"JSON", "String", "Object", "Array", "await", "new", "str", "json", "yaml", "join", "format", "dump"}
)
_BOUNDED = re.compile(
    r"\.slice\(|\.at\(\s*-|\.substr(?:ing)?\(|\.splice\(|\[-\d*:?|\[:\s*\d|\btail\b|\bhead\b|\blast\w*\("
    r"|\btop\w*\(|\bsummar\w*\(|\blength\b"
    r"|\.size\b|\.pop\(|\blatest|\brecent|\btruncat|\blimit",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"=>\s{0,8}\(?[A-Za-z_]\w{0,40}\.(?:id|name|path|file|title|status|key|slug|role|label|type|score|length)\b\)?\s{0,8}\)"
)
"""Of each a name or a number: a list of them stays short."""
_TRIMMED = re.compile(
    r"\.slice\(|\.shift\(|\.splice\(|\[-\d+:|\btail\b|\btrim\w*\(|\bkeep[_A-Z]?last|\.length\s*>|len\(|\bdeque\(",
    re.IGNORECASE,
)


EMPTY = frozenset({"[]", "[];", "list()", "new Array()", "''", '""', "``"})


@dataclass(frozen=True, slots=True)
class Hole:
    """`name`: the variable whose value is put in, as a whole where `whole`; "" where the expression has none."""

    prompt: Prompt
    place: Interpolation
    name: str
    whole: bool

    @property
    def last(self) -> str:
        """The last part of the name: of `state.verify_history` that is `verify_history`."""
        return self.name.rpartition(".")[2]


@once
def holes(skill: Skill) -> Iterator[Hole]:
    """Of all that the skill really tells agents."""
    for prompt in orders(skill):
        for place in prompt.interpolations:
            yield _hole(prompt, place)


def _hole(prompt: Prompt, place: Interpolation) -> Hole:
    text = place.expression.strip()
    for found in _NAME.finditer(text):
        name = found[0]
        if name.split(".")[0] in _CALLS:
            continue
        parts = name.split(".")
        called = text[found.end() : found.end() + 1] == "("
        if called:
            parts = parts[:-1]
            if not parts:
                continue
        return Hole(prompt, place, ".".join(parts), _is_whole(text, found.end(), called, name))
    return Hole(prompt, place, "", whole=False)


def _is_whole(text: str, end: int, called: bool, name: str) -> bool:
    """Whether all of the value goes in: alone, joined, mapped, or turned into text."""
    if _BOUNDED.search(text) or _SHORT.search(text):
        return False
    if called:
        return name.rpartition(".")[2] in ("join", "map", "toString", "concat", "flat", "flatMap")
    return text[end : end + 1] in ("", ",", ")", " ", "}", "|", "?", "\n")


def growth(skill: Skill) -> dict[str, tuple[Assignment, ...]]:
    """By the last part of their names the variables that grow and that nothing cuts again, with where they do."""
    growing: dict[str, list[Assignment]] = {}
    trimmed: set[str] = set()
    for one in skill.assignments:
        last = one.name.rpartition(".")[2]
        if one.grows:
            growing.setdefault(last, []).append(one)
        if _TRIMMED.search(one.value):
            trimmed.add(last)
        if one.value.strip() in EMPTY:  # what begins empty and is put in as a whole has grown on the way
            growing.setdefault(last, []).append(one)
    return {name: tuple(places) for name, places in growing.items() if name not in trimmed}


def reaches(skill: Skill, hole: Hole, grows: Assignment) -> bool:
    """Whether it lives as long as the rounds: what a function declares for itself begins anew at each call."""
    if "." in grows.name:
        return True
    at = grows.at
    for one in skill.assignments:
        again = grows.repeat < 0 or not holds(one.at, hole.place.at)
        if again and holds(one.at, at) and FUNCTION.match(one.value):
            before = skill.pages[at.file].text[one.at.start : at.end]
            if re.search(rf"\b(?:let|const|var) {re.escape(grows.name)}\b", before):
                return False
    return True


def values(skill: Skill) -> dict[str, tuple[Assignment, ...]]:
    """What is assigned to each name, in order."""
    known: dict[str, list[Assignment]] = {}
    for one in skill.assignments:
        known.setdefault(one.name, []).append(one)
    return {name: tuple(places) for name, places in known.items()}
