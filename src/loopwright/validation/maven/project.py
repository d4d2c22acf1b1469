"""Where the modules of a Maven project lie, and the source of its tests."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tree_sitter import Node

from loopwright.validation.sources import digest, parse, text_of, walk

_CLASSES = frozenset({"class_declaration", "record_declaration", "enum_declaration", "interface_declaration"})
_AROUND = re.compile(r"(?:Before|After)(?:Each|All|Class|Method|Suite|Test)?|DataProvider|Parameters")
_OLD_AROUND = frozenset({"setUp", "tearDown"})
_METHOD = re.compile(r"[A-Za-z_$][\w$]*")


def module_of(root: Path, file: Path) -> str:
    """The nearest folder with a pom.xml, relative to the project; "" for the project itself."""
    for folder in file.parents:
        if folder == root or not folder.is_relative_to(root):
            return ""
        if (folder / "pom.xml").is_file():
            return folder.relative_to(root).as_posix()
    return ""


def suite_of(module: str, classname: str) -> str:
    return f"{module}/{classname}" if module else classname


class JavaTests:
    """The test classes of a project, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._methods = cache(self._read)

    def digest_of(self, suite: str, test: str) -> str:
        """The digest of a test's method and of what its class runs around it; "" when it is not found for sure."""
        name = _METHOD.match(test)
        methods = self._methods(suite)
        own = [node for node in methods if name is not None and _name(node) == name.group()]
        return digest([*own, *(node for node in methods if _is_around(node))]) if own else ""

    def _read(self, suite: str) -> list[Node]:
        module, _, classname = suite.rpartition("/")
        outer, *inner = classname.split("$")
        file = self._root / module / "src/test/java" / f"{outer.replace('.', '/')}.java"
        tree = parse(file)
        scope = tree
        for name in (outer.rpartition(".")[2], *inner):
            found = [node for node in _classes(scope) if _name(node) == name] if scope is not None else []
            scope = found[0].child_by_field_name("body") if len(found) == 1 else None
        return [node for node in scope.children if node.type == "method_declaration"] if scope is not None else []


def _classes(scope: Node) -> Iterator[Node]:
    return (node for node in scope.children if node.type in _CLASSES)


def _is_around(method: Node) -> bool:
    modifiers = (child for child in method.children if child.type == "modifiers")
    names = [
        text_of(node.child_by_field_name("name")).rpartition(".")[2]
        for child in modifiers
        for node in walk(child)
        if node.type in ("marker_annotation", "annotation")
    ]
    return any(_AROUND.fullmatch(name) for name in names) or _name(method) in _OLD_AROUND


def _name(node: Node) -> str:
    return text_of(node.child_by_field_name("name"))
