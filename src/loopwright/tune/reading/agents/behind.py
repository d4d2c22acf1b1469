"""Agents that run in the background where the next words use what they bring, though nobody waits for them there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import Act, acts, in_code
from loopwright.tune.reading.agents.joins import outside_of_prompts, says_wait, says_wait_for_agents
from loopwright.tune.reading.agents.leading import leads
from loopwright.tune.skill.model import Page, Skill

_USES = re.compile(
    r"\b(?:results?|returns?|returned|outputs?|findings|responses?|answers?|verdicts?)\b|结果|返回|输出|产出|结论",
    re.IGNORECASE,
)
REACH = 900
"""Characters behind the call in which its result is used."""


@dataclass(frozen=True, slots=True)
class Behind:
    """`model`: a call of the skill that stays in the foreground."""

    page: Page
    act: Act
    parameter: str
    model: Act


def behind(skill: Skill) -> Iterator[Behind]:
    """In a skill whose other calls say that they are waited for."""
    started = [(act, given) for act in acts(skill) if act.does == "spawn" and (given := _given(skill, act))]
    waited = [act for act, given in started if given == "false"]
    if not waited:
        return
    begins = sorted((act.call.at.file, act.call.at.start) for act, _ in started)
    told: bool | None = None
    for act, given in started:
        page = skill.pages[act.call.at.file]
        if given != "true" or leads(page):
            continue
        end = min((at for file, at in begins if file == page.path and at > act.call.at.start), default=len(page.text))
        start = max((one.start for one in page.sections if one.start <= act.call.at.start), default=0)
        text = outside_of_prompts(skill, page, act.call.at.end, min(end, act.call.at.end + REACH))
        if (
            not _USES.search(text)
            or says_wait(skill, page, start, act.call.at.start)
            or says_wait(skill, page, act.call.at.end, end)
        ):
            continue
        if page.kind != "role":
            main = skill.pages[skill.main]
            told = says_wait_for_agents(skill, main) if told is None else told
            if told:
                continue
        yield Behind(page, act, act.known.tool.background or "" if act.known.tool else "", waited[0])


def _given(skill: Skill, act: Act) -> str:
    tool = act.known.tool
    one = act.call.argument(tool.background) if tool is not None and tool.background else None
    return one.value.lower() if one is not None and in_code(skill, act.call) else ""
