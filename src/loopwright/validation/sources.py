"""Digests of source code in any language with a grammar: what is written counts, not how it is laid out."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from tree_sitter import Language, Node, Parser

GRAMMARS = {
    ".js": ("tree_sitter_javascript", "language"),
    ".cjs": ("tree_sitter_javascript", "language"),
    ".mjs": ("tree_sitter_javascript", "language"),
    ".jsx": ("tree_sitter_javascript", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".cts": ("tree_sitter_typescript", "language_typescript"),
    ".mts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".go": ("tree_sitter_go", "language"),
    ".rs": ("tree_sitter_rust", "language"),
    ".java": ("tree_sitter_java", "language"),
}
"""Module and function of the grammar, by file suffix."""

_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment"})
_CLOSING = frozenset({b")", b"]", b"}"})

Normal = Callable[[bytes], bytes]
"""Writes a token in its one normal way; an empty one does not count."""


def parse(path: Path) -> Node | None:
    """The syntax tree of a file, with error nodes where it is broken; None without a grammar or a file."""
    try:
        return parse_text(path.suffix, path.read_bytes())
    except OSError:
        return None


def parse_text(suffix: str, data: bytes) -> Node | None:
    """The same for a text in the language of that file suffix."""
    grammar = GRAMMARS.get(suffix)
    return _parser(*grammar).parse(data).root_node if grammar else None


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.children)


def text_of(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def leaves(node: Node) -> Iterator[Node]:
    """The words and signs of the text, in their order, without comments."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.type in _COMMENTS:
            continue
        if current.child_count:
            waiting += reversed(current.children)
        else:
            yield current


def tokens(node: Node, normal: Normal = bytes) -> Iterator[bytes]:
    """What is written, without layout, and without a comma before a closing bracket."""
    held = False
    for leaf in leaves(node):
        token = normal(leaf.text or b"")
        if held and token not in _CLOSING:
            yield b","
        held = token == b","
        if token and not held:
            yield token
    if held:
        yield b","


def digest(nodes: Iterable[Node], normal: Normal = bytes) -> str:
    """One digest for all these nodes, in their order."""
    whole = hashlib.sha256()
    for node in nodes:
        for token in tokens(node, normal):
            whole.update(token + b"\0")
        whole.update(b"\1")
    return whole.hexdigest()[:16]


@cache
def _parser(module: str, function: str) -> Parser:
    return Parser(Language(getattr(import_module(module), function)()))
