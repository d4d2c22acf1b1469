"""What one Python file says of itself, by its syntax tree. Nothing of it is run."""

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from loopwright.core.survey import FileStyle, SurveyedTest
from loopwright.core.syntax import parse_python
from loopwright.core.text import clean_line, clip_text

Function = ast.FunctionDef | ast.AsyncFunctionDef

SITUATIONS, CASES, NAMES = 12, 200, 40
"""Of one test, of one file, and public names of one file."""
LENGTH = 120
"""Characters of a situation or a summary."""

_STARTED = re.compile(r"Typer|ArgumentParser|FastAPI|Flask|click")


class ImportedModule(NamedTuple):
    """One imported module, absolute or with its leading dots; `names` from it: as it is known here, as it is there."""

    module: str
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ParsedModule:
    """See core.survey.Module. `broken`: why there is nothing else."""

    summary: str = ""
    imports: tuple[ImportedModule, ...] = ()
    exports: tuple[str, ...] = ()
    entry: str = ""
    cases: tuple[SurveyedTest, ...] = ()
    style: FileStyle = field(default_factory=FileStyle)
    broken: str = ""


def parse_module(text: str, *, is_test: bool) -> ParsedModule:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse_python(text)
        nodes = list(ast.walk(tree))
        functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        lines = (ast.get_docstring(tree) or "").strip().splitlines()
        named = [function for function in functions if not function.name.startswith("__")]
        return ParsedModule(
            summary=clip_text(clean_line(lines[0]), LENGTH) if lines else "",
            imports=tuple(_imports(nodes)),
            exports=() if is_test else _exports(tree),
            entry=_entry(tree),
            cases=tuple(_cases(functions))[:CASES] if is_test else (),
            style=FileStyle(
                functions=len(functions),
                typed=sum(function.returns is not None for function in functions),
                documented=sum(ast.get_docstring(node) is not None for node in (*functions, *classes)),
                snake=sum(function.name == function.name.lower() for function in named),
                camel=sum(function.name != function.name.lower() for function in named),
            ),
        )
    except SyntaxError as error:
        return ParsedModule(
            broken=f"line {error.lineno}: {clean_line(error.msg)}" if error.lineno else clean_line(error.msg)
        )
    except (ValueError, RecursionError, MemoryError) as error:  # what a parser says to a text that is no program
        return ParsedModule(broken=clip_text(clean_line(str(error)) or "too deeply nested", LENGTH))


