"""Objects of examples, each with the declared shape that it is of, and what they lack or have too much."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.fields.instances import Value, instance, objects
from loopwright.tune.skill.model import Block, FieldDeclared, Page, Schema, Skill

_STEP = re.compile(r"\[\w*\]")
_JSON = frozenset({"json", "jsonc", "json5", ""})
_SOMETIMES = re.compile(
    r"\boptional|\bif\b|\bwhen\b|\bonly\b|\bunless|\bomit|\bmay\b|\bfor [a-z]+ (?:only|rows|steps)|可选|选填"
    r"|仅|若|如果|当|有则|可省|可无|时(?:才|必)|非必",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?<![\w\-])([\w\-]++\.(?:jsonl?|ya?ml))\b")
_YES = re.compile(r"(?:yes|y|true|required|always|✓|✅|✔|x|是|必填|必须|必需|必选|√)\W*\Z", re.IGNORECASE)
_REQUIRED_HEAD = re.compile(r"\|\s*(?:required|必填|必需|必选|是否必填)\??\s*\|", re.IGNORECASE)
_PLAIN_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "str": (str,), "text": (str,), "字符串": (str,), "boolean": (bool,), "bool": (bool,),
    "布尔": (bool,), "integer": (int,), "int": (int,), "整数": (int,), "number": (int, float), "float": (int, float),
    "数字": (int, float),
}  # fmt: skip
_EITHER = re.compile(r"\\?\||\bor\b|或")
_NOTHING = frozenset({"null", "none", "undefined", "空"})
ALIKE, COMPLETE = 0.6, 0.5
"""Shares of the object's keys that the shape has, and of the shape's fields that the object has."""
FEWEST, NEAR = 2, 300


@dataclass(frozen=True, slots=True)
class Shape:
    """Fields right below `below` of a schema, by their last names, in order."""

    schema: Schema
    below: str
    fields: dict[str, FieldDeclared]
    conditions: dict[str, str]
    """Fields that are there only under a condition, with its words."""


@dataclass(frozen=True, slots=True)
class Breach:
    """`kind`: a field is missing, or unknown, or has a value that is not listed or of another type."""

    page: Page
    kind: str
    name: str
    value: Value
    """The object."""
    shape: Shape
    place: tuple[int, int]
    siblings: tuple[Value, ...]


def breaches(skill: Skill) -> Iterator[Breach]:
    """Of examples on the page of the schema that they break."""
    declared = [schema for schema in skill.schemas if schema.format != "json"]
    shapes: dict[int, list[Shape]] = {}
    for page in skill.pages.values() if declared else ():
        here = [schema for schema in declared if schema.at.file == page.path]
        for block in page.blocks:
            if block.kind != "code" or block.lang not in _JSON or block.use in ("negative", "quotation"):
                continue
            if "{" not in block.text or '"properties"' in block.text or not block.closed:
                continue
            of = here or _of_file(page, block, declared)
            for schema in of:
                if id(schema) not in shapes:
                    shapes[id(schema)] = [*_shapes(skill.pages[schema.at.file], schema)]
            if of:
                yield from _of_block(page, block, [shape for schema in of for shape in shapes[id(schema)]])


def _of_file(page: Page, block: Block, schemas: Sequence[Schema]) -> list[Schema]:
    """Those that describe the file that is named right before the example."""
    section = page.sections[block.section] if block.section >= 0 else None
    named = _FILE.findall(page.text, max(section.start if section else 0, block.start - NEAR), block.start)
    return [schema for schema in schemas if named and named[-1] in schema.name]


def _of_block(page: Page, block: Block, shapes: Sequence[Shape]) -> Iterator[Breach]:
    value = instance(page.text, block.body, block.body + len(block.text))
    found = [*objects(value)] if value is not None else []
    of_shape: dict[int, list[Value]] = {}
    matched: list[tuple[Shape, Value]] = []
    for path, one in found:
        shape = _best(one, path, shapes)
        if shape is not None:
            matched.append((shape, one))
            of_shape.setdefault(id(shape), []).append(one)
    for shape, one in matched:
        siblings = tuple(other for other in of_shape[id(shape)] if other is not one)
        yield from _against(page, one, shape, siblings)


def _shapes(page: Page, schema: Schema) -> Iterator[Shape]:
    groups: dict[str, dict[str, FieldDeclared]] = {}
    for field in schema.fields:
        path = _STEP.sub("", field.path)
        below, _, name = path.rpartition(".")
        groups.setdefault(below, {})[name] = field
    for below, fields in groups.items():
        if len(fields) >= FEWEST and not any(name[:1] in "<{*" for name in fields):
            yield Shape(schema, below, fields, _conditions(page, schema, fields))


def _conditions(page: Page, schema: Schema, fields: dict[str, FieldDeclared]) -> dict[str, str]:
    """What a table says of fields that are not always there."""
    if schema.format != "table":
        return {}
    head = page.text[schema.at.start : page.text.find("\n", schema.at.start)]
    column = (
        len(page.text[schema.at.start :][: m.start() + 1].split("|")) - 1 if (m := _REQUIRED_HEAD.search(head)) else -1
    )
    found: dict[str, str] = {}
    for name, field in fields.items():
        end = page.text.find("\n", field.at.end)
        row = page.text[page.text.rfind("\n", 0, field.at.start) + 1 : end if end >= 0 else None]
        cells = [cell.strip() for cell in row.split("|")]
        if 0 <= column < len(cells):
            if not _YES.match(cells[column]):
                found[name] = cells[column]
        elif _SOMETIMES.search(row):
            found[name] = name
    return found


def _best(value: Value, path: str, shapes: Sequence[Shape]) -> Shape | None:
    """The shape that fits best: by the object's keys, and by where it stands."""
    keys = (value.fields or {}).keys()
    last = _STEP.sub("", path).rsplit(".", 1)[-1]

    def fit(shape: Shape) -> float:
        common = len(keys & shape.fields.keys())
        missing = sum(name not in keys for name in shape.fields)
        return common - 0.5 * missing - (len(keys) - common) + 0.4 * (last == shape.below.rsplit(".", 1)[-1])

    return max((shape for shape in shapes if _fits(shape, value)), key=fit, default=None)


