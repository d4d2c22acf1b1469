"""Variables that are set or grow in code, and which of them take the result of a call."""

import re
from dataclasses import dataclass, field

from loopwright.tune.skill.calls import extent
from loopwright.tune.skill.code import Source, indented_end

_GROWING = (".push", ".append", ".extend", ".unshift", ".insert", ".add", ".concat", ".push_back")
_WRAPS = frozenset({
    "JSON.parse", "Promise.all", "Promise.allSettled", "Promise.race", "list", "sorted", "parse", "parse_json",
    "parseJSON", "json.loads", "asyncio.gather", "parallel", "runParallel", "run_parallel", "all", "gather",
    "settle", "await_all", "Array.from", "Object.fromEntries",
})  # fmt: skip
_FOR_EACH = (".map", ".flatMap")
_COUNTS = re.compile(r"-?[\d.]+\s*\Z")
_DECLARES = frozenset({"const", "let", "var"})
_TYPED = re.compile(r"\b(?:const|let|var)\s{1,8}([\w$]{1,80})\s{0,8}:[^=\n]{1,300}\Z")
_REACH = 160
"""Characters that a declaration with its type may have."""
_DEPTH = 4
_CONTINUES = ".?+|&:*%"
_EXPECTS = "=+,|&?([{:*\\"


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable that is set or grows: where its name and its value stand."""

    name: str
    start: int
    end: int
    value_start: int
    value_end: int
    grows: bool = False


@dataclass(slots=True)
class Settings:
    """`targets`: for the bracket's token of a call the variable that takes its result."""

    source: Source
    found: list[Setting] = field(default_factory=list)
    targets: dict[int, str] = field(default_factory=dict)


def read_settings(source: Source) -> Settings:
    """All assignments of a piece of code, growing ones included, and functions under their names."""
    settings = Settings(source)
    for index, kind in enumerate(source.kinds):
        read = _READERS.get(kind)
        if read is not None:
            read(source, index, settings)
    settings.found.sort(key=lambda one: one.start)
    return settings


def _assigned(source: Source, index: int, settings: Settings) -> None:
    if source.kind(source.parent[index]) in ("(", "[") or source.too_deep(index):
        return
    named = _left(source, index)
    if named is None:
        return
    name, start = named
    stop = statement_end(source, index + 1)
    begin, end = extent(source, (index + 1, stop))
    if begin >= end:
        return
    value = source.text[begin:end]
    grows = _grows(name, value, plus=source.kinds[index] == "+=")
    for one in name.split(", "):
        settings.found.append(Setting(one, start, end, begin, end, grows))
    _take(source, index + 1, stop, name, settings.targets, 0)


def _left(source: Source, index: int) -> tuple[str, int] | None:
    """The name left of the sign and where it begins; of a pattern all names, joined."""
    typed = _TYPED.search(source.text, max(source.start, source.starts[index] - _REACH), source.starts[index])
    if typed:
        return typed[1], typed.start(1)
    left = index - 1
    if source.kind(left) in ("]", "}"):
        return _pattern(source, left)
    if source.kind(left) != "name":
        return None
    if source.kind(left - 1) == ":" and source.kind(left - 2) == "name":
        left -= 2
    elif source.kind(left - 1) == "," and source.kind(left - 2) == "name" and source.kind(left - 3) in ("", "\n"):
        return f"{source.word(left - 2)}, {source.word(left)}", source.starts[left - 2]
    word = source.word(left)
    return (word, source.starts[left]) if word not in _DECLARES else None


def _pattern(source: Source, left: int) -> tuple[str, int] | None:
    """`const { a, b } =`, `[a, b] =`, `a[i] =`, `a: list[str] =`: what the closing bracket belongs to."""
    opener = source.partner.get(left, -1)
    before = opener - 1
    if opener < 0:
        return None
    if source.kind(before) == "name" and source.ends[before] == source.starts[opener]:
        if source.kind(before - 1) == ":" and source.kind(before - 2) == "name":
            before -= 2
        return source.word(before), source.starts[before]
    names = [source.word(at) for at in range(opener + 1, left) if source.kinds[at] == "name"]
    declared = source.word(before) in _DECLARES or source.kind(opener) == "["
    return (", ".join(dict.fromkeys(names)), source.starts[opener]) if names and declared else None


def statement_end(source: Source, index: int) -> int:
    """The token that ends the statement: a semicolon, a comma, a closing bracket, or a line that does not go on."""
    text, begin = source.text, index
    while index < len(source):
        kind = source.kinds[index]
        if kind in ("(", "[", "{"):
            index = max(index + 1, source.partner.get(index, len(source)) + 1)
            continue
        if kind in (";", ",", ")", "]", "}"):
            return index
        if kind == "\n" and index > begin:
            here = source.starts[index]
            before = text[max(here - 40, source.start) : here].rstrip()
            behind = text[here : here + 80].lstrip()
            if before[-1:] not in _EXPECTS and not before.endswith("=>") and behind[:1] not in _CONTINUES:
                return index
        index += 1
    return len(source)