def _imports(nodes: list[ast.AST]) -> Iterator[ImportedModule]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (ImportedModule(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple((alias.asname or alias.name, alias.name) for alias in node.names)
            yield ImportedModule("." * node.level + (node.module or ""), names)


def _exports(tree: ast.Module) -> tuple[str, ...]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    return tuple(names[:NAMES])


def _entry(tree: ast.Module) -> str:
    for node in tree.body:
        if isinstance(node, ast.If) and "__name__" in ast.dump(node.test) and "__main__" in ast.dump(node.test):
            return f"line {node.lineno}: runs as a program"
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = ast.unparse(node.value.func)
            if _STARTED.search(called) and isinstance(node.targets[0], ast.Name):
                return f"line {node.lineno}: {clip_text(f'{node.targets[0].id} = {called}(…)', LENGTH)}"
    return ""


def _cases(functions: list[Function]) -> Iterator[SurveyedTest]:
    for function in functions:
        if function.name.startswith("test"):
            # on one line; the blanks of a text that it quotes stay
            lines = (
                "".join(letter if letter.isprintable() else " " for letter in one) for one in _situations(function)
            )
            found = dict.fromkeys(clip_text(line, LENGTH) for line in lines)
            yield SurveyedTest(
                name=function.name, line=function.lineno, situations=tuple(filter(None, found))[:SITUATIONS]
            )


def _situations(function: Function) -> Iterator[str]:
    """Values that it is run with, errors that it expects, and what its assertions say."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize"):
            yield from _parameters(decorator)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("raises", "assertRaises"):
            yield from (f"raises {ast.unparse(arg)}" for arg in node.args[:1])
            matches = (word.value for word in node.keywords if word.arg == "match")
            yield from (f"says {match.value!r}" for match in matches if isinstance(match, ast.Constant))
        elif isinstance(node, ast.Assert) and isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str):
            yield node.msg.value


def _parameters(call: ast.Call) -> Iterator[str]:
    """`text = ''` for each value of each parameter."""
    if len(call.args) < 2 or not isinstance(call.args[1], (ast.List, ast.Tuple)):
        return
    names = _names(call.args[0])
    for value in call.args[1].elts[:SITUATIONS]:
        parts = value.elts if isinstance(value, ast.Tuple) and "," in names else [value]
        yield f"{names} = {', '.join(map(ast.unparse, parts))}"


def _names(first: ast.expr) -> str:
    """Of the parameters, as they stand in one text or in several."""
    if isinstance(first, (ast.Tuple, ast.List)):
        return ", ".join(map(_names, first.elts))
    return str(first.value) if isinstance(first, ast.Constant) else ast.unparse(first)


def is_standard(package: str) -> bool:
    """Whether it comes with Python itself."""
    return package in sys.stdlib_module_names


SOURCES = ("src", "lib", "python")
"""Folders that are commonly put on the import path."""
DEEPEST = 5
"""Packages that pass a name on to each other."""


class ImportIndex:
    """Knows the imports of all Python files, by path."""

    def __init__(self, imported: Mapping[str, tuple[ImportedModule, ...]]) -> None:
        self._imported = imported
        self._paths: dict[str, str] = {}
        packages = frozenset(path.rpartition("/")[0] for path in imported if path.endswith("__init__.py"))
        for path in sorted(imported):
            for name in _imported_names(path, packages):
                self._paths.setdefault(name, path)
        self._own = {path: _own_name(path, packages) for path in imported}

    def of(self, path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The project's files that it imports, and the packages from outside; both sorted, without Python's own."""
        files: set[str] = set()
        packages: set[str] = set()
        for one in self._imported.get(path, ()):
            found = set(self._targets(path, one))
            files |= found
            if not found and not one.module.startswith("."):
                packages.add(one.module.partition(".")[0])
        return tuple(sorted(files - {path})), tuple(sorted(name for name in packages if not is_standard(name)))

    def _targets(self, path: str, one: ImportedModule) -> Iterator[str]:
        module = self._absolute(path, one.module)
        if not one.names:
            if target := self._nearest(path, module):
                yield target
            return
        for _, name in one.names:
            if target := self._named(path, module, name, DEEPEST):
                yield target

    def _named(self, path: str, module: str, name: str, deep: int) -> str | None:
        """The file in which the name is at home: a module of that name, or the one that a package takes it from."""
        if below := self._nearest(path, f"{module}.{name}" if module else name, whole=True):
            return below
        home = self._nearest(path, module, whole=True)
        if home is None or not home.endswith("__init__.py") or not deep:
            return home
        for one in self._imported[home]:
            for known, original in one.names:
                if known == name:
                    return self._named(home, self._absolute(home, one.module), original, deep - 1) or home
        return home

    def _nearest(self, path: str, module: str, *, whole: bool = False) -> str | None:
        """The file of a module, one beside the importing file first; else that of a package which it lies in."""
        folder = path.rpartition("/")[0]
        while module:
            tail = module.replace(".", "/")
            for place in (f"{folder}/{tail}.py", f"{folder}/{tail}/__init__.py"):
                if place.lstrip("/") in self._imported:
                    return place.lstrip("/")
            if module in self._paths:
                return self._paths[module]
            if whole:
                return None
            module = module.rpartition(".")[0]
        return None

    def _absolute(self, path: str, module: str) -> str:
        dots = len(module) - len(module.lstrip("."))
        if not dots:
            return module
        parts = self._own[path].split(".")
        if not path.endswith("__init__.py"):
            parts = parts[:-1]
        base = parts[: len(parts) - dots + 1]
        return ".".join([*base, module[dots:]] if module[dots:] else base)


def _bare(path: str) -> str:
    return path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _own_name(path: str, packages: frozenset[str]) -> str:
    """Its dotted name from the topmost folder that is a package."""
    folder, _, _ = path.rpartition("/")
    while folder and folder in packages:
        folder = folder.rpartition("/")[0]
    return _bare(path[len(folder) + 1 :] if folder else path)


def _imported_names(path: str, packages: frozenset[str]) -> Iterator[str]:
    """Every dotted name under which it may be imported."""
    yield _own_name(path, packages)
    yield _bare(path)
    for source in SOURCES:
        if path.startswith(f"{source}/"):
            yield _bare(path.removeprefix(f"{source}/"))
