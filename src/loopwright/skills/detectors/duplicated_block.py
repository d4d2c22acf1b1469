"""The same passage is in two pages that are read in one run."""

from collections.abc import Iterator
from itertools import takewhile
from posixpath import basename
from typing import NamedTuple

from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page, is_markdown

LEAST = 12
"""Lines in a row that are the same, blank ones not counted."""
LONG = 40
"""So many weigh more."""
OF_HOSTS = frozenset({"AGENTS.md", "CLAUDE.md", "GEMINI.md"})
"""Pages that hosts read by themselves, instead of the skill: they hold it all again on purpose."""
SAYING = 20
"""Characters of a line that says something; half of the lines have to."""


class Line(NamedTuple):
    key: str
    start: int
    end: int


def detect_duplicated_blocks(skill: Skill) -> Iterator[DetectorHit]:
    known: dict[tuple[str, ...], tuple[Page, list[Line], int]] = {}
    for page in (skill.pages[path] for path in skill.reached if is_markdown(path) and basename(path) not in OF_HOSTS):
        lines = _lines(page)
        keys = [line.key for line in lines]
        at = 0
        while at + LEAST <= len(lines):
            window = tuple(keys[at : at + LEAST])
            says = sum(len(line) >= SAYING for line in {*window}) * 2 >= LEAST
            if (source := known.get(window)) is None or source[0] is page or not says:
                at += 1
                continue
            other, theirs, place = source
            pairs = zip(lines[at:], theirs[place:], strict=False)
            count = sum(1 for _ in takewhile(lambda pair: pair[0].key == pair[1].key, pairs))
            yield _hit(page, lines[at], lines[at + count - 1], other, theirs[place], count)
            at += count
        for start in range(len(lines) - LEAST + 1):
            known.setdefault(tuple(keys[start : start + LEAST]), (page, lines, start))


def _lines(page: Page) -> list[Line]:
    found, at = [], page.front.end if page.front else 0
    for text in page.text[at:].splitlines(keepends=True):
        if key := " ".join(text.split()):
            found.append(Line(key, at, at + len(text.rstrip())))
        at += len(text)
    return found


def _hit(page: Page, first: Line, last: Line, other: Page, there: Line, count: int) -> DetectorHit:
    line = other.line(there.start)
    return DetectorHit(
        file=page.path,
        start=first.start,
        end=last.end,
        subject=f"{other.path}:{first.key[:40]}",
        message=f"{count} lines are repeated verbatim in {other.path} (line {line})",
        advice=f"Keep them only in {other.path} and name that file here.",
        also=(f"{other.path}:{line}",),
        severity="medium" if count >= LONG else None,
    )


DETECTOR = Detector(
    rule="duplicated-block",
    dimension="context",
    severity="low",
    confidence="certain",
    strategy="context_summarization",
    title="The same passage is in two pages",
    why="The context window holds it twice, and when one copy changes the two disagree.",
    advice="Keep it in one file, and refer to that file from the other place.",
    look=detect_duplicated_blocks,
)
