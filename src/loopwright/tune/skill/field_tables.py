"""Tables that declare fields."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.model import Block, FieldDeclared, Schema
from loopwright.tune.skill.tables import cells, rows

_FIELD_HEAD = re.compile(
    r"(?:fields?|keys?|propert(?:y|ies)|attributes?|字段名?|属性|键|字段名称|参数字段)\Z", re.IGNORECASE
)
_NAME_HEAD = re.compile(r"(?:name|名称|column|字段)\Z", re.IGNORECASE)
_TYPE_HEAD = re.compile(r"(?:data )?(?:types?|类型|数据类型)\Z", re.IGNORECASE)
_VALUES_HEAD = re.compile(
    r"(?:(?:allowed |possible |valid )?values?|enum|取值|可选值|值|枚举|values? / .*|type / values?)\Z", re.IGNORECASE
)
_SAYS_HEAD = re.compile(
    r"(?:meaning|description|notes?|purpose|what it .*|holds|说明|描述|含义|备注|用途).*\Z", re.IGNORECASE
)
_REQUIRED_HEAD = re.compile(r"(?:required|必填|必需|必选|是否必填)\??\Z", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]+)`")
_QUOTED = re.compile(r"[\"'“‘]([\w.:/\-]+)[\"'”’]")
_ONE_OF = re.compile(r"\bone of\b|\beither\b|枚举|之一|取值|可选值?[:：]", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$\-]*(?:\[\])?(?:\.[A-Za-z_$*<{][\w$\-*>}]*(?:\[\])?)*\??\Z")
_WORD = re.compile(r"[\w.:\-]+\Z")
_ENUM = re.compile(r"\benum\b|枚举", re.IGNORECASE)
_FILLING = re.compile(
    r"\b(?:or|one of|either|string|enum|null|and)\b|或|之一|枚举|[\s():：\\|,，、/.;。]", re.IGNORECASE
)
_WITHIN = re.compile(
    r"`[^`\n]+`,? *[(（]?(?:inside|within|in (?:each|every|an?|the)|of (?:each|every|an?|the)|optional|only|per)\b"
    r"|`[^`\n]+` *[(（]?(?:[在每][^|`]{1,12}[内里中下]|可选|仅)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"\s{0,20}(?:,|/|\\?\||、)\s{0,20}")
_TYPES = frozenset({
    "string", "null", "number", "object", "boolean", "array", "int", "integer", "float", "undefined", "str", "bool",
    "none", "list", "dict", "any", "date", "datetime", "text", "map", "bigint", "optional",
})  # fmt: skip
_PLAIN = re.compile(r"[\w\-]+(?:\s*\\?\|\s*[\w\-]+)+\Z")


def tables(ground: Ground) -> Iterator[Schema]:
    """Tables with a column of fields and one of their types, values or meanings."""
    text = ground.page.text
    for table in rows(ground.page.blocks):
        head = [cell.text.strip("*_` ") for cell in cells(text, table[0].start, table[0].end)]
        columns = _columns(head)
        if columns is None:
            continue
        fields = tuple(field for row in table[2:] for field in _fields(ground, row, columns))
        if len(fields) >= 2:
            at = ground.at(table[0].start, table[-1].end, table[0])
            yield Schema(_title(ground, table[0]), "table", at, fields)


@dataclass(frozen=True, slots=True)
class _Columns:
    name: int
    type: int
    values: int
    required: int


def _columns(head: list[str]) -> _Columns | None:
    def place(pattern: re.Pattern[str]) -> int:
        return next((index for index, title in enumerate(head) if pattern.match(title)), -1)

    name, kind, values = place(_FIELD_HEAD), place(_TYPE_HEAD), place(_VALUES_HEAD)
    if name < 0 and kind >= 0:
        name = place(_NAME_HEAD)
    if name != 0 or (kind < 0 and values < 0 and place(_SAYS_HEAD) < 0):
        return None
    return _Columns(name, kind, values, place(_REQUIRED_HEAD))


def _fields(ground: Ground, row: Block, columns: _Columns) -> Iterator[FieldDeclared]:
    found = cells(ground.page.text, row.start, row.end)
    if len(found) <= columns.name:
        return
    cell = found[columns.name]
    kind = found[columns.type].text if 0 <= columns.type < len(found) else ""
    others = [one.text for one in found[columns.name + 1 :]]
    listed = _ENUM.search(kind) is not None
    values = _values(kind, listed)
    for index, text in enumerate(others, columns.name + 1):
        if not values and (listed or index == columns.values or _ONE_OF.search(text)):
            values = _values(text, listed)
    told = found[columns.required].text.lower() if 0 <= columns.required < len(found) else ""
    optional = told.startswith(("no", "否", "optional", "可选", "✗", "❌", "n"))
    # `grade` inside a domain: a field of something else.
    optional = optional or _WITHIN.match(cell.text) is not None
    names = _CODE.findall(cell.text) or [cell.text.strip("*_ ")]
    for name in names:
        if _NAME.match(name):
            start = ground.page.text.find(name, cell.start, cell.end)
            at = ground.at(start, start + len(name), row)
            yield FieldDeclared(name.rstrip("?"), kind[:120], at, values, optional or name.endswith("?"))


def _values(cell: str, listed: bool) -> tuple[str, ...]:
    """`a`, `b`, `c`; 'a' | 'b'; one of a, b: what a cell says a field may be. `listed`: it lists values for certain."""
    ticked = [part.strip("\"'") for code in _CODE.findall(cell) for part in _SPLIT.split(code)]
    if _TYPES & {part.lower() for part in ticked} or _TYPES & {part.lower() for part in _SPLIT.split(cell.strip())}:
        return ()
    if len(ticked) > 1 and all(_WORD.match(part) for part in ticked):
        rest = _FILLING.sub("", _CODE.sub("", cell)).strip()
        return tuple(dict.fromkeys(ticked)) if not rest or listed or _ONE_OF.search(cell) else ()
    quoted = _QUOTED.findall(cell)
    if len(quoted) > 1 and (listed or "|" in cell or "/" in cell or _ONE_OF.search(cell)):
        return tuple(dict.fromkeys(quoted))
    plain = cell.strip("` ")
    if _PLAIN.match(plain):
        return tuple(part for part in _SPLIT.split(plain) if part)
    return ()


def _title(ground: Ground, head: Block) -> str:
    before = ground.page.text[max(0, head.start - 160) : head.start].rstrip()
    line = before.rsplit("\n", 1)[-1].strip()
    if line.endswith((":", "：")) and not line.startswith("#"):
        return line.strip("*_:： ")[:80]
    section = ground.section_of(head)
    return section.title if section is not None else ground.page.path.rsplit("/", 1)[-1]
