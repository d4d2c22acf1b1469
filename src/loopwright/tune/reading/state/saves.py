"""What code of a skill writes of how far its work is, and pages that change it and write nothing."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from loopwright.tune.reading.state.saving import is_late
from loopwright.tune.reading.words.sayings import MEANT
from loopwright.tune.skill.model import Assignment, At, Call, Page, Skill
from loopwright.tune.skill.once import once

STATE = re.compile(
    r"state|index|job|progress|manifest|session|checkpoint|plan|run|queue|tasks?|status|log", re.IGNORECASE
)
MAYBE = re.compile(r"index|manifest|plan|run|tasks?|log", re.IGNORECASE)
"""Of these names many are what is to come out in the end; then the loop does not write in them how far it is."""
STATE_ITSELF = re.compile(r"(?:\w{0,20}_?)?(?:state|session|progress|checkpoint|manifest|ledger)", re.IGNORECASE)
"""Variables that hold all that is known of how far the work is."""
SAVES = re.compile(
    r"^(?:write|save|persist|store|flush|update|dump)_?\w{0,40}(?:state|progress|index|session|job|checkpoint"
    r"|plan)\w{0,40}$",
    re.IGNORECASE,
)
_SMALL = re.compile(r"\breport\b|summary|报告|总结|汇总", re.IGNORECASE)
_FIXED = re.compile(
    r"`[^`$]{0,300}`|'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|\b(?:JSON|json|stringify|dumps?|null|None|true|false|now|Date|new"
    r"|toISOString)\b|\b\w{1,60}\s{0,3}(?=:)"
)
"""What tells nothing of the work: texts, keys, the time."""
_WORD = re.compile(r"(?<![.\w])[A-Za-z_]\w{0,60}")
_KEEPS = re.compile(r"(?:^|_|\b)(?:save|persist|writ|update|store|flush|sync|checkpoint|commit|record)", re.IGNORECASE)
_PAGES = frozenset({"skill", "phase", "action", "other"})
_WRITES = frozenset({"Write", "write_file", "writeFile", "writeFileSync", "fs.writeFileSync", "fs.writeFile", "Edit"})
_SAYS = re.compile(
    r"\b(?:write|save|persist|store)\w*\b[^.\n]{0,40}\b(?:state|session|progress)|(?:写入|保存|持久化)[^。\n]{0,12}状态",
    re.IGNORECASE,
)
TOGETHER = 8
"""Lines between two changes of one group."""
LEAST = 2
"""Changes of a page, and pages that write."""


class Unsaved(NamedTuple):
    """A page that changes the state and does not write it. `calls`: with which other pages do."""

    page: Page
    last: Assignment
    root: str
    calls: tuple[Call, ...]


class Saved(NamedTuple):
    """`is_state`: for certain what tells how far the work is; a call by its name alone may save anything.

    `of`: the variables whose values are written.
    """

    name: str
    at: At
    is_state: bool
    of: frozenset[str]


@once
def saves(skill: Skill) -> Iterator[Saved]:
    """What the coordinating code writes itself: files by their names, and calls that say that they save."""
    for one in skill.artefacts:
        if one.mode == "write" and one.at.use in MEANT and one.call >= 0 and skill.calls[one.call].prompt < 0:
            name = one.name.rpartition("/")[2]
            content = _content(skill.calls[one.call])
            of = frozenset(_WORD.findall(_FIXED.sub(" ", content)))
            tells = (of or not content) and STATE.search(name) is not None and _SMALL.search(one.name) is None
            yield Saved(one.name, one.at, bool(tells), of)
    for call in skill.calls:
        if call.prompt < 0 and call.at.use in MEANT and SAVES.match(call.name.rpartition(".")[2]):
            of = frozenset(_WORD.findall(_FIXED.sub(" ", " ".join(one.value for one in call.arguments))))
            yield Saved(call.name, call.at, is_late(_line(skill, call.at)), of)


def _content(call: Call) -> str:
    """What is written. Where it has only fixed words, such as that this stage is over, nothing of the loop is in it."""
    named = next((one.value for one in call.arguments if one.name in ("content", "contents", "text", "data")), None)
    placed = [one.value for one in call.arguments if one.name is None]
    return named or (placed[-1] if len(placed) > 1 else "")


def _line(skill: Skill, at: At) -> str:
    """From the call to the end of its line, where a comment may say more."""
    text = skill.pages[at.file].text
    end = text.find("\n", at.end)
    return text[at.end : end if end >= 0 else len(text)]


def unsaved(skill: Skill) -> Iterator[Unsaved]:
    """One page of several that change the state, where all the others write it."""
    changes: dict[str, dict[str, list[Assignment]]] = {}
    for one in skill.assignments:
        root, dot, _ = one.name.partition(".")
        page = skill.pages[one.at.file]
        if dot and one.at.use in MEANT and STATE_ITSELF.fullmatch(root) and _is_step(page):
            changes.setdefault(root, {}).setdefault(one.at.file, []).append(one)
    for root, pages in changes.items():
        written = {path: call for path in pages if (call := _write_of(skill, path, root)) is not None}
        lacking = [path for path in pages if path not in written]
        if len(lacking) != 1 or len(written) < LEAST or len(pages[lacking[0]]) < LEAST or _keeps(skill, lacking[0]):
            continue
        last = max(_groups(pages[lacking[0]]), key=len)[-1]
        yield Unsaved(skill.pages[lacking[0]], last, root, tuple(written.values()))


def _groups(changes: list[Assignment]) -> Iterator[list[Assignment]]:
    """Those that stand together."""
    group: list[Assignment] = []
    for one in sorted(changes, key=lambda one: one.at.start):
        if group and one.at.line - group[-1].at.line > TOGETHER:
            yield group
            group = []
        group.append(one)
    yield group


def _is_step(page: Page) -> bool:
    """It is carried out: no page that says what a file looks like and where it is used."""
    about = page.sections[0].concept if page.sections else None
    return page.kind in _PAGES and about not in ("state", "reference", "output", "input")


def _write_of(skill: Skill, path: str, root: str) -> Call | None:
    """The call on the page that writes the variable."""
    whole = re.compile(rf"(?<![.\w]){root}(?![.\w])")
    for call in skill.calls:
        if call.at.file == path and call.prompt < 0 and call.at.use in MEANT:
            writes = call.name in _WRITES or SAVES.match(call.name.rpartition(".")[2])
            if writes and any(whole.search(one.value) for one in call.arguments):
                return call
    return None


def _keeps(skill: Skill, path: str) -> bool:
    """Something on the page may write it, by its name, or by what the words say."""
    if any(call.at.file == path and _KEEPS.search(call.name) and call.name not in _WRITES for call in skill.calls):
        return True
    return any(
        block.kind != "code" and _SAYS.search(block.text) for block in skill.pages[path].blocks if block.use in MEANT
    )
