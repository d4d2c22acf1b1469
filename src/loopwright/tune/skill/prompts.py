"""What other agents are told: prompts of spawning calls, of command lines, fenced prompts, and pages that are one."""

import re
from dataclasses import dataclass

from loopwright.tune.skill.assignments import Settings
from loopwright.tune.skill.calls import Found
from loopwright.tune.skill.code import Source
from loopwright.tune.skill.literals import Hole
from loopwright.tune.skill.model import Argument, Block, Interpolation, Page, Use
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
_INTRODUCES = re.compile(
    r"\b(?:(?:sub-?)?agent|worker|reviewer|spawn|dispatch|task|delegat\w+)?\s*prompt(?:\s+(?:template|for|to|text|structure|skeleton|body)\b|\s*[:`*_(]|\s*$)"
    r"|\b(?:instructions?|message)\s+(?:for|to|of)\s+(?:the\s+|each\s+|every\s+|an?\s+)?(?:sub-?)?(?:agents?|workers?|subtask|reviewers?)\b"
    r"|提示词|提示(?:模板|如下|：|:)|(?:子代理|代理|智能体|agent)\s*(?:指令|任务说明|提示)",
    re.IGNORECASE,
)
_NO_PROMPT = re.compile(
    r"\b(?:user|users'|example|sample|image|system|trigger)\s+prompt|prompts?\s+(?:the|for)\s+user|commit|command\s+prompt|触发|示例",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\$\{([^{}\n]{1,200})\}|\{\{\s*([^{}\n]{1,120}?)\s*\}\}|(?<![\w$\"'])\{([A-Za-z_\u4e00-\u9fff][\w.\[\]\- \u4e00-\u9fff/]{0,60})\}|<([A-Za-z_\u4e00-\u9fff][\w\- |./\u4e00-\u9fff]{0,60})>|(\$ARGUMENTS\b|\$[1-9]\b)"
)
_SENTENCE = 40
"""Characters below which a literal is no prompt."""
_FENCES = frozenset({"", "text", "txt", "md", "markdown", "prompt", "plaintext", "plain", "xml"})


@dataclass(frozen=True, slots=True)
class Given:
    """A prompt before the page as a whole is known. `owner`: where the call begins that gives it, or -1."""

    start: int
    end: int
    use: Use
    text: str
    interpolations: tuple[Interpolation, ...]
    owner: int = -1
    agent: str | None = None


def prompts_of_calls(calls: list[Found], settings: list[Settings], places: Places) -> list[Given]:
    """The prompts of all spawning calls; one that is a variable or a function is read where that is set."""
    found = []
    for call in calls:
        if call.name.removeprefix("functions.") in SPAWNS and (given := _of_call(call, settings, places)):
            found.append(given)
    return found


def _of_call(call: Found, settings: list[Settings], places: Places) -> Given | None:
    argument = call.argument(*_TEXT[:6]) or call.argument(*_TEXT[6:]) or _positional(call)
    if argument is None:
        return None
    agent = call.argument(*_AGENT)
    said = (agent.literal or agent.value) if agent else None
    use = prompted(call.use)
    start, end = argument.at.start, argument.at.end
    if call.open < 0:
        holes = _placeholders(places, start, end, use)
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
    return texts[-1] if texts and len(texts[-1].value) > 12 else None


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
    return list(_placeholders(places, start, end, use))


def _placeholders(places: Places, start: int, end: int, use: Use) -> tuple[Interpolation, ...]:
    """`${x}`, `{{x}}`, `{x}` and `<x>`; a tag that is closed again is none."""
    found = []
    for match in _PLACEHOLDER.finditer(places.text, start, end):
        inner = next(group for group in match.groups() if group is not None)
        if match[4] and places.text.find(f"</{inner.split()[0]}>", start, end) >= 0:
            continue
        found.append(Interpolation(inner, places.at(match.start(), match.end(), use)))
    return tuple(found)


def fenced_prompts(page: Page, places: Places) -> list[Given]:
    """Fenced blocks that are introduced as the prompt of an agent."""
    found = []
    for index, block in enumerate(page.blocks):
        if block.kind != "code" or block.lang.lower() not in _FENCES or not block.text.strip():
            continue
        if block.lang.lower() != "prompt" and not _introduced(page, index):
            continue
        use: Use = "prompt" if block.use in ("instruction", "prompt", "template") else block.use
        end = block.body + len(block.text)
        found.append(Given(block.body, end, use, block.text, _placeholders(places, block.body, end, use)))
    return found


def _introduced(page: Page, index: int) -> bool:
    block = page.blocks[index]
    if any(f"{name}(" in block.text for name in ("Task", "Agent", "spawn_agent")) or not index:
        return False
    before: Block = page.blocks[index - 1]
    said = before.text[-200:] if before.kind != "code" else ""
    if before.kind in ("paragraph", "item", "heading") and _INTRODUCES.search(said) and not _NO_PROMPT.search(said):
        return said.rstrip().endswith((":", "：", "**", "`")) or before.kind == "heading" or len(said) < 80
    return False


def page_prompt(page: Page, places: Places) -> Given | None:
    """The body of a page that is a role: an agent gets it as a whole."""
    if page.kind != "role" or page.path.rpartition("/")[2].casefold() in ("readme.md", "index.md", "_shared.md"):
        return None
    start = page.front.end if page.front else 0
    text = page.text[start:]
    if not text.strip():
        return None
    values = page.front.values if page.front else {}
    name = values.get("name") if page.front else None
    stem = page.path.rpartition("/")[2].rpartition(".")[0]
    holes = _placeholders(places, start, len(page.text), "prompt")
    return Given(start, len(page.text), "prompt", text, holes, -1, name if isinstance(name, str) else stem)
