"""What other agents are told by the calls and command lines that start them."""

import re

from loopwright.tune.skill.assignments import Settings
from loopwright.tune.skill.calls import Found
from loopwright.tune.skill.code import Source
from loopwright.tune.skill.given import Given
from loopwright.tune.skill.literals import Hole
from loopwright.tune.skill.model import Argument, Interpolation, Use
from loopwright.tune.skill.placeholders import placeholders
from loopwright.tune.skill.places import Places, prompted
from loopwright.tune.skill.toolnames import SPAWNS

_TEXT = ("prompt", "message", "instruction", "instructions", "task", "prompt_template", "text", "query", "items")
_AGENT = (
    "subagent_type",
    "agent_type",
    "role",
    "agent",
    "agent_role",
    "subagent",
    "agentType",
    "agent_name",
    "type",
    "tool",
)
_WORD = 12
_SENTENCE = 40
"""Characters below which a literal is no prompt."""


def prompts_of_calls(calls: list[Found], settings: list[Settings], places: Places) -> list[Given]:
    """The prompts of all spawning calls; one that is a variable or a function is read where that is set."""
    spawning = (call for call in calls if call.name.removeprefix("functions.") in SPAWNS or _is_task(call))
    return [given for call in spawning if (given := _of_call(call, settings, places))]


def _is_task(call: Found) -> bool:
    """In small letters it is anybody's function, but for the kind of agent that it is given."""
    return call.name == "task" and call.argument("agent_type", "subagent_type") is not None


def _of_call(call: Found, settings: list[Settings], places: Places) -> Given | None:
    argument = call.argument(*_TEXT[:6]) or call.argument(*_TEXT[6:]) or _positional(call)
    if argument is None:
        return None
    agent = call.argument(*_AGENT)
    said = (agent.literal or agent.value) if agent else None
    use = prompted(call.use)
    start, end = argument.at.start, argument.at.end
    if call.open < 0:
        holes = placeholders(places, start, end, use)
        return Given(start, end, use, argument.value, holes, call.start, said)
    pieces = _pieces(call.source, start, end, only_text=argument.name == "items")
    source = call.source
    if not pieces:
        elsewhere = _elsewhere(argument.value, settings, places)
        if elsewhere is None:
            return _opaque(argument, use, call, said)
        source, pieces = elsewhere
    return _given(source, pieces, places, use, call.start, said)


def _positional(call: Found) -> Argument | None:
    texts = [one for one in call.arguments if one.name is None and one.literal is not None]
    longest = max(texts, key=lambda one: len(one.value), default=None)
    return longest if longest and len(longest.value) > _WORD else None


def _opaque(argument: Argument, use: Use, call: Found, agent: str | None) -> Given | None:
    """A whole state or file as the prompt: nothing else is known of it."""
    if not argument.value.startswith(("JSON.stringify(", "Read(", "json.dumps(", "readFile")):
        return None
    hole = Interpolation(argument.value, argument.at)
    return Given(argument.at.start, argument.at.end, use, argument.value, (hole,), call.start, agent)


def _pieces(source: Source, start: int, end: int, *, only_text: bool) -> list[int]:
    """The literals of an expression that are text of the prompt, as tokens."""
    found = []
    first = source.at(start)
    if not only_text and source.kind(first) not in ("string", "template") and _is_lookup(source, first, start, end):
        return []
    for index in range(first, source.at(end)):
        if source.kinds[index] not in ("string", "template"):
            continue
        if only_text and source.word(source.after(index - 3) if index >= 2 else index).strip("\"'") != "text":
            key = index - 2
            if source.word(key).strip("\"'") != "text":
                continue
        found.append(index)
    return found


def _is_lookup(source: Source, first: int, start: int, end: int) -> bool:
    """`prompts[i]`, `build("x", y)`: the literals in it are no text of the prompt."""
    if source.kind(first) != "name":
        return source.kind(first) not in ("[", "(")
    rest = source.text[source.ends[first] : end].lstrip()
    return not rest.startswith(("+", "?"))


def _elsewhere(value: str, settings: list[Settings], places: Places) -> tuple[Source, list[int]] | None:
    """The literals of the variable or function of that name, in the code of the page."""
    name = re.match(r"[\w$.]+", value)
    if name is None:
        return None
    for setting in settings:
        source = setting.source
        for one in setting.found:
            if one.name != name[0]:
                continue
            longest = _longest(source, one.start, one.end)
            if longest is not None:
                return source, [longest]
    return None


def _longest(source: Source, start: int, end: int) -> int | None:
    """The longest literal of a stretch, if it is long enough for a prompt."""
    texts = [at for at in range(source.at(start), source.at(end)) if source.kinds[at] in ("string", "template")]
    longest = max(texts, key=lambda at: source.ends[at] - source.starts[at], default=None)
    return longest if longest is not None and source.ends[longest] - source.starts[longest] > _SENTENCE else None


def _given(source: Source, pieces: list[int], places: Places, use: Use, owner: int, agent: str | None) -> Given:
    texts, holes = [], []
    for index in pieces:
        start, end = inside(source, index)
        texts.append(source.text[start:end])
        holes += _holes(source, index, places, use)
    start, end = inside(source, pieces[0])[0], inside(source, pieces[-1])[1]
    return Given(start, end, use, "".join(texts), tuple(holes), owner, agent)


def inside(source: Source, index: int) -> Hole:
    """Where the content of a literal begins and ends."""
    start, end = source.starts[index], source.ends[index]
    width = 3 if source.text.startswith(('"""', "'''"), start) and end - start >= 6 else 1
    return start + width, max(end - width, start + width)


def _holes(source: Source, index: int, places: Places, use: Use) -> list[Interpolation]:
    if source.kinds[index] == "template" and source.holes.get(index):
        return [
            Interpolation(source.text[start:end].strip(), places.at(start, end, use))
            for start, end in source.holes[index]
        ]
    start, end = inside(source, index)
    return list(placeholders(places, start, end, use))
