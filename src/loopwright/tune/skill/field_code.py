"""Fields that code reads and writes: `state.x.y`, destructuring, objects that are put into a state."""

import re
from collections.abc import Iterator
from typing import Literal

from loopwright.tune.skill.artefacts import WRITERS
from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.known import Known, singular
from loopwright.tune.skill.model import Block, FieldUse
from loopwright.tune.skill.names import field_path
from loopwright.tune.skill.shapes import Entry, entries

NO_FIELD = frozenset(
    {"json", "md", "jsonl", "yaml", "yml", "txt", "py", "js", "ts", "sh", "toml", "csv", "html", "mjs"}
)
"""What stands behind a dot in names of files."""

_STATE_NAME = re.compile(r"(?:\w*[sS]tate|[sS]ession\w*|manifest)\Z")
_ENDINGS = ("tate", "ession", "anifest")
"""What names of states end in, without their first letter, which may be small or not."""
_PATH = re.compile(r"(?:!?\??\.[A-Za-z_$][\w$]*|\??\.?\[[^\[\]\n]{0,40}\])+")
_GETS = re.compile(r"\(\s*[\"'](\w+)[\"']")
_MUTATES = frozenset({
    "push", "unshift", "pop", "shift", "splice", "append", "extend", "add", "sort", "insert", "update", "set", "delete",
})  # fmt: skip
_METHODS = frozenset({"length", "size", "keys", "values", "entries"})
"""What a list or a map tells of itself without being called."""
_SETS = re.compile(r"\s*(?:\?\?=|\|\|=|&&=|[+\-*]=|\+\+|--|=(?![=>]))")
_EQUALS = re.compile(r"\s*+\)?\s*+(?:[!=]==?)\s*+([\"'`])([^\"'`\n$]{1,60})\1")
_EQUALLED = re.compile(r"([\"'`])([^\"'`\n$]{1,60})\1\s*[!=]==?\s*\Z")
_LIST = r"((?:\s*+[\"'][^\"'\n]{1,60}[\"']\s*+,?){1,20}+)"
_INCLUDED = re.compile(rf"\[{_LIST}\]\s*+\.includes\(\s*+\Z")
_IN = re.compile(rf"\s*+(?:not\s++)?in\s*+[(\[{{]{_LIST}[)\]}}]")
_SWITCH = re.compile(r"\bswitch\s*\(\s*\Z")
_CASE = re.compile(r"\bcase\s+[\"']([^\"'\n]{1,60})[\"']")
_STRING = re.compile(r"[\"']([^\"'\n]{1,60})[\"']")
_VALUE = re.compile(r"\s*([\"'`])([^\"'`\n$]{1,60})\1(?!\s*\+)")
_TERNARY = re.compile(r"[^;\n?]{1,120}\?\s*[\"']([^\"'\n]{1,60})[\"']\s*:\s*[\"']([^\"'\n]{1,60})[\"']")
_UPDATES = re.compile(
    r"(?<![\w$])(?:(?:update|set|save|write|patch|merge|persist|put)_?(?:[A-Za-z]+_?)?"
    r"(?:state|session|status|manifest|progress)|(?:state|session)\.(?:update|set|save|write|patch)|updates?)\Z",
    re.IGNORECASE,
)
_HANDED = re.compile(r"\([^(){};=]{0,120}\{")
"""An object as an argument; the name of the function stands before it."""
_LONGEST = 80
"""Characters of such a name."""
_PATCHES = re.compile(r"(?<![\w$])patch_?[A-Za-z]{2,20}\(\{", re.IGNORECASE)
"""`patchCase({ … })` changes a file of the run, by a function whose name says which."""
_UPDATED = ("tate", "ession", "tatus", "anifest", "rogress", "pdate", "patch")
"""One of these is in every code that updates a state, or has a variable for one."""
_OBJECT_KEYS = re.compile(r"\b(?:state_?updates?|state_?changes)\s*[:=]\s*\{", re.IGNORECASE)
_SPREAD = re.compile(r"\{\s*\.\.\.\s*([A-Za-z_$][\w$]*)\s*,")
_ELEMENT = re.compile(
    r"(?<![\w$])([A-Za-z_$][\w$]*+)\??\.(?:map|forEach|flatMap|filter|find|some|every)\("
    r"\s*+(?:async\s*+)?\(?\s*+([A-Za-z_$][\w$]*+)\s*+[,)=]"
)
"""`state.dishes.map(d =>`: `d` is one of the list."""
_LITERAL = re.compile(r"\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::\s*[\w<>\[\]]+\s*)?=\s*\{(?!\s*\.\.\.)")
_TAKEN = re.compile(r"\b(?:const|let|var)\s*\{([^{}\n]{1,300})\}\s*=\s*(?:await\s+)?([A-Za-z_$][\w$]*)\b(?![.(])")
_NAME = re.compile(r"[A-Za-z_$][\w$]*\Z")
_USUAL = re.compile(r"[A-Za-z_$][\w$\-]*(?:\[\])*(?:\.[A-Za-z_$][\w$\-]*(?:\[\])*)*\Z")
_STEM = re.compile(r"(?<![\w\-])(?<![\w}>)]\.)([A-Za-z_][\w\-]{0,80})\.(?:jsonl?|ya?ml)\W{0,20}\Z")
AGAIN = 4
"""How often a block may be read for the objects in it."""
SWITCHED = 1_500
"""Characters of a switch that are looked through for its cases."""


