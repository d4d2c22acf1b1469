"""Declared sets of values, and code that sets such a field: TypeScript, JSON Schema, `"a|b|c"` in a JSON template."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from loopwright.skills.reader.calls import LANGUAGES
from loopwright.skills.reader.markdown import MarkdownBlock
from loopwright.skills.reader.model import Enumeration, PositionMaker, Setting
from loopwright.skills.reader.page import Page

FEWEST = 2
"""Values that a field has to list to list them at all."""
DEEPEST = 40
"""Levels of a shape that are looked into."""
_TYPESCRIPT = frozenset({"typescript", "ts", "tsx", "javascript", "js", ""})
_SET = re.compile(
    r"""(?<![\w.$?])([A-Za-z_]\w*+)((?:\??\.[A-Za-z_]\w*+)++|\[["'][A-Za-z_]\w*+["']\])\s*+=\s*+(["'])([\w-]++)\3"""
)
_KEY = re.compile(r"[A-Za-z_]\w*")
_WORDS = re.compile(r"[A-Z]?+[a-z]++|[A-Z]{1,40}(?![a-z])")
_LISTED = re.compile(r"\s*[\w-]+(?:\s*\|\s*[\w-]+)+\s*\Z")

DeclaredValues = tuple[str, str, tuple[str, ...]]


def parse_enumerations(page: Page, at: PositionMaker) -> Iterator[Enumeration]:
    """All that a page declares, in order."""
    for block in page.blocks:
        if block.kind != "code" or block.use in ("negative", "quotation"):
            continue
        for holder, field, values in _declared(page, block):
            if len(values) >= FEWEST:
                yield Enumeration(holder, field, values, at(block.start, block.end))


def parse_settings(page: Page, at: PositionMaker) -> Iterator[Setting]:
    """Code of a page that sets a field to a text."""
    for block in page.blocks:
        if block.kind == "code" and block.lang in LANGUAGES and page.kind not in ("script", "data"):
            for found in _SET.finditer(page.text, block.body, block.end):
                field = ".".join(_KEY.findall(found[2]))
                yield Setting(found[1], field, found[4], at(found.start(), found.end()))


def list_holders(name: str) -> frozenset[str]:
    """What code calls a thing of this type: of a GardenState `gardenstate` and `state`, in small letters."""
    words = _WORDS.findall(name)
    return frozenset({name.casefold(), words[-1].casefold()} if words else {name.casefold()})


def _declared(page: Page, block: MarkdownBlock) -> Iterator[DeclaredValues]:
    text = block.text
    if block.lang in _TYPESCRIPT and "|" in text and ("interface" in text or "type" in text):
        yield from _typescript(text)
    elif block.lang in ("json", "jsonc", "") and ('"enum"' in text or "|" in text) and "{" in text:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        name = value.get("title") if isinstance(value, dict) else None
        yield from _json(str(name or _named(page, block)), value, "", 0)


def _named(page: Page, block: MarkdownBlock) -> str:
    """By the title above it, or the name of the file."""
    above = [section.title for section in page.sections if section.start < block.start]
    word = _WORDS.findall(above[-1] if above else page.path.rpartition("/")[2].partition(".")[0])
    return "state" if "state" in {one.casefold() for one in word} else word[-1] if word else ""


def _json(holder: str, value: Any, path: str, depth: int) -> Iterator[DeclaredValues]:
    """Of a JSON Schema the `enum` of its properties; of a template texts that list values."""
    if not isinstance(value, dict) or depth > DEEPEST:
        return
    inner = value.get("properties")
    schema = isinstance(inner, dict)
    for key, one in (inner if isinstance(inner, dict) else value).items():
        field = f"{path}.{key}" if path else key
        if schema and isinstance(one, dict) and isinstance(one.get("enum"), list):
            yield holder, field, tuple(value for value in one["enum"] if isinstance(value, str))
        elif not schema and isinstance(one, str) and _LISTED.match(one):
            yield holder, field, tuple(value.strip() for value in one.split("|"))
        yield from _json(holder, one, field, depth + 1)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_typescript.language_typescript()))


def _typescript(text: str) -> Iterator[DeclaredValues]:
    root = _parser().parse(text.encode("utf-8", "replace")).root_node
    aliases = {
        _text(name): values
        for node in root.named_children
        for one in (_bare(node),)
        if one.type == "type_alias_declaration"
        and (name := one.child_by_field_name("name"))
        and (values := _union(one.child_by_field_name("value"), {}))
    }
    for node in root.named_children:
        one = _bare(node)
        name, body = (
            one.child_by_field_name("name"),
            one.child_by_field_name("body") or one.child_by_field_name("value"),
        )
        if name is not None and body is not None and body.type in ("interface_body", "object_type"):
            yield from _fields(_text(name), body, "", aliases, 0)


def _fields(
    holder: str, body: Node, path: str, aliases: dict[str, tuple[str, ...]], depth: int
) -> Iterator[DeclaredValues]:
    for one in body.named_children:
        name, typed = one.child_by_field_name("name"), one.child_by_field_name("type")
        kind = typed.named_children[0] if typed is not None and typed.named_children else None
        if one.type != "property_signature" or name is None or kind is None or depth > DEEPEST:
            continue
        field = f"{path}.{_text(name)}" if path else _text(name)
        if kind.type == "object_type":
            yield from _fields(holder, kind, field, aliases, depth + 1)
        elif values := _union(kind, aliases):
            yield holder, field, values


def _union(kind: Node | None, aliases: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The texts of a union that has nothing else, but null; none for any other type."""
    if kind is None:
        return ()
    if kind.type == "type_identifier":
        return aliases.get(_text(kind), ())
    if kind.type == "union_type":
        parts = [_union(part, aliases) for part in kind.named_children if _text(part) not in ("null", "undefined")]
        return tuple(value for part in parts for value in part) if all(parts) else ()
    text = _text(kind)
    return (text[1:-1],) if kind.type == "literal_type" and text[:1] in "\"'" else ()


def _bare(node: Node) -> Node:
    """What an `export` exports."""
    return node.child_by_field_name("declaration") or node if node.type == "export_statement" else node


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace") if node.text else ""
