"""What becomes of each file of a run: who makes it, who needs it, where it is promised, and where it is only named."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from loopwright.tune.reading.words.likeness import alike
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Artefact, Block, Page, Skill
from loopwright.tune.skill.names import COUNTING, DIR
from loopwright.tune.skill.tables import cells, rows

_MADE_HEAD = re.compile(
    r"outputs?|produces?|leaves? behind|writes?|deliverables?|results?|artifacts?|artefacts?|creates?|产出"
    r"|产物|输出|生成|交付",
    re.IGNORECASE,
)
_NEEDED_HEAD = re.compile(
    r"inputs?|reads?|needs?|requires?|depends|consumes|uses|from|输入|读取|需要|依赖|前提|进入", re.IGNORECASE
)
_LABELLED = re.compile(
    r"[\s>*_\-+|\d.)\[\]`#]*(?:\*\*)?(?P<kind>inputs?|reads?|needs|outputs?|produces?|deliverables?|writes?"
    r"|输入|读取|输出|产出|产物|交付物)"
    r"(?:\*\*)?[^:：\n]{0,20}[:：]",
    re.IGNORECASE,
)
_TOLD = ("instruction", "prompt")
_DIGIT = re.compile(r"\d")


@dataclass(slots=True)
class RunFile:
    """`made` and `needed` by pages that are worked through; `promised` by tables and overviews; `named` otherwise."""

    name: str
    made: list[Artefact] = field(default_factory=list)
    needed: list[Artefact] = field(default_factory=list)
    promised: list[Artefact] = field(default_factory=list)
    expected: list[Artefact] = field(default_factory=list)
    """In tables: needed as input."""
    named: list[Artefact] = field(default_factory=list)

    @property
    def all(self) -> list[Artefact]:
        return sorted(
            [*self.made, *self.needed, *self.promised, *self.expected, *self.named],
            key=lambda a: (a.at.file, a.at.start),
        )

    def take(self, other: "RunFile") -> None:
        """The mentions of the other file are its own."""
        self.made += other.made
        self.needed += other.needed
        self.promised += other.promised
        self.expected += other.expected
        self.named += other.named

    @property
    def pages(self) -> set[str]:
        return {one.at.file for one in self.all}

    @property
    def base(self) -> str:
        return self.name.rsplit("/", 1)[-1]


def run_files(skill: Skill) -> dict[str, RunFile]:
    """By canonical name, those of the run's folder and of hidden folders of the project."""
    found: dict[str, RunFile] = {}
    heads: dict[str, Mapping[int, tuple[Block, ...]]] = {}
    for one in skill.artefacts:
        if one.at.use not in _TOLD or not (one.name.startswith(DIR + "/") or one.name.startswith(".")):
            continue
        file = found.setdefault(one.name, RunFile(one.name))
        page = skill.pages[one.at.file]
        if page.kind in ("script", "data", "template", "spec", "reference"):
            file.named.append(one)
            continue
        if page.path not in heads:
            heads[page.path] = {row.start: (*table,) for table in rows(page.blocks) for row in table}
        _sort(file, one, page, heads[page.path])
    return _without_instances(found)


def _without_instances(found: dict[str, RunFile]) -> dict[str, RunFile]:
    """`hits/Q7.json` is one of the files `hits/{query}.json`."""
    counted = [name for name in found if COUNTING in name]
    for one in [name for name in found if counted and COUNTING not in name and _DIGIT.search(name)]:
        whole = next((name for name in counted if is_instance(one, name)), None)
        if whole is not None:
            found[whole].take(found.pop(one))
    return found


def is_instance(name: str, counted: str) -> bool:
    """A number, with few letters before it, stands for each part of the other one that counts."""
    return re.fullmatch(re.escape(counted).replace(COUNTING, r"[A-Za-z]{0,3}[-_]?\d{1,6}[a-z]?"), name) is not None


def file_names(skill: Skill) -> frozenset[str]:
    """The last names of all files that the run has, or the skill."""
    return frozenset(path.rsplit("/", 1)[-1] for path in (*skill.files, *(one.raw for one in skill.artefacts)))


def _sort(file: RunFile, one: Artefact, page: Page, tables: Mapping[int, tuple[Block, ...]]) -> None:
    block = page.blocks[block_at(page, one.at.start)]
    if block.kind == "row":
        way = _of_column(page, one, tables.get(block.start, ()))
        (file.promised if way == "write" else file.expected if way == "read" else file.named).append(one)
        return
    if one.mode == "declare" and one.call >= 0:
        # What a command is given it may read and write.
        file.made.append(one)
        return
    if one.mode == "declare":
        way = _of_place(page, one, block)
        (file.made if way == "write" else file.needed if way == "read" else file.named).append(one)
        return
    (file.made if one.mode == "write" else file.needed).append(one)


def _of_column(page: Page, one: Artefact, table: tuple[Block, ...]) -> str | None:
    if len(table) < 3:
        return None
    head = cells(page.text, table[0].start, table[0].end)
    row = next(row for row in table if row.start <= one.at.start < row.end)
    index = next(
        (n for n, cell in enumerate(cells(page.text, row.start, row.end)) if cell.start <= one.at.start < cell.end), -1
    )
    title = head[index].text if 0 <= index < len(head) else ""
    if _MADE_HEAD.search(title):
        return "write"
    return "read" if _NEEDED_HEAD.search(title) else None


def _of_place(page: Page, one: Artefact, block: Block) -> str | None:
    """By the label of its line, or what its section holds."""
    line = page.text[page.text.rfind("\n", 0, one.at.start) + 1 : one.at.start]
    found = _LABELLED.match(line)
    if found is not None:
        return "write" if _MADE_HEAD.match(found["kind"]) else "read"
    section = page.sections[block.section] if block.section >= 0 else None
    if section is not None and section.concept in ("output", "input") and page.path:
        return "write" if section.concept == "output" else "read"
    return None


def is_named_elsewhere(skill: Skill, file: RunFile, pages: set[str]) -> bool:
    """Any text outside of these pages says its name, a tree of folders or a script too."""
    pieces = [piece for piece in file.base.split(COUNTING) if len(piece) > 3]
    if not pieces:
        return True
    small = [piece.lower() for piece in pieces]
    texts = (page.text.lower() for path, page in skill.pages.items() if path not in pages)
    return any(all(piece in text for piece in small) for text in texts)


def likeness(one: str, other: str) -> float:
    """Of two names of files: how likely one is the other's old or mistaken form."""
    folder, _, base = one.rpartition("/")
    there, _, second = other.rpartition("/")
    stem, _, ending = base.rpartition(".")
    other_stem, _, other_ending = second.rpartition(".")
    if ending != other_ending or base == second:
        # Named alone it may lie anywhere.
        apart = base == second and COUNTING not in base and folder != there and DIR not in (folder, there)
        return 0.9 if apart else 0.0
    if COUNTING in base and COUNTING in second:
        return 0.8 if folder == there and folder != DIR else 0.0
    if (COUNTING in base) != (COUNTING in second):
        return 0.0
    value = alike(stem.replace(COUNTING, ""), other_stem.replace(COUNTING, ""))
    return value if folder == there else value - 0.1


def lines_of(page: Page, one: Artefact) -> str:
    """The line in which a file is named."""
    start = page.text.rfind("\n", 0, one.at.start) + 1
    end = page.text.find("\n", one.at.end)
    return page.text[start : end if end >= 0 else len(page.text)]


def steps_of(skill: Skill) -> Iterator[tuple[str, int]]:
    """Pages of the course with their place in it."""
    return ((phase.file, phase.order) for phase in skill.phases if phase.file != skill.main)
