"""Shapes that a skill declares: interfaces, JSON Schema, templates of JSON, tables of fields."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from loopwright.tune.skill.field_tables import tables
from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.model import Block, FieldDeclared, Schema
from loopwright.tune.skill.shapes import Entry, choices, entries
from loopwright.tune.skill.typescript import Declared, Member, declared

FIELDS = 400
"""Fields of one schema that are kept."""
DEPTH = 5
"""Types within types that are put in."""
_TYPED = frozenset({"typescript", "ts", "javascript", "js", "tsx"})
_JSON = frozenset({"json", "json5", "jsonc"})
_DATA = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")
_SHAPE = re.compile(
    r"schema|structure|data model|format|shape|interface|\bfields?\b|contract|结构|格式|模式|字段|数据模型|定义",
    re.IGNORECASE,
)
_STATE = re.compile(r"schema|structure|initial|结构|模式|初始|\bstate\b|状态", re.IGNORECASE)
_IS_FILE = re.compile(r"`?[\w\-/<>{}*$. ]{1,60}\.(?:jsonl?|ya?ml)`?\Z")
_TELLS = re.compile(r': ?\[?"(?:string|number|integer|boolean|YYYY|<)|: ?\[?"[^"\n]{1,80} \| [^"\n]{1,80}"')
"""Values that say what kind they are of, as no example does."""
_GAP = re.compile(r"(?<![\"'\w.])(?:\.\.\.|…)(?![\"'\w])")
"""Dots that stand for fields, and not for words of a value."""
_FIELD = re.compile(r"[A-Za-z_$][\w$\-]*(?:\[\])?(?:\.[A-Za-z_$*<{][\w$\-*>}]*(?:\[\])?)*\Z")


def schemas(ground: Ground) -> Iterator[Schema]:
    """Of one page, in its order; types that it names in other types are put in."""
    named: dict[str, Declared] = {}
    waiting: list[tuple[Declared, Block]] = []
    for block in ground.page.blocks:
        if block.kind != "code":
            continue
        text = block.text
        if (block.lang in _TYPED or block.lang == "") and ("interface " in text or "type " in text):
            if not _own_shape(ground, block):
                continue
            for one in declared(ground.page.text, block.body, block.end):
                named.setdefault(one.name, one)
                waiting.append((one, block))
        elif block.lang in _JSON and "{" in text:
            yield from _json(ground, block)
    for one, block in waiting:
        if one.members:
            fields = tuple(_expanded(ground, block, one.members, named, DEPTH))
            yield Schema(
                one.name,
                "typescript",
                ground.at(one.start, one.end, block),
                fields[:FIELDS],
                one.open or bool(set(one.extends) - named.keys()),
            )
    yield from tables(ground)


def _own_shape(ground: Ground, block: Block) -> bool:
    """Not the code of a product that the skill only speaks of."""
    if block.use in ("negative", "quotation"):
        return False
    if block.use != "reference":
        return True
    section = ground.section_of(block)
    named = ground.page.path.rsplit("/", 1)[-1] + " " + (section.title if section else "")
    return ground.page.kind == "spec" or bool(_SHAPE.search(named))


def _expanded(
    ground: Ground, block: Block, members: Iterable[Member], named: Mapping[str, Declared], depth: int, prefix: str = ""
) -> Iterator[FieldDeclared]:
    for member in members:
        path = prefix + member.path
        alias = next((named[name] for name in member.names if name in named), None)
        values = member.values or (alias.values if alias else ())
        at = ground.at(member.start, member.end, block)
        yield FieldDeclared(path, member.type, at, values, member.optional or "undefined" in member.names)
        if alias is not None and alias.members and depth > 0 and not {"Record", "Map"} & set(member.names):
            listed = "[]" in member.type or "Array" in member.names
            yield from _expanded(ground, block, alias.members, named, depth - 1, path + ("[]." if listed else "."))


def _json(ground: Ground, block: Block) -> Iterator[Schema]:
    page = ground.page
    if '"properties"' in block.text:
        found, _, _ = entries(page.text, block.body, block.end)
        fields, opened = _of_json_schema(ground, block, found)
        if fields:
            title = next((e.values[0] for e in found if e.path == "title" and e.values), "") or _name(ground, block)
            yield Schema(title, "json-schema", ground.at(block.start, block.end, block), fields[:FIELDS], opened)
        return
    if not _declares(ground, block):
        return
    found, _, spread = entries(page.text, block.body, block.end)
    fields = tuple(_of_template(ground, block, found))
    if fields:
        gaps = spread or _GAP.search(block.text) is not None
        yield Schema(_name(ground, block), "json", ground.at(block.start, block.end, block), fields[:FIELDS], gaps)


def _declares(ground: Ground, block: Block) -> bool:
    """The block is told to be THE structure: by its section's title, or what stands right before it."""
    section = ground.section_of(block)
    if block.use in ("negative", "reference", "quotation"):
        return False
    if section is not None and section.concept == "example":
        return False
    title = section.title if section is not None else ""
    if section is not None and (section.concept == "state" or _SHAPE.search(title)):
        return True
    if section is not None and _IS_FILE.match(title) and _SHAPE.search(ground.page.path.rsplit("/", 1)[-1]):
        return "```" not in ground.page.text[section.body : block.start] and bool(_TELLS.search(block.text))
    before = ground.page.text[max(0, block.start - 200) : block.start].rstrip().rsplit("\n", 1)[-1]
    return (bool(_SHAPE.search(before)) and before.rstrip("*_ ").endswith((":", "："))) or (
        ground.page.kind == "spec" and bool(_STATE.search(title))
    )


