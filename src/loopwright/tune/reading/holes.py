"""What prompts are filled in with: the expressions in their braces, and what the skill knows of their variables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from loopwright.tune.skill.model import Assignment, Call, Interpolation, Prompt, Skill
from loopwright.tune.skill.once import once

_WRITES = frozenset({"Write", "write_file", "writeFile", "writeFileSync", "fs.writeFileSync", "write_text"})
_FILLED = re.compile(r"\$\{([^{}\n]{1,200})\}")
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
    """Of all prompts that the skill really gives to agents."""
    for prompt in skill.prompts:
        if prompt.at.use in ("instruction", "prompt"):
            for place in prompt.interpolations:
                yield _hole(prompt, place)
    for call in skill.calls:
        if call.name in _WRITES and call.at.use in ("instruction", "prompt") and call.prompt < 0:
            yield from _written(skill, call)


def _written(skill: Skill, call: Call) -> Iterator[Hole]:
    """Of a prompt that is written to a file first, for an agent that is started with it."""
    texts = [one for one in call.arguments if one.literal is not None]
    text = max(texts, key=lambda one: one.at.end - one.at.start, default=None)
    if text is None or not any("prompt" in (one.literal or "").rpartition("/")[2] for one in texts if one is not text):
        return
    page = skill.pages[call.at.file].text
    prompt = Prompt(text.at, text.literal or "")
    for found in _FILLED.finditer(page, text.at.start, text.at.end):
        line = text.at.line + page.count("\n", text.at.start, found.start())
        at = replace(text.at, start=found.start(1), end=found.end(1), line=line)
        yield _hole(prompt, Interpolation(found[1], at))


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
    if _BOUNDED.search(text):
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


def values(skill: Skill) -> dict[str, tuple[Assignment, ...]]:
    """What is assigned to each name, in order."""
    known: dict[str, list[Assignment]] = {}
    for one in skill.assignments:
        known.setdefault(one.name, []).append(one)
    return {name: tuple(places) for name, places in known.items()}
