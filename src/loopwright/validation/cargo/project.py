"""The source of a Rust test, found from its crate's root file along its module path."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tree_sitter import Node

from loopwright.validation.cargo.printed import Target
from loopwright.validation.sources import digest, parse, text_of


class Crates:
    """The test binaries of a run."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._roots: dict[str, set[Path]] = {}
        for target in targets:
            if target.source is not None:
                self._roots.setdefault(target.suite, set()).add(target.source)
        self._items = cache(_items)

    def digest_of(self, suite: str, test: str) -> str:
        """The digest of a test's function with its attributes; "" when it is not found for sure."""
        roots = self._roots.get(suite, set())
        if len(roots) != 1:
            return ""
        (root,) = roots
        *modules, name = test.split("::")
        found = self._function(root, modules, name)
        if not found and modules:  # a case that a macro made of one function: `adds::case_1`
            found = self._function(root, modules[:-1], modules[-1])
        return digest(found) if found else ""

    def _function(self, root: Path, modules: list[str], name: str) -> list[Node]:
        file, folder = root, root.parent
        items = self._items(file)
        for module in modules:
            node = items.get(("mod_item", module))
            if node is None or any("path" in text_of(attribute) for attribute in node[:-1]):
                return []
            folder = folder / module
            body = node[-1].child_by_field_name("body")
            if body is not None:
                items = _of(body)
                continue
            places = [path for path in (folder.with_suffix(".rs"), folder / "mod.rs") if path.is_file()]
            if len(places) != 1:
                return []
            items = self._items(places[0])
        return items.get(("function_item", name), [])


def _items(file: Path) -> dict[tuple[str, str], list[Node]]:
    tree = parse(file)
    return _of(tree) if tree is not None else {}


def _of(parent: Node) -> dict[tuple[str, str], list[Node]]:
    """Functions and modules by kind and name, each behind its attributes; those that are there twice are left out."""
    items: dict[tuple[str, str], list[Node]] = {}
    twice: set[tuple[str, str]] = set()
    attributes: list[Node] = []
    for node in parent.named_children:
        if node.type == "attribute_item":
            attributes.append(node)
        elif node.type not in ("line_comment", "block_comment"):
            key = (node.type, text_of(node.child_by_field_name("name")))
            twice |= {key} & items.keys()
            items[key] = [*attributes, node]
            attributes = []
    return {key: nodes for key, nodes in items.items() if key not in twice}
