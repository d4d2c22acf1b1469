"""Roles that are given to a function which starts agents, as `start("scout", …)`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import acts
from loopwright.tune.skill.model import Argument, Assignment, Call, Page, Skill

_HEAD = re.compile(r"(?:async\s+)?(?:function|def)\s+\w+\s*\(([^()]*)\)")
_ROLE = re.compile(r"(?:role|agent|agent_?type|subagent_?type|kind)\s*(?:[:=].*)?\Z", re.IGNORECASE | re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z][\w-]*\Z")
FEWEST = 3
"""Calls that give a role which has a page, beside the one that does not."""


@dataclass(frozen=True, slots=True)
class Handed:
    """The role that a call gives, and which of the skill's own its text names by its page."""

    page: Page
    argument: Argument
    instead: str | None
    model: Call


def handed_roles(skill: Skill, own: frozenset[str]) -> Iterator[Handed]:
    """The only call of such a function whose role has no page, where all others have one."""
    for function, place in _starters(skill):
        calls = [
            call for call in skill.calls
            if call.name == function.name and call.at.file == function.at.file and len(call.arguments) > place
            and not function.at.start <= call.at.start < function.at.end
        ]  # fmt: skip
        given = [(call, call.arguments[place]) for call in calls]
        named = [(call, one) for call, one in given if one.literal and _PLAIN.match(one.literal)]
        strange = [(call, one) for call, one in named if one.literal not in own]
        known = [call for call, one in named if one.literal in own]
        if len(strange) == 1 and len(known) >= FEWEST:
            call, one = strange[0]
            yield Handed(skill.pages[call.at.file], one, _told(skill, call, own), known[0])


def _starters(skill: Skill) -> Iterator[tuple[Assignment, int]]:
    """Functions that start agents, with the place of the parameter that says which."""
    starts = [act.call.at for act in acts(skill) if act.does == "spawn" and act.call.prompt < 0]
    for one in skill.assignments if starts else ():
        head = _HEAD.match(one.value)
        places = [n for n, word in enumerate(head[1].split(",")) if _ROLE.match(word.strip())] if head else []
        inside = any(at.file == one.at.file and one.at.start <= at.start < one.at.end for at in starts)
        if len(places) == 1 and inside:
            yield one, places[0]


def _told(skill: Skill, call: Call, own: frozenset[str]) -> str | None:
    text = skill.pages[call.at.file].text[call.at.start : call.at.end]
    named = [role for role in sorted(own) if f"/{role}.md" in text]
    return named[0] if len(named) == 1 else None
