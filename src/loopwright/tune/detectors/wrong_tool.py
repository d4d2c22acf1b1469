"""A tool is called, or allowed, that no host has: most often a slip of a name."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache

from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.catalogue.catalogue import joined
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import MEANT, PARTS, acts, in_code, is_bracketed, names_given, where
from loopwright.tune.reading.agents.signatures import odd_tools
from loopwright.tune.reading.shell.command_lines import slipped_tools
from loopwright.tune.skill.model import Call, Page, Skill

_NAME = re.compile(r"[A-Za-z][A-Za-z_]*\Z")
FOREIGN = 3
"""Calls of one host's tools that make a single one of another host's look like a slip."""
LOOSE = 0.78
"""How much a name has in common with the tool whose parameters it has."""
BEGUN = 3
"""Characters at the beginning of a name that a slip does not touch."""
_HOSTS = re.compile(
    r"\b(?:claude|codex|gemini|hosts?|harness\w*|platforms?|runtimes?|copilot|cursor)\b|宿主|平台", re.IGNORECASE
)


def look(skill: Skill) -> Iterator[Hit]:
    yield from _misspelled(skill)
    yield from _misdeclared(skill)
    yield from _foreign(skill)
    yield from _unlisted(skill)


def _unlisted(skill: Skill) -> Iterator[Hit]:
    """The skill lists the tools of a server, and calls one by another name."""
    for slip in slipped_tools(skill):
        yield Hit(
            file=slip.page.path, start=slip.start, end=slip.start + len(slip.written), subject=slip.written,
            message=f"{slip.written} stands only here; the tool of {slip.of} is {slip.meant} elsewhere ({slip.where})",
            advice=f"Call {slip.meant}.", also=(slip.where,), confidence="likely",
            facts={"name": slip.written, "instead": slip.meant},
        )  # fmt: skip
    for one in odd_tools(skill):
        yield Hit(
            file=one.call.at.file, start=one.start, end=one.end, subject=one.name, phase=one.call.at.phase,
            message=f"{one.name} is none of the tools that the skill lists ({', '.join(one.known[:6])}); {one.instead} "
            f"({one.where}), which nothing calls, is probably meant",
            advice=f"Call {one.instead}.", also=(one.where,), confidence="likely",
            facts={"name": one.name, "instead": one.instead or ""},
        )  # fmt: skip


def _misspelled(skill: Skill) -> Iterator[Hit]:
    catalogue = catalogue_of(skill)
    looked: dict[str, str | None] = {}
    begun = _beginnings(skill.around.catalogues)
    for call in skill.calls:
        name = call.name
        if call.at.use not in MEANT or skill.pages[call.at.file].kind not in PARTS or not _NAME.match(name):
            continue
        if name[:BEGUN].casefold() not in begun:
            continue
        if name not in looked:
            known = catalogue.resolve(name, ())
            same = known.tool or known.old or known.function or known.mcp
            looked[name] = None if same or not _is_name_of_tool(name) else _meant(skill, call)
        meant = looked[name]
        if meant is None or _is_defined(skill.pages[call.at.file], name):
            continue
        takes = catalogue.tool(meant, skill.hosts) or catalogue.tool(meant)
        fits = takes is not None and bool({*takes.parameters} & names_given(call))
        if not fits and not _used(skill, meant):
            continue
        yield Hit(
            file=call.at.file, start=call.at.start, end=call.at.start + len(name), subject=name, phase=call.at.phase,
            message=f"no host has a tool {name}; {meant} is probably meant", advice=f"Call {meant}.",
            facts={"name": name, "instead": meant if catalogue.tool(meant, skill.hosts) else ""},
            confidence="certain" if fits else "likely",
        )  # fmt: skip


def _meant(skill: Skill, call: Call) -> str | None:
    """By its spelling; a name that differs more has to have a parameter of the tool that it resembles."""
    catalogue = catalogue_of(skill)
    given = names_given(call)
    found = catalogue.nearest(call.name, skill.hosts)
    if found is not None or not given:
        return found
    bare = {name.casefold().replace("_", ""): name for name in sorted(catalogue.tools)}
    for near in get_close_matches(call.name.casefold().replace("_", ""), bare, 3, LOOSE):
        tool = catalogue.tool(bare[near], skill.hosts) or catalogue.tool(bare[near])
        if tool is not None and given & {*tool.parameters} - {"name", "prompt", "description", "path"}:
            return bare[near]
    return None


@lru_cache(maxsize=8)
def _beginnings(added: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return frozenset(name[:BEGUN].casefold() for name in joined(added).tools)


def _is_name_of_tool(name: str) -> bool:
    """It is written as tools are, with a capital or with parts: not a plain word."""
    return "_" in name.strip("_") or (name[:1].isupper() and len(name) > 3) or (name != name.lower() and len(name) > 6)


def _is_defined(page: Page, name: str) -> bool:
    return (
        re.search(rf"\b(?:function\*?|def|class|func|fn|const|let|var|import)\s+\{{?\s*{re.escape(name)}\b", page.text)
        is not None
    )


def _used(skill: Skill, tool: str) -> bool:
    return any(call.name == tool and call.at.use in MEANT for call in skill.calls) or tool in (skill.tools or ())


def _misdeclared(skill: Skill) -> Iterator[Hit]:
    page = skill.pages.get(skill.main)
    if page is None or page.front is None or not skill.tools:
        return
    catalogue = catalogue_of(skill)
    for tool in sorted(skill.tools):
        name = tool.partition("(")[0]
        if not _NAME.match(name) or catalogue.hosts_of(name):
            continue
        meant = catalogue.nearest(name)
        at = page.text.find(name, page.front.start, page.front.end)
        if meant is not None and at >= 0:
            yield Hit(
                file=page.path, start=at, end=at + len(name), subject=name,
                message=f"allowed-tools lists {name}, which no host has; {meant} is probably meant",
                advice=f"Write {meant}.", facts={"name": name, "instead": meant},
            )  # fmt: skip


def _foreign(skill: Skill) -> Iterator[Hit]:
    """One call of a tool that only another host has, in a skill that speaks to one host everywhere else."""
    catalogue = catalogue_of(skill)
    calls: list[tuple[Call, str]] = []
    for act in acts(skill):
        hosts = catalogue.hosts_of(act.call.name)
        if len(hosts) == 1 and is_bracketed(skill, act.call):
            calls.append((act.call, next(iter(hosts))))
    usual = Counter(host for _, host in calls).most_common(1)
    if not usual or usual[0][1] < FOREIGN:
        return
    strangers = [(call, host) for call, host in calls if host != usual[0][0]]
    if len(strangers) != 1 or len(skill.hosts) < 2:
        return
    call, host = strangers[0]
    text = skill.pages[call.at.file].text
    if not in_code(skill, call) or _HOSTS.search(text):
        return
    yield Hit(
        file=call.at.file, start=call.at.start, end=call.at.start + len(call.name), subject=call.name,
        phase=call.at.phase,
        message=f"{call.name} is a tool of {host}; the skill's other {usual[0][1]} calls are of {usual[0][0]} (such "
        f"as {where(calls[0][0])})",
        advice=f"Use the tool of {usual[0][0]} that does the same, or say for which host each call "
        f"is.", confidence="likely",
        facts={"name": call.name, "instead": ""},
    )  # fmt: skip


DETECTOR = Detector(
    rule="wrong-tool", dimension="agent", severity="high", confidence="certain", strategy="custom",
    title="A tool that does not exist",
    why="A model calls what it is told to; the host answers that there is no such tool, and the step is skipped or "
    "improvised.",
    advice="Use the tool's right name.", look=look,
)  # fmt: skip
