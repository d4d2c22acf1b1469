"""Long work is saved only when all of it is done."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.saving import is_late, postponed
from loopwright.tune.reading.sayings import MEANT
from loopwright.tune.skill.model import At, Call, Repeat, Skill

WORK = frozenset({
    "Task", "Agent", "spawn_agent", "spawn_agents_on_csv", "wait", "wait_agent", "delegate", "delegate_task",
    "delegate_to_agent", "assign_task", "send_input", "followup_task", "subagent", "dispatch", "TaskOutput",
})  # fmt: skip
"""Calls that take long and cost much."""
_STATE = re.compile(
    r"state|index|job|progress|manifest|session|checkpoint|plan|run|queue|tasks?|status|log", re.IGNORECASE
)
_SAVES = re.compile(
    r"^(?:write|save|persist|store|flush|update|dump)_?\w{0,40}(?:state|progress|index|session|job|checkpoint"
    r"|plan)\w{0,40}$",
    re.IGNORECASE,
)
_SMALL = re.compile(r"\breport\b|summary|报告|总结|汇总", re.IGNORECASE)


class Saved(NamedTuple):
    """`is_state`: for certain what tells how far the work is; a call by its name alone may save anything."""

    name: str
    at: At
    is_state: bool


def look(skill: Skill) -> Iterator[Hit]:
    seen: set[str] = set()
    for repeat in skill.repeats:
        if repeat.kind == "code" and repeat.at.use in ("instruction", "prompt") and _works(skill, repeat):
            late = _late(skill, repeat)
            if late is not None:
                seen.add(repeat.at.file)
                yield _of_code(repeat, late)
    for saying in postponed(skill):
        if saying.page.path not in seen:
            yield Hit(
                file=saying.page.path, start=saying.start, end=saying.end, subject=" ".join(saying.text.split())[:60],
                message="the state of long work is written only once all of it is done", confidence="likely",
            )  # fmt: skip


def _works(skill: Skill, repeat: Repeat) -> bool:
    """Agents work in it, and no other loop is around it."""
    if any(_holds(other, repeat) for other in skill.repeats):
        return False
    called = {call.name for call in skill.calls if _in(call, repeat)}
    if called & WORK:
        return True
    functions = (one for one in skill.assignments if one.name in called and one.at.file == repeat.at.file)
    return any(call.name in WORK and _within(call, one.at) for one in functions for call in skill.calls)


def _within(call: Call, at: At) -> bool:
    return call.at.file == at.file and at.start <= call.at.start < at.end


def _holds(other: Repeat, one: Repeat) -> bool:
    same = other.kind == "code" and other.at.file == one.at.file and other is not one
    return same and other.at.start <= one.at.start and one.at.end <= other.at.end


def _in(call: Call, repeat: Repeat) -> bool:
    return call.at.file == repeat.at.file and repeat.at.start <= call.at.start < repeat.at.end


def _late(skill: Skill, repeat: Repeat) -> Saved | None:
    """A state file that is written right behind the loop, where nothing is written in it."""
    saved = [one for one in _saves(skill) if one.at.file == repeat.at.file]
    if any(repeat.at.start <= one.at.start < repeat.at.end for one in saved):
        return None
    behind = (one for one in saved if one.at.start >= repeat.at.end and one.is_state)
    near = min(behind, key=lambda one: one.at.start, default=None)
    return near if near is not None and near.at.line - repeat.at.line < 60 else None


def _saves(skill: Skill) -> Iterator[Saved]:
    """What the coordinating code writes itself: files by their names, and calls that say that they save."""
    for one in skill.artefacts:
        if one.mode == "write" and one.at.use in MEANT and one.call >= 0 and skill.calls[one.call].prompt < 0:
            name = one.name.rpartition("/")[2]
            yield Saved(one.name, one.at, _STATE.search(name) is not None and _SMALL.search(one.name) is None)
    for call in skill.calls:
        if call.prompt < 0 and call.at.use in MEANT and _SAVES.match(call.name.rpartition(".")[2]):
            yield Saved(call.name, call.at, is_late(_line(skill, call.at)))


def _line(skill: Skill, at: At) -> str:
    """From the call to the end of its line, where a comment may say more."""
    text = skill.pages[at.file].text
    end = text.find("\n", at.end)
    return text[at.end : end if end >= 0 else len(text)]


def _of_code(repeat: Repeat, late: Saved) -> Hit:
    return Hit(
        file=late.at.file, start=late.at.start, end=late.at.end, subject=late.name, phase=late.at.phase,
        message=
            f"{late.name} is written behind the loop of line {repeat.at.line}, which sends agents to work in "
            f"each round"
        ,
        advice="Write it at the end of each round: what is done then survives a break.",
        also=(f"{repeat.at.file}:{repeat.at.line}",), facts={"repeat": str(repeat.at.start)},
    )  # fmt: skip


DETECTOR = Detector(
    rule="late-checkpoint",
    dimension="context",
    severity="high",
    confidence="likely",
    strategy="checkpoint_restore",
    title="Long work is saved only at its end",
    why="When the context or the budget runs out on the way, everything that was done since the start is lost.",
    advice="Save the state after each part of the work.",
    look=look,
)
