"""An agent, or a role, is named that exists nowhere."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import Act, acts, where
from loopwright.tune.reading.agents.handed_roles import Handed, handed_roles
from loopwright.tune.reading.agents.outsiders import Stranger, outsiders
from loopwright.tune.reading.lists.grid import grids, plain
from loopwright.tune.reading.rules.families import stem
from loopwright.tune.skill.model import Argument, Page, Skill

_PLAIN = re.compile(r"[A-Za-z][\w-]*\Z")
_INSTALLED = re.compile(
    r"(?:~/|\$HOME/|\.)?\.?(?:claude|codex|gemini)/agents\b|agents/[\w<>{}-]+\.(?:md|toml)|自定义(?:代理|agent)"
    r"|custom agents?",
    re.IGNORECASE,
)
"""The skill says that agents are defined somewhere, which is not looked at here."""
_SENT = re.compile(
    r"(?:\b(?:dispatch|spawn|start|launch|ask|assign(?:ed)? (?:it |this |them )?to|hand(?:s|ed)? (?:it |this |them "
    r"|over )?to|back to|goes to|send\w* (?:it |this |them |back )*to|delegate\w* (?:it )?to)"
    r"\s+(?:the |a |an |one )?|(?:信给|只派|派给|派|交给|转给|发给|回给|退回给?|打回给?|让|请|由"
    r"|启动)\s*)[`*]*([a-z][a-z]+(?:-[a-z]+)*)[`*]*(?![\w/.(-])"
)
_NOUN = re.compile(
    r"\b(?:in|into|to|of|for|the|a|an|from|on|each|every|next)\s+(?:dispatch|spawn|start|launch|assign|send)\s+\Z",
    re.IGNORECASE,
)
"""Before the name: the verb is no verb, as in `the spawn list`."""
_AGENT = re.compile(r"(?:er|or|ist|ect|ian|ant|yst|ew)\Z")
_ANYBODY = frozenset({
    "user", "caller", "reader", "worker", "orchestrator", "coordinator", "leader", "lead", "reviewer", "other",
    "another", "owner",
    "customer", "developer", "maintainer", "server", "either", "manager", "author", "editor", "operator", "parent",
    "whichever",
    "order", "error", "router", "folder", "header", "number", "letter", "after", "over", "under", "later", "older",
    "newer", "better",
    "consumer", "provider", "browser", "compiler", "parser", "linter", "debugger", "runner", "container", "cluster",
    "dispatcher",
    "controller", "handler", "helper", "scheduler", "watcher", "monitor", "executor", "supervisor", "vendor",
    "contributor", "member",
    "teammate", "subagent", "agent", "answer", "driver", "fresh", "new", "per", "enter", "render", "for", "or",
    "review", "view", "transfer",
})  # fmt: skip
_NOBODY = frozenset(
    {"none", "nobody", "nothing", "no", "any", "all", "everyone", "both", "self", "human", "script", "main"}
)
_DIGIT = re.compile(r"\d")
OFTEN = 2
"""Times that a name stands in the skill, of which another is taken for a slip."""
LONG = 8
"""Characters of a name beyond which one or two others are a slip and no other name."""
ROLES = 3
"""Roles of its own that make a name among them expected to be one of them."""


def look(skill: Skill) -> Iterator[Hit]:
    yield from _called(skill)
    yield from _said(skill)
    yield from _listed(skill)
    yield from map(_outside, outsiders(skill))
    yield from map(_handed, handed_roles(skill, _own(skill) | catalogue_of(skill).roles()))


def _handed(one: Handed) -> Hit:
    at, name, model = one.argument.at, one.argument.literal or "", where(one.model)
    return Hit(
        file=one.page.path, start=at.start, end=at.end, subject=name, also=(model,), confidence="likely",
        message=f"there is no role {name}; every other call of {one.model.name} gives one that has a page ({model})",
        advice=f"Write {one.instead}." if one.instead else f"Name a role that has a page, or write one for {name}.",
        facts={"old": name, "new": one.instead or "", "level": "mechanical"},
    )  # fmt: skip


def _outside(one: Stranger) -> Hit:
    meant = f"; {one.instead} is probably meant" if one.instead else ""
    known = ", ".join(one.known[:6])
    return Hit(
        file=one.page.path, start=one.start, end=one.start + len(one.name), subject=one.name, also=(one.where,),
        message=f"{one.name} stands only here; the skill has {known} ({one.where}){meant}", confidence="likely",
        advice=f"Write {one.instead}." if one.instead else f"Name one of {known}, or add {one.name} there.",
        facts={"old": one.name, "new": one.instead or "", "level": "mechanical"},
    )  # fmt: skip


def _own(skill: Skill) -> frozenset[str]:
    """Roles that have a page in the skill, by the page's and by its own name."""
    names = set(skill.around.agents)
    for page in skill.pages.values():
        if page.kind == "role" or "/agents/" in f"/{page.path}":
            names.add(stem(page.path))
            if page.front and isinstance(name := page.front.values.get("name"), str):
                names.add(name)
    return frozenset(names)


