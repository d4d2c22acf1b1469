"""Loops of code: for, while, do, forEach and map, and the half prose that authors write for them."""

import re
from dataclasses import dataclass
from typing import Literal

from loopwright.tune.skill.code import Source, indented_end
from loopwright.tune.skill.limits import exit_in, limit_in, limit_of_head

_EACH = (".forEach", ".map", ".flatMap")
_WORDS = frozenset(
    {
        "for",
        "while",
        "FOR",
        "WHILE",
        "foreach",
        "FOREACH",
        "For",
        "While",
        "ForEach",
        "until",
        "UNTIL",
        "loop",
        "LOOP",
        "repeat",
        "REPEAT",
    }
)
_OVER = re.compile(r"\b(?:of|in|IN|OF)\s+(.+)", re.DOTALL)
_AS = re.compile(r"\s*+(\S[^\n]*?)(?<!\s)\s++as\s")
_EACH_OF = re.compile(r"(?:each|every|all|EACH|ALL)\s++(.+?)(?<!\s)\s*+:?\s*+$", re.DOTALL)
_READS = re.compile(r"while\s+(?:IFS=\S*\s+)?read\b")
_REACH = 6_000
"""Characters of a loop's body that are looked through for what ends it."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A repeat with its place in the text, before the page as a whole is known."""

    kind: Literal["code", "prose"]
    start: int
    end: int
    head: str
    bound: str | None = None
    over: str | None = None


def read_loops(source: Source) -> list[Loop]:
    """All loops of a piece of code, in order of their heads."""
    found: list[Loop] = []
    for index, kind in enumerate(source.kinds):
        loop = None
        if kind == "name":
            word = source.word(index)
            if word in _WORDS:
                loop = _worded(source, index, word)
            elif word == "do" and source.kind(source.after(index)) == "{":
                loop = _do(source, index)
        elif kind == "(" and source.kind(index - 1) == "name" and f".{source.word(index - 1)}".endswith(_EACH):
            loop = _each(source, index)
        if loop is not None and not source.too_deep(index):
            found.append(loop)
    return found


def _each(source: Source, index: int) -> Loop | None:
    """`xs.map(x => …)`; one that does nothing but take a field is no loop worth the name."""
    close = source.close(index)
    last = min(source.partner.get(index, len(source)), len(source))
    if not any(source.kinds[at] == "(" and source.kind(at - 1) == "name" for at in range(index + 1, last)):
        return None
    start, word = source.starts[index - 1], source.word(index - 1)
    over = word.rpartition(".")[0].removesuffix("?")
    if not over:
        opener = source.partner.get(index - 2, -1)
        if source.text[start - 1] != "." or opener < 0:
            return None
        start = source.starts[opener]
        over = source.text[start : source.ends[index - 2]]
    return Loop("code", start, close, source.text[start : source.ends[index - 1]], None, over)


def _do(source: Source, index: int) -> Loop:
    opener = source.after(index)
    close = source.close(opener)
    here = source.after(min(source.partner.get(opener, len(source)), len(source)))
    end, head = close, "do"
    if source.word(here) == "while" and source.kind(here + 1) == "(":
        end = source.close(here + 1)
        head = source.text[source.starts[here] : end]
    bound = limit_of_head(source.text, close, end) or _in_body(source, source.starts[opener], close)
    return Loop("code", source.starts[index], end, head, bound)


def _worded(source: Source, index: int, word: str) -> Loop | None:
    if source.word(source.partner.get(index - 1, -1) - 1) == "do" and source.kind(index - 1) == "}":
        return None
    opener = index + 1
    while source.word(opener) in ("await", "each", "EACH"):
        opener += 1
    if word in ("for", "while", "FOR", "WHILE", "foreach", "For", "While", "until") and source.kind(opener) == "(":
        closing = source.partner.get(opener, len(source))
        if source.kind(closing) == ")" and source.kind(source.after(closing)) != ":":
            return _braced(source, index, opener, closing)
    bracket = source.parent[index]
    if source.kind(bracket) in ("(", "[") and word == "for":
        return _comprehension(source, index, bracket)
    return _indented(source, index)


