"""Statements of Python files that no test has loaded, as the library coverage counts them, in a third of its time."""

import ast
import json
import os
import re
import stat
import sys
import tempfile
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from fnmatch import translate
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path

import platformdirs

from loopwright.core.private_files import make_private_folder
from loopwright.core.syntax import parse_python
from loopwright.evidence.coverage import FileLines

KEPT = 100_000
"""Files whose statements are not counted again until they change."""

WORTH_KEEPING = 200
"""New counts from which on they are written down; so many are counted in a tenth of a second."""


def list_unseen(root: Path, seen: Collection[Path], omit: Sequence[str], exclude: str) -> Iterator[FileLines]:
    """The modules of packages in `root` that are not `seen`: as many missed lines as they have statements.

    `omit`: patterns of paths. `exclude`: regular expression of lines that do not count, nor what is inside of them.
    """
    known = set(map(str, seen))
    patterns = [name if name.startswith(("*", "?", "/")) else f"{root}/{name}" for name in omit]
    omitted = re.compile("|".join(map(translate, patterns)) or r"(?!)")
    counts = _counts_of(exclude)
    for folder, inner, files in os.walk(root):
        if folder != str(root) and "__init__.py" not in files:
            inner.clear()
            continue
        inner[:] = [name for name in inner if not name.startswith(".")]
        for name in files:
            path = f"{folder}/{name}"
            if not name.endswith(".py") or path in known or omitted.match(path):
                continue
            if (count := _count_statements(path, exclude)) is not None:
                yield FileLines(Path(path), (), range(1, count + 1))
    counts.keep()


class StatementCounts:
    """How many statements files have, by a digest of their content, in memory and in a file that other processes read.

    The file is written beside and renamed. What cannot be read or written counts as not there.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._counts: dict[str, int | None] | None = None
        self._new = 0

    def count(self, source: bytes, exclude: str) -> int | None:
        """None for what is no Python."""
        if self._counts is None:
            self._counts = self._read()
        key = blake2b(source, digest_size=12).hexdigest()
        if key not in self._counts:
            self._new += 1
            try:
                self._counts[key] = len(find_statements(source, exclude))
            except (SyntaxError, ValueError, RecursionError, MemoryError, re.error):
                self._counts[key] = None
        return self._counts[key]

    def keep(self) -> None:
        """Writes the newest, if there are many new ones."""
        if self._counts is None or self._new < WORTH_KEEPING:
            return
        self._counts = dict(list(self._counts.items())[-KEPT:])
        self._new = 0
        with suppress(OSError):
            make_private_folder(self._file.parent)
            with tempfile.NamedTemporaryFile("w", dir=self._file.parent, delete=False) as beside:
                json.dump(self._counts, beside)
            os.replace(beside.name, self._file)

    def _read(self) -> dict[str, int | None]:
        try:
            found = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        is_sound = isinstance(found, dict) and all(count is None or type(count) is int for count in found.values())
        return found if is_sound else {}


@cache
def _counts_of(exclude: str) -> StatementCounts:
    """Another way of counting, or another Python, has another file."""
    way = f"{exclude}\0{sys.version}".encode() + Path(__file__).read_bytes()
    name = f"{blake2b(way, digest_size=12).hexdigest()}.json"
    return StatementCounts(Path(platformdirs.user_cache_dir("loopwright")) / "statements" / name)


def _count_statements(path: str, exclude: str) -> int | None:
    """None where it cannot be read, and for a link: what it leads to counts by itself."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            return None
        return _count_once(path, exclude, status.st_mtime_ns, status.st_ctime_ns, status.st_size)
    except OSError:
        return None


@lru_cache(maxsize=KEPT)
def _count_once(path: str, exclude: str, *_status: int) -> int | None:
    return _counts_of(exclude).count(Path(path).read_bytes(), exclude)


def find_statements(source: bytes, exclude: str) -> frozenset[int]:
    """First lines of the statements, but for docstrings and what is excluded. SyntaxError, ValueError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parse_python(source)
    pattern = re.compile(exclude) if exclude else None  # the project's own, which coverage.py has accepted
    lines = source.decode("utf-8", "replace").splitlines()
    excluded = {n for n, line in enumerate(lines, 1) if pattern and pattern.search(line)}
    return frozenset(_list_statements(tree, excluded))


_SILENT = (ast.Global, ast.Nonlocal)


def _list_statements(node: ast.AST, excluded: Collection[int]) -> Iterator[int]:
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
        children.remove(node.body[0])
    for child in children:
        if isinstance(child, ast.stmt | ast.excepthandler):
            decorators = getattr(child, "decorator_list", ())
            if child.lineno in excluded or any(each.lineno in excluded for each in decorators):
                continue
            yield from (each.lineno for each in decorators)
            if not isinstance(child, _SILENT):
                yield child.lineno
        elif isinstance(child, ast.match_case):
            yield child.pattern.lineno
        if not isinstance(child, ast.expr):
            yield from _list_statements(child, excluded)
