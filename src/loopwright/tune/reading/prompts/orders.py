"""All that agents are told: prompts that start them, messages to those that run, and prompts that code builds."""

import re
from collections.abc import Iterator
from dataclasses import replace

from loopwright.tune.skill.model import Argument, At, Call, Interpolation, Prompt, Skill
from loopwright.tune.skill.once import once
from loopwright.tune.skill.toolnames import SPAWNS

_WRITES = frozenset({"Write", "write_file", "writeFile", "writeFileSync", "fs.writeFileSync", "write_text"})
_TALKS = frozenset({
    "send_input", "SendMessage", "send_message", "sendMessage", "sendInput", "followup_task", "assign_task",
    "resume_agent", "continue_agent", "message_agent", "send_to_agent",
})  # fmt: skip
"""What says something to an agent that runs."""
_WORDS = ("message", "content", "text", "prompt", "input", "items")
_BUILT = re.compile(
    r"(?:prompt|instructions?|prev(?:ious)?_context|(?:agent|worker|task|spawn|role)_?(?:message|brief))s?$",
    re.IGNORECASE,
)
"""Variables and functions whose text is for an agent, by their names."""
_MEANT = ("instruction", "prompt")
_STARTS = _TALKS | SPAWNS
_NAME = re.compile(r"[A-Za-z_$][\w$]{0,60}(?=\(|\Z)")
_QUOTES = "\"'`"
_TOKEN = re.compile(r"\$\{|[{}]")
_BRACES = re.compile(r"(?<!\{)\{([^{}\n]{1,200})\}")
_DOLLARS = re.compile(r"\$\{([^{}\n]{1,200})\}")
FUNCTION = re.compile(r"(?:async\s{1,4})?(?:function|def)\b|\([^()\n]{0,200}\)\s{0,4}=>|\w{1,40}\s{0,4}=>")
"""How the value of a function begins."""
LONGEST = 600
"""Characters of an expression in braces."""


@once
def orders(skill: Skill) -> Iterator[Prompt]:
    """Those of calls first."""
    yield from (prompt for prompt in skill.prompts if prompt.at.use in _MEANT)
    calls = [call for call in skill.calls if call.at.use in _MEANT and call.prompt < 0]
    named: set[str] = set()
    for call in calls:
        text = _sent(call) or _written(call)
        if text is not None and text.literal is not None:
            yield _prompt(skill, text.at, text.literal)
        elif (parts := _joined(call)) is not None:
            yield parts
        elif text is not None and (name := _NAME.match(text.value)) is not None:
            named.add(name[0])
    yield from _handed(skill)
    yield from _built(skill, named)


def _built(skill: Skill, named: set[str]) -> Iterator[Prompt]:
    """By variables and functions: what is no part of a prompt that is known already."""
    taken: dict[str, list[At]] = {}
    for prompt in skill.prompts:
        taken.setdefault(prompt.at.file, []).append(prompt.at)
    for one in skill.assignments:
        at = one.at
        if at.use not in _MEANT or not (one.name in named or _BUILT.search(one.name)):
            continue
        words = _text(skill, at)
        if "`" in words and not any(other.start < at.end and at.start < other.end for other in taken.get(at.file, ())):
            yield _prompt(skill, at, words)


def _sent(call: Call) -> Argument | None:
    """The words of a message."""
    if call.name.removeprefix("functions.") not in _TALKS:
        return None
    return next((one for name in _WORDS if (one := call.argument(name)) is not None), None)


def _written(call: Call) -> Argument | None:
    """A prompt that is written to a file first, for an agent that is started with it."""
    if call.name not in _WRITES:
        return None
    texts = [one for one in call.arguments if one.literal is not None]
    text = max(texts, key=lambda one: one.at.end - one.at.start, default=None)
    named = any("prompt" in (one.literal or "").rpartition("/")[2] for one in texts if one is not text)
    return text if named else None


def _handed(skill: Skill) -> Iterator[Prompt]:
    """What is handed to functions of the skill's own that start agents: `start("reviewer", file, `…`)`."""
    starting = [call.at for call in skill.calls if call.name.removeprefix("functions.") in SPAWNS and call.prompt < 0]
    own = {
        one.name for one in skill.assignments if FUNCTION.match(one.value) and any(holds(one.at, at) for at in starting)
    }
    for call in skill.calls if own else ():
        if call.name in own and call.at.use in _MEANT and call.prompt < 0:
            for one in call.arguments:
                if one.literal is not None and "${" in one.literal and "\n" in one.literal:
                    yield _prompt(skill, one.at, one.literal)


def holds(outer: At, at: At) -> bool:
    return outer.file == at.file and outer.start <= at.start and at.end <= outer.end


def _joined(call: Call) -> Prompt | None:
    """Values that are added to the words: `prompt: "Review this: " + text`."""
    named = call.name.removeprefix("functions.") in _STARTS
    text = next((one for name in _WORDS if (one := call.argument(name)) is not None), None) if named else None
    if text is None or text.literal is not None or "+" not in text.value:
        return None
    parts = tuple(_added(text))
    return Prompt(text.at, text.value, parts) if parts else None


def _added(text: Argument) -> Iterator[Interpolation]:
    """What is neither a string nor within brackets, between the signs of addition, and the braces of strings."""
    value, begin = text.value, 0
    for end in (*_signs(value), len(value)):
        part = value[begin:end].strip()
        at = value.index(part, begin) if part else begin
        body = part[1:] if part[:2] in ('f"', "f'") else part
        if body[:1] in _QUOTES:
            yield from _inside(text, at, part)
        elif part:
            yield _placed(text, at, part)
        begin = end + 1


def _signs(value: str) -> Iterator[int]:
    """Where parts are added to each other, outside of strings and brackets."""
    quote, depth = "", 0
    for at, char in enumerate(value):
        if quote:
            quote = "" if char == quote and value[at - 1] != "\\" else quote
        elif char in _QUOTES:
            quote = char
        elif char == "+" and not depth:
            yield at
        else:
            depth += (char in "([{") - (char in ")]}")


def _inside(text: Argument, at: int, part: str) -> Iterator[Interpolation]:
    """The braces of a literal that is one of several, of Python or of JavaScript."""
    hole = _BRACES if part[0] == "f" else _DOLLARS if part[0] == "`" else None
    for one in hole.finditer(part) if hole else ():
        yield _placed(text, at + one.start(1), one[1])


def _placed(text: Argument, at: int, expression: str) -> Interpolation:
    line = text.at.line + text.value.count("\n", 0, at)
    start = text.at.start + at
    return Interpolation(expression, replace(text.at, start=start, end=start + len(expression), line=line))


def _prompt(skill: Skill, at: At, text: str) -> Prompt:
    return Prompt(at, text, tuple(_filled(skill.pages[at.file].text, at)))


def _text(skill: Skill, at: At) -> str:
    return skill.pages[at.file].text[at.start : at.end]


def _filled(page: str, at: At) -> Iterator[Interpolation]:
    """The outermost `${…}` of a stretch."""
    depth = opened = 0
    for found in _TOKEN.finditer(page, at.start, at.end):
        if found[0] == "}":
            depth -= depth > 0
        elif depth or found[0] == "${":
            depth += 1
        if depth == 1 and found[0] == "${":
            opened = found.end()
        if depth or not opened:
            continue
        if found.start() - opened <= LONGEST:
            line = at.line + page.count("\n", at.start, opened)
            yield Interpolation(
                page[opened : found.start()].strip(), replace(at, start=opened, end=found.start(), line=line)
            )
        opened = 0
