"""A call gives a tool a parameter, or a value, that it does not take."""

from collections.abc import Iterator

from loopwright.skills.catalogue import CatalogueTool, catalogue_of, find_closest, nearest_parameter, normalise_name
from loopwright.skills.detectors.detector import Detector, DetectorHit
from loopwright.skills.detectors.reachable_calls import ToolCall, tool_calls
from loopwright.skills.reader.model import Argument, Skill


def detect_wrong_parameters(skill: Skill) -> Iterator[DetectorHit]:
    for one in tool_calls(skill):
        tool = one.known.tool
        if tool is None or one.known.old is not None or not one.named & {*tool.parameters}:
            continue
        for argument in one.call.arguments:
            if argument.name in one.named:
                yield from _argument(skill, one, tool, argument)


def _argument(skill: Skill, one: ToolCall, tool: CatalogueTool, argument: Argument) -> Iterator[DetectorHit]:
    name = argument.name or ""
    if tool.takes(name):
        if name in tool.ignored:
            yield _hit(
                one, argument, f"{one.call.name} takes {name} and does nothing with it: {tool.ignored[name]}", low=True
            )
        elif _is_unlisted(tool, argument):
            yield _value(one, tool, argument)
    elif name in tool.gone:
        yield _hit(one, argument, f"{one.call.name} no longer has the parameter {name}: {tool.gone[name]}")
    else:
        told = tool.renamed.get(name) or _of_another_host(skill, tool, name)
        right = told or nearest_parameter(tool, name) or ""
        message = f"{one.call.name} has no parameter {name}"
        yield _hit(one, argument, message, "" if right in one.named else right, tool, part="renamed" if told else "")


def _of_another_host(skill: Skill, tool: CatalogueTool, name: str) -> str | None:
    """The parameter that means the same: the role of an agent, or what it is told."""
    others = (other for tools in catalogue_of(skill).tools.values() for other in tools if other.does == tool.does)
    for other in others:
        if name == other.role:
            return tool.role
        if name in other.prompt and tool.prompt:
            return tool.prompt[0]
    return None


def _is_unlisted(tool: CatalogueTool, argument: Argument) -> bool:
    said = argument.literal
    listed = tool.values.get(argument.name or "", ())
    return bool(listed) and said is not None and said not in listed and normalise_name(said).isalpha()


def _value(one: ToolCall, tool: CatalogueTool, argument: Argument) -> DetectorHit:
    name, said, listed = argument.name or "", argument.literal or "", tool.values[argument.name or ""]
    near = find_closest(said, {value: normalise_name(value) for value in listed})
    return DetectorHit(
        file=argument.at.file,
        start=argument.at.start,
        end=argument.at.end,
        phase=one.call.at.phase,
        subject=f"{one.call.name} {name}={said}",
        advice=f"Write one of {', '.join(listed)}.",
        message=f"{one.call.name} takes {', '.join(listed)} as {name}, not {said}",
        facts={"old": said, "new": near or "", "part": "value"},
    )


def _hit(
    one: ToolCall,
    argument: Argument,
    message: str,
    right: str = "",
    tool: CatalogueTool | None = None,
    *,
    part: str = "",
    low: bool = False,
) -> DetectorHit:
    takes = f"; it takes {', '.join(tool.parameters)}" if tool else ""
    return DetectorHit(
        file=argument.at.file,
        start=argument.at.start,
        end=argument.at.end,
        phase=one.call.at.phase,
        subject=f"{one.call.name} {argument.name}",
        message=f"{message}{takes}",
        advice=f"Name it {right}." if right else "Leave it out.",
        severity="low" if low else None,
        facts={"old": argument.name or "", "new": right, "part": part},
    )


DETECTOR = Detector(
    rule="wrong-parameter",
    dimension="agent",
    severity="high",
    confidence="certain",
    strategy="custom",
    title="A parameter that the tool does not take",
    why="The host rejects the call or drops the parameter, so the agent runs without it.",
    advice="Use the parameter's right name.",
    look=detect_wrong_parameters,
)
