"""A page with what everything that is found in it needs: lines, blocks by position, the phase of a place."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.behaviour import Code
from loopwright.tune.skill.lines import Lines, lines_of
from loopwright.tune.skill.mentions import Mention, mentions
from loopwright.tune.skill.model import At, Block, Call, Page, Section, Use
from loopwright.tune.skill.phases import Course


@dataclass(frozen=True, slots=True)
class Ground:
    """`shift`: the index that the first of this page's calls has in the skill's list."""

    page: Page
    code: Code
    course: Course
    mentions: tuple[Mention, ...]
    lines: Lines
    begins: tuple[int, ...]
    mentioned: tuple[int, ...]
    shift: int

    def block_at(self, position: int) -> Block | None:
        index = bisect_right(self.begins, position) - 1
        if index < 0:
            return None
        block = self.page.blocks[index]
        return block if position < block.end else None

    def section_of(self, block: Block) -> Section | None:
        return self.page.sections[block.section] if block.section >= 0 else None

    def at(self, start: int, end: int, block: Block | None = None) -> At:
        found = block or self.block_at(start)
        use: Use = found.use if found else "instruction"
        if use != "prompt" and self.in_prompt(start):
            use = "prompt"
        return At(self.page.path, start, end, self.lines.number(start), use, self.course.phase(self.page.path, start))

    def in_prompt(self, position: int) -> bool:
        return any(prompt.at.start <= position < prompt.at.end for prompt in self.code.prompts)

    def calls_in(self, start: int, end: int) -> Iterator[Call]:
        return (call for call in self.code.calls if start <= call.at.start < end)

    def mentions_in(self, start: int, end: int) -> tuple[Mention, ...]:
        return self.mentions[bisect_left(self.mentioned, start) : bisect_left(self.mentioned, end)]


def ground(page: Page, code: Code, course: Course, shift: int) -> Ground:
    found = tuple(mentions(page.text))
    begins = tuple(block.start for block in page.blocks)
    return Ground(page, code, course, found, lines_of(page.text), begins, tuple(one.start for one in found), shift)
