"""Digests of source code in any language with a grammar: what is written counts, not how it is laid out."""

import ast
import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath

from tree_sitter import Language, Node, Parser

from loopwright.core.ports import Difference
from loopwright.core.syntax import parse_python

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


def parse_file(path: Path) -> Node | None:
    """The syntax tree of a file, with error nodes where it is broken; None without a grammar or a file."""
    try:
        return parse_text(path.suffix, path.read_bytes())
    except OSError:
        return None


def parse_text(suffix: str, data: bytes) -> Node | None:
    """The same for a text in the language of that file suffix."""
    grammar = GRAMMARS.get(suffix)
    return _parser(*grammar).parse(data).root_node if grammar else None


def walk_tree(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.children)


def text_of(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def name_of(node: Node) -> str:
    """What it declares is called; empty where it has no name."""
    return text_of(node.child_by_field_name("name"))


def list_leaves(node: Node) -> Iterator[Node]:
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


def list_tokens(node: Node, normal: Normal = bytes) -> Iterator[bytes]:
    """What is written, without layout, and without a comma before a closing bracket."""
    held = False
    for leaf in list_leaves(node):
        token = normal(leaf.text or b"")
        if held and token not in _CLOSING:
            yield b","
        held = token == b","
        if token and not held:
            yield token
    if held:
        yield b","


def digest_nodes(nodes: Iterable[Node], normal: Normal = bytes) -> str:
    """One digest for all these nodes, in their order."""
    whole = hashlib.sha256()
    for node in nodes:
        for token in list_tokens(node, normal):
            whole.update(token + b"\0")
        whole.update(b"\1")
    return whole.hexdigest()[:16]


@cache
def _parser(module: str, function: str) -> Parser:
    return Parser(Language(getattr(import_module(module), function)()))


_IMPORTS = frozenset({"import_statement", "import_declaration", "use_declaration", "extern_crate_declaration"})
_NAMES = frozenset(
    {
        "identifier",
        "property_identifier",
        "field_identifier",
        "type_identifier",
        "package_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
    }
)

EMPTY = ast.dump(ast.Module(body=[], type_ignores=[]))


def compare_sources(file: str, before: bytes | None, after: bytes | None) -> Difference:
    """None: there is no such version. Files in languages without a grammar here are compared byte by byte."""
    if before == after:
        return "none"
    if before is None or after is None:
        # A file that says nothing changes nothing by coming or going.
        return "none" if _said(file, before or after or b"") in ([], EMPTY) else "more"
    said, says = _said(file, before), _said(file, after)
    if said is not None and said == says:
        return "none"
    nameless = _said(file, before, nameless=True)
    return "names" if nameless is not None and nameless == _said(file, after, nameless=True) else "more"


def _said(file: str, text: bytes, *, nameless: bool = False) -> object:
    """What the text says, in a form that can be compared; None where that is not known."""
    suffix = PurePosixPath(file).suffix
    if suffix in (".py", ".pyi"):
        try:
            tree = parse_python(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        return ast.dump(_Plain(nameless=nameless).visit(tree))
    root = parse_text(suffix, text)
    if root is None or root.has_error:
        return None
    return list(_words(root)) if nameless else list(list_tokens(root))


def _words(node: Node) -> Iterator[bytes]:
    """The tokens outside of imports, with one word for all names."""
    if node.type in _IMPORTS:
        return
    if node.child_count == 0:
        yield from (b"_" if node.type in _NAMES else leaf.text or b"" for leaf in list_leaves(node))
    for child in node.children:
        yield from _words(child)


class _Plain(ast.NodeTransformer):
    """Without docstrings; `nameless`: without imports, and with one word for all names."""

    def __init__(self, *, nameless: bool) -> None:
        self._nameless = nameless

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
        super().generic_visit(node)
        if self._nameless:
            for field in ("id", "attr", "arg", "name", "asname"):
                if isinstance(getattr(node, field, None), str):
                    setattr(node, field, "_")
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        return None if self._nameless else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if self._nameless else node