def _fits(shape: Shape, value: Value) -> bool:
    names = (value.fields or {}).keys()
    common = len(names & shape.fields.keys())
    needed = sum(not f.optional and name not in shape.conditions for name, f in shape.fields.items())
    return not (common < FEWEST or common < ALIKE * len(names) or common < COMPLETE * needed)


def _against(page: Page, value: Value, shape: Shape, siblings: tuple[Value, ...]) -> Iterator[Breach]:
    fields = value.fields or {}
    missing = [name for name, field in shape.fields.items() if name not in fields and not field.optional]
    due = [name for name in missing if _is_due(name, shape, fields)]
    extra = [name for name in fields if name not in shape.fields]
    line = (value.start, min(value.end, max(value.start + 1, _line_end(page.text, value.start))))
    if 0 < len(due) <= max(1, len(shape.fields) // 4):
        for name in due:
            yield Breach(page, "missing", name, value, shape, line, siblings)
    if 0 < len(extra) <= max(1, len(shape.fields) // 4) and not shape.schema.open:
        for name in extra:
            at = value.keys[list(fields).index(name)]
            yield Breach(page, "unknown", name, value, shape, (at, at + len(name) + 2), siblings)
    for name, inner in fields.items():
        declared = shape.fields.get(name)
        if declared is not None and (wrong := _wrong(inner, declared)):
            yield Breach(page, wrong, name, value, shape, (inner.start, inner.end), siblings)


def _is_due(name: str, shape: Shape, fields: dict[str, Value]) -> bool:
    """Fields with one condition come together."""
    condition = shape.conditions.get(name)
    if condition is None:
        return True
    if condition == name or re.match(r"(?:no|n|否|optional|可选|false|✗|❌|-|—)?\W*\Z", condition, re.IGNORECASE):
        return False
    return any(other in fields for other, words in shape.conditions.items() if words == condition and other != name)


def _wrong(value: Value, declared: FieldDeclared) -> str:
    scalar = value.scalar
    if value.items is not None or value.fields is not None or scalar is None:
        return ""
    if declared.values and isinstance(scalar, str):
        # An example may show the choice itself.
        shown = re.split(r"\s*[|/,]\s*", scalar)
        return "unlisted" if scalar and not {*shown} <= {*declared.values} else ""
    kinds = _kinds(declared.type)
    if kinds is None or (isinstance(scalar, str) and (not scalar or scalar[0] in "<{$[" or kinds == (str,))):
        return ""
    fits = isinstance(scalar, kinds) and (isinstance(scalar, bool) == (kinds == (bool,)))
    return "" if fits else "other type"


def _kinds(type_: str) -> tuple[type, ...] | None:
    """What a value of it is, if it is not null; None for a type that is not plain."""
    parts = [part.strip("` ").lower() for part in _EITHER.split(type_)]
    known = [_PLAIN_TYPES.get(part) for part in parts if part not in _NOTHING]
    if not known or None in known:
        return None
    return tuple(dict.fromkeys(kind for kinds in known if kinds for kind in kinds))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)