def _grows(name: str, value: str, *, plus: bool) -> bool:
    if plus:
        return _COUNTS.match(value) is None
    if value.startswith((f"[...{name},", f"[...{name}]", f"{name}.concat(", f"[*{name},")):
        return True
    rest = value[len(name) :].lstrip() if value.startswith(name) else ""
    return rest.startswith("+") and _COUNTS.match(rest[1:].strip()) is None and not rest.startswith("++")


def _grown_by_call(source: Source, index: int, settings: Settings) -> None:
    word = source.word(index - 1) if source.kind(index - 1) == "name" else ""
    if not word.endswith(_GROWING) or source.ends[index - 1] != source.starts[index] or source.too_deep(index):
        return
    name, _, verb = word.rpartition(".")
    if verb == "concat" and source.kind(index - 2) == "=":
        return
    close = min(source.partner.get(index, len(source)), len(source))
    begin, end = extent(source, (index + 1, close))
    if begin < end:
        settings.found.append(Setting(name, source.starts[index - 1], source.close(index), begin, end, True))
        _take(source, index + 1, close, name, settings.targets, 0)


def _grown_by_spread(source: Source, index: int, settings: Settings) -> None:
    """`errors: [...state.errors, one]`: what is spread grows by what follows."""
    bracket = source.parent[index]
    if source.kind(bracket) != "[":
        return
    if index != bracket + 1 or source.kind(bracket - 1) != ":" or source.kind(bracket - 2) != "name":
        return
    key, spread = source.word(bracket - 2), source.word(index + 1)
    if source.kind(index + 1) != "name" or spread.rpartition(".")[2] != key or source.too_deep(index):
        return
    begin, end = extent(source, (bracket, statement_end(source, bracket)))
    settings.found.append(Setting(spread, source.starts[bracket - 2], end, begin, end, True))


def _defined(source: Source, index: int, settings: Settings) -> None:
    """A function under its name: the value is its head, the place all of it."""
    if source.word(index) not in ("function", "def"):
        return
    if source.kind(index + 1) != "name" or source.kind(index + 2) != "(" or source.too_deep(index):
        return
    head = source.close(index + 2)
    body = source.partner.get(index + 2, len(source)) + 1
    if source.word(index) == "def":
        line = source.text.rfind("\n", source.start, source.starts[index]) + 1 or source.start
        stop = source.text.find("\n", head, source.end)
        end = indented_end(source.text, line, stop if stop >= 0 else source.end, source.end)
    else:
        end = source.close(body) if source.kind(body) == "{" else head
    settings.found.append(Setting(source.word(index + 1), source.starts[index], end, source.starts[index], head))


def _take(source: Source, begin: int, stop: int, name: str, targets: dict[int, str], depth: int) -> None:
    """Gives the calls whose result the value is to the variable: also within lists, `await`, parsers and `.map`."""
    first = source.after(begin - 1)
    if depth > _DEPTH or source.word(first) in ("function", "lambda"):
        return
    index = begin
    while index < stop:
        kind = source.kinds[index]
        if kind == "=>" and depth == 0:
            return
        if kind == "name" and source.word(index) == "function":
            return
        if kind not in ("(", "[", "{"):
            index += 1
            continue
        close = min(source.partner.get(index, stop), stop)
        _take_from(source, index, close, name, targets, depth)
        index = max(index + 1, close + 1)


def _take_from(source: Source, index: int, close: int, name: str, targets: dict[int, str], depth: int) -> None:
    kind = source.kinds[index]
    arrow = source.kind(close + 1) == "=>"
    called = source.word(index - 1) if source.kind(index - 1) == "name" else ""
    if kind == "(" and called and not arrow:
        targets.setdefault(index, name)
        if called in _WRAPS or called.endswith(_FOR_EACH) or called in ("map", "flatMap"):
            _take(source, index + 1, close, name, targets, depth + 1)
    elif kind in ("(", "[") and not arrow:
        _take(source, index + 1, close, name, targets, depth + 1)
    elif kind == "{" and source.kind(index - 1) == "=>":
        _take_returned(source, index, close, name, targets, depth)


def _take_returned(source: Source, index: int, close: int, name: str, targets: dict[int, str], depth: int) -> None:
    here = index + 1
    while here < close:
        if source.kinds[here] in ("(", "[", "{"):
            here = max(here + 1, source.partner.get(here, close) + 1)
            continue
        if source.word(here) == "return":
            _take(source, here + 1, min(statement_end(source, here + 1), close), name, targets, depth + 1)
        here += 1


_READERS = {"=": _assigned, "+=": _assigned, "(": _grown_by_call, "...": _grown_by_spread, "name": _defined}
