"""What the user asked for is used by later steps, and no step ever writes it down."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.demanded import demanded
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.prompts.dropped import dropped
from loopwright.tune.reading.prompts.requests import USER_WORDS, is_request_file, strength
from loopwright.tune.reading.state.keeping import aimless
from loopwright.tune.reading.state.stores import json_files
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Artefact, Page, Phase, Skill
from loopwright.tune.skill.names import DIR

_WRITES = re.compile(
    r"\b(?:writ\w+|stor\w+|sav\w+|record\w*|persist\w*|keep\w*|put\w*|add\w*|set\w*|fill\w*|copy|copies|contain\w*"
    r"|updat\w*|with)\b"
    r"|写|存|记|保存|填|放|置|更新|包含",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\s*(?:\"\"|''|null|None|undefined|\"<[^\"]*>\"|string\b|str\b)")
_OPENS = re.compile(r"\s{0,8}\{(?!\{)")
LONGEST = 800
"""Characters of an object that is looked at."""
_NO_STEP = frozenset({"spec", "template", "reference", "data"})


def look(skill: Skill) -> Iterator[Hit]:
    files = json_files(skill)
    yield from _files(skill)
    yield from _fields(skill, files)
    yield from demanded(skill, "goal", prompt=False)
    yield from _aimless(skill)
    seen: set[tuple[str, int]] = set()
    for one in dropped(skill):
        if (one.page.path, one.start) not in seen:
            seen.add((one.page.path, one.start))
            yield Hit(
                file=one.page.path, start=one.start, end=one.end, subject=f"{one.name} into {one.where}",
                message=f"{one.name} holds what the user asked for, and {one.where} is made here without it",
                advice="Keep it there, in the user's own words: later steps know the request only from there.",
                also=(one.also,) if one.also else (),
                facts={"entry_at": str(one.entry_at), "entry": one.entry} if one.entry else {},
            )  # fmt: skip


def _aimless(skill: Skill) -> Iterator[Hit]:
    """What the run writes of itself, without what it is for."""
    for one in aimless(skill):
        needs = f", though {one.wanted} has to be filled in from it" if one.wanted else ""
        yield Hit(
            file=one.page.path, start=one.start, end=one.end, subject=f"what is kept: {one.said[:50]}",
            severity="medium",
            message=f"what is kept here ({one.said}) does not say what the user asked for{needs}",
            advice="Keep the user's words with it, unchanged, so that whoever goes on from it knows what for.",
            facts={"entry_at": str(one.entry_at), "entry": one.entry},
        )  # fmt: skip


def _files(skill: Skill) -> Iterator[Hit]:
    """`request.json` is read by later steps and written by none."""
    by_name: dict[str, list[Artefact]] = {}
    for artefact in skill.artefacts:
        if artefact.name.startswith(DIR + "/") and is_request_file(artefact.name):
            by_name.setdefault(artefact.name, []).append(artefact)
    for name, places in by_name.items():
        readers = {artefact.at.file for artefact in places if artefact.mode == "read"}
        if len(readers) < 2 or any(artefact.mode == "write" for artefact in places):
            continue
        short = name.removeprefix(DIR + "/")
        file, start, end = _beginning(skill, places)
        yield Hit(
            file=file, start=start, end=end, subject=short,
            message=f"{len(readers)} files read {short}, which holds what the user asked for, and no step writes it",
            advice=f"Write {short} in {file}, before any other step begins: the user's own words first.",
            also=tuple(f"{a.at.file}:{a.at.line}" for a in places if a.mode == "read")[:5], facts={"artefact": name},
        )  # fmt: skip


def _beginning(skill: Skill, places: list[Artefact]) -> tuple[str, int, int]:
    """The first step; else the first place that reads it."""
    first = _first(skill)
    if first is not None:
        page = skill.pages[first.file]
        start = next((section.start for section in page.sections if section.start >= first.start), first.start)
        stop = page.text.find("\n", start)
        return first.file, start, stop if stop >= 0 else len(page.text)
    place = next(artefact for artefact in places if artefact.mode == "read")
    return place.at.file, place.at.start, place.at.end


def _first(skill: Skill) -> Phase | None:
    return min(skill.phases, key=lambda phase: phase.order, default=None)


def _fields(skill: Skill, files: dict[str, list[Artefact]]) -> Iterator[Hit]:
    """`state.goal` is put into prompts, and no step sets it."""
    for (root, field), uses in _wanted(skill, frozenset(files)).items():
        places = files[root]
        if _is_set(skill, root, field) or not any(artefact.mode == "write" for artefact in places):
            continue
        made = [a for a in places if a.mode == "write" and skill.pages[a.at.file].kind not in _NO_STEP]
        if not made or (_first(skill) is None and all(skill.pages[a.at.file].kind == "role" for a in made)):
            continue
        file, start, end = _made_at(skill, made, {path for path, _ in uses}) or _beginning(skill, places)
        name = places[0].name.removeprefix(DIR + "/")
        yield Hit(
            file=file, start=start, end=end, subject=f"{root}.{field}",
            message=f"{root}.{field} is what later steps know of the user's request, and no step puts it into {name}",
            advice=f"Write the user's words to `{field}` where {name} is made.",
            also=tuple(f"{path}:{line}" for path, line in uses[:5]),
            facts={"root": root, "field": field, "artefact": places[0].name},
        )  # fmt: skip


def _made_at(skill: Skill, made: list[Artefact], users: set[str]) -> tuple[str, int, int] | None:
    """Where a step makes the file; a role that speaks of it makes nothing."""
    made = [a for a in made if skill.pages[a.at.file].kind != "role"]
    others = [a for a in made if a.at.file not in users and a.at.file != skill.main] or made
    order = {phase.file: phase.order for phase in skill.phases}
    first = min(others, key=lambda one: _rank(skill, one, order), default=None)
    return (first.at.file, first.at.start, first.at.end) if first else None


def _rank(skill: Skill, artefact: Artefact, order: dict[str, int]) -> tuple[bool, int, bool]:
    """The first step, and there the place where it is done, not where it is announced."""
    page, name = skill.pages[artefact.at.file], artefact.at.file
    section = page.blocks[block_at(page, artefact.at.start)].section
    told = section >= 0 and page.sections[section].concept in ("goal", "output", "input")
    return "init" not in name and "intake" not in name, order.get(name, 99), told


def _wanted(skill: Skill, roots: frozenset[str]) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Fields that are the user's request by their name, with the places that use them."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for prompt in skill.prompts:
        for hole in prompt.interpolations if prompt.at.use in ("instruction", "prompt") else ():
            root, dot, field = hole.expression.partition(".")
            if dot and root in roots and _named(field) and strength(field) == 2:
                found.setdefault((root, field), []).append((hole.at.file, hole.at.line))
    for use in skill.fields:
        if use.mode != "read" or use.at.use not in ("instruction", "prompt"):
            continue
        if use.root in roots and _named(use.path) and strength(use.path) == 2:
            found.setdefault((use.root, use.path), []).append((use.at.file, use.at.line))
    return found


def _named(path: str) -> bool:
    """`request`, `request.raw`: names, and nothing that is computed."""
    return all(step.isidentifier() for step in path.split("."))


def _is_set(skill: Skill, root: str, path: str) -> bool:
    """The field, or what it lies in, is set somewhere: `request.raw`, or `request` with all it holds."""
    above, _, last = path.rpartition(".")
    ways = [(path, ""), (above, last), (last, "")] if above else [(path, "")]
    if above and _is_made_without(skill, above, last):
        ways.pop()
    return any(_is_set_as(skill, root, way, within) for way, within in ways)


def _is_made_without(skill: Skill, above: str, last: str) -> bool:
    """A step writes the object out and leaves the key away: the same name elsewhere is another thing's."""
    key = re.compile(rf"(?<![\w.$]){re.escape(above)}\s*:")
    return any(
        _lacks(page.text, found.end(), last)
        for page in skill.pages.values()
        if page.kind not in _NO_STEP and "schema" not in page.path.lower() and above in page.text
        for found in key.finditer(page.text)
    )