def _braced(source: Source, index: int, opener: int, closing: int) -> Loop:
    """`for (…) {…}`, `while (…) {…}`, or with a single statement."""
    text = source.text
    start, head_end = source.starts[index], source.ends[closing]
    body = source.after(closing)
    if source.kind(body) == "{":
        begin, end = source.starts[body], source.close(body)
    else:
        begin = head_end
        end = indented_end(text, start, head_end, source.end)
    inner = text[source.ends[opener] : source.starts[closing]]
    if ";" in inner:
        condition = inner.split(";", 2)[1].strip()
        bound = (limit_of_head(condition, 0, len(condition)) or condition) or _in_body(source, begin, end)
        return Loop("code", start, end, text[start:head_end], bound or None)
    over = _OVER.search(inner) or _AS.match(inner) if source.word(index).lower().startswith("for") else None
    if over:
        return Loop("code", start, end, text[start:head_end], None, over[1].strip())
    bound = limit_of_head(text, source.starts[opener], head_end) or _in_body(source, begin, end)
    return Loop("code", start, end, text[start:head_end], bound)


def _comprehension(source: Source, index: int, bracket: int) -> Loop | None:
    end = source.close(bracket)
    over = _OVER.match(source.text, min(end, _next_in(source, index)))
    if over is None:
        return None
    stop = source.starts[min(source.partner.get(bracket, len(source) - 1), len(source) - 1)]
    names = source.text[_next_in(source, index) + 2 : stop].split(" if ")[0].strip()
    return Loop("code", source.starts[bracket], end, source.text[source.starts[index] : stop].strip(), None, names)


def _next_in(source: Source, index: int) -> int:
    for here in range(index + 1, min(index + 8, len(source))):
        if source.word(here) == "in":
            return source.starts[here]
    return source.end


def _indented(source: Source, index: int) -> Loop | None:
    """`for x in xs:`, `WHILE not done DO`, `FOR EACH finding:`, `REPEAT` … `UNTIL`: at the beginning of a line."""
    text, start = source.text, source.starts[index]
    line = text.rfind("\n", source.start, start) + 1 or source.start
    before = text[line:start].strip()
    if before not in ("", "async", "-", "*", "}", "//", "#") and not before.rstrip(".)").isdigit():
        return None
    stop = text.find("\n", start, source.end)
    stop = source.end if stop < 0 else stop
    head = text[start:stop].rstrip()
    plain = head.split("  #")[0].split("//")[0].rstrip()
    if not plain.endswith((":", "{", "：")) and not plain.lower().endswith((" do", " then", "loop", "repeat")):
        return None
    if plain.endswith("{"):
        opener = source.at(start + len(plain) - 1)
        end = source.close(opener) if source.kind(opener) == "{" else stop
    else:
        end = indented_end(text, line, stop, source.end)
    over = _OVER.search(plain) or _EACH_OF.search(plain)
    if over and plain.lower().startswith("for") and "range(" not in over[1]:
        return Loop("code", start, end, plain, None, over[1].rstrip(" :：{").removesuffix(" do").removesuffix(" DO"))
    if _READS.match(plain):
        return Loop("code", start, end, plain, None, "read")
    bound = limit_of_head(plain, 0, len(plain)) or limit_in(text, start, stop) or _in_body(source, stop, end)
    return Loop("code", start, end, plain, bound)


def _in_body(source: Source, start: int, end: int) -> str | None:
    """What in the body ends the loop for certain: a way out after so many rounds, or words of a comment."""
    end = min(end, start + _REACH)
    found = exit_in(source.text, start, end)
    if found:
        return found
    for index in range(source.at(start), source.at(end)):
        if source.kinds[index] == "comment" and (
            said := limit_in(source.text, source.starts[index], source.ends[index])
        ):
            return said
    return None
