"""Agents and roles that are named in one place only, where the rest of the skill has others."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, PARTS
from loopwright.tune.reading.agents.cast import Named, cast
from loopwright.tune.reading.lists.grid import grids
from loopwright.tune.reading.rules.families import stem
from loopwright.tune.reading.words.twins import head, twin
from loopwright.tune.skill.model import Block, Page, Skill

_COMPOUND = re.compile(r"(?<![\w./-])@?[A-Za-z][A-Za-z0-9]{0,60}(?:[-_:][A-Za-z0-9]{1,60}){1,12}(?![\w/(]|\.\w|-\w)")
_WORKER = re.compile(r"(?:er|or|ist|ect|ian|ant|yst|ew)\Z")
_ENTRY = re.compile(
    r"^[ \t]*(?:\d+[.)]|[-*+])[ \t]+[*`_]{0,3}([A-Za-z][a-z0-9]*(?:-[a-z0-9]+)+)[*`_]{0,3}[ \t]+\S", re.MULTILINE
)
_REGISTERED = re.compile(r"^[ \t]*\|[ \t]*[*`]{0,3}(@[a-z][a-z0-9]*(?:-[a-z0-9]+)*)[*`]{0,3}[ \t]*\|", re.MULTILINE)
_AT = re.compile(r"(?<![\w/@.`])@[a-z][a-z0-9]*(?:-[a-z0-9]+)*\b(?![/.@\w(])")
_LABEL = re.compile(
    r"[*`_\s]*(?P<name>@?[A-Z\u4e00-\u9fff][\w\u4e00-\u9fff-]{1,20}(?: [A-Z][\w-]{1,20})?)[*`_]*\s*(?::|：|—|–| - )"
)
_PEOPLE = re.compile(
    r"agent|role|voice|worker|reviewer|persona|lens|lane|critic|expert|specialist|teammate|council|panel|代理|角色|智能体|专家|评审",
    re.IGNORECASE,
)
_THINGS = re.compile(
    r"(?:inputs?|outputs?|fields?|files?|columns?|keys?|params?|parameters?|arg\w*|flags?|options?|commands?|artifacts?"
    r"|artefacts?|steps?|phases?|types?|events?|messages?|errors?|issues?|scenarios?|status\w*|conditions?|tools?|variables?"
    r"|输入|输出|字段|文件|参数|选项|命令|步骤|阶段|类型|事件|消息|错误|场景|状态|条件|工具|变量)\b",
    re.IGNORECASE,
)
"""Heads of columns that name no people."""
_REST = re.compile(r"[A-Za-z]")
NEAR = 400
"""Characters before a list that say what it is of."""
FEWEST = 2
"""Entries that a list has in common with another which names the same people."""


@dataclass(frozen=True, slots=True)
class Stranger:
    """`instead` is probably meant; `known` are those that the skill has, as `where` shows."""

    page: Page
    start: int
    name: str
    instead: str | None
    known: tuple[str, ...]
    where: str


def outsiders(skill: Skill) -> Iterator[Stranger]:
    yield from _misnamed(skill)
    yield from _unregistered(skill)
    for page in skill.pages.values():
        if page.kind in PARTS:
            yield from _in_lists(skill, page)
    yield from _of_sets(skill)


def _bare(name: str) -> str:
    return name.rpartition(":")[2].casefold()


def _compounds(text: str) -> list[str]:
    """All names of several parts: looked for in words with a sign alone, which are few."""
    words = [word for word in text.split() if "-" in word or "_" in word or ":" in word]
    return [found[0] for found in _COMPOUND.finditer("\n".join(words))]


def _misnamed(skill: Skill) -> Iterator[Stranger]:
    """A name that stands once in the whole skill, beside one that is nearly the same."""
    named = cast(skill)
    if not named:
        return
    used = Counter(_bare(one.name) for one in named)
    pages = {stem(page.path).casefold() for page in skill.pages.values() if page.kind == "role"}
    if not any(used[bare] == 1 and bare not in pages for bare in used):
        return
    times = Counter(_bare(name) for page in skill.pages.values() for name in _compounds(page.text))
    cells = {_bare(one.name) for one in named if one.kind == "cell"}
    often = {name for name in times.keys() | used.keys() if max(times[name], used[name]) >= FEWEST} | pages
    for one in named:
        bare = _bare(one.name)
        if used[bare] != 1 or times[bare] > 1 or not _COMPOUND.fullmatch(bare) or bare in pages:
            continue
        meant = twin(bare, often - {bare}) or (twin(bare, cells - {bare}) if one.kind == "cell" else None)
        if meant is None and one.kind == "call":
            called = {_bare(other.name) for other in named if other.kind == "call" and other.page is one.page}
            meant = _of_same_head(bare, times.keys() - called)
        found = _stranger(skill, one, meant) if meant is not None else None
        if found is not None:
            yield found


def _of_same_head(name: str, times: Collection[str]) -> str | None:
    """`security-auditor`, where the skill speaks of a `security-reviewer` that the page does not call, too."""
    alike = [other for other in times if other != name and head(name) and head(other) == head(name)]
    alike = [other for other in alike if _WORKER.search(other) and _WORKER.search(name)]
    return alike[0] if len(alike) == 1 else None


def _stranger(skill: Skill, one: Named, meant: str) -> Stranger | None:
    """None where it stands nowhere as it is meant: only words begin so, as in a title."""
    written, where = meant, ""
    for page in skill.pages.values():
        found = re.search(rf"(?<![\w-])(?:[A-Za-z][\w-]*:)?{re.escape(meant)}(?![\w-])", page.text)
        if found is not None:
            written, where = found[0], f"{page.path}:{page.text.count(chr(10), 0, found.start()) + 1}"
            break
    if not where and not any(page.kind == "role" and stem(page.path) == meant for page in skill.pages.values()):
        return None
    plugin = one.name.rpartition(":")[0]
    bare = written.rpartition(":")[2]
    return Stranger(one.page, one.start, one.name, f"{plugin}:{bare}" if plugin else bare, (bare,), where)


def _unregistered(skill: Skill) -> Iterator[Stranger]:
    """`@name` that the table of all of them has not; also in the text of a page that the skill writes."""
    for page in skill.pages.values():
        listed = (
            [found[1] for found in _REGISTERED.finditer(page.text)] if "@" in page.text and page.kind in PARTS else []
        )
        named = list(_AT.finditer(page.text)) if len(listed) >= FEWEST else []
        missing = {found[0]: found for found in reversed(named) if found[0] not in listed}
        if not missing or len(missing) > len(listed) / 2:
            continue
        first = _REGISTERED.search(page.text)
        where = f"{page.path}:{page.text.count(chr(10), 0, first.start(1) if first else 0) + 1}"
        for name, found in missing.items():
            yield Stranger(page, found.start(), name, None, tuple(listed), where)


def _in_lists(skill: Skill, page: Page) -> Iterator[Stranger]:
    """Entries of a list begin with roles that have a page, and one with a name that has none."""
    roles = {stem(other.path) for other in skill.pages.values() if other.kind == "role"}
    if len(roles) < FEWEST:
        return
    for begun in _begun(page):
        strange = [found for found in begun if found[1] not in roles]
        if len(strange) != 1 or len(begun) - 1 < FEWEST:
            continue
        name = strange[0][1]
        idle = sorted(roles - {found[1] for found in begun})
        close = [role for role in idle if {*role.split("-")} & {*name.split("-")} or _stems(role) & _stems(name)]
        where = next(other.path for other in skill.pages.values() if stem(other.path) in roles)
        instead = close[0] if len(close) == 1 else None
        yield Stranger(page, strange[0].start(1), name, instead, tuple(sorted(roles)), where)


def _begun(page: Page) -> Iterator[list[re.Match[str]]]:
    """Runs of lines that are entries of a list and begin with a name of several parts."""
    run: list[re.Match[str]] = []
    for found in _ENTRY.finditer(page.text):
        if run and page.text.count("\n", run[-1].end(), found.start()) > 1:
            if len(run) > FEWEST:
                yield run
            run = []
        run.append(found)
    if len(run) > FEWEST:
        yield run


def _stems(name: str) -> frozenset[str]:
    return frozenset(part[:5] for part in name.split("-") if len(part) > 4 and part != "agent")


def _lists(page: Page) -> Iterator[list[Block]]:
    """Runs of entries of one level, side by side."""
    run: list[Block] = []
    for block in page.blocks:
        if (
            block.kind == "item"
            and block.use in MEANT
            and (not run or (run[-1].level == block.level and run[-1].section == block.section))
        ):
            run.append(block)
            continue
        if len(run) > FEWEST:
            yield run
        run = [block] if block.kind == "item" and block.use in MEANT else []
    if len(run) > FEWEST:
        yield run


@dataclass(frozen=True, slots=True)
class _Set:
    """Names at the beginning of the entries of a list or the rows of a table, with their places."""

    page: Page
    names: tuple[str, ...]
    starts: tuple[int, ...]

    @property
    def line(self) -> int:
        return self.page.text.count("\n", 0, self.starts[0]) + 1


def _of_sets(skill: Skill) -> Iterator[Stranger]:
    """Two lists name the same people but for one, who is named nowhere else."""
    sets = [one for page in skill.pages.values() if page.kind in PARTS for one in _sets(page)]
    for one in sets:
        for other in sets:
            odd = [name for name in one.names if name not in other.names]
            missing = [name for name in other.names if name not in one.names]
            shared = len(one.names) - len(odd)
            if one is other or len(odd) != 1 or shared < FEWEST or not 1 <= len(missing) <= FEWEST:
                continue
            absent = [name for name in missing if _times(skill, name) >= FEWEST]
            if _times(skill, odd[0]) > 1 or not absent or not _speaks_of_people(one):
                continue
            start = one.starts[one.names.index(odd[0])]
            instead = _of_place(one, other, odd[0], absent)
            yield Stranger(one.page, start, odd[0], instead, other.names, f"{other.page.path}:{other.line}")
            break


def _of_place(one: _Set, other: _Set, odd: str, absent: list[str]) -> str | None:
    """The one that stands between the same neighbours."""
    at = one.names.index(odd)
    beside = [name for name in (one.names[at - 1] if at else None, *one.names[at + 1 : at + 2]) if name]
    known = [other.names.index(by) for by in beside if by in other.names]
    near = [name for name in absent if all(abs(other.names.index(name) - place) == 1 for place in known)]
    return near[0] if len(near) == 1 else absent[0] if len(absent) == 1 else None


def _sets(page: Page) -> Iterator[_Set]:
    for items in _lists(page):
        found = [(item, match) for item in items if (match := _LABEL.match(item.text))]
        if len(found) > FEWEST and len(found) == len(items):
            yield _Set(page, tuple(m["name"] for _, m in found), tuple(b.body + m.start("name") for b, m in found))
    for grid in grids(page):
        if grid.head and _THINGS.match(grid.head[0]):
            continue
        cells = [(row[0].text.strip("*` "), row[0]) for row in grid.rows if row]
        if len(cells) > FEWEST and all(0 < len(name) <= 24 for name, _ in cells):
            yield _Set(page, tuple(n for n, _ in cells), tuple(c.start + c.text.find(n) for n, c in cells))


def _times(skill: Skill, name: str) -> int:
    return sum(
        len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", page.text, re.IGNORECASE)) for page in skill.pages.values()
    )


def _speaks_of_people(one: _Set) -> bool:
    start = one.starts[0]
    return _PEOPLE.search(one.page.text, max(0, start - NEAR), start) is not None
