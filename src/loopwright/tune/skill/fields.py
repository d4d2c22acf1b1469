"""Fields of states and results that a page reads, writes, or shows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.model import Block, FieldUse, Schema
from loopwright.tune.skill.names import field_path
from loopwright.tune.skill.shapes import Entry, choices, entries

_STATE_NAME = re.compile(r"(?:\w*[sS]tate|[sS]ession\w*|manifest)\Z")
_PATH = re.compile(r"(?:!?\??\.[A-Za-z_$][\w$]*|\??\.?\[[^\[\]\n]{0,40}\])+")
_HEADS = ("tate", "esult", "ession", "anifest")
_MUTATES = frozenset({
    "push", "unshift", "pop", "shift", "splice", "append", "extend", "add", "sort", "insert", "update", "set",
    "delete",
})  # fmt: skip
_METHODS = frozenset({
    "map", "filter", "find", "some", "every", "forEach", "reduce", "includes", "join", "slice", "length",
    "size", "keys", "values", "entries", "get", "has", "indexOf", "concat", "sort", "toString", "trim", "split",
    "replace", "startsWith", "endsWith", "match", "flatMap", "flat", "at", "items", "then", "catch",
    "toISOString", "lower", "upper", "strip", "strftime", "json", "text", "findIndex", "reverse", "toLowerCase",
    "toUpperCase", "toFixed", "test", "lastIndexOf", "setdefault", "copy", "ok",
})  # fmt: skip
_SETS = re.compile(r"\s*(?:\?\?=|\|\|=|&&=|[+\-*]=|\+\+|--|=(?![=>]))")
_EQUALS = re.compile(r"\s*\)?\s*(?:[!=]==?|==)\s*([\"'`])([^\"'`\n$]{1,60})\1")
_EQUALLED = re.compile(r"([\"'`])([^\"'`\n$]{1,60})\1\s*[!=]==?\s*\Z")
_INCLUDED = re.compile(r"\[((?:\s*[\"'][^\"'\n]{1,60}[\"']\s*,?){1,20})\]\s*\.includes\(\s*\Z")
_IN = re.compile(r"\s*(?:not\s+)?in\s*[(\[{]((?:\s*[\"'][^\"'\n]{1,60}[\"']\s*,?){1,20})[)\]}]")
_STRING = re.compile(r"[\"']([^\"'\n]{1,60})[\"']")
_VALUE = re.compile(r"\s*([\"'`])([^\"'`\n$]{1,60})\1(?!\s*\+)")
_TERNARY = re.compile(r"[^;\n?]{1,120}\?\s*[\"']([^\"'\n]{1,60})[\"']\s*:\s*[\"']([^\"'\n]{1,60})[\"']")
_UPDATES = re.compile(
    r"(?:update|set|save|write|patch|merge|persist|put)\w*(?:State|Session|Status|Manifest|Progress|_state|_session)\w*\Z|(?:state|session)\w*(?:update|set|save|write)\w*\Z|updates?\Z|updateState\Z|setState\Z",
    re.IGNORECASE,
)
_OBJECT_KEYS = re.compile(r"\b(?:stateUpdates?|state_updates?|stateUpdate|stateChanges|state_changes)\s*[:=]\s*\{")
_SPREAD = re.compile(r"\{\s*\.\.\.\s*([A-Za-z_$][\w$]*)\s*,")
_LITERAL = re.compile(r"\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::\s*[\w<>\[\]]+\s*)?=\s*\{(?!\s*\.\.\.)")
_TAKEN = re.compile(r"\b(?:const|let|var)\s*\{([^{}\n]{1,300})\}\s*=\s*(?:await\s+)?([A-Za-z_$][\w$]*)\b(?![.(])")
_TICKED = re.compile(
    r"`([A-Za-z_$][\w$]*(?:\[[\w]*\]|\.[A-Za-z_$][\w$]*)*)(?:\s*(?:===?|:|=|!==?)\s*[\"']?([\w\-]{1,60})[\"']?)?`"
)
_IS = re.compile(
    r"\s*(?:is|to|=|==|===|:|：|→|->|be|equals|as|becomes|为|是|设为|设置为|改为|置为|更新为|变为|标记为)\s*(?:not\s+)?`[\"']?([\w\-]{1,60})[\"']?`((?:\s*(?:,|or|and|、|或|/)\s*(?:or\s+)?`[\"']?[\w\-]{1,60}[\"']?`){0,8})",
    re.IGNORECASE,
)
_MORE = re.compile(r"`[\"']?([\w\-]{1,60})[\"']?`")
_WRITES = re.compile(
    r"\b(?:set|update|write|store|record|add|append|put|save|mark|increment|reset|clear)s?\b|设置|更新|写入|记录|追加|设为|置为|标记",
    re.IGNORECASE,
)
_CODE_LANGS = frozenset({"javascript", "js", "typescript", "ts", "python", "py", "jsx", "tsx"})


@dataclass(frozen=True, slots=True)
class Known:
    """What the skill declares: field paths of all schemas, their first steps, and variables that hold what they say."""

    fields: frozenset[str]
    firsts: frozenset[str]
    roots: frozenset[str]


def known(schemas: tuple[Schema, ...], held: frozenset[str]) -> Known:
    """`held`: variables that take what is read from a data file of the run."""
    paths = frozenset(field.path for schema in schemas for field in schema.fields)
    firsts = frozenset(path.split(".", 1)[0].removesuffix("[]") for path in paths)
    named = {word for schema in schemas for word in _variables(schema.name)}
    return Known(paths, firsts, frozenset(held | named | {"state"}))


def _variables(name: str) -> Iterator[str]:
    """`TuningState` is held by `state`, `tuningState`; `Issue` by `issue`; `plan.json` by `plan`."""
    stem = name.rsplit("/", 1)[-1].split(".", 1)[0]
    if re.fullmatch(r"[A-Za-z_]\w*", stem):
        yield stem[0].lower() + stem[1:]
        words = re.findall(r"[A-Z][a-z0-9]+|[a-z0-9]+", stem)
        if words and len(words) < 4:
            yield words[-1].lower()


def fields(ground: Ground, known: Known) -> Iterator[FieldUse]:
    """In no order."""
    page = ground.page
    for block in page.blocks:
        if block.kind == "code":
            if page.kind != "script":
                yield from _code(ground, block, known)
        elif block.kind not in ("heading", "rule", "front") and "`" in block.text:
            yield from _prose(ground, block, known)


def _code(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    text, start, end = ground.page.text, block.body, block.end
    if block.lang in ("json", "json5", "jsonc", "jsonl"):
        yield from _example(ground, block)
        return
    for root in known.roots:
        yield from _of_root(ground, block, root)
    for head in _HEADS:
        at = text.find(head, start, end)
        while at >= 0:
            stop = at + len(head)
            begin = at
            while begin > start and (text[begin - 1].isalnum() or text[begin - 1] in "_$"):
                begin -= 1
            root = text[begin:stop]
            if (
                root not in known.roots
                and _STATE_NAME.match(root)
                and text[stop : stop + 1] in ".?[!"
                and text[begin - 1 : begin] != "."
            ):
                yield from _use(ground, block, root, begin, stop)
            at = text.find(head, stop, end)
    if "{" in text[start:end]:
        yield from _objects(ground, block, known)


def _of_root(ground: Ground, block: Block, root: str) -> Iterator[FieldUse]:
    text, end = ground.page.text, block.end
    at = text.find(root, block.body, end)
    size = len(root)
    while at >= 0:
        stop = at + size
        before = text[at - 1 : at]
        if text[stop : stop + 1] in (".", "?", "[", "!") and not (before.isalnum() or before in "_$.-/"):
            yield from _use(ground, block, root, at, stop)
        at = text.find(root, stop, end)


def _use(ground: Ground, block: Block, root: str, start: int, stop: int) -> Iterator[FieldUse]:
    """The path behind the root that ends at `stop`, and what is done with it."""
    text = ground.page.text
    found = _PATH.match(text, stop, block.end)
    if found is None:
        return
    path, end = found[0], found.end()
    called = text[end : end + 1] == "("
    steps = field_path(path).removeprefix(".").split(".")
    while steps and steps[-1].removesuffix("[]") in _METHODS and len(steps) > 1 and not called:
        steps = steps[:-1]
    write = False
    if called:
        write = steps[-1] in _MUTATES
        steps = steps[:-1]
        while steps and steps[-1] in _METHODS:
            steps = steps[:-1]
    if (
        not steps
        or steps[0] in ("[]", "")
        or (steps[0] in _METHODS and len(steps) == 1 and called)
        or steps[0] in ("json", "md", "length")
    ):
        return
    field = ".".join(steps)
    sets = None if called else _SETS.match(text, end, block.end)
    values = _compared(text, start, end, block) if sets is None else _set_to(text, sets.end(), block.end)
    mode = "write" if sets is not None or write else "read"
    yield FieldUse(root, field, "write" if mode == "write" else "read", ground.at(start, end, block), values)


def _compared(text: str, start: int, end: int, block: Block) -> tuple[str, ...]:
    if (found := _EQUALS.match(text, end, block.end)) is not None:
        return (found[2],)
    if (listed := _IN.match(text, end, block.end)) is not None:
        return tuple(_STRING.findall(listed[1]))
    before = text[max(block.body, start - 200) : start]
    if (turned := _EQUALLED.search(before)) is not None:
        return (turned[2],)
    if before.rstrip().endswith("(") and (included := _INCLUDED.search(before)) is not None:
        return tuple(_STRING.findall(included[1]))
    return ()


def _set_to(text: str, at: int, end: int) -> tuple[str, ...]:
    if (found := _VALUE.match(text, at, end)) is not None:
        return (found[2],)
    if (either := _TERNARY.match(text, at, end)) is not None:
        return (either[1], either[2])
    return ()


def _objects(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    """Object literals that become the state or are put into it."""
    text, start, end = ground.page.text, block.body, block.end
    for found in _OBJECT_KEYS.finditer(text, start, end):
        yield from _written(ground, block, "state", found.end() - 1)
    for found in _LITERAL.finditer(text, start, end):
        if found[1] in known.roots or _STATE_NAME.match(found[1]):
            yield from _written(ground, block, found[1], found.end() - 1)
    for found in _SPREAD.finditer(text, start, end):
        if found[1] in known.roots or _STATE_NAME.match(found[1]):
            yield from _written(ground, block, found[1], found.start())
    for found in _TAKEN.finditer(text, start, end):
        if found[2] in known.roots or _STATE_NAME.match(found[2]):
            yield from _taken(ground, block, found)
    for call in ground.calls_in(start, end):
        if _UPDATES.search(call.name.rsplit(".", 1)[-1]):
            for argument in call.arguments:
                if argument.value.startswith("{") and argument.name is None and not _SPREAD.match(argument.value):
                    yield from _written(ground, block, "state", argument.at.start)


def _taken(ground: Ground, block: Block, found: re.Match[str]) -> Iterator[FieldUse]:
    offset = found.start(1)
    for piece in found[1].split(","):
        name = piece.split(":", 1)[0].split("=", 1)[0].strip()
        if re.fullmatch(r"[A-Za-z_$][\w$]*", name):
            at = offset + piece.index(name)
            yield FieldUse(found[2], name, "read", ground.at(at, at + len(name), block))
        offset += len(piece) + 1


def _written(ground: Ground, block: Block, root: str, start: int) -> Iterator[FieldUse]:
    listed, _, _ = entries(ground.page.text, start, block.end)
    for entry in listed:
        if _usual(entry):
            yield FieldUse(root, entry.path, "write", ground.at(entry.start, entry.end, block), entry.values)


def _usual(entry: Entry) -> bool:
    return all(re.fullmatch(r"[A-Za-z_$][\w$\-]*(?:\[\])*", step) for step in entry.path.split("."))


def _example(ground: Ground, block: Block) -> Iterator[FieldUse]:
    """A JSON example; what it is of is told by a file that is named before it."""
    before = [
        m for m in ground.mentions_in(block.start - 300, block.start) if m.raw.endswith((".json", ".jsonl", ".ndjson"))
    ]
    root = before[-1].raw.rsplit("/", 1)[-1].rsplit(".", 1)[0] if before else ""
    if "{" not in block.text:
        return
    listed, _, _ = entries(ground.page.text, block.body, block.end)
    for entry in listed:
        if _usual(entry) or entry.path.startswith("[]."):
            values = () if len(entry.values) == 1 and choices(entry.values[0]) else entry.values
            path = entry.path.removeprefix("[].")
            yield FieldUse(root, path, "example", ground.at(entry.start, entry.end, block), values)


def _prose(ground: Ground, block: Block, known: Known) -> Iterator[FieldUse]:
    """`state.x` in backticks, and names of declared fields with what they are set to or compared with."""
    text = ground.page.text
    for found in _TICKED.finditer(text, block.start, block.end):
        name = found[1]
        first = name.split(".", 1)[0].split("[", 1)[0]
        after = _IS.match(text, found.end(), block.end)
        values: tuple[str, ...] = (found[2],) if found[2] and not found[2].isdigit() else ()
        if after is not None:
            values = (after[1], *_MORE.findall(after[2]))
        if first in known.roots and ("." in name or "[" in name):
            root, path = first, field_path(name, first)
        elif first in known.firsts and (field_path(name) in known.fields or "." in name):
            root, path = "", field_path(name)
        else:
            continue
        if not path or path.rsplit(".", 1)[-1] in (
            "json",
            "md",
            "jsonl",
            "yaml",
            "yml",
            "length",
            "txt",
            "py",
            "js",
            "ts",
            "sh",
        ):
            continue
        before = text[max(block.start, found.start() - 80) : found.start()]
        writes = _WRITES.search(before.rsplit(". ", 1)[-1])
        yield FieldUse(
            root, path, "write" if writes else "read", ground.at(found.start(1), found.end(1), block), values
        )
