"""A link, an anchor or an order to read leads to a file or a section of the skill that does not exist."""

import re
from collections.abc import Iterator
from functools import lru_cache
from posixpath import basename, dirname, join, normpath, relpath

from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.reader.model import Reference, Skill
from loopwright.skills.reader.page import Page

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)", re.MULTILINE)
_DROPPED = re.compile(r"[^\w\- ]")
_GIVEN = re.compile(r"\{#([\w-]+)\}|\b(?:id|name)=[\"']([\w.-]+)[\"']")
_ANCHOR = re.compile(r"[\w.-]+\Z")


def detect_dead_references(skill: Skill) -> Iterator[DetectorHit]:
    seen = frozenset(skill.reached)
    for one in skill.references:
        if one.at.file in seen and one.resolved is None and not one.optional and one.at.use == "instruction":
            yield _file(skill, one)
    for path in skill.reached:
        yield from _sections(skill, skill.pages[path])


def _file(skill: Skill, one: Reference) -> DetectorHit:
    name = basename(one.target)
    same = [path for path in skill.files if basename(path) == name != skill.main]
    right = same[0] if len(same) == 1 else None
    # A link is written as seen from its page, anything else from the skill's folder.
    seen = relpath(right, dirname(one.at.file) or ".") if right and one.kind == "link" else right
    return DetectorHit(
        file=one.at.file,
        start=one.at.start,
        end=one.at.end,
        subject=one.target,
        phase=one.at.phase,
        message=f"{one.raw} does not exist in the skill" + (f"; {right} exists" if right else ""),
        advice=f"Name {right} instead." if right else f"Add {one.target}, or remove the reference.",
        facts={"right": seen or "", "wrong": one.raw},
    )


def _sections(skill: Skill, page: Page) -> Iterator[DetectorHit]:
    for link in page.links:
        path, mark, anchor = link.text.partition("#")
        where = page if not path else skill.pages.get(normpath(join(dirname(page.path), path)))
        if not mark or where is None or not _ANCHOR.match(anchor) or page.use(link.start) != "instruction":
            continue
        if anchor.lower() not in _anchors(where):
            codes = (block for block in where.blocks if block.kind == "code")
            named = (block for block in codes if anchor.lower() in map(_anchor, _HEADING.findall(block.text)))
            hidden = next(named, None)
            yield DetectorHit(
                file=page.path,
                start=link.start,
                end=link.end,
                severity="medium",
                subject=f"{where.path} #{anchor}",
                message=f"There is no section #{anchor} in {where.path}"
                + (f"; its heading is inside the code block of line {where.line(hidden.start)}" if hidden else ""),
                advice="Close that code block above the heading." if hidden else "Name an anchor that exists.",
            )


@lru_cache(maxsize=64)
def _anchors(page: Page) -> frozenset[str]:
    """As GitHub makes them of headings: the second of the same name ends with -1."""
    found: dict[str, int] = {}
    for section in page.sections:
        name = _anchor(section.title)
        found[name] = found.get(name, -1) + 1
    numbered = {f"{name}-{n}" for name, count in found.items() for n in range(1, count + 1)}
    plain = {re.sub("-+", "-", name).strip("-") for name in found}
    return frozenset({*found, *numbered, *plain, *(one for pair in _GIVEN.findall(page.text) for one in pair if one)})


def _anchor(title: str) -> str:
    return _DROPPED.sub("", title.strip().lower()).replace(" ", "-")


DETECTOR = Detector(
    rule="dead-reference",
    dimension="dataflow",
    severity="high",
    confidence="certain",
    strategy="custom",
    title="A reference to something that does not exist",
    why="A model that is sent to a missing file searches, guesses its content, or continues without it.",
    advice="Name something that exists, or add it.",
    look=detect_dead_references,
)
