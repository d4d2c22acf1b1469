"""Tools that running text tells to use without brackets: "use the Task tool with subagent_type=…"."""

import re
from collections.abc import Callable, Iterator

from loopwright.tune.skill.calls import Found
from loopwright.tune.skill.code import Source
from loopwright.tune.skill.model import Argument, Use
from loopwright.tune.skill.places import Places
from loopwright.tune.skill.toolnames import CERTAIN, TOOLS

_VERB = re.compile(
    r"""(?:\b(?:us(?:e|es|ed|ing)|call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|via|with|run|launch(?:es)?|through|by|then|ask\s+\w+\s+with|prefer|need)
      (?:\s+(?:the|an?|one|its|your|Claude\s+Code's|native|structured|parallel|multiple|or|and|a\s+single|\d+))*
      |(?:使用|调用|通过|借助|利用|用|以|执行|经由|再|先|→|->|=>|或|和|并)(?:一次|一下|一个)?)\s*(?:[A-Za-z_]+`?\s*(?:/|\+|,|、|or|and|或|和)\s*)?[`*]{0,3}\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_NEVER = re.compile(
    r"""(?:\b(?:not|never|avoid\w*|instead\s+of|rather\s+than|cannot|stop|forbid\w*|unlike|don.t|mustn.t|removed|replac\w+)\b[^.,;:\n。]{0,40}|\b(?:no|without)\s+(?:\w+\s+){0,2}[`*]*
      |不要|不得|禁止|不能|勿|(?<![分特级个区类鉴识])别(?!的)|不可|无需|不必|而不是|避免|不再|不用|不)[^.;:\n。，；]{0,24}\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_NEVER_AFTER = re.compile(
    r"[`*]{0,3}\s*(?:tool\s+)?(?:(?:is|are|was|were|must|may|can|should|does|do)\s*(?:n.t|not|never|forbidden|prohibited|removed|off|unavailable)\b"
    r"|不(?:可|得|能|要|允许)|被?禁止)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"""(?:\b(?:formerly|in\s+the\s+past|back\s+then|(?:older|earlier|old|previous)\s+(?:versions?|releases?|runs?)|(?:before|until|up\s+to)\s+(?:v|version\s+)?\d[\d.]*
      |(?:we|it|they|this|that|skill|phase|step)\s+used\s+to)\b
      |旧版|老版本|以前|过去|早期版本|原先|原来(?:用|是)|曾经?(?:用|是)|\b(?:(?:other|similar)\s+skills?|other\s+hosts?)\b)(?:[^.;\n。；]|\.\d){0,80}\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""What follows is told of former times, or of others."""
_WORD = re.compile(r"[`*]{0,3}\s*(?:tool\b|工具)", re.IGNORECASE)
_REST_OF_NAME = re.compile(r"[\w-]*", re.ASCII)
_GIVEN = re.compile(r"`?\b([a-z][a-z_]*[a-z])`?\s*[=:]\s*(\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|[\w/${}][\w:./${}-]*)")
_PARAMETERS = frozenset([
    "prompt", "message", "model", "name", "description", "skill", "args", "timeout", "task", "role", "ids", "id",
    "command", "pattern", "path", "query", "url", "content", "questions", "question", "todos", "isolation",
    "recipient", "status",
])  # fmt: skip
_SPAWNS = re.compile(
    r"""\b(?:spawn|launch|start|dispatch|create|fork|hire|kick\s+off)(?:s|es|ed|ing)?\s+(?:up\s+to\s+)?
      (?:(?!(?:no|zero|neither|without|of|per|from|by|with|that|which|what|where|who|whom|if|when|before|after|until|about)\b)\w+[\s-]){0,4}?
      (?:sub-?agents?|agents?|workers?|teammates?)\b
      (?![-_.]\w|/|\s+(?:definitions?|files?|notes?|reports?|prompts?|config\w*|names?|logs?|folders?|pages?|threads?|process\w*|pools?|servers?|class(?:es)?|nodes?|queues?|scripts?|cards?|profiles?|ids?|lists?|tables?|briefs?|skills?)\b)
    |(?:启动|派发|派生|创建|生成|起|拉起|分派|另起|再起)[^，。；\n]{0,12}?(?:子代理|子\s?agent|代理|智能体|agent|帮手)""",
    re.VERBOSE | re.IGNORECASE,
)
"""What stands between may not turn it round (“start no agents”), nor make the agents part of something else."""


def told_calls(places: Places, tools: list[str], uses: Callable[[int], Use | None]) -> list[Found]:
    """All tools that the words of a page tell to use; `tools` are those it names, `uses` says what a
    position is, None for code."""
    text = places.text
    found = []
    for name, start, end in _named(text, tools):
        use = uses(start)
        if use is None or not _is_told(text, places.line_start(start), start, end):
            continue
        stop = min(places.line_end(end), end + 400)
        found.append(_found(places, name, start, end, use, _given(places, end, stop, use)))
    return found


def told_spawns(places: Places, start: int, end: int, use: Use) -> list[Found]:
    """Agents that words tell to start, without a tool's name; such a call has the name "spawn agents"."""
    text = places.text
    return [
        _found(places, "spawn agents", match.start(), match.end(), use, ())
        for match in _SPAWNS.finditer(text, start, end)
        if not _NEVER.search(text, max(places.line_start(match.start()), match.start() - 80), match.start())
        and not _NEVER_AFTER.match(text, match.end())
    ]


def _found(places: Places, name: str, start: int, end: int, use: Use, given: tuple[Argument, ...]) -> Found:
    return Found(name, start, end, use, given, Source(places.text, start, end), -1)


def _named(text: str, tools: list[str]) -> Iterator[tuple[str, int, int]]:
    """Every name that is a tool for certain, and every other that is called one."""
    for name in tools:
        pos = text.find(name)
        while pos >= 0:
            end = pos + len(name)
            if name == "mcp__":
                rest = _REST_OF_NAME.match(text, end)
                end = rest.end() if rest else end
            yield text[pos:end], pos, end
            pos = text.find(name, end)
    for word in ("tool", "工具"):
        pos = text.find(word)
        while pos >= 0:
            end = pos
            while end and text[end - 1] in "`* ":
                end -= 1
            start = end
            while start and text[start - 1].isascii() and (text[start - 1].isalnum() or text[start - 1] == "_"):
                start -= 1
            if start < end and text[start:end] in TOOLS and text[start:end] not in CERTAIN:
                yield text[start:end], start, end
            pos = text.find(word, pos + len(word))


def _is_told(text: str, line: int, start: int, end: int) -> bool:
    if text[start - 1 : start].isalnum() or text[start - 1 : start] in ("_", ".") or not start:
        return False
    behind = text[end : end + 1]
    if behind in ("(", "_", "*") or (behind.isalnum() and behind.isascii()):
        return False
    before = max(line, start - 90)
    if not _VERB.search(text, before, start) and not (
        text[max(line, start - 24) : start].strip(" -*`>0123456789.") == "" and _WORD.match(text, end)
    ):
        return False
    if _PAST.search(text, before, start):
        return False
    return not _NEVER.search(text, before, start) and not _NEVER_AFTER.match(text, end)


def _given(places: Places, start: int, end: int, use: Use) -> tuple[Argument, ...]:
    """`name=value` behind the tool, up to the end of the sentence."""
    stop = places.text.find(". ", start, end)
    return tuple(
        Argument(
            match[1], match[2], places.at(match.start(2), match.end(2), use),
            match[2][1:-1] if match[2][0] in "\"'`" else None,
        )
        for match in _GIVEN.finditer(places.text, start, end if stop < 0 else stop)
        if "_" in match[1] or match[1] in _PARAMETERS
    )  # fmt: skip
