"""Files that are named once, in a folder in which a file of almost the same name is named several times."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.words.likeness import words_of
from loopwright.tune.reading.words.spots import block_at, on_lines
from loopwright.tune.skill.model import Page, Skill

_PATH = re.compile(
    r"(?<![\w/.\-$}>@:*+])((?:(?:\$\{|\{\{?|<)[\w.\- ]{1,40}(?:\}\}?|>)|\.?[A-Za-z_][\w.\-]{0,40})"
    r"(?:/[\w.\-<>{}$]{1,60}){1,6})"
)
_HOLE = re.compile(r"\$?\{\{?[^{}/]{1,40}\}?\}|<[^<>/]{1,40}>")
_ENDING = re.compile(r"\.(?:json|jsonl|ndjson|md|csv|txt|ya?ml|html|log)\Z")
_KINDS = frozenset({
    "old", "new", "prev", "previous", "final", "draft", "raw", "backup", "bak", "tmp", "temp", "schema", "template",
    "example", "history", "archive", "summary", "report", "index", "test", "tests", "spec", "v", "en", "zh", "cn",
    "min",
    "full", "log", "meta", "input", "output", "before", "after", "global", "local", "project", "user", "default",
    "base",
    "config", "state", "all", "merged", "fixed", "list", "agent", "check", "result", "results",
})  # fmt: skip
"""Words by which files of one kind are told apart."""
LONGEST, OFTEN = 200_000, 2


@dataclass(frozen=True, slots=True)
class FileTwin:
    page: Page
    start: int
    end: int
    wrong: str
    right: str
    where: str


@dataclass(frozen=True, slots=True)
class _Named:
    page: Page
    start: int
    base: str
    """As it is written."""


def file_twins(skill: Skill) -> Iterator[FileTwin]:
    folders: dict[str, dict[str, list[_Named]]] = {}
    for page in skill.pages.values():
        if len(page.text) > LONGEST or page.kind == "script" or "/" not in page.text:
            continue
        for found in on_lines(page.text, "/", _PATH):
            raw = found[1].rstrip(".,")
            folder, _, base = raw.rpartition("/")
            if _ENDING.search(base):
                plain = _HOLE.sub("*", base)
                named = _Named(page, found.start(1) + len(folder) + 1, base)
                folders.setdefault(_HOLE.sub("*", folder).rsplit("/", 1)[-1], {}).setdefault(plain, []).append(named)
    own = {path.rsplit("/", 1)[-1] for path in skill.files}
    for bases in folders.values():
        for plain, places in bases.items():
            if len(places) > 1 or plain in own or plain.startswith("*."):
                continue
            right = _twin(skill, places[0], plain, bases)
            one, other = places[0], bases[right][0] if right else places[0]
            if right and _is_told(one) and not _is_said(skill, one):
                line = other.page.text.count("\n", 0, other.start) + 1
                end = one.start + len(one.base)
                yield FileTwin(
                    one.page, one.start, end, one.base, as_here(one.base, other.base), f"{other.page.path}:{line}"
                )


def _twin(skill: Skill, one: _Named, plain: str, bases: dict[str, list[_Named]]) -> str:
    stem, _, ending = plain.rpartition(".")
    mine = words_of(stem.replace("*", ""))
    near = []
    for other, places in bases.items():
        theirs = words_of(other.rpartition(".")[0].replace("*", ""))
        if other == plain or not other.endswith("." + ending) or other.count("*") != plain.count("*"):
            continue
        if len(places) < OFTEN and not _is_said(skill, places[0]):
            continue
        more, fewer = max(mine, theirs, key=len), min(mine, theirs, key=len)
        extra = {*more} - {*fewer}
        if len(more) != len(fewer) + 1 or not {*fewer} < {*more} or len(extra) != 1 or extra & _KINDS:
            continue
        # A word that the page says of the thing makes it another file.
        if more is theirs or sum(one.page.text.lower().count(word) for word in extra) <= OFTEN or not fewer:
            near.append(other)
    return near[0] if len(near) == 1 else ""


def as_here(one: str, other: str) -> str:
    """The other name, with what the one writes for what differs from run to run."""
    holes = iter(_HOLE.findall(one))
    return _HOLE.sub(lambda found: next(holes, found[0]), other)


def _is_told(one: _Named) -> bool:
    block = one.page.blocks[block_at(one.page, one.start)]
    return block.use in ("instruction", "prompt") or block.kind == "front"


def _is_said(skill: Skill, one: _Named) -> bool:
    """A second place names it, in whatever folder."""
    whole = re.compile(rf"(?<![\w\-}}>]){re.escape(one.base)}(?!\w)")
    return sum(len(whole.findall(page.text)) for page in skill.pages.values() if one.base in page.text) > 1
