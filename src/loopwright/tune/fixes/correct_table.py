"""A table says of a step what its page says, and its rows have as many cells as its head."""

import re
from collections import Counter
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.files.runfiles import RunFile, run_files
from loopwright.tune.reading.lists.grid import Grid, grids, plain
from loopwright.tune.reading.words.likeness import alike
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.skill.tables import Cell, cells

_COUNT = re.compile(r"“(?P<words>[^”]{1,300})” are announced, and the table has (?P<rows>\d+) rows")
_RAGGED = re.compile(r"This row has \d+ cells, and the head of its table has \d+")
_NUMBER = re.compile(r"\d+|\b[A-Za-z]+\b|[零一二两三四五六七八九十]")
_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE = "零一二三四五六七八九十"
_FOLDER = re.compile(r"\A(?:\$?\{\w+\}|<[\w-]+>)/")
EMPTY = {"en": "not given", "zh": "未填"}
"""A cell of which nothing is known; a dash would say that there is nothing."""


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        if "step" in finding.facts:
            yield from _output(skill, page, finding)
        elif (count := _COUNT.search(finding.message)) is not None:
            yield from _counted(skill, page, finding, count)
        elif _RAGGED.match(finding.message):
            yield from _ragged(page, finding)


def _proposal(finding: Finding, words: str, because: str, level: FixLevel, edits: tuple[Edit, ...]) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level=level,
        description=words, rationale=because, edits=edits, risk="low" if level == "mechanical" else "medium",
        estimated_impact="the table can be gone by",
        verification_steps=("diagnose the whole skill again", "read the row beside the page it is about"),
    )  # fmt: skip


def _output(skill: Skill, page: Page, finding: Finding) -> Iterator[Proposal]:
    """The file that the step writes and that its row lacks, wherever the table has the wrong one."""
    wrong = page.text[finding.start : finding.end]
    grid = next((one for one in grids(page) if one.start <= finding.start < one.end), None)
    if grid is None:
        return
    table = page.text[grid.start : grid.end]
    mine = [file for file in run_files(skill).values() if any(a.at.file == finding.facts["step"] for a in file.made)]
    left = {name: file for file in mine if f"`{(name := _shown(file))}`" not in table}
    for name in sorted(left, key=lambda one: (not left[one].needed, -alike(one, wrong), one))[:3]:
        edits = tuple(
            edit(page, at.start(1), at.end(1), name)
            for at in re.finditer(rf"`({re.escape(wrong)})`", page.text[: grid.end])
            if at.start() >= grid.start
        )
        yield _proposal(
            finding, f"The table names {name} in place of {wrong}", f"{finding.facts['step']} writes {name}.",
            "mechanical" if len(left) == 1 else "template", edits,
        )  # fmt: skip


def _shown(file: RunFile) -> str:
    return _FOLDER.sub("", file.made[0].raw.strip("`'\""))


def _counted(skill: Skill, page: Page, finding: Finding, count: "re.Match[str]") -> Iterator[Proposal]:
    """The row that is missing, by its name in a place that has the others too; else the number, if it stands alone."""
    grid = next((one for one in grids(page) if one.start > finding.start), None)
    told = _number(count["words"])
    if grid is None or told is None:
        return
    if told == len(grid.rows) + 1 and (lost := _lost(skill, grid)) is not None:
        after, name, said = lost
        row = _row_like(grid, after, name, said)
        at = grid.blocks[after].end
        yield _proposal(
            finding, f"The table gets back the row of {name}", "The skill names it with all the others.", "template",
            (edit(page, at, at, f"\n{row}"),),
        )  # fmt: skip
    words = _NUMBER.search(page.text, finding.start, finding.end)
    elsewhere = sum(other.text.count(count["words"]) for other in skill.pages.values())
    if words is not None and elsewhere == 1:
        yield _proposal(
            finding, f"“{count['words']}” becomes {count['rows']}",
            "The table has so many rows, and nothing else counts them.", "template",
            (edit(page, words.start(), words.end(), _as(words[0], int(count["rows"]))),),
        )  # fmt: skip


def _number(words: str) -> int | None:
    found = _NUMBER.search(words)
    said = found[0].lower() if found else ""
    if said.isdigit():
        return int(said)
    return _ENGLISH.index(said) if said in _ENGLISH else _CHINESE.find(said) if said in _CHINESE and said else None


