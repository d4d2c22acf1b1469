"""Numbers that settings have: in tables of defaults, files of configuration, options of scripts, and sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.lists.grid import grids
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_NUMBER = re.compile(r"[`\"]?(-?\d+(?:[.,]\d+)?)\s?(%|[A-Za-z]{1,7})?[`\"]?\Z")
_KEY = re.compile(r"--[a-z][\w\-]+|[A-Za-z][\w.]{0,60}[._]\w{1,40}|[a-z]{1,30}[A-Z]\w+|[A-Z][A-Z0-9_]{4,}")
_TOLD = re.compile(
    r"[`\"']?(?<!\w)(?P<key>--[a-z][\w\-]{2,40}|[A-Za-z](?=[A-Za-z0-9_]{0,80}[._]\w)[A-Za-z0-9_]{0,80}+"
    r"(?:\.[A-Za-z0-9_]{1,40}+){0,5}|[a-z]{1,30}[A-Z]\w{1,40}|[A-Z][A-Z0-9_]{4,40})"
    r"[`\"']?(?:\*\*)?\s{0,3}(?P<way>\(?\s?(?:default(?:s to| is)?|默认(?:值)?(?:为|是)?)[:：=]?\s?|:\s{0,3}|=\s{0,3}"
    r"|, type=\w{1,10}, default=)[`\"]?(?P<value>\d+(?:\.\d+)?)\s?(?P<unit>%|[A-Za-z]{1,7}\b)?"
)
_DEFAULT = re.compile(r"default|^values?$|^current$|默认|取值|^值$", re.IGNORECASE)
_ANY = frozenset({
    "defaultvalue", "maxitems", "minitems", "maxlength", "minlength", "minimum", "maximum", "timeout_ms", "id",
    "version",
})  # fmt: skip
"""Names that each shape has anew."""
LONGEST = 300_000


@dataclass(frozen=True, slots=True)
class Setting:
    """`how`: cell of a table, said as the default, data, or shown in code."""

    page: Page
    start: int
    end: int
    name: str
    value: str
    unit: str
    how: str


@dataclass(frozen=True, slots=True)
class Disputed:
    wrong: Setting
    right: Setting


def disputed(skill: Skill) -> Iterator[Disputed]:
    """A cell of a table that gives another number than a script, the configuration or a sentence does."""
    if not any(one for page in skill.pages.values() for one in _in_tables(page)):
        return
    found: dict[str, list[Setting]] = {}
    for page in skill.pages.values():
        for one in (*_in_tables(page), *_told(page)):
            found.setdefault(_plain(one.name), []).append(one)
    for key, settings in found.items():
        cells = [one for one in settings if one.how == "cell"]
        others = [one for one in settings if one.how in ("default", "data")]
        values = {one.value for one in cells}
        if key in _ANY or len(values) != 1 or not others or len({one.value for one in others}) != 1:
            continue
        if cells[0].value != others[0].value and _same_unit(cells[0], others[0]):
            yield _weighed(cells, others, [one for one in settings if one.how == "shown"])


def _weighed(cells: list[Setting], others: list[Setting], shown: list[Setting]) -> Disputed:
    """What a script or the configuration does counts; else what is said more often."""
    real = any(one.page.kind in ("script", "data") for one in others)
    seen = [one.value for one in shown]
    if real or seen.count(others[0].value) + len(others) >= seen.count(cells[0].value) + len(cells):
        return Disputed(cells[0], others[0])
    return Disputed(others[0], cells[0])


def _in_tables(page: Page) -> Iterator[Setting]:
    for grid in grids(page) if page.kind not in ("script", "data") else ():
        columns = [index for index, head in enumerate(grid.head) if index and _DEFAULT.search(head)]
        for row in grid.rows if columns else ():
            names = _KEY.findall(row[0].text) if row and "`" in row[0].text else []
            for index in columns if len(names) == 1 else ():
                number = _NUMBER.match(row[index].text) if index < len(row) else None
                if number is not None:
                    start = row[index].start + number.start(1)
                    unit = number[2] or ""
                    yield Setting(page, start, start + len(number[1]), names[0], number[1], unit, "cell")


def _told(page: Page) -> Iterator[Setting]:
    if len(page.text) > LONGEST:
        return
    for found in _TOLD.finditer(page.text):
        index = block_at(page, found.start())
        block = page.blocks[index] if index >= 0 else None
        if block is None or block.kind == "row" or block.use in ("negative", "quotation"):
            continue
        told = "efault" in found["way"] or "默认" in found["way"]
        how = "data" if page.kind == "data" else "default" if told else "shown"
        start, end = found.span("value")
        yield Setting(page, start, end, found["key"], found["value"], found["unit"] or "", how)


def _plain(name: str) -> str:
    return name.rsplit(".", 1)[-1].lstrip("-").replace("-", "_").lower()


def _same_unit(one: Setting, other: Setting) -> bool:
    return not (one.unit and other.unit) or one.unit.lower() == other.unit.lower()
