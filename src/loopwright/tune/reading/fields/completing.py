"""What an object of an example needs to have a field that it lacks."""

import re

from loopwright.tune.reading.fields.shapes import Breach

_DEFAULTS = (
    (re.compile(r"bool|布尔", re.IGNORECASE), "false"),
    (re.compile(r"int|number|float|数", re.IGNORECASE), "0"),
    (re.compile(r"list|array|\[\]|数组|列表", re.IGNORECASE), "[]"),
    (re.compile(r"object|dict|map|对象", re.IGNORECASE), "{}"),
)  # fmt: skip


def completion(one: Breach) -> tuple[int, str, bool]:
    """Where to insert what, in the style of the object; and whether the value follows from the skill.

    The field stands behind the one that the schema has before it.
    """
    fields, text = one.value.fields or {}, one.page.text
    value, known = _value(one)
    names = list(one.shape.fields)
    before = [name for name in names[: names.index(one.name)] if name in fields]
    order = list(fields)
    if before:
        last = before[-1]
        key, at = one.value.keys[order.index(last)], fields[last].end
        return at, f',{_gap(text, key)}"{one.name}": {value}', known
    key = one.value.keys[0]
    return key, f'"{one.name}": {value},{_gap(text, key)}', known


def _gap(text: str, key: int) -> str:
    """What stands between two entries: a space, or the line's indentation."""
    line = text.rfind("\n", 0, key)
    indent = text[line + 1 : key]
    return f"\n{indent}" if not indent.strip() and line >= 0 else " "


def _value(one: Breach) -> tuple[str, bool]:
    """As a sibling has it; else the first that is listed; else what is empty for its type."""
    for sibling in one.siblings:
        there = (sibling.fields or {}).get(one.name)
        if there is not None:
            return one.page.text[there.start : there.end], True
    field = one.shape.fields[one.name]
    if field.values:
        return f'"{field.values[0]}"', True
    return next((text for kind, text in _DEFAULTS if kind.search(field.type)), '"…"'), False
