"""Which files tests rest on that no table names: those that tests read, and the product does not. Pure.

What is measured counts, where it was: who imported and who opened a file. Where nothing measures that, files count as
read by the code that names them.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise
from posixpath import basename, dirname, normpath

from loopwright.evidence.environment import MANIFEST
from loopwright.evidence.test_material import is_mixed, is_test_material
from loopwright.evidence.testing import TestRun
from loopwright.evidence.verdict import test_file_of

_CODE = re.compile(r".*\.(?:py|[cm]?[jt]sx?)")
_SCRIPT = re.compile(r".*\.(?:sh|bash|mk)")
_LITERAL = re.compile(r"(['\"`])((?:(?!\1)[^\\\n]){1,200})\1")
_WORD = re.compile(r"[\w@.+/-]*[\w+-]\.?[\w+-]+")
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".json", ".tsx", ".jsx", "/index.js", "/index.ts")
_ASSERTS = re.compile(
    r"\bexpect\(|['\"](?:node:)?assert(?:/strict)?['\"]|['\"](?:vitest|chai|node:test|@jest/globals)['\"]"
)
_DEFINES = re.compile(r"\bfunction\b|=>|\bclass\b")
_FRAMEWORKS = frozenset({"pytest", "unittest", "hypothesis", "nose", "doctest"})
_MOST_FILES = 5000
_LONGEST = 400_000

Read = Callable[[str], str]
"""The text of a project-relative file; empty where there is none."""


def list_oracles(run: TestRun, files: Collection[str], read: Read, command: str) -> tuple[str, ...]:
    """Those of the project's `files`, project-relative, that are test material by what the `run` of the tests did."""
    collected = {file for result in run.results if (file := test_file_of(result.key)) is not None and file in files}
    readers = _Readers(run, files, read, {*collected, *filter(is_test_material, files)})
    found = {*collected, *readers.of_tests(), *_scripts(command, frozenset(files), read)}
    return tuple(sorted(file for file in found if not is_test_material(file)))


class _Readers:
    """Who reads what."""

    def __init__(self, run: TestRun, files: Collection[str], read: Read, tests: Collection[str]) -> None:
        self._files, self._read, self._tests = frozenset(files), read, frozenset(tests)
        self._readers: dict[str, set[str]] = {}
        for reader, imported in run.imports.items():
            self._add(reader, imported)
        for file, readers in run.opened.items():
            for reader in readers:
                self._add(reader, [file])
        self._is_measured = frozenset(run.imports)
        self._naming()

    def of_tests(self) -> set[str]:
        """Beside the tests themselves; what those read that are found counts, too."""
        found = set[str]()
        while more := {file for file in self._readers if self._is_oracle(file, self._tests | found)} - found:
            found |= more
        return found

    def _add(self, reader: str, files: Iterable[str]) -> None:
        for file in files:
            if file in self._files and file != reader and file not in self._tests:
                self._readers.setdefault(file, set()).add(reader)

    def _naming(self) -> None:
        """What the product names is its own; what tests name is theirs where nobody measured what they open."""
        codes = [file for file in self._files if _CODE.fullmatch(file)][:_MOST_FILES]
        inside: dict[str, set[str]] = {}
        for file in self._readers:
            inside.setdefault(basename(file), set()).add(file)
        for code in codes:
            is_test = code in self._tests
            if is_test and code.endswith(".py") and self._is_measured:
                continue
            literals = _literals(self._read(code))
            self._add(code, {file for literal in literals for file in self._resolved(code, literal)})
            if not is_test:
                self._add(code, {file for one in literals for file in inside.get(basename(one), ())})

    def _resolved(self, code: str, literal: str) -> Iterator[str]:
        for place in (dirname(code), ""):
            path = normpath(f"{place}/{literal}" if place else literal)
            yield from (path + ending for ending in _ENDINGS if path + ending in self._files)

    def _is_oracle(self, file: str, tests: Collection[str]) -> bool:
        readers = self._readers[file]
        if not readers <= set(tests) or is_mixed(file) or MANIFEST.fullmatch(file):
            return False
        is_besides = any(self._runs_product(reader, file, tests) for reader in (file, *self._above(file)))
        if not is_besides:  # it is what they are about
            return False
        return not _CODE.fullmatch(file) or self._judges(file)

    def _above(self, file: str) -> list[str]:
        """All that read it, directly or not."""
        above = list(self._readers[file])
        for reader in above:
            above += self._readers.get(reader, set()).difference(above)
        return above

    def _runs_product(self, reader: str, file: str, tests: Collection[str]) -> bool:
        """Whether it reads other code of the product, or runs programs."""
        others = (f for f, by in self._readers.items() if reader in by and f != file and _CODE.fullmatch(f))
        is_python = reader.endswith(".py")
        return any(f not in tests for f in others) or (is_python and "subprocess" in self._read(reader))

    def _judges(self, file: str) -> bool:
        """Whether the code says what is right: it holds nothing but data, uses a test framework, or fails as its
        callers' last word.
        """
        text = self._read(file)
        if not file.endswith(".py"):
            return _ASSERTS.search(text) is not None or _DEFINES.search(text) is None
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return False
        nodes = list(ast.walk(tree))
        if not any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) for node in nodes):
            return True
        if any(name.partition(".")[0] in _FRAMEWORKS for node in nodes for name in _imported(node)):
            return True
        asserting = {
            one.name for one in nodes if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and _asserts(one)
        }
        return any(asserting & _called_alone(self._read(reader)) for reader in self._readers[file])


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _asserts(function: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Name) and node.id == "AssertionError")
        for node in ast.walk(function)
    )


def _called_alone(text: str) -> set[str]:
    """Names of what is called by itself, as a whole statement: only its failing can matter."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    calls = (
        node.value.func for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    )
    return {getattr(call, "attr", getattr(call, "id", "")) for call in calls}


def _literals(text: str) -> set[str]:
    """Texts that may name a file, and what those make that follow one another as arguments."""
    found = list(_LITERAL.finditer(text[:_LONGEST]))
    literals = {one[2] for one in found}
    joined = ""
    for one, other in pairwise(found):
        is_next = text[one.end() : other.start()].strip() in (",", "/")
        joined = f"{joined or one[2]}/{other[2]}" if is_next else ""
        literals.add(joined)
    return literals - {""}


def _scripts(command: str, files: frozenset[str], read: Read) -> Iterator[str]:
    """Shell scripts and parts of Makefiles that the command runs, as far as files name one another."""
    lines = [
        command,
        *(read(file) for file in ("package.json", "Makefile", "makefile", "GNUmakefile") if file in files),
    ]
    seen: set[str] = set()
    for text in lines:
        for word in _WORD.findall(text[:_LONGEST]):
            file = normpath(word)
            if file in files and file not in seen and _is_script(file, read):
                seen.add(file)
                lines.append(read(file))
    yield from seen


def _is_script(file: str, read: Read) -> bool:
    if _SCRIPT.fullmatch(file):
        return True
    return "." not in basename(file) and re.match(r"#!.*\b(?:ba|da|z|k)?sh\b", read(file)) is not None
