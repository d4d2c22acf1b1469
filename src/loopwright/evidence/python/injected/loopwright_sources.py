"""Digests of tests: of all the source that says what a test means. Standard library, Python 3.8, see loopwright_probe.

A test rests on its own function and class, on fixtures, on the helpers it names in test files, on what its module and
the modules around it do when they are loaded, and on their hooks. Layout, comments and docstrings do not count, nor
does what the test does not name: new tests, fixtures and helpers beside it leave its digest as it was.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.util import resolve_name
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopwright.evidence.python.injected import loopwright_syntax as syntax
else:
    import loopwright_syntax as syntax

SETUPS = (
    "setUpModule", "tearDownModule", "setUpClass", "tearDownClass", "setUp", "tearDown", "asyncSetUp", "asyncTearDown",
    "setup_module", "teardown_module", "setup_class", "teardown_class", "setup_method", "teardown_method",
    "setup_function", "teardown_function",
)  # fmt: skip

LOADED_UNASKED = ("sitecustomize", "usercustomize")


class Sources:
    """Reads every file once. `root` is the project; `material` matches project-relative names of test files."""

    def __init__(self, root: str, material: str) -> None:
        self._root = os.path.realpath(root) + os.sep
        self._material = re.compile(material)
        self.forget()

    def forget(self) -> None:
        """Lets go of all that was read: so many objects slow down every look for garbage."""
        self._files: dict[str, syntax.File] = {}
        self._texts: dict[ast.AST, str] = {}
        self._bare: dict[tuple[ast.AST, str], ast.AST] = {}
        self._shells: dict[ast.ClassDef, list[ast.AST]] = {}
        self._reals: dict[str, str | None] = {}
        self._packages: dict[str, str] = {}
        self._uses: dict[ast.AST, list[str]] = {}
        self._loaded: dict[str, list[tuple[str, ast.AST]]] = {}
        self._reached: dict[tuple[str, ast.AST], list[tuple[str, ast.AST]]] = {}

    def digest(
        self,
        functions: Iterable[object],
        *,
        cls: type | None = None,
        around: Iterable[object] = (),
        also: str = "",
        without: str = "",
    ) -> str:
        """One digest of everything that the test rests on; "" when there is nothing to tell.

        `around`: modules whose loading and hooks reach it. `without`: a decorator that does not count.
        """
        begin = [place for place in map(self._place, functions) if place]
        if without:
            begin = [(file, self._bare.setdefault((n, without), syntax.bare(n, without))) for file, n in begin]
        classes = [place for base in getattr(cls, "__mro__", ()) for place in self._class(base)]
        for file, node in classes:
            if node not in self._shells:
                self._shells[node] = syntax.shell(node)
            begin += [(file, part) for part in self._shells[node]]
        for module in around:
            begin += self._loading(module)
        texts = {self._text(node) for _, node in self._closure(begin, classes)}
        return digest_of("\0".join([*sorted(texts), also]).encode("utf-8", "replace")) if texts or also else ""

    def is_ours(self, module: object) -> bool:
        """Whether the module is a file of the project itself."""
        return self._real(getattr(module, "__file__", None)) is not None

    def imports(self) -> dict[str, list[str]]:
        """By file of the project, those that it imports, as far as its names tell once it is loaded.

        Asks no object for its class: proxies would do something.
        """
        modules = {name: one for name, one in list(sys.modules.items()) if issubclass(type(one), ModuleType)}
        files = {name: file for name, one in modules.items() if (file := self._relative(one))}
        found: dict[str, set[str]] = {}
        for name, file in files.items():
            names = [name[:end] for end, letter in enumerate(name) if letter == "."]
            for value in list(vars(modules[name]).values()):
                if issubclass(type(value), ModuleType):
                    names.append(value.__name__)
                elif issubclass(type(value), (FunctionType, type)):
                    names.append(value.__module__)
            found.setdefault(file, set()).update(files[each] for each in names if type(each) is str and each in files)
        return {file: sorted(named - {file}) for file, named in found.items() if named - {file}}

    def _relative(self, module: ModuleType) -> str:
        """Its file, "" for one that is not the project's."""
        real = self._real(vars(module).get("__file__"))
        return real[len(self._root) :].replace(os.sep, "/") if real else ""

    def _place(self, function: object) -> tuple[str, ast.AST] | None:
        function = inspect.unwrap(getattr(function, "__func__", function))  # type: ignore[arg-type]  # any object will do
        code = getattr(function, "__code__", None)
        file = self._real(getattr(code, "co_filename", None))
        if code is None or file is None:
            return None
        node = self._file(file).functions.get(code.co_firstlineno)
        return None if node is None else (file, node)

    def _class(self, cls: type) -> Iterator[tuple[str, ast.ClassDef]]:
        """Where the class is written, if that is a file of the project."""
        file = self._real(getattr(sys.modules.get(cls.__module__), "__file__", None))
        if file is None:
            return
        found = list(self._file(file).names.get(cls.__qualname__.partition(".")[0], ()))
        for part in cls.__qualname__.split(".")[1:]:
            found = [n for outer in found for n in getattr(outer, "body", ()) if getattr(n, "name", "") == part]
        yield from ((file, node) for node in found if isinstance(node, ast.ClassDef))

    def _loading(self, module: object) -> list[tuple[str, ast.AST]]:
        """What the module does when it is loaded, and its hooks; of an object that is a plugin, its class."""
        if inspect.ismodule(module):
            file = self._real(getattr(module, "__file__", None))
            if file is None:
                return []
            if file not in self._loaded:
                parsed = self._file(file)
                hooks = [n for name, nodes in parsed.names.items() if syntax.is_hook(name) for n in nodes]
                self._loaded[file] = [(file, node) for node in (*parsed.effects, *hooks)]
            return self._loaded[file]
        return list(self._class(type(module)))

    def _closure(
        self, begin: list[tuple[str, ast.AST]], classes: list[tuple[str, ast.ClassDef]]
    ) -> Iterator[tuple[str, ast.AST]]:
        """The places, and all that they name, directly or not."""
        members = {name: (file, node) for file, cls in reversed(classes) for name, node in syntax.members(cls)}
        seen: set[ast.AST] = set()
        queue = list(begin)
        while queue:
            file, node = queue.pop()
            if node in seen:
                continue
            seen.add(node)
            yield file, node
            if (file, node) not in self._reached:
                self._reached[file, node] = list(self._resolved(file, self._used(node), frozenset()))
            queue += self._reached[file, node]
            if members:
                queue += [members[name] for name in self._used(node) if name in members]

    def _resolved(self, file: str, names: Iterable[str], passed: frozenset[str]) -> Iterator[tuple[str, ast.AST]]:
        """Definitions of these names in the file, or in test files that it imports them from."""
        parsed, used = self._file(file), list(names)
        for name in used:
            yield from ((file, node) for node in parsed.names.get(name, ()))
            for level, module, attribute in parsed.imports.get(name, ()):
                target, whole = self._target(file, level, module, attribute)
                if target is not None and target not in passed:
                    yield from self._resolved(target, used if whole else [attribute], passed | {file})
        for level, module, _ in parsed.imports.get("*", ()):
            target, _ = self._target(file, level, module, "*")
            if target is not None and target not in passed:
                yield from self._resolved(target, used, passed | {file})

    def _target(self, file: str, level: int, module: str, attribute: str) -> tuple[str | None, bool]:
        """The test file that an import leads to, and whether it is the module itself that gets the name."""
        if level:
            package = self._package(file)
            if level > package.count(".") + bool(package):
                return None, False
            module = resolve_name("." * level + module, package)
        inner = sys.modules.get(f"{module}.{attribute}") if attribute not in ("", "*") else None
        found = inner or sys.modules.get(module)
        real = self._real(getattr(found, "__file__", None))
        is_test = real is not None and self._material.fullmatch(real[len(self._root) :].replace(os.sep, "/"))
        return (real if is_test else None), inner is not None or not attribute

    def _package(self, file: str) -> str:
        """The package of the module that was loaded from the file, or ""."""
        if file not in self._packages:
            for module in [m for m in list(sys.modules.values()) if inspect.ismodule(m)]:
                self._packages[self._real(getattr(module, "__file__", None)) or ""] = module.__package__ or ""
        return self._packages.setdefault(file, "")

    def _real(self, file: object) -> str | None:
        """The real path of a file of the project, installed packages left out."""
        if not isinstance(file, str):
            return None
        if file not in self._reals:
            real = os.path.realpath(file)
            ours = real.startswith(self._root) and f"{os.sep}site-packages{os.sep}" not in real
            self._reals[file] = real if ours else None
        return self._reals[file]

    def _file(self, file: str) -> syntax.File:
        if file not in self._files:
            self._files[file] = syntax.parsed(file)
        return self._files[file]

    def _used(self, node: ast.AST) -> list[str]:
        if node not in self._uses:
            self._uses[node] = syntax.uses(node, self._text(node))
        return self._uses[node]

    def _text(self, node: ast.AST) -> str:
        if node not in self._texts:
            self._texts[node] = ast.dump(node)
        return self._texts[node]


def setups_of(cls: type | None, module: object) -> list[object]:
    """The set-up and tear-down functions around a test, inherited ones included."""
    holders = [module] if cls is None else [module, *cls.__mro__]
    return [vars(holder)[name] for holder in holders for name in SETUPS if name in getattr(holder, "__dict__", {})]


def packages_of(module: object) -> list[object]:
    """The module, the packages it lies in, and what Python loads without being asked."""
    parts = str(getattr(module, "__name__", "")).split(".")
    names = [*(".".join(parts[:end]) for end in range(1, len(parts))), *LOADED_UNASKED]
    return [module, *(sys.modules[name] for name in names if name in sys.modules)]


def file_digest(path: object) -> str:
    """Digest of a test file as a whole, for those whose tests cannot be loaded."""
    try:
        return digest_of(Path(str(path)).read_bytes())
    except OSError:
        return ""


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
