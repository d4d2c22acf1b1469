"""Files that are numbered through, `section-1-overview.md` to `section-7-errors.md`: a second name for one number."""

import re
from collections.abc import Iterator

from loopwright.tune.reading.files.file_twins import FileTwin
from loopwright.tune.reading.words.spots import block_at, on_lines
from loopwright.tune.skill.model import Page, Skill

_NUMBERED = re.compile(
    r"(?<![\w.\-])(?P<series>(?:[A-Za-z]{1,20}[-_])?)(?P<number>\d{1,2})[-_][A-Za-z][\w\-]{1,40}"
    r"\.(?:md|json|csv|ya?ml|txt|html)\b"
)
OFTEN, SINGLE = 3, 3
"""Places that write the one name, where a single one writes the other; numbers of the series with one name each."""

Places = list[tuple[Page, int]]


def numbered_twins(skill: Skill) -> Iterator[FileTwin]:
    own = {path.rsplit("/", 1)[-1] for path in skill.files}
    for numbers in _series(skill).values():
        if sum(len(names) == 1 for names in numbers.values()) < SINGLE:
            continue
        for names in numbers.values():
            if len(names) == 2 and not own & names.keys():
                yield from _second(names)


def _second(names: dict[str, Places]) -> Iterator[FileTwin]:
    (right, many), (wrong, few) = sorted(names.items(), key=lambda item: -len(item[1]))
    page, start = few[0]
    if len(few) == 1 and len(many) >= OFTEN and page.blocks[block_at(page, start)].use != "negative":
        other, at = many[0]
        where = f"{other.path}:{other.text.count(chr(10), 0, at) + 1}"
        yield FileTwin(page, start, start + len(wrong), wrong, right, where)


def _series(skill: Skill) -> dict[str, dict[str, dict[str, Places]]]:
    """By what stands before the number, then by the number, the names with their places."""
    found: dict[str, dict[str, dict[str, Places]]] = {}
    for page in skill.pages.values():
        for one in on_lines(page.text, ".", _NUMBERED) if page.kind != "script" else ():
            if block_at(page, one.start()) >= 0:
                names = found.setdefault(one["series"], {}).setdefault(one["number"], {})
                names.setdefault(one[0], []).append((page, one.start()))
    return found
