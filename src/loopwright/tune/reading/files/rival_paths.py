"""Paths of files and folders that are written in two ways: another folder in the middle, another name of the file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.words.likeness import alike
from loopwright.tune.reading.words.spots import block_at, on_lines
from loopwright.tune.skill.model import Front, Page, Skill

_PATH = re.compile(r"(?<![\w/.\-~$}>@:*+])(?:\./)?(\.?[A-Za-z_][\w.\-]{0,60}(?:/[\w.\-<>{}$*]{1,60}){1,8})")
_OPEN = re.compile(r"[<{*$]|\d{3,}|YYYY|[Nn]ame\b|\bexample|\bfoo\b|feature|\bmy-|-1\b")
_ENDING = re.compile(r"\.[a-z]{1,5}\Z")
_WRITTEN = frozenset({".md", ".json", ".jsonl", ".csv", ".tsv", ".yaml", ".txt", ".html", ".log"})
"""Endings of files that steps hand on to each other; those of a product's code have names of their own."""
_CODE = (
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".py",
    ".go",
    ".java",
    ".rs",
    ".rb",
    ".php",
    ".kt",
    ".cs",
    ".vue",
    ".css",
    ".swift",
)
"""Endings of files of a product, which an example has many of."""
LONGEST, MOST = 200_000, 300
ANY = "*"
"""What stands for a part that differs from run to run."""
LIKE, FEWEST = 0.5, 3
"""How alike two paths have to be, and how often the usual one is said where little else tells."""

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    page: Page
    start: int
    end: int
    block: int
    parts: Parts


@dataclass(frozen=True, slots=True)
class RivalPath:
    """`wrong` is said at `place` alone; `others` say `right`."""

    place: Place
    wrong: str
    right: str
    other: Place


def rival_paths(skill: Skill) -> Iterator[RivalPath]:
    places = [place for page in skill.pages.values() for place in _places(page)]
    blocks: dict[Parts, set[tuple[str, int]]] = {}
    for place in places:
        for length in range(1, len(place.parts) + 1):
            blocks.setdefault(place.parts[:length], set()).add((place.page.path, place.block))
    own = {path.split("/", 1)[0] for path in skill.files if "/" in path}
    roots: dict[str, list[Place]] = {}
    for place in places:
        roots.setdefault(place.parts[0], []).append(place)
    found: dict[frozenset[Parts], RivalPath] = {}
    for place in places:
        parts = place.parts
        if parts[0] not in own and len(blocks[parts]) == 1 and len(roots[parts[0]]) <= MOST:
            rival = _rival(skill, place, roots[parts[0]], blocks)
            if rival is not None:
                found.setdefault(frozenset((parts, rival.other.parts)), rival)
    yield from found.values()


def _places(page: Page) -> Iterator[Place]:
    for found in on_lines(page.text, "/", _PATH) if len(page.text) <= LONGEST and page.kind != "script" else ():
        index = block_at(page, found.start())
        raw = found[1].rstrip(".,*")
        before = page.text[max(0, found.start() - 12) : found.start()]
        if "http" in before or "**" in raw:
            continue
        if index >= 0 and page.blocks[index].use not in ("negative", "quotation"):
            parts = tuple(map(_plain, raw.split("/")))
            yield Place(page, found.start(1), found.start(1) + len(raw), index, parts)


def _plain(part: str) -> str:
    """What differs from run to run is a star, with the ending of the file."""
    ending = _ENDING.search(part)
    return ANY + (ending[0] if ending else "") if _OPEN.search(part) else part


def _rival(
    skill: Skill, place: Place, others: Sequence[Place], blocks: Mapping[Parts, set[tuple[str, int]]]
) -> RivalPath | None:
    best: tuple[float, Place] | None = None
    here = (place.page.path, place.block)
    for other in others:
        if other.parts == place.parts or any(here in blocks[other.parts[:n]] for n in range(2, len(other.parts) + 1)
                                             if other.parts[:n] != place.parts[:n]):  # fmt: skip
            continue
        value = _likeness(place, other, blocks)
        if value >= LIKE and (best is None or value > best[0]):
            best = value, other
    if best is None or not _is_odd(skill, place, best[1], blocks):
        return None
    other = best[1]
    wrong, right = place.page.text[place.start : place.end], other.page.text[other.start : other.end]
    return RivalPath(place, wrong, right, other)


def _likeness(one: Place, other: Place, blocks: Mapping[Parts, set[tuple[str, int]]]) -> float:
    mine, theirs = one.parts, other.parts
    head = 0
    while head < min(len(mine), len(theirs)) and mine[head] == theirs[head]:
        head += 1
    if mine[-1].endswith(_CODE) or not head or any(len(blocks[mine[: n + 1]]) > 1 for n in range(head, len(mine))):
        return 0.0
    # `repos/my-organization/x` and `repos/org/x`: a name that stands for any, and one of those.
    if len(mine) == len(theirs) and all(a == b or ANY in (a, b) for a, b in zip(mine, theirs, strict=True)):
        return 0.0
    if mine[-1] == theirs[-1] and ANY not in mine[-1] and _ENDING.search(mine[-1]):
        return 0.9
    i, j = _open(mine, head), _open(theirs, head)
    left, right = "-".join(mine[head:i]), "-".join(theirs[head:j])
    often = len(blocks[theirs]) >= FEWEST
    if i < len(mine) and j < len(theirs):
        if mine[i] == theirs[j]:
            return alike(left, right) if left and right else 0.9 * (often and mine[i:] == theirs[j:])
        return 0.0
    ending = _ENDING.search(mine[-1])
    same = i == len(mine) and j == len(theirs) and len(mine) == len(theirs) == head + 1 and often
    if same and ending and mine[-1].endswith(ending[0]) and ending[0] in _WRITTEN and theirs[-1].endswith(ending[0]):
        value = alike(mine[-1].removesuffix(ending[0]), theirs[-1].removesuffix(ending[0]))
        return value if value > LIKE and not re.search(r"\d", left + right) else 0.0
    return 0.0


def _open(parts: Parts, start: int) -> int:
    """The first part behind `start` that differs from run to run."""
    return next((n for n in range(start, len(parts)) if parts[n].startswith(ANY)), len(parts))


def _is_odd(skill: Skill, one: Place, other: Place, blocks: Mapping[Parts, set[tuple[str, int]]]) -> bool:
    """Of two paths that are said once, the one whose words the skill says less often; else the later one."""
    if len(blocks[other.parts]) > 1:
        return True
    mine, theirs = (_said(skill, left, right) for left, right in ((one, other), (other, one)))
    later = (one.page.path, one.start) > (other.page.path, other.start)
    return mine < theirs or (mine == theirs and later)


def _said(skill: Skill, one: Place, other: Place) -> tuple[bool, int]:
    """Whether the first part that the other path does not have names the skill, and how often it is said alone."""
    parts = [part for part in one.parts if part not in other.parts and ANY not in part]
    if not parts:
        return False, 0
    whole = re.compile(rf"(?<![\w\-]){re.escape(parts[0])}(?![\w\-])")
    named = (skill.pages[skill.main].front or _NO_FRONT).values.get("name", skill.name)
    return parts[0] in f"{named} {skill.name}", sum(len(whole.findall(page.text)) for page in skill.pages.values())


_NO_FRONT = Front(0, 0, {}, {})
