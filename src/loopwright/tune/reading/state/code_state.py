"""Variables of a skill's code that hold what the run keeps in a file: where they are read, changed and saved."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, PageKind, Skill, Use
from loopwright.tune.skill.once import once

_WORKED: frozenset[PageKind] = frozenset({"phase", "action", "role", "skill", "other"})
_LOADS = re.compile(
    r"(?:\b(?:const|let|var)[ \t]{1,4})?(?<![\w.$])(?P<name>[A-Za-z_]\w{1,40})[ \t]*=[ \t]*(?:await[ \t]+)?"
    r"(?P<value>(?:JSON\.parse|json\.loads?|yaml\.safe_load|(?:read|load)[A-Z_]\w{0,40}|Read|read)\((?P<what>[^\n]{0,200}))"
)
_SAVES = re.compile(
    r"\b(?:[Ww]rite\w{0,30}|fs\.write\w{0,20}|(?:save|persist|store|update)[A-Z_]\w{0,40}|json\.dump)\("
    r"(?P<what>(?:[^()\n]|\([^()\n]{0,200}\)){1,300})"
)
_GIVEN = re.compile(r"(?:(?<=stringify\()|(?<=[,(])|(?<=, )|\A)(?P<name>[A-Za-z_]\w{1,40})(?=[ \t]*(?:[,)]|\Z))")
_CHANGES = re.compile(
    r"^[ \t]*(?P<name>[A-Za-z_]\w{1,40})(?:\.\w{1,40}|\[[^\]\n]{1,60}\]){1,6}"
    r"(?:[ \t]*(?:[-+*]?=(?![=>])|\+\+|--)|\.(?:push|unshift|splice|append|extend)\()",
    re.MULTILINE,
)
_EMPTY = re.compile(
    r"\b(?:let|var)[ \t]{1,4}(?P<name>[A-Za-z_]\w{2,40})[ \t]{0,4}=[ \t]{0,4}(?:null|undefined)[ \t]{0,4}(?:;|$)", re.M
)
_FILE = re.compile(r"\.(?:json|ya?ml)\b|\b(?:read|load)\w{0,30}(?:State|Session|Status|Manifest|Config|Plan|_state)\(")
_CHEAP = ("JSON.", "json.", "save", "persist")
_DONE: frozenset[Use] = frozenset({"instruction", "prompt", "reference"})
"""Code of a page that is worked through; what only shows how is of other kinds."""
ENOUGH, MOST = 2, 0.7
"""Pages that do it, and their share, by which it is expected of the rest."""


@dataclass(frozen=True, slots=True)
class Handling:
    """What the code of a page does with one variable. `line`: the statement that reads or saves it, with its place."""

    page: Page
    name: str
    does: str
    start: int
    end: int
    line: str


@once
def _handled(page: Page) -> Iterator[Handling]:
    text = page.text
    if page.kind not in _WORKED or "```" not in text or not any(word in text for word in _CHEAP):
        return
    for does, found in _statements(text):
        block = page.blocks[block_at(page, found.start())]
        if block.kind != "code" or block.use not in _DONE:
            continue
        begin, stop = text.rfind("\n", 0, found.start("name")) + 1, text.find("\n", found.end())
        yield Handling(
            page, found["name"], does, found.start("name"), found.end(), text[begin : stop if stop >= 0 else len(text)]
        )


def _statements(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for found in _LOADS.finditer(text):
        if _FILE.search(found["value"]) or "JSON" in found["value"]:
            yield "loads", found
    for call in _SAVES.finditer(text):
        yield from (("saves", found) for found in _GIVEN.finditer(text, *call.span("what")))
    yield from (("changes", found) for found in _CHANGES.finditer(text))


def _by_name(skill: Skill) -> dict[str, dict[str, dict[str, list[Handling]]]]:
    """By variable, by what is done, by page."""
    found: dict[str, dict[str, dict[str, list[Handling]]]] = {}
    for page in skill.pages.values():
        for one in _handled(page):
            found.setdefault(one.name, {}).setdefault(one.does, {}).setdefault(page.path, []).append(one)
    return found


def unsaved(skill: Skill) -> Iterator[tuple[Handling, Handling]]:
    """The last change of a page that saves nothing, and the statement by which another page saves what it changed."""
    for does in _by_name(skill).values():
        changing, saving = does.get("changes", {}), does.get("saves", {})
        having = [path for path in changing if path in saving]
        lacking = [path for path in changing if path not in saving and not _hands_on(changing[path][-1])]
        if len(having) < ENOUGH or not lacking or (len(lacking) > 1 and len(having) / len(changing) < MOST):
            continue
        for path in lacking:
            yield changing[path][-1], _like(skill, path, [saving[one][-1] for one in having])


def _like(skill: Skill, path: str, models: list[Handling]) -> Handling:
    """The nearest: of the same folder."""
    folder = path.rpartition("/")[0]
    return next((one for one in models if one.page.path.rpartition("/")[0] == folder), models[0])


def _hands_on(one: Handling) -> bool:
    """What is changed is returned, or given to something else."""
    name = re.escape(one.name)
    return any(
        re.search(pattern, one.page.text) is not None
        for pattern in (
            rf"\breturn[ \t(]{{1,4}}{name}\b",
            rf"(?<!stringify)\([ \t]*{name}[ \t]*[,)]",
            rf"(?<!stringify\()(?<=[,\s]){name}[ \t]*\)",
            rf"(?:保存|写回|写入|[Ss]ave|[Ww]rite|[Pp]ersist)[^`\n]{{0,40}}`{name}`",
        )
    )


def unloaded(skill: Skill) -> Iterator[tuple[int, Handling, Handling]]:
    """The first use of what a page saves and never reads, that change, and how another page reads it."""
    for name, does in _by_name(skill).items():
        loading, saving = does.get("loads", {}), does.get("saves", {})
        if len(loading) < ENOUGH:
            continue
        for path, changes in does.get("changes", {}).items():
            page = skill.pages[path]
            use = _first(page, name)
            if path in loading or path not in saving or path == skill.main or use < 0 or _given(page, name, use):
                continue
            yield use, changes[0], _like(skill, path, [one[0] for one in loading.values()])


def _given(page: Page, name: str, use: int) -> bool:
    """It is set before that use, or the use lies in a function that takes it."""
    name = re.escape(name)
    head = page.text[:use]
    if re.search(
        rf"\b(?:const|let|var)\s+(?:\{{[^{{}}\n]*\b)?{name}\b|^[ \t]*{name}[ \t]*=(?![=>])", head, re.MULTILINE
    ):
        return True
    taken = list(re.finditer(rf"\([^()\n]*\b{name}\b[^()\n]*\)[ \t]*(?:=>[ \t]*)?(?:\{{|:[ \t]*$)", head, re.MULTILINE))
    return bool(taken) and "\n}" not in head[taken[-1].end() :] and "```" not in head[taken[-1].end() :]


def _first(page: Page, name: str) -> int:
    """Where code uses it first."""
    for found in re.finditer(rf"(?<![\w.$]){re.escape(name)}\??\.\w", page.text):
        block = page.blocks[block_at(page, found.start())]
        if block.kind == "code" and block.use in _DONE:
            return found.start()
    return -1


@once
def never_set(page: Page) -> Iterator[tuple[str, int, int]]:
    """A variable that begins as nothing, whose fields are used, and that no code of the page sets."""
    if page.kind not in _WORKED or not ("null" in page.text or "undefined" in page.text):
        return
    for found in _EMPTY.finditer(page.text):
        name, text = found["name"], page.text
        block = page.blocks[block_at(page, found.start())]
        if block.kind != "code" or block.use not in _DONE:
            continue
        used = re.findall(rf"(?<![\w.$]){name}\.\w", text)
        assigned = rf"(?<![\w.$]){name}[ \t]*(?:[-+*|?&]{{0,3}}=(?![=>])|\+\+)"
        taken_apart = rf"[\[{{,][ \t]*{name}[ \t]*[,\]}}][^\n]{{0,80}}=(?!=)"
        set_at = re.search(f"{assigned}|{taken_apart}", text[found.end() :])
        if len(used) >= ENOUGH and set_at is None:
            yield name, found.start("name"), found.end("name")
