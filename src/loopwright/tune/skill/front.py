"""Front matter: safe YAML within limits, and where it is no YAML, its `key: value` lines as far as they can be read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from loopwright.tune.skill.model import Front

LARGEST = 64_000
"""Characters of front matter that are read as YAML."""
DEEPEST = 12
MOST_ALIASES = 16
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_END = re.compile(r"(?:---|\.\.\.)[ \t\r]*")
_MARKS = ("---", "...")
_KEY = re.compile(r"([^\W\d][\w.-]*)[ \t]*(?::(?=\s|$)|：)(.*)")
_SIMPLE = re.compile(r"""([a-z][a-z_-]*): (?:"([^"\\]*)"|'([^']*)'|([A-Za-z\u4e00-\u9fff].*))""")
_NO_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null"})
"""Words that YAML takes for something other than text."""
_STARTS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of a front matter, from 0: its marks and what is between; `end` is behind its last line."""

    first: int
    last: int
    end: int
    closed: bool


def front_span(lines: list[str]) -> Span | None:
    """Where front matter stands: at the top, between two lines `---`. One that is not closed ends at a blank line."""
    first = next((number for number, line in enumerate(lines) if line.strip(" \t\r\ufeff")), None)
    if first is None or lines[first].strip() != "---":
        return None
    following = (lines[number] for number in range(first + 1, len(lines)))
    inner = next((line for line in following if line.strip() and not line.startswith("#")), "")
    empty = first + 1 < len(lines) and _END.fullmatch(lines[first + 1])
    if not _KEY.match(inner) and not empty:
        return None
    last = next((n for n in range(first + 1, len(lines)) if lines[n][:3] in _MARKS and _END.fullmatch(lines[n])), None)
    if last is not None:
        return Span(first, last, last + 1, closed=True)
    last = next((n for n in range(first + 1, len(lines)) if not lines[n].strip() or lines[n][0] == "#"), len(lines))
    return Span(first, last, last, closed=False)


def read_front(lines: list[str], span: Span, start: int, end: int) -> Front:
    """Its values and the line of each key; `start` and `end` are its place in the text."""
    inner, first = lines[span.first + 1 : span.last], span.first + 2
    broken = None
    try:
        values, at = _simple(inner) or _parsed("\n".join(inner))
    except (yaml.YAMLError, ValueError) as error:
        values, at = _leniently(inner)
        broken = _why(error, first)
    if not span.closed:
        broken = "it is not closed by a line `---`"
    return Front(start, end, values, {key: first + number for key, number in at.items()}, broken)


def entries(value: object) -> tuple[str, ...]:
    """What a list names, given as a YAML list or in one line: `Read, Write, Bash(git add:*, git commit:*)`."""
    if isinstance(value, str):
        return tuple(_split(value.strip().removeprefix("[").removesuffix("]")))
    if isinstance(value, list):
        return tuple(name for one in value if one is not None for name in _split(str(one)))
    return ()


def _split(text: str) -> list[str]:
    """At commas and spaces outside of parentheses."""
    names, name, depth = [], "", 0
    for char in text:
        depth = max(0, depth + (char == "(") - (char == ")"))
        if depth == 0 and (char in ",，、" or char.isspace()):
            names.append(name)
            name = ""
        else:
            name += char
    return [clean for one in [*names, name] if (clean := one.strip("\"'`"))]


def _simple(inner: list[str]) -> tuple[Mapping[str, object], Mapping[str, int]] | None:
    """What most skills have, lines of `key: text`, without the long way through YAML; None for anything else."""
    values: dict[str, object] = {}
    at: dict[str, int] = {}
    for number, line in enumerate(inner):
        found = _SIMPLE.fullmatch(line)
        if not found or found[1] in values or found[1] in _NO_TEXT or not line.isprintable():
            return None
        plain = found[4]
        if plain is not None and (": " in plain or " #" in plain or plain[-1] in ": " or plain.casefold() in _NO_TEXT):
            return None
        values[found[1]], at[found[1]] = next(one for one in found.groups()[1:] if one is not None), number
    return values, at


def _parsed(text: str) -> tuple[Mapping[str, object], Mapping[str, int]]:
    if len(text) > LARGEST:
        raise ValueError(f"it has {len(text):,} characters; {LARGEST:,} are read")
    _refuse_bombs(text)
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        value = loader.construct_document(node)
    finally:
        loader.dispose()
    if not isinstance(value, dict):
        raise ValueError("it holds no `key: value` lines")
    return {str(key): one for key, one in value.items()}, {
        str(key.value): key.start_mark.line for key, _ in node.value if isinstance(key, yaml.ScalarNode)
    }


def _refuse_bombs(text: str) -> None:
    """Walks the events, which needs no depth of its own, before anything is built of them."""
    depth = aliases = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        if aliases > MOST_ALIASES:
            raise ValueError(f"it has more than {MOST_ALIASES} aliases")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            raise ValueError(f"it names a type, `{tag}`, which is not read")


def _why(error: yaml.YAMLError | ValueError, first: int) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {first + error.problem_mark.line}: {error.problem}"
    if isinstance(error, UnicodeError):
        return "it holds bytes that are no UTF-8"
    return str(error).partition("\n")[0]


def _leniently(inner: list[str]) -> tuple[Mapping[str, object], Mapping[str, int]]:
    """Keys at the left margin; what is further in belongs to the key above: a list, or text."""
    values: dict[str, object] = {}
    at: dict[str, int] = {}
    number = 0
    while number < len(inner):
        found = _KEY.match(inner[number])
        begin, number = number, number + 1
        if not found:
            continue
        while number < len(inner) and not _KEY.match(inner[number]) and inner[number][:1] != "#":
            number += 1
        at[found[1]] = begin
        values[found[1]] = _value(found[2].strip(), [line.strip() for line in inner[begin + 1 : number]])
    return values, at


def _value(head: str, more: list[str]) -> object:
    more = [line for line in more if line]
    if not head and more and all(line.startswith("-") for line in more):
        return [_unquoted(line[1:].strip()) for line in more]
    if head.startswith("[") and head.endswith("]") and not more:
        return [_unquoted(one.strip()) for one in head[1:-1].split(",") if one.strip()]
    if head in ("|", ">", "|-", ">-", "|+", ">+", ""):
        return " ".join(more) if more or head else None
    return _unquoted(" ".join([head, *more]))


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
