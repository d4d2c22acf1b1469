"""A call gives a tool a parameter, or a value, that it does not take."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.catalogue.catalogue import closest, nearest_parameter
from loopwright.tune.catalogue.entries import Tool
from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import Act, acts, in_code, is_bracketed, is_drawn, where
from loopwright.tune.reading.agents.signatures import Odd, odd_parameters, own_notation
from loopwright.tune.reading.shell.command_lines import Slip, slipped_options
from loopwright.tune.reading.shell.script_options import Strange, strange_options
from loopwright.tune.skill.model import Argument, Skill

FIRST: Mapping[str, frozenset[str]] = {
    "wait": frozenset({"ids", "timeout_ms"}),
    "close_agent": frozenset({"id"}),
    "send_input": frozenset({"id", "message", "interrupt"}),
    "wait_agent": frozenset({"ids", "targets", "timeout_ms"}),
    "resume_agent": frozenset({"id"}),
    "TaskOutput": frozenset({"task_id", "block", "timeout"}),
}
"""What these tools took in the first generation of Codex's agents, which many skills are written for, and what one of
Claude Code's takes that is out of date."""
_NOWHERE = " that does not exist"
_HEAD = re.compile(r"[A-Z][a-z]+(?=[A-Z])")
MANY = 3
"""Calls of one tool whose parameters tell what the rest should have."""


def look(skill: Skill) -> Iterator[Hit]:
    by_name: dict[str, list[Act]] = {}
    notation = own_notation(skill)
    for act in acts(skill):
        if is_bracketed(skill, act.call) and any(one.name for one in act.call.arguments) and not _is_short(skill, act):
            by_name.setdefault(act.call.name, []).append(act)
    for calls in by_name.values():
        usual: Counter[str] = Counter(one.name for act in calls for one in act.call.arguments if one.name)
        for act in calls:
            own = notation.get(act.call.name, frozenset())
            yield from _as_one(skill, act, list(_of_call(skill, act, usual, len(calls), own)))
    yield from map(_undescribed, odd_parameters(skill))
    yield from map(_of_script, strange_options(skill))
    yield from map(_slipped, slipped_options(skill))


def _is_short(skill: Skill, act: Act) -> bool:
    """It only speaks of the call: `Task(reviewer, report=…)` among words, or in a picture."""
    if is_drawn(skill, act.call):
        return True
    return not in_code(skill, act.call) and any(one.name is None for one in act.call.arguments)


def _slipped(one: Slip) -> Hit:
    return Hit(
        file=one.page.path, start=one.start, end=one.start + len(one.written), subject=f"{one.of} {one.written}",
        message=f"{one.of} gets {one.written} only here; elsewhere the option is {one.meant} ({one.where})",
        advice=f"Write {one.meant}.", also=(one.where,), confidence="likely",
        facts={"old": one.written, "new": one.meant},
    )  # fmt: skip


def _undescribed(one: Odd) -> Hit:
    """Of a tool that the skill itself describes."""
    call, instead = one.call, one.instead
    return Hit(
        file=call.at.file, start=one.start, end=one.end, subject=f"{call.name} {one.name}", phase=call.at.phase,
        message=f"{call.name} is given {one.name}; as {one.where} describes it, it takes {', '.join(one.known)}",
        advice=f"Name it {instead}." if instead else f"Use what {one.where} says, or describe {one.name} there.",
        also=(one.where,), confidence="certain" if instead else "likely",
        facts={"old": one.name, "new": instead or ""},
    )  # fmt: skip


def _of_script(one: Strange) -> Hit:
    script, given = one.run.script, one.given
    what, known = ("option", "options") if one.is_option else ("command", "commands")
    return Hit(
        file=one.run.page.path, start=one.start, end=one.end, subject=f"{script} {given}", also=(script,),
        message=f"{script} knows no {what} {given}; its {known} are {', '.join(one.known[:8])}",
        advice=f"Write {one.instead}." if one.instead else f"Use one of the script's {known}, or teach it {given}.",
        facts={"old": given, "new": one.instead or ""},
    )  # fmt: skip


def _as_one(skill: Skill, act: Act, hits: list[Hit]) -> Iterator[Hit]:
    """Several that the tool does not know, and for which it has no other name, are one fault of the call."""
    strange = [hit for hit in hits if not hit.facts.get("new") and hit.message.endswith(_NOWHERE)]
    yield from (hit for hit in hits if hit not in strange)
    if not strange:
        return
    names = [hit.facts["old"] for hit in strange]
    said = f"parameters {', '.join(names)} that do" if len(names) > 1 else f"a parameter {names[0]} that does"
    beside = _beside(skill, act, names)
    yield replace(
        strange[0], subject=f"{act.call.name} {' '.join(names)}", message=f"{act.call.name} has {said} not exist",
        advice=f"Leave it out; {beside}." if beside else strange[0].advice,
    )  # fmt: skip


def _beside(skill: Skill, act: Act, names: list[str]) -> str:
    """What a tool beside it takes of them: of the same host, and begun by the same word."""
    head = _HEAD.match(act.call.name)
    others = catalogue_of(skill).tools if head else {}
    for name, tools in others.items():
        if head is None or name == act.call.name or not name.startswith(head[0]):
            continue
        taken = [
            one for tool in tools for wanted in names for one in tool.parameters
            if one.lower().endswith(wanted.lower()) and not set(skill.hosts).isdisjoint({tool.host})
        ]  # fmt: skip
        if len(taken) >= len(names):
            return f"{name} takes {', '.join(dict.fromkeys(taken))}"
    return ""