def _as(old: str, number: int) -> str:
    """In figures or words, as the old one."""
    if old.isdigit() or number >= len(_CHINESE):
        return str(number)
    if old.isascii():
        word = _ENGLISH[number]
        return word.capitalize() if old[0].isupper() else word
    return _CHINESE[number]


def _lost(skill: Skill, grid: Grid) -> tuple[int, str, str] | None:
    """A name in ticks that stands between the names of this table's rows in another place: where, and what is said."""
    names = grid.column(0)
    known = {*names}
    if len(known) < 3 or not all(row and row[0].text.startswith("`") for row in grid.rows):
        return None
    seen: Counter[str] = Counter()
    for page in skill.pages.values():
        for index, block in enumerate(page.blocks):
            if page is grid.page and grid.start <= block.start < grid.end:
                continue
            said = re.findall(r"`([\w./-]+)`", block.text)
            beside = [*said, *re.findall(r"`([\w./-]+)`", page.blocks[index - 1].text if index else "")]
            if known & {*beside}:
                seen.update({one for one in said if one not in known and _is_like(one, names)})
    best = seen.most_common(2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    name = best[0][0]
    place = max(range(len(names)), key=lambda n: (len(_common(names[n], name)), names[n] < name, n))
    return (place if names[place] < name else max(place - 1, 0)), name, ""


def _is_like(one: str, names: list[str]) -> bool:
    """It begins as one of them does, up to a hyphen."""
    return any(len(_common(one, name)) > 3 for name in names)


def _common(one: str, other: str) -> str:
    n = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[: one[:n].rfind("-") + 1] if "-" in one[:n] else ""


def _row_like(grid: Grid, after: int, name: str, said: str) -> str:
    width = len(grid.head)
    return f"| {' | '.join([f'`{name}`', *([said or EMPTY[grid.page.language]] * (width - 1))])} |"


def _ragged(page: Page, finding: Finding) -> Iterator[Proposal]:
    """The cell that is missing stands empty where the cells behind it fit their columns again."""
    table = _lines(page.text, finding.start)
    mine = cells(page.text, *line_of(page, finding.start))
    head = table[0] if table else []
    full = [row for row in table[1:] if len(row) == len(head) and not _is_rule(row)]
    if not full or not 0 < len(mine) == len(head) - 1:
        return
    place = max(range(len(head)), key=lambda gap: (sum(_fit(mine, full, gap)), gap))
    at = mine[place].start if place < len(mine) else mine[-1].end
    empty = EMPTY[page.language]
    words = f"{empty} | " if place < len(mine) else f" | {empty}"
    yield _proposal(
        finding, f"The row gets an empty cell for {plain(head[place].text)}", "The other rows have one.", "template",
        (edit(page, at, at, words),),
    )  # fmt: skip


def _lines(text: str, position: int) -> list[list[Cell]]:
    """The table around the position, also where it stands in a fence."""
    first = text.rfind("\n", 0, position) + 1
    while first and "|" in text[(above := text.rfind("\n", 0, first - 1) + 1) : first]:
        first = above
    found: list[list[Cell]] = []
    while first < len(text):
        end = text.find("\n", first)
        end = len(text) if end < 0 else end
        if "|" not in text[first:end]:
            break
        found.append(cells(text, first, end))
        first = end + 1
    return found


def _is_rule(row: list[Cell]) -> bool:
    return all(not cell.text.strip(" :-") for cell in row)


def _fit(mine: list[Cell], full: list[list[Cell]], gap: int) -> Iterator[int]:
    """For each cell of the row how many cells of its column are of its kind, with a gap before that column."""
    for index, cell in enumerate(mine):
        column = index + (index >= gap)
        yield sum(_kind(row[column].text) == _kind(cell.text) for row in full)


def _kind(text: str) -> str:
    bare = plain(text)
    if not bare or bare in "-—–":
        return "empty"
    if re.match(r"[~<>≤≥±+-]?\$?\d[\d.,]*", bare):
        return re.sub(r"[\d.,]+", "0", bare)[:6]
    return "ticked" if text.startswith("`") else "word" if len(bare.split()) < 3 else "words"


FIXER = Fixer(frozenset({"tables-disagree"}), "mechanical", propose)