def code_uses(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    text = ground.page.text
    for root, start in _roots(text, block, known):
        use = _use(ground, block, root, start, start + len(root))
        if use is not None:
            yield use
    yield from _listed(ground, block, known)
    piece = block.text
    if "{" in piece and any(word in piece for word in (*_UPDATED, *known.roots)):
        yield from _objects(ground, block, known)


def _roots(text: str, block: Block, known: Known) -> Iterator[tuple[str, int]]:
    """Where a variable stands that holds a state, with something behind it."""
    # Code of a product may have a variable of any name; one for a state is rarely meant otherwise.
    for root in known.states if block.use in ("reference", "negative", "quotation") else known.roots:
        at = text.find(root, block.body, block.end)
        while at >= 0:
            if _begins(text, at) and text[at + len(root) : at + len(root) + 1] in (".", "?", "[", "!"):
                yield root, at
            at = text.find(root, at + len(root), block.end)
    for ending in _ENDINGS:
        at = text.find(ending, block.body, block.end)
        while at >= 0:
            stop = at + len(ending)
            if text[stop : stop + 1] in (".", "?", "[", "!"):
                begin = at
                while begin > block.body and (text[begin - 1].isalnum() or text[begin - 1] in "_$"):
                    begin -= 1
                root = text[begin:stop]
                if root not in known.roots and _STATE_NAME.match(root) and _begins(text, begin):
                    yield root, begin
            at = text.find(ending, stop, block.end)


def _listed(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    """`one.status === 'done'`: fields whose values are listed, of variables that nobody has declared."""
    text = ground.page.text
    for name in known.listed:
        at = text.find("." + name, block.body, block.end)
        while at >= 0:
            end = at + 1 + len(name)
            begin = at
            while begin > block.body and (text[begin - 1].isalnum() or text[begin - 1] in "_$.?[]!"):
                begin -= 1
            steps = field_path(text[begin:end]).split(".")
            whole = end >= len(text) or not (text[end].isalnum() or text[end] in "_$(")
            if whole and len(steps) > 1 and steps[0] not in known.roots and not _STATE_NAME.match(steps[0]):
                sets = _SETS.match(text, end, block.end)
                values = _set_to(text, sets.end(), block.end) if sets else _compared(text, begin, end, block)
                if values:
                    mode: Literal["read", "write"] = "write" if sets else "read"
                    yield FieldUse(steps[0], ".".join(steps[1:]), mode, ground.at(begin, end, block), values)
            at = text.find("." + name, end, block.end)


def _begins(text: str, at: int) -> bool:
    """No name, path or other object goes on before it."""
    before = text[at - 1 : at]
    return not (before.isalnum() or before in ("_", "$", ".", "-", "/"))


def _use(ground: Ground, block: Block, root: str, start: int, stop: int) -> FieldUse | None:
    """The path behind the root that ends at `stop`, and what is done with it."""
    text = ground.page.text
    found = _PATH.match(text, stop, block.end)
    if found is None:
        return None
    end = found.end()
    steps = field_path(found[0]).removeprefix(".").split(".")
    called = text[end : end + 1] == "("
    write = called and steps[-1] in _MUTATES
    if called:
        got = _GETS.match(text, end, block.end) if steps[-1] in ("get", "setdefault") else None
        steps = steps[:-1] + ([got[1]] if got else [])
    while steps and steps[-1] in _METHODS:
        steps = steps[:-1]
    if not steps or steps[0] in ("[]", "") or steps[0] in NO_FIELD:
        return None
    sets = None if called else _SETS.match(text, end, block.end)
    values = _compared(text, start, end, block) if sets is None else _set_to(text, sets.end(), block.end)
    at = ground.at(start, end, block)
    return FieldUse(root, ".".join(steps), "write" if write or sets is not None else "read", at, values)


def _compared(text: str, start: int, end: int, block: Block) -> tuple[str, ...]:
    if (found := _EQUALS.match(text, end, block.end)) is not None:
        return (found[2],)
    if (listed := _IN.match(text, end, block.end)) is not None:
        return tuple(_STRING.findall(listed[1]))
    before = text[max(block.body, start - 200) : start]
    if (turned := _EQUALLED.search(before)) is not None:
        return (turned[2],)
    if not before.rstrip().endswith("("):
        return ()
    if (included := _INCLUDED.search(before)) is not None:
        return tuple(_STRING.findall(included[1]))
    return tuple(_CASE.findall(text, end, min(block.end, end + SWITCHED))) if _SWITCH.search(before) else ()


def _set_to(text: str, at: int, end: int) -> tuple[str, ...]:
    if (found := _VALUE.match(text, at, end)) is not None:
        return (found[2],)
    if (either := _TERNARY.match(text, at, end)) is not None:
        return (either[1], either[2])
    return ()


def _objects(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    """Object literals that become the state or are put into it, and what is taken out of it by name."""
    text = ground.page.text
    for found in _TAKEN.finditer(text, block.body, block.end) if "} = " in block.text else ():
        if found[2] in known.roots or _STATE_NAME.match(found[2]):
            yield from _taken(ground, block, found)
    # Objects within objects are read again, but not without end where none of them is closed.
    left = AGAIN * (block.end - block.body)
    for start, root in _written(ground, block, known):
        listed, end, _ = entries(text, start, block.end)
        left -= end - start
        for entry in listed:
            if usual(entry):
                at = ground.at(entry.start, entry.end, block)
                yield FieldUse(root, entry.path, "write", at, entry.values)
        if left < 0:
            return


def _written(ground: Ground, block: Block, known: Known) -> Iterator[tuple[int, str]]:
    """Where objects begin that are written into a state, with its name."""
    text, piece, start, end = ground.page.text, block.text, block.body, block.end
    if "tate" in piece:
        yield from ((found.end() - 1, "state") for found in _OBJECT_KEYS.finditer(text, start, end))
    elements = _elements(block, known) if "..." in piece else {}
    for pattern, told in ((_LITERAL, "{"), (_SPREAD, "...")):
        for found in pattern.finditer(text, start, end) if told in piece else ():
            if found[1] in known.roots or _STATE_NAME.match(found[1]):
                yield found.start() if pattern is _SPREAD else found.end() - 1, found[1]
            elif pattern is _SPREAD and found[1] in elements:
                yield found.start(), elements[found[1]]
    updated = {found.end() - 1 for found in _HANDED.finditer(text, start, end) if _updates(text, start, found.start())}
    for place in sorted(updated):
        if not _SPREAD.match(text, place):
            yield place, "state"
    for found in _PATCHES.finditer(text, start, end) if "patch" in piece else ():
        if found.end() - 1 not in updated and not _SPREAD.match(text, found.end() - 1):
            yield found.end() - 1, ""
    for call in ground.calls_in(start, end):
        if call.name in WRITERS and len(call.arguments) > 1:
            stem = _STEM.search(call.arguments[0].value)
            place = call.arguments[1].value.find("JSON.stringify({")
            if stem is not None and place >= 0 and not _SPREAD.match(call.arguments[1].value, place + 15):
                yield call.arguments[1].at.start + place, stem[1]


def _updates(text: str, least: int, bracket: int) -> bool:
    """The name before the bracket is of a function that updates a state."""
    return _UPDATES.search(text[max(least - 1, bracket - _LONGEST, 0) : bracket]) is not None


def _elements(block: Block, known: Known) -> dict[str, str]:
    """By the variable of a function that goes through a list, what one of the list is called; none of two lists."""
    found: dict[str, set[str]] = {}
    for one in _ELEMENT.finditer(block.text):
        found.setdefault(one[2], set()).add(singular(one[1]))
    return {name: next(iter(of)) for name, of in found.items() if len(of) == 1 and of <= known.roots}


def _taken(ground: Ground, block: Block, found: re.Match[str]) -> Iterator[FieldUse]:
    offset = found.start(1)
    for piece in found[1].split(","):
        name = piece.split(":", 1)[0].split("=", 1)[0].strip()
        if _NAME.match(name):
            at = offset + piece.index(name)
            yield FieldUse(found[2], name, "read", ground.at(at, at + len(name), block))
        offset += len(piece) + 1


def usual(entry: Entry) -> bool:
    """Its keys are names, no text and no placeholders."""
    return _USUAL.match(entry.path) is not None