def _called(skill: Skill) -> Iterator[Hit]:
    roles = _own(skill)
    named = [(act, one) for act in acts(skill) if (one := _role(act)) is not None]
    if not named:
        return
    catalogue = catalogue_of(skill)
    for host in skill.hosts or (None,):
        roles |= catalogue.roles(host)
    known = [act for act, one in named if one.literal in roles]
    strange = [(act, one) for act, one in named if one.literal not in roles]
    names = {one.literal or "" for _, one in strange}
    installed = any(_INSTALLED.search(page.text) for page in skill.pages.values()) if strange else False
    for act, one in strange:
        name = one.literal or ""
        near = _nearest(name, roles) or _slipped(skill, name, names)
        if near is None and (installed and not skill.around.complete):
            continue
        cased = near is not None and near.casefold() == name.casefold()
        sure = (near is not None and not cased) or skill.around.complete
        likely = len(names) == 1 and len(strange) == 1 and len(known) >= 2
        told = _of_table(skill, act, roles)
        types = {other.literal for act in known if (other := _role(act))}
        usual = told or next((other.literal for one in known if (other := _role(one))), None)
        same = told is not None or (len(types) == 1 and len(known) > 1)
        yield _hit(act, one, near or usual, known, sure=sure, likely=likely, is_near=near is not None, same=same)


def _role(act: Act) -> Argument | None:
    tool = act.known.tool
    if act.does != "spawn" or tool is None or tool.role is None:
        return None
    one = act.call.argument(tool.role)
    return one if one is not None and one.literal is not None and _PLAIN.match(one.literal) else None


def _nearest(name: str, roles: frozenset[str]) -> str | None:
    bare = {role.casefold().replace("_", "-"): role for role in sorted(roles)}
    near = get_close_matches(name.casefold().replace("_", "-"), bare, 1, 0.82)
    return bare[near[0]] if near else None


def _slipped(skill: Skill, name: str, names: set[str]) -> str | None:
    """The agent of another call that is meant by a name which stands nowhere else: no page has either of them."""
    said = {one: sum(page.text.count(one) for page in skill.pages.values()) for one in names if one}
    often = [one for one in sorted(names - {name}) if said.get(one, 0) >= OFTEN and len(one) > LONG]
    near = get_close_matches(name, often, 1, 0.9)
    if said.get(name) == 1 and (longer := [one for one in often if _is_cut(name, one) and said[one] > OFTEN]):
        return longer[0] if len(longer) == 1 else None
    if not near or said.get(name) != 1:
        return None
    apart = [(mine, its) for mine, its in zip(name.split("-"), near[0].split("-"), strict=False) if mine != its]
    same = name.count("-") == near[0].count("-") and len(apart) == 1
    if not same or _DIGIT.search(name) or min(map(len, apart[0])) < LONG - 2 or apart[0][0][:3] != apart[0][1][:3]:
        return None
    return near[0]


def _is_cut(name: str, other: str) -> bool:
    """One of both goes on where the other ends, by a letter or by a whole word."""
    short, long = sorted((name, other), key=len)
    rest = long[len(short) :]
    return long.startswith(short) and "-" in short and (len(rest) == 1 or rest.startswith("-"))


def _of_table(skill: Skill, act: Act, roles: frozenset[str]) -> str | None:
    """The agent that a table of the skill gives to the role whose page the prompt names."""
    prompt = next((one for one in skill.prompts if one.call == act.index), None)
    pages = [page for page in skill.pages.values() if page.kind == "role" and prompt and page.path in prompt.text]
    rows = (
        [block.text for page in skill.pages.values() for block in page.blocks if block.kind == "row"] if pages else []
    )
    for page in pages:
        for row in (row for row in rows if page.path in row):
            cells = {cell.strip(" `*") for cell in row.split("|")} & roles - {stem(page.path)}
            if len(cells) == 1:
                return cells.pop()
    return None


