"""Calls in code, with their arguments by name and the variable that takes the result."""

from dataclasses import dataclass

from loopwright.tune.skill.code import Source
from loopwright.tune.skill.model import Argument, Use
from loopwright.tune.skill.places import Places
from loopwright.tune.skill.toolnames import TOOLS

NO_CALLS = frozenset([
    "if", "for", "while", "switch", "catch", "function", "return", "await", "typeof", "async", "elif", "and", "or",
    "not", "in", "is", "until", "foreach", "do", "else", "def", "class", "yield", "with", "except", "super",
    "import", "lambda", "of", "func", "fn", "constructor", "when", "FOR", "IF", "WHILE", "AND", "OR", "NOT",
    "UNTIL", "FOREACH", "ELSE", "When", "If", "For", "$",
])  # fmt: skip
"""Words that a bracket may follow without a call."""
_DEFINES = frozenset(["function", "def", "class", "func", "fn", "interface", "type", "new"])
_TYPES = frozenset(["class", "interface", "type", "enum", "import", "export", "extends", "implements", "new", ","])
_QUALIFIES = frozenset(
    ["async", "static", "get", "set", "public", "private", "protected", "readonly", "abstract", "override"]
)


@dataclass(frozen=True, slots=True)
class Found:
    """A call as it stands in code, before the page as a whole is known.

    `open` is the token of its bracket, -1 without one. `filled_in`: it stands in `${…}`, so that it is made before the
    text around it is used.
    """

    name: str
    start: int
    end: int
    use: Use
    arguments: tuple[Argument, ...]
    source: Source
    open: int
    target: str | None = None
    filled_in: bool = False

    def argument(self, *names: str) -> Argument | None:
        return next((one for one in self.arguments if one.name in names), None)


def read_calls(
    source: Source, places: Places, use: Use, targets: dict[int, str], *, filled_in: bool = False
) -> list[Found]:
    """All calls of a piece of code in order, `Tool { … }` included.

    `targets` are the variables that take results, by the bracket's token.
    """
    found = []
    kinds, starts, ends = source.kinds, source.starts, source.ends
    for index in range(1, len(kinds)):
        if kinds[index] not in ("(", "{") or kinds[index - 1] != "name" or source.too_deep(index):
            continue
        name = source.word(index - 1)
        if kinds[index] == "{":
            if name not in TOOLS or source.word(index - 2) in _TYPES or starts[index] - ends[index - 1] > 1:
                continue
        elif ends[index - 1] != starts[index] or name in NO_CALLS or defines(source, index):
            continue
        found.append(
            Found(
                name.replace("?.", "."), starts[index - 1], source.close(index), use,
                read_arguments(source, index, places, use), source, index, targets.get(index), filled_in,
            )
        )  # fmt: skip
    return found


def defines(source: Source, index: int) -> bool:
    """Whether the name before the bracket is not called: `function f(`, `def f(`, `f(a) {`, `f(a): T`, `fix(ui): …`."""
    if source.word(index - 2) in _DEFINES:
        return True
    if source.kind(index - 2) not in ("\n", "{", "}", ";", "") and source.word(index - 2) not in _QUALIFIES:
        return False
    close = source.partner.get(index, len(source))
    behind = source.kind(close + 1)
    if source.kind(close) != ")":
        return False
    signature = behind == ":" and source.ends[close] == source.starts[close + 1]
    return behind == "{" or (signature and source.word(index - 1) not in TOOLS)


def read_arguments(source: Source, index: int, places: Places, use: Use) -> tuple[Argument, ...]:
    """The arguments between a call's brackets; a single object literal is opened into its entries."""
    close = min(source.partner.get(index, len(source)), len(source))
    end = source.starts[close] if close < len(source) else source.end
    pieces = split(source, index, close)
    if source.kinds[index] == "{":
        return tuple(_arguments(source, pieces, places, use, entries=True))
    if len(pieces) == 1 and not source.text[source.ends[index] : end].isspace():
        first = source.after(index)
        inner = source.partner.get(first, -1)
        if source.kind(first) == "{" and first < close and source.after(min(inner, close)) >= close:
            stop = min(inner, close)
            return tuple(_arguments(source, split(source, first, stop), places, use, entries=True))
    return tuple(_arguments(source, pieces, places, use, entries=False))


def split(source: Source, index: int, close: int) -> list[tuple[int, int]]:
    """The tokens after `index` up to `close`, cut at the commas that lie directly in that bracket."""
    pieces = []
    begin = here = index + 1
    partner, kinds = source.partner, source.kinds
    while here < close:
        kind = kinds[here]
        if kind in ("(", "[", "{"):
            here = max(here + 1, min(partner.get(here, close), close))
            continue
        if kind == ",":
            pieces.append((begin, here))
            begin = here + 1
        here += 1
    pieces.append((begin, close))
    return pieces


def _arguments(
    source: Source, pieces: list[tuple[int, int]], places: Places, use: Use, *, entries: bool
) -> list[Argument]:
    return [one for piece in pieces if (one := _argument(source, piece, places, use, entries)) is not None]


def _argument(source: Source, piece: tuple[int, int], places: Places, use: Use, entries: bool) -> Argument | None:
    start, end = extent(source, piece)
    if start >= end:
        return None
    first = source.after(piece[0] - 1)
    name: str | None = None
    if first < piece[1] and source.starts[first] == start and source.kinds[first] in ("name", "string"):
        mark = source.after(first)
        word = source.word(first).strip("\"'")
        if mark < piece[1] and source.kinds[mark] in (":", "="):
            name, start = word, _skip(source.text, source.ends[mark], end)
        elif entries and (mark >= piece[1] and source.ends[first] == end):
            name = word
    return Argument(name, source.text[start:end], places.at(start, end, use), literal(source, start, end))


def extent(source: Source, piece: tuple[int, int]) -> tuple[int, int]:
    """Where the text of a piece begins and ends, without blanks and the comments around it."""
    begin, stop = piece
    start = source.ends[begin - 1] if begin else source.start
    end = source.starts[stop] if stop < len(source) else source.end
    kinds = source.kinds
    while begin < stop and kinds[begin] in ("comment", "\n"):
        start = source.ends[begin]
        begin += 1
    last = stop
    while last > begin and kinds[last - 1] in ("comment", "\n"):
        last -= 1
    if last < stop:
        end = source.starts[last]
    return _trim(source.text, start, end)


def literal(source: Source, start: int, end: int) -> str | None:
    """The content of the string or template that is the whole of that stretch; its interpolations stay as written."""
    index = source.at(start)
    before = source.text[start : start + 1]
    if before in ("f", "r", "b") and source.kind(index) == "name" and source.ends[index] == start + 1:
        index += 1
    if source.kind(index) not in ("string", "template") or source.ends[index] != end:
        return None
    return unquoted(source.word(index))


def unquoted(word: str) -> str:
    """A literal's text without its quotes; escaped quotes are plain."""
    width = 3 if word[:3] in ('"""', "'''") and len(word) >= 6 else 1
    inner = word[width:-width]
    return inner.replace("\\`", "`").replace('\\"', '"').replace("\\'", "'") if "\\" in inner else inner


def _skip(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    start = _skip(text, start, end)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