def _name(ground: Ground, block: Block) -> str:
    """A file that is named right before it, or the section's title, or the page."""
    before = [m.raw for m in ground.mentions_in(block.start - 300, block.start) if m.raw.endswith(_DATA)]
    if before:
        return before[-1].rsplit("/", 1)[-1]
    section = ground.section_of(block)
    return section.title if section is not None and section.title else ground.page.path.rsplit("/", 1)[-1]


def _of_template(ground: Ground, block: Block, found: Iterable[Entry]) -> Iterator[FieldDeclared]:
    seen: set[str] = set()
    for entry in found:
        path = entry.path.removeprefix("[].")
        if path in seen or entry.shorthand or not _FIELD.match(path):
            continue
        seen.add(path)
        values = entry.values if len(entry.values) > 1 else choices(entry.values[0]) if entry.values else ()
        if not values and len(entry.elements) == 1:
            values = choices(entry.elements[0])
        yield FieldDeclared(
            path, entry.kind, ground.at(entry.start, entry.end, block), values, entry.path.endswith("?")
        )


@dataclass(slots=True)
class _Properties:
    """What the words of a JSON Schema say of its fields; those of a definition begin with `#` and its name."""

    fields: dict[str, FieldDeclared] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    refs: list[tuple[str, str]] = field(default_factory=list)
    open: bool = False

    def take(self, path: str, word: str, entry: Entry) -> None:
        if word == "required":
            self.required |= {f"{path}.{name}" if path else name for name in entry.elements}
        if word == "additionalProperties" and not path:
            self.open = entry.source != "false"
        if word == "$ref" and entry.values:
            self.refs.append((path, entry.values[0].rsplit("/", 1)[-1]))
        if word == "type" and path in self.fields:
            self.fields[path] = replace(self.fields[path], type="|".join(entry.values or entry.elements))
        # The values of a list are those of its elements.
        path = path.removesuffix("[]")
        if word in ("enum", "const") and path in self.fields:
            self.fields[path] = replace(self.fields[path], values=entry.elements or entry.values)


def _of_json_schema(ground: Ground, block: Block, found: list[Entry]) -> tuple[tuple[FieldDeclared, ...], bool]:
    read = _Properties()
    for entry in found:
        path, word = _schema_path(entry.path)
        if word:
            read.take(path, word, entry)
        elif path:
            at = ground.at(entry.start, entry.end, block)
            read.fields.setdefault(path, FieldDeclared(path, "", at, (), True))
    _resolve_refs(read.fields, read.refs)
    kept = [
        replace(one, path=path.removeprefix("[]."), optional=path not in read.required)
        for path, one in read.fields.items()
        if not path.startswith("#")
    ]
    return tuple(kept), read.open


def _schema_path(path: str) -> tuple[str, str]:
    """`properties.a.items.properties.b.type` is (`a[].b`, `type`); a definition's path begins with `#name`."""
    steps = path.replace("[]", "").split(".")
    out = ""
    index = 0
    while index < len(steps):
        step = steps[index]
        if step == "properties" and index + 1 < len(steps):
            name = steps[index + 1]
            out = f"{out}.{name}" if out else name
            index += 2
            continue
        if step == "items":
            out += "[]"
        elif step in ("$defs", "definitions") and index + 1 < len(steps):
            out = "#" + steps[index + 1]
            index += 2
            continue
        elif step in ("anyOf", "oneOf", "allOf", "then", "else", "if", "not"):
            pass
        else:
            return (out, step) if index == len(steps) - 1 else ("", "?")
        index += 1
    return (out, "" if steps[-2:-1] == ["properties"] else "?")


def _resolve_refs(fields: dict[str, FieldDeclared], refs: list[tuple[str, str]]) -> None:
    for path, name in refs[:60]:
        inner = [(key, one) for key, one in fields.items() if key.startswith(f"#{name}.")]
        for key, one in inner[:FIELDS]:
            where = path + key[len(name) + 1 :]
            if len(fields) < 2 * FIELDS:
                fields.setdefault(where, replace(one, path=where))
