"""What a Go project's files say: its modules, its packages' folders, and the source of its tests."""

import re
from functools import cached_property
from pathlib import Path

from tree_sitter import Node

from loopwright.validation.places import folders
from loopwright.validation.sources import digest, parse, text_of

_MODULE = re.compile(r'^module\s+"?([^\s"]+)"?', re.MULTILINE)
_AROUND = frozenset({"SetupSuite", "SetupTest", "SetupSubTest", "TearDownSuite", "TearDownTest", "TearDownSubTest"})
"""What testify's suites run around their tests."""


class GoProject:
    """The modules below a folder, read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._tests: dict[Path, list[Node]] = {}

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Folders of the modules, by module path."""
        found = {}
        for folder in folders(self._root):
            file = folder / "go.mod"
            if file.is_file() and (line := _MODULE.search(file.read_bytes().decode("utf-8", "replace"))):
                found[line.group(1)] = folder
        return found

    def path_of(self, name: str) -> Path | None:
        """The file or folder of an import path, or None for one of no module of the project."""
        modules = [path for path in self.modules if name == path or name.startswith(f"{path}/")]
        if not modules:
            return None
        module = max(modules, key=len)
        return self.modules[module] / name[len(module) :].lstrip("/")

    def suite_of(self, package: str, cwd: Path) -> str:
        """A package's folder relative to the project, or its import path where it lies elsewhere."""
        folder = cwd if package == "command-line-arguments" else self.path_of(package)
        return folder.relative_to(self._root).as_posix() if folder and folder.is_relative_to(self._root) else package

    def digest_of(self, suite: str, test: str) -> str:
        """The digest of a test's function with TestMain, and of its method in a testify suite; "" when not sure."""
        name, _, inner = test.partition("/")
        functions = self._functions(self._root / suite)
        own = [node for node in functions if node.type == "function_declaration" and _name(node) == name]
        if len(own) != 1:
            return ""
        method = inner.split("/")[0]
        methods = [node for node in functions if node.type == "method_declaration"]
        if any(_name(node) == method for node in methods):
            own += [node for node in methods if _name(node) in {method, *_AROUND}]
        return digest([*own, *(node for node in functions if _name(node) == "TestMain")])

    def _functions(self, folder: Path) -> list[Node]:
        if folder not in self._tests:
            trees = [parse(file) for file in sorted(folder.glob("*_test.go"))]
            kinds = ("function_declaration", "method_declaration")
            self._tests[folder] = [node for tree in trees if tree for node in tree.children if node.type in kinds]
        return self._tests[folder]


def _name(node: Node) -> str:
    return text_of(node.child_by_field_name("name"))