def _of_call(skill: Skill, act: Act, usual: Counter[str], calls: int, own: frozenset[str]) -> Iterator[Hit]:
    """`own`: parameters of the skill's own notation."""
    tool = act.known.tool
    for one in act.call.arguments:
        if one.name is None or one.name.startswith("...") or one.name in own:
            continue
        if not _takes(act.call.name, tool, act, one.name):
            yield from _unknown(skill, act, one, usual, calls)
        elif tool is not None:
            yield from _value(act, tool, one)


def _takes(name: str, tool: Tool | None, act: Act, parameter: str) -> bool:
    first = FIRST.get(name)
    if first is not None and parameter in first:
        return True
    if tool is None or (act.known.old is not None and first is not None):
        return first is None
    return not tool.closed or parameter in tool.parameters


def _unknown(skill: Skill, act: Act, one: Argument, usual: Counter[str], calls: int) -> Iterator[Hit]:
    name, tool = one.name or "", act.known.tool
    if tool is not None and name in tool.ignored:
        yield _hit(act, one, f"does nothing: {tool.ignored[name]}", "", "low", sure=False)
        return
    if tool is not None and name in tool.gone:
        yield _hit(act, one, f"is no more: {tool.gone[name]}", "", None, sure=False)
        return
    given = {other.name for other in act.call.arguments}
    instead = _meant(skill, act, name)
    siblings = [other for other, count in usual.items() if other and other not in given and count >= calls / 2]
    if instead is None and calls > 1 and siblings:
        instead = closest(name, {other: other.replace("_", "") for other in siblings}) or _holding(name, siblings)
    if usual[name] == calls and calls >= MANY and not instead:
        yield _hit(act, one, "is not known", "", "low", sure=False)
        return
    sure = instead is not None or (tool is not None and tool.closed)
    if instead in given:
        instead = None
    yield _hit(
        act, one, "does not exist" + (f"; {instead} is its name" if instead else ""), instead or "", None, sure=sure
    )


def _meant(skill: Skill, act: Act, name: str) -> str | None:
    """The tool's own parameter: by its spelling, or the one that means the same at another host."""
    tool = act.known.tool
    first = FIRST.get(act.call.name)
    if first is not None and act.known.old is not None:
        return closest(name, {one: one.replace("_", "") for one in first}) or _holding(name, sorted(first))
    if tool is None:
        return None
    if found := nearest_parameter(tool, name) or _holding(name, tool.parameters):
        return found
    for others in catalogue_of(skill).tools.values():
        for other in others:
            if other.does != tool.does or name not in other.parameters:
                continue
            if name == other.role:
                return tool.role
            if name in other.prompt and tool.prompt:
                return tool.prompt[0]
            if name == other.limit:
                return tool.limit
    return None


def _holding(name: str, parameters: "list[str] | tuple[str, ...]") -> str | None:
    """The only parameter whose last or first word is that of the name: `agent_ids` for `ids`,
    `timeout` for `timeout_ms`."""
    words = {*name.lower().split("_")}
    near = [
        one for one in parameters if words & {*one.lower().split("_")} - {"id", "type", "name"} or one.endswith(name)
    ]
    return near[0] if len(near) == 1 else None


def _value(act: Act, tool: Tool, one: Argument) -> Iterator[Hit]:
    allowed = tool.values.get(one.name or "")
    said = one.literal
    if not allowed or said is None or said in allowed or not said.replace("_", "").replace("-", "").isalpha():
        return
    near = closest(said, {value: value.replace("_", "").replace("-", "") for value in allowed})
    yield Hit(
        file=one.at.file, start=one.at.start, end=one.at.end, subject=f"{act.call.name} {one.name}={said}",
        message=f"{act.call.name} takes {', '.join(allowed)} as {one.name}, not {said}", phase=act.call.at.phase,
        advice=f"Write one of {', '.join(allowed)}.", facts={"old": said, "new": near or "", "at": str(one.at.start)},
    )  # fmt: skip


def _hit(act: Act, one: Argument, what: str, instead: str, severity: str | None, *, sure: bool) -> Hit:
    call = act.call
    return Hit(
        file=one.at.file, start=one.at.start, end=one.at.end, subject=f"{call.name} {one.name}", phase=call.at.phase,
        message=f"{call.name} has a parameter {one.name} that {what}" if what.startswith("does") else f"the parameter "
        f"{one.name} of {call.name} {what}",
        advice=f"Name it {instead}." if instead else f"Leave it out, or use what {call.name} takes.",
        severity="low" if severity else None,
        confidence="certain" if sure and instead else "likely" if sure or not severity else "hint",
        facts={"old": one.name or "", "new": instead, "call": str(act.index), "where": where(call)},
    )  # fmt: skip


DETECTOR = Detector(
    rule="wrong-parameter", dimension="agent", severity="high", confidence="certain", strategy="custom",
    title="A parameter that the tool does not take",
    why="The host refuses the call or drops the parameter, so that the agent runs without what it was meant to get.",
    advice="Use the parameter's right name.", look=look,
)  # fmt: skip
