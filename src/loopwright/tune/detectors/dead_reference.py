"""A link, an anchor or an order to read leads to a file or a section of the skill that does not exist."""

import re
from collections.abc import Iterator
from posixpath import basename, dirname, join, normpath, relpath

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.detectors.reached import SAID, block_at, is_inline_code, reached
from loopwright.tune.skill.model import Page, Reference, Skill

_LINK = re.compile(r"(?<!\\)\]\((?P<path>[^()\s#:{}<>$*|]*)#(?P<anchor>[\w.-]+)\)")
_INVENTED = re.compile(r"[{}<>$*|…]|\.\.\.|path/to|your[-_]|example", re.IGNORECASE)
_DROPPED = re.compile(r"[^\w\- ]")
_GIVEN = re.compile(r"\{#([\w-]+)\}|\b(?:id|name)=[\"']([\w.-]+)[\"']")


def look(skill: Skill) -> Iterator[Hit]:
    seen = frozenset(reached(skill))
    for one in skill.references:
        if one.at.file in seen and _is_dead(skill, one):
            yield _file(skill, one)
    for path in seen:
        yield from _sections(skill, skill.pages[path])


def _is_dead(skill: Skill, one: Reference) -> bool:
    """Links, and files that are read from a folder which the skill has: anything else may be the user's project."""
    if one.resolved or one.outside or one.optional or one.at.use not in SAID or _INVENTED.search(one.raw):
        return False
    if one.kind == "link":
        return not is_inline_code(skill.pages[one.at.file].text, one.at.start)
    folder = dirname(one.target)
    return (one.loads or one.kind == "read") and bool(folder) and any(dirname(path) == folder for path in skill.files)


def _file(skill: Skill, one: Reference) -> Hit:
    name = basename(one.target)
    same = [path for path in skill.files if basename(path) == name != skill.main]
    right = same[0] if len(same) == 1 else None
    return Hit(
        file=one.at.file, start=one.at.start, end=one.at.end, subject=one.target, phase=one.at.phase,
        message=f"{one.raw} does not exist in the skill" + (f"; {right} is there" if right else ""),
        advice=f"Name {right} instead." if right else f"Add {one.target}, or take the mention away.",
        facts={"right": _seen_from(one, right) if right else "", "wrong": one.raw},
    )  # fmt: skip


def _seen_from(one: Reference, right: str) -> str:
    """As it has to be written: a link from its page, anything else from the skill's folder."""
    return relpath(right, dirname(one.at.file) or ".") if one.kind == "link" else right


def _sections(skill: Skill, page: Page) -> Iterator[Hit]:
    for found in _LINK.finditer(page.text):
        block = block_at(page, found.start())
        path = found["path"]
        where = page if not path else skill.pages.get(normpath(join(dirname(page.path), path)))
        if where is None or block is None or block.kind == "code" or block.use not in SAID:
            continue
        if is_inline_code(page.text, found.start()):
            continue
        if found["anchor"].lower() not in _anchors(where):
            yield Hit(
                file=page.path, start=found.start() + 2, end=found.end() - 1, severity="medium",
                subject=f"{where.path} #{found['anchor']}",
                message=f"There is no section #{found['anchor']} in {where.path}",
                advice="Name the anchor of a section that exists.",
            )  # fmt: skip


def _anchors(page: Page) -> frozenset[str]:
    """As GitHub makes them of headings: the second of the same name ends with -1."""
    found: dict[str, int] = {}
    for block in page.blocks:
        if block.kind == "heading":
            name = _DROPPED.sub("", block.text.strip().lower()).replace(" ", "-")
            found[name] = found.get(name, -1) + 1
    numbered = {f"{name}-{n}" for name, count in found.items() for n in range(1, count + 1)}
    plain = {re.sub("-+", "-", name).strip("-") for name in found}
    return frozenset({*found, *numbered, *plain, *(one for pair in _GIVEN.findall(page.text) for one in pair if one)})


DETECTOR = Detector(
    rule="dead-reference", dimension="dataflow", severity="high", confidence="certain", strategy="custom",
    title="Something is named that does not exist",
    why="A model that is sent to a file that is not there searches, guesses what it said, or goes on without it.",
    advice="Name what exists, or add it.", look=look,
)  # fmt: skip