def _hit(
    act: Act,
    one: Argument,
    instead: str | None,
    known: list[Act],
    *,
    sure: bool,
    likely: bool,
    is_near: bool,
    same: bool,
) -> Hit:
    """`same`: the skill's table, or all of its other calls, say this one."""
    call, name = act.call, one.literal or ""
    meant = f"; {instead} is probably meant" if is_near else ""
    such = f", such as {instead}" if instead else ""
    return Hit(
        file=one.at.file, start=one.at.start, end=one.at.end, subject=name, phase=call.at.phase,
        message=f"{one.name} is {name}, an agent that neither the host nor the skill defines{meant}",
        advice=f"Write {instead}." if is_near else f"Name an agent that exists{such}, or define {name}.",
        also=tuple(where(other.call) for other in known[:3]),
        facts={"old": name, "new": instead or "", "level": "mechanical" if is_near or same else "template"},
        confidence="certain" if sure else "likely" if likely else "hint",
    )  # fmt: skip


def _said(skill: Skill) -> Iterator[Hit]:
    """Work is handed to a role in words, and the skill's roles do not have that one."""
    pages = [page for page in skill.pages.values() if page.kind == "role"]
    roles = {stem(page.path) for page in pages}
    if len(roles) < ROLES:
        return
    sent: list[tuple[Page, str, int]] = []
    for page in skill.pages.values():
        if page.kind not in ("skill", "role", "phase", "action", "spec"):
            continue
        for block in page.blocks:
            if block.use in ("instruction", "prompt") and block.kind in ("paragraph", "item", "row"):
                sent += [(page, found[1], block.body + found.start(1)) for found in _SENT.finditer(block.text)]
    right = [one for one in sent if one[1] in roles]
    if not right:
        return
    for page, name, at in sent:
        if name in roles or name in _ANYBODY or not _AGENT.search(name) or _is_known(skill, name):
            continue
        if _NOUN.search(page.text, max(0, at - 60), at):
            continue
        near = _nearest(name, frozenset(roles))
        yield Hit(
            file=page.path, start=at, end=at + len(name), subject=name, confidence="likely",
            message=f"work is given to {name}, which is none of the skill's roles ({', '.join(sorted(roles))})",
            advice=f"Name one of the roles{f', probably {near}' if near else ''}, or add a page for {name}.",
            facts={"old": name, "new": near or "", "level": "mechanical"},
        )  # fmt: skip


def _listed(skill: Skill) -> Iterator[Hit]:
    """In a column of a table of the roles, whose other cells are roles, stands one that has no page."""
    roles = {stem(page.path) for page in skill.pages.values() if page.kind == "role"}
    if len(roles) < ROLES:
        return
    main = skill.pages.get(skill.main)
    for grid in grids(main) if main else ():
        width = min(map(len, grid.rows))
        if width < 2 or {_as_stem(name) for name in grid.column(0)} - roles:
            continue
        for cells in zip(*(row[1:width] for row in grid.rows), strict=True):
            names = [_as_stem(plain(cell.text)) for cell in cells]
            strange = [index for index, name in enumerate(names) if name not in roles and name not in _ANYBODY]
            if len(strange) != 1 or len(names) < ROLES or not set(names) & roles:
                continue
            cell, name = cells[strange[0]], names[strange[0]]
            if not _PLAIN.match(name) or name in _NOBODY:
                continue
            if name in skill.around.agents or name in catalogue_of(skill).roles():
                continue
            near = _nearest(name, frozenset(roles))
            yield Hit(
                file=skill.main, start=cell.start, end=cell.end, subject=name, confidence="likely",
                message=f"the table of roles names {name}, which is none of them ({', '.join(sorted(roles))})",
                advice=f"Name one of the roles{f', probably {near}' if near else ''}, or add a page for {name}.",
                facts={"old": cell.text, "new": near or "", "level": "mechanical" if near else "template"},
            )  # fmt: skip


def _as_stem(name: str) -> str:
    return "-".join(name.casefold().split())


def _is_known(skill: Skill, name: str) -> bool:
    """It is declared in a table, a heading or a list of the skill, or is an agent of the host."""
    if name in catalogue_of(skill).roles() or name in skill.around.agents:
        return True
    word = re.compile(rf"(?:^|\|)[\s`*\[]*{re.escape(name)}[\s`*\]]*(?:\Z|[|:：(（—-])", re.IGNORECASE)
    told = (block for page in skill.pages.values() for block in page.blocks if block.kind in ("row", "heading", "item"))
    return any(word.search(block.text) for block in told)


DETECTOR = Detector(
    rule="unknown-role", dimension="agent", severity="high", confidence="likely", strategy="custom",
    title="An agent or role that exists nowhere",
    why="The host refuses to start an agent it does not know; a role without a page is played by guesswork.",
    advice="Name an agent or role that exists.", look=look,
)  # fmt: skip
