"""Options of programs, and tools of a server, that are written otherwise in one place than in the others."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import PARTS
from loopwright.tune.reading.words.twins import twin
from loopwright.tune.skill.model import Page, Skill

_LINE = re.compile(
    r"(?:(?<=`)|^[ \t]*+(?:\$[ \t]++|!?[ \t]*+))(?P<program>[a-z][\w.-]*(?:[ \t]+[a-z][a-z0-9-]+)?)(?=[ \t])"
    r"(?P<rest>(?:[^`\n\\]|\\\r?\n|\\){0,900})",
    re.MULTILINE,
)
_GIVEN = re.compile(r"--(?=[a-z])")
_OPTION = re.compile(r"(?<=[\s\[(])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?=[\s=\]),.]|\Z)")
_TOOL = re.compile(r"\bmcp__([a-z0-9-]+)__([a-z0-9_]+)\b")
_SNAKE = re.compile(r"(?<![A-Za-z0-9])[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,8}(?![\w(]{0,80}\.)")
OFTEN = 2
"""So often another name stands where it is the usual one."""


@dataclass(frozen=True, slots=True)
class Slip:
    """`written` at `start` stands once in the skill; `meant`, first at `where`, stands often."""

    page: Page
    start: int
    written: str
    meant: str
    of: str
    where: str


def slipped_options(skill: Skill) -> Iterator[Slip]:
    """Within the command lines of one program, and of one of its commands."""
    places: dict[tuple[str, str], list[tuple[Page, int]]] = {}
    for page in skill.pages.values():
        for line in _lines(page.text) if page.kind in PARTS else ():
            program = line["program"].split()[0]
            for given in _OPTION.finditer(page.text, line.start("rest"), line.end("rest")):
                places.setdefault((program, given[1]), []).append((page, given.start()))
    by_program: dict[str, dict[str, list[tuple[Page, int]]]] = {}
    for (program, option), found in places.items():
        by_program.setdefault(program, {})[option] = found
    for program, options in by_program.items():
        often = [option for option in options if "-" in option and _times(skill, f"--{option}") >= OFTEN]
        for option, found in options.items():
            meant = twin(option, often) if len(found) == 1 and "-" in option else None
            if meant is not None and _times(skill, f"--{option}") == 1:
                page, start = found[0]
                yield Slip(page, start, f"--{option}", f"--{meant}", program, _where(*options[meant][0]))


def _lines(text: str) -> Iterator[re.Match[str]]:
    """Command lines, with those that go on from them; only where an option is given."""
    done = 0
    for given in _GIVEN.finditer(text):
        if given.start() < done:
            continue
        begin = text.rfind("\n", 0, given.start()) + 1
        while begin and text[max(0, begin - 3) : begin - 1].rstrip("\r").endswith("\\"):
            begin = text.rfind("\n", 0, begin - 1) + 1
        done = text.find("\n", given.start())
        while done >= 0 and text[max(0, done - 2) : done].rstrip("\r").endswith("\\"):
            done = text.find("\n", done + 1)
        done = len(text) if done < 0 else done
        yield from _LINE.finditer(text, begin, done)


def slipped_tools(skill: Skill) -> Iterator[Slip]:
    """`mcp__server__tool`, where the tool stands under another name elsewhere."""
    if not any("mcp__" in page.text for page in skill.pages.values() if page.kind in PARTS):
        return
    times: Counter[str] = Counter()
    first: dict[str, tuple[Page, int]] = {}
    for page in skill.pages.values():
        for found in _SNAKE.finditer(page.text) if page.kind in PARTS else ():
            name = found[0].rpartition("__")[2]
            times[name] += 1
            first.setdefault(name, (page, found.start()))
    often = [name for name, count in times.items() if count >= OFTEN]
    for page in skill.pages.values():
        for tool in _TOOL.finditer(page.text) if page.kind in PARTS else ():
            meant = twin(tool[2], often) if times[tool[2]] == 1 else None
            if meant is not None and meant.count("_") == tool[2].count("_"):
                yield Slip(page, tool.start(2), tool[2], meant, tool[1], _where(*first[meant]))


def _times(skill: Skill, words: str) -> int:
    return sum(len(re.findall(rf"{re.escape(words)}(?![\w-])", page.text)) for page in skill.pages.values())


def _where(page: Page, start: int) -> str:
    return f"{page.path}:{page.text.count(chr(10), 0, start) + 1}"
