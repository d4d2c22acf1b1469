"""Tools that a skill itself describes: with their parameters, or by name among others of a server."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.catalogue.catalogue import closest
from loopwright.tune.reading.agents.agency import MEANT, PARTS, block_of
from loopwright.tune.skill.model import Argument, Call, Skill

_PARAMETER = re.compile(r"\.{0,3}([A-Za-z_]\w*)(?:\?|\s*[:=].*)?\Z", re.DOTALL)
_NAME = re.compile(r"`((?:mcp__)?[a-z][a-z0-9]*(?:_+[a-z0-9-]+)+)(?:\([^`\n]*\))?`")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LISTED = ("item", "row")
_NOTATION = re.compile(
    r"\bnotation\b|\bpseudo-?(?:code|calls?)\b|\bwhatever (?:your|the|a) host\b"
    r"|\b(?:translate|map) (?:them|it|these|each|this|the (?:verbs?|names?|calls?))\b"
    r"|\bhosts? (?:name|call|spell)s? (?:them|it|these|this)\b|\bequivalent\w* (?:of|in|on) your host\b"
    r"|记法|伪代码|写法因|换成(?:你的)?(?:宿主|平台|环境)",
    re.IGNORECASE,
)
"""The section gives calls a meaning of its own, whatever a host calls them."""
LANGS = frozenset({"", "js", "javascript", "ts", "typescript", "pseudo", "pseudocode", "text", "txt", "plaintext"})
"""Code that may be calls of tools, not a program."""
FEWEST = 3
"""Names that make a list of tools."""
STEM = 4
"""Letters that words have in common which mean the same."""
_VAGUE = frozenset(
    {"get", "set", "list", "create", "update", "delete", "search", "run", "call", "read", "write", "mcp"}
)


@dataclass(frozen=True, slots=True)
class Odd:
    """`name`, from `start` to `end`, is not in the description at `where`; `instead` is probably meant."""

    call: Call
    start: int
    end: int
    name: str
    instead: str | None
    known: tuple[str, ...]
    where: str


def odd_parameters(skill: Skill) -> Iterator[Odd]:
    """Arguments by a name that neither the description of the tool nor another call of it has."""
    described = _described(skill)
    given: Counter[tuple[str, str]] = Counter()
    calls = [call for call in skill.calls if _counts(skill, call)]
    for call in calls:
        given.update((call.name, one.name) for one in call.arguments if one.name)
    for call in calls:
        if call.name not in described:
            continue
        model, names = described[call.name]
        if call is model:
            continue
        for one in call.arguments:
            if one.name and one.name not in names and given[call.name, one.name] == 1:
                missing = [name for name in names if name not in {other.name for other in call.arguments}]
                yield _odd(skill, call, one, _meant(one.name, missing), names, model)


def _described(skill: Skill) -> dict[str, tuple[Call, tuple[str, ...]]]:
    """By tool the call that describes it, at the beginning of a row or an item, `add(title, due?)`; its parameters."""
    catalogue = catalogue_of(skill)
    found: dict[str, tuple[Call, tuple[str, ...]]] = {}
    for call in skill.calls:
        if not _counts(skill, call) or call.name in found or catalogue.hosts_of(call.name) or not call.arguments:
            continue
        block = block_of(skill.pages[call.at.file], call.at.start)
        if block is None or block.kind not in _LISTED:
            continue
        before = skill.pages[call.at.file].text[block.body : call.at.start]
        names = [_PARAMETER.match(one.value) for one in call.arguments]
        if before.strip(" |`*_") == "" and all(names) and not any(one.name and one.literal for one in call.arguments):
            found[call.name] = call, tuple(name[1] for name in names if name)
    return found


def own_notation(skill: Skill) -> Mapping[str, frozenset[str]]:
    """By the name of a host's tool the parameters that the skill gives it, where it says that hosts have others.

    It says so in words, by a description that its own calls agree with, or by a function of that name.
    """
    catalogue = catalogue_of(skill)
    calls = [call for call in skill.calls if _counts(skill, call) and catalogue.hosts_of(call.name)]
    given = Counter((call.name, one.name) for call in calls for one in call.arguments if one.name)
    said: dict[tuple[str, int], bool] = {}
    found: dict[str, set[str]] = {}
    for call in calls:
        page = skill.pages[call.at.file]
        block = block_of(page, call.at.start)
        if block is None or not (names := _bare(call)):
            continue
        place = (page.path, block.section)
        if place not in said:
            section = page.sections[block.section] if block.section >= 0 else None
            said[place] = section is not None and bool(_NOTATION.search(page.text, section.start, section.end))
        if said[place]:
            found.setdefault(call.name, set()).update(names)
        elif block.kind in _LISTED and not page.text[block.body : call.at.start].strip(" |`*_"):
            own = [one.name for one in call.arguments]
            agreed = {name for name in names if given[call.name, name] > own.count(name)}
            found.setdefault(call.name, set()).update(agreed)
    for one in skill.assignments:
        if one.value.startswith(("function ", "def ")) and catalogue.hosts_of(one.name):
            found.setdefault(one.name, set()).update(_WORD.findall(one.value))
    return {name: frozenset(names) for name, names in found.items()}


def _bare(call: Call) -> frozenset[str]:
    """What a call takes that only names its parameters: `wait({ids, limit})`."""
    names = [_PARAMETER.match(one.value) for one in call.arguments]
    if not all(names) or any(one.name and one.literal for one in call.arguments):
        return frozenset()
    return frozenset(name[1] for name in names if name)


def _counts(skill: Skill, call: Call) -> bool:
    page = skill.pages[call.at.file]
    if "." in call.name or call.at.use not in (*MEANT, "reference") or page.kind not in PARTS:
        return False
    block = block_of(page, call.at.start)
    return block is not None and (block.kind != "code" or block.lang.lower() in LANGS)


def _odd(skill: Skill, call: Call, one: Argument, meant: str | None, names: tuple[str, ...], model: Call) -> Odd:
    at = skill.pages[call.at.file].text.rfind(one.name or "", call.at.start, one.at.start)
    return Odd(call, at, at + len(one.name or ""), one.name or "", meant, names, f"{model.at.file}:{model.at.line}")


def _meant(name: str, names: list[str]) -> str | None:
    """By its spelling, or the only one that has a word in common: `depends_on` for `dependencies`."""
    found = closest(name, {one: one.replace("_", "") for one in names})
    alike = [one for one in names if _stems(one) & _stems(name)]
    return found or (alike[0] if len(alike) == 1 else None)


def _stems(name: str) -> frozenset[str]:
    return frozenset(word[:STEM].casefold() for word in re.split(r"[_-]+", name) if len(word) >= STEM - 1) - _VAGUE


def odd_tools(skill: Skill) -> Iterator[Odd]:
    """A call by a name that lists of tools have not, where they have one like it that is never called."""
    listed = _listed(skill)
    if len(listed) < FEWEST:
        return
    calls = [call for call in skill.calls if _counts(skill, call) and "_" in call.name]
    called = Counter(call.name for call in calls)
    if len(called.keys() & listed.keys()) < 2:
        return
    idle = [name for name in listed if name not in called]
    catalogue = catalogue_of(skill)
    for call in calls:
        name = call.name
        if name in listed or called[name] > 1 or catalogue.hosts_of(name) or _said(skill, name) > 1:
            continue
        alike = [one for one in idle if len(_stems(one) & _stems(name)) >= 1 and _beside(listed, one, called)]
        best = [one for one in alike if len(_stems(one) & _stems(name)) == len(_stems(name))] or alike
        if len(best) == 1:
            end = call.at.start + len(name)
            yield Odd(call, call.at.start, end, name, best[0], tuple(sorted(listed))[:8], listed[best[0]][0])


def _beside(listed: dict[str, tuple[str, frozenset[str]]], name: str, called: Counter[str]) -> bool:
    """Another tool of its list is called."""
    return any(other in called for other in listed[name][1] if other != name)


def _listed(skill: Skill) -> dict[str, tuple[str, frozenset[str]]]:
    """By name where an entry of a list or table names it, and what that entry, or its neighbours, name beside it."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for page in skill.pages.values():
        if page.kind not in PARTS:
            continue
        by_section: dict[int, set[str]] = {}
        places: dict[str, tuple[str, int]] = {}
        for block in page.blocks:
            if block.kind in _LISTED and block.use in MEANT:
                for name in _NAME.findall(block.text):
                    by_section.setdefault(block.section, set()).add(name)
                    places.setdefault(name, (f"{page.path}:{block.line}", block.section))
        for name, (where, section) in places.items():
            found.setdefault(name, (where, frozenset(by_section[section])))
    return found


def _said(skill: Skill, name: str) -> int:
    return sum(page.text.count(name) for page in skill.pages.values())
