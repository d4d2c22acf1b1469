"""How much two versions of a source file differ in what they say: layout, names, or meaning."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from loopwright.ports import Difference
from loopwright.validation.sources import leaves, parse_text, tokens

_IMPORTS = frozenset({"import_statement", "import_declaration", "use_declaration", "extern_crate_declaration"})
_NAMES = frozenset({
    "identifier", "property_identifier", "field_identifier", "type_identifier", "package_identifier",
    "shorthand_property_identifier", "shorthand_property_identifier_pattern",
})  # fmt: skip

EMPTY = ast.dump(ast.Module(body=[], type_ignores=[]))


def difference(file: str, before: bytes | None, after: bytes | None) -> Difference:
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
        return _python(text, nameless=nameless)
    root = parse_text(suffix, text)
    if root is None or root.has_error:
        return None
    return list(_words(root)) if nameless else list(tokens(root))


def _words(node: Node) -> Iterator[bytes]:
    """The tokens outside of imports, with one word for all names."""
    if node.type in _IMPORTS:
        return
    if node.child_count == 0:
        yield from (b"_" if node.type in _NAMES else leaf.text or b"" for leaf in leaves(node))
    for child in node.children:
        yield from _words(child)


def _python(text: bytes, *, nameless: bool) -> str | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    tree = _Plain(nameless=nameless).visit(tree)
    return ast.dump(tree)


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
