"""A page with what everything that is found in it needs: lines, blocks by position, the phase of a place."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from loopwright.tune.skill.behaviour import Code
from loopwright.tune.skill.lines import Lines, lines_of
from loopwright.tune.skill.mentions import Mention, mentions
from loopwright.tune.skill.model import At, Block, Call, Page, Section, Use
from loopwright.tune.skill.phases import Course


@dataclass(frozen=True, slots=True)
class Ground:
    """`begins`, `mentioned`, `called`: where blocks, mentions and calls begin; `prompted`: where prompts lie.

    `shift`: the index that the first of this page's calls has in the skill's list.
    """

    page: Page
    code: Code
    course: Course
    mentions: tuple[Mention, ...]
    lines: Lines
    begins: tuple[int, ...]
    mentioned: tuple[int, ...]
    called: tuple[int, ...]
    prompted: tuple[tuple[int, int], ...]
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
        """What an agent is told is a prompt, but not what the block says to be no word to anybody."""
        found = block or self.block_at(start)
        use: Use = found.use if found else "instruction"
        if use in ("instruction", "template") and (said := self._said(start)) is not None:
            use = "prompt" if use == "instruction" or found is None or said >= found.start else use
        return At(self.page.path, start, end, self.lines.number(start), use, self.course.phase(self.page.path, start))

    def in_prompt(self, position: int) -> bool:
        return self._said(position) is not None

    def _said(self, position: int) -> int | None:
        """Where the prompt begins that the position lies in."""
        index = bisect_right(self.prompted, (position, len(self.page.text) + 1)) - 1
        return self.prompted[index][0] if index >= 0 and position < self.prompted[index][1] else None

    def calls_in(self, start: int, end: int) -> tuple[Call, ...]:
        return self.code.calls[bisect_left(self.called, start) : bisect_left(self.called, end)]

    def mentions_in(self, start: int, end: int) -> tuple[Mention, ...]:
        return self.mentions[bisect_left(self.mentioned, start) : bisect_left(self.mentioned, end)]


def ground(page: Page, code: Code, course: Course, shift: int) -> Ground:
    found = tuple(mentions(page.text))
    begins = tuple(block.start for block in page.blocks)
    called = tuple(call.at.start for call in code.calls)
    mentioned = tuple(one.start for one in found)
    return Ground(page, code, course, found, lines_of(page.text), begins, mentioned, called, _apart(code), shift)


def _apart(code: Code) -> tuple[tuple[int, int], ...]:
    """Where the prompts lie; those that overlap are one."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted((prompt.at.start, prompt.at.end) for prompt in code.prompts):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return tuple(apart)