def _is_set_as(skill: Skill, root: str, field: str, within: str) -> bool:
    return any(
        _sets(page, root, field, within, page.path == skill.main)
        for page in skill.pages.values()
        if page.kind not in _NO_STEP and "schema" not in page.path.lower() and field in page.text
    )


def _lacks(text: str, at: int, within: str) -> bool:
    """The value is an object that is written out, and has no key of that name."""
    begin = _OPENS.match(text, at) if within else None
    if begin is None:
        return False
    depth, stop = 1, begin.end()
    while depth and stop < min(len(text), begin.end() + LONGEST):
        depth += (text[stop] == "{") - (text[stop] == "}")
        stop += 1
    inside = text[begin.end() : stop]
    return depth == 0 and "..." not in inside and within not in inside


def _sets(page: Page, root: str, field: str, within: str, main: bool) -> bool:
    """A key with a value, an assignment, or words that say that it is written. `within`: a key that it has to hold."""
    key = re.compile(
        rf"(?<![\w.${{])[\"']?{re.escape(field)}[\"']?\s*(?P<sign>[:,=}}])"
        rf"|\b{re.escape(root)}\.{re.escape(field)}\s*=(?!=)"
    )
    for found in key.finditer(page.text):
        block = page.blocks[block_at(page, found.start())]
        if (
            block.kind == "code"
            and (block.use != "template" or block.lang.startswith("json"))
            and not (found["sign"] == ":" and _EMPTY.match(page.text, found.end()))
            and not _lacks(page.text, found.end(), within)
        ):
            return True
    for found in re.finditer(rf"`(?:{re.escape(root)}\.)?{re.escape(field)}`", page.text):
        block = page.blocks[block_at(page, found.start())]
        if block.kind == "code":
            continue
        near = page.text[max(block.start, found.start() - 120) : min(block.end, found.end() + 120)]
        if _WRITES.search(near):
            return True
        if (
            not main
            and not found[0].startswith(f"`{root}.")
            and (USER_WORDS.search(near) or _in_changes(page, block.section))
        ):
            return True
    return False


def _in_changes(page: Page, section: int) -> bool:
    """Below a title as "Changes to the state"."""
    return section >= 0 and page.sections[section].concept in ("state", "output")


DETECTOR = Detector(
    rule="request-not-persisted", dimension="memory", severity="high", confidence="likely", strategy="structured_state",
    title="the user's request is never written down",
    why="Later steps and agents do not see the conversation. What the user asked for reaches them only from a file.",
    advice="Write the user's words down in the first step, unchanged.", look=look,
)  # fmt: skip
