"""Agents are started, and nothing waits for them."""

from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import acts, in_code, where
from loopwright.tune.reading.agents.behind import Behind, behind
from loopwright.tune.reading.agents.joins import Spawn, Uncollected, says_wait_for_agents, spawns, uncollected
from loopwright.tune.reading.agents.orphans import Idle, Orphan, idle, orphans
from loopwright.tune.reading.agents.unjoined import Unjoined, unjoined
from loopwright.tune.skill.model import Skill


def look(skill: Skill) -> Iterator[Hit]:
    coded = tuple(_coded(skill))
    yield from coded
    yield from map(_of_caller, uncollected(skill))
    yield from map(_apart, behind(skill))
    yield from map(_orphan, orphans(skill))
    yield from (_idle(one) for one in idle(skill) if one.page.path not in {hit.file for hit in coded})
    yield from (_of_words(one) for one in unjoined(skill) if one.page.path not in {hit.file for hit in coded})


def _orphan(one: Orphan) -> Hit:
    shown = f"; {where(one.model.call)} shows how" if one.model else ""
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=f"{one.name} is never set",
        message=f"{one.name} is read as what a wait brings, and nothing on this page waits for it",
        advice=f"Set {one.name} to what a wait with a time limit brings, before it is read{shown}.",
        also=(where(one.model.call),) if one.model else (), confidence="likely", facts={"name": one.name},
    )  # fmt: skip


def _idle(one: Idle) -> Hit:
    call = one.act.call
    return Hit(
        file=one.page.path, start=call.at.start, end=call.at.start + len(call.name), phase=call.at.phase,
        subject=f"{one.name} is never read", confidence="likely",
        message=f"{one.name} takes the agents that {call.name} starts, and nothing on this page waits for them or "
        f"reads it",
        advice=f"Wait for all of {one.name}, with a time limit, before what they made is used.",
    )  # fmt: skip


def _apart(one: Behind) -> Hit:
    call, model = one.act.call, where(one.model.call)
    given = call.argument(one.parameter)
    at = given.at if given is not None else call.at
    return Hit(
        file=one.page.path, start=at.start, end=at.end, subject=f"{call.name} {one.parameter}", phase=call.at.phase,
        message=f"{call.name} starts an agent in the background ({one.parameter}: true), the words behind it use what "
        f"it brings, and nothing waits for it; {model} stays in the foreground",
        advice=f"Write {one.parameter}: false, as {model} has it, or wait for the agent.", also=(model,),
        confidence="likely", facts={"old": given.value if given else "", "new": "false"},
    )  # fmt: skip


def _of_caller(one: Uncollected) -> Hit:
    call, model = one.call, where(one.model)
    return Hit(
        file=one.page.path, start=call.at.start, end=call.at.start + len(call.name),
        subject=f"{call.name} {call.target or call.at.line}", phase=call.at.phase, also=(model,), confidence="likely",
        message=f"{call.name} starts agents, and {one.model.name} does not follow as it does elsewhere ({model})",
        advice=f"Call {one.model.name} before what they made is used.", facts={"words": call.name},
    )  # fmt: skip


def _of_words(one: Unjoined) -> Hit:
    words = " ".join(one.page.text[one.start : one.end].split())[:100]
    said = (
        f"“{words}” names the step {one.missing}, and the list below has none"
        if one.missing
        else f"agents are started (“{words}”) and no words say when they have ended, or who takes what they bring"
    )
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=words[:60], message=said, severity="medium",
        advice="Say that all of them are waited for, how long at most, and what is done with what they bring.",
        confidence="likely", facts={"words": words},
    )  # fmt: skip


def _coded(skill: Skill) -> Iterator[Hit]:
    started = [one for one in spawns(skill) if in_code(skill, one.act.call)]
    lacking = [one for one in started if not one.joined]
    if not lacking:
        return
    waits = [act for act in acts(skill) if act.does == "wait" and act.call.arguments and in_code(skill, act.call)]
    spawning = {one.page.path for one in started}
    elsewhere = [act for act in waits if act.call.at.file not in spawning]
    joined = any(one.joined for one in started)
    for one in lacking:
        if not one.ended and not joined and (elsewhere or _says_so(skill)):
            continue
        yield _hit(one, where(waits[0].call) if waits else None)


def _says_so(skill: Skill) -> bool:
    """SKILL.md says how agents are waited for."""
    page = skill.pages.get(skill.main)
    return page is not None and says_wait_for_agents(skill, page)


def _hit(one: Spawn, model: str | None) -> Hit:
    call = one.act.call
    name = call.target or "the agents"
    closed = f"; {one.ended.call.name} in line {one.ended.call.at.line} ends them while they work" if one.ended else ""
    beside = f"; {model} shows how" if model else ""
    return Hit(
        file=call.at.file, start=call.at.start, end=min(call.at.end, call.at.start + len(call.name)),
        subject=f"{call.name} {call.target or call.at.line}", phase=call.at.phase,
        message=f"{call.name} starts agents ({name}) and nothing waits for them{closed}",
        advice=f"Wait for {name} with a time limit before what they made is used{beside}.",
        also=(model,) if model else (), facts={"call": str(one.act.index), "target": call.target or ""},
        confidence="certain" if closed or model else "likely",
    )  # fmt: skip


DETECTOR = Detector(
    rule="spawn-without-wait", dimension="agent", severity="high", confidence="likely",
    strategy="orchestrator_refactor",
    title="Nothing waits for an agent that was started",
    why="The run goes on before the agent has written anything: later steps read files that are not there, and its "
    "work is lost.",
    advice="Wait for the agent, with a time limit, before its result is used.", look=look,
)  # fmt: skip
