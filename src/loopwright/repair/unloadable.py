"""Files of the project that can not be loaded: which line, and what Python says of it."""

import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .tree import is_test_file

_LONGEST = 200


class Broken(NamedTuple):
    """A line that keeps a file from being compiled or imported; `file` is relative to the project, with '/'."""

    file: str
    line: int
    code: str
    says: str

    @property
    def words(self) -> str:
        return f"{self.file}, line {self.line}: {self.says}"


def broken_by(error: BaseException | None, tree: str) -> Broken | None:
    """The file of the project behind an error, if it can not be compiled. What a test compiles itself is none."""
    for one in _chain(error):
        if isinstance(one, SyntaxError) and one.filename:
            return _compiled(Path(one.filename), Path(tree).resolve())
    return None


def stopped_by(error: BaseException | None, tree: str) -> Broken | None:
    """The line of the project, tests left out, that raised while tests were loaded; or the file that lacks a name."""
    root = Path(tree).resolve()
    for one in _chain(error):
        places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(one.__traceback__)][::-1]
        for name, line in [*places, *([(one.path, 1)] if isinstance(one, ImportError) and one.path else [])]:
            file = _inside(Path(name), root)
            if file and not is_test_file(file):
                says = f"{type(one).__name__}: {one}".splitlines()[0][:_LONGEST]
                return Broken(file, line, _line(root / file, line), says)
    return None


def broken_in(said: str, tree: str) -> list[Broken]:
    """The files of the project that pytest named when it gave up, and that can not be compiled."""
    root = re.escape(str(Path(tree).resolve()))
    names = dict.fromkeys(re.findall(rf"{root}/[^\n'\"]+?\.py", said))
    return [broken for name in names if (broken := _compiled(Path(name), Path(tree).resolve()))]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _inside(path: Path, tree: Path) -> str | None:
    try:
        return path.resolve().relative_to(tree).as_posix() if path.is_file() else None
    except (ValueError, OSError):
        return None


def _line(path: Path, line: int) -> str:
    lines = path.read_bytes().decode(errors="replace").splitlines()
    return lines[line - 1].strip()[:120] if line <= len(lines) else ""


def _compiled(path: Path, tree: Path) -> Broken | None:
    file = _inside(path, tree)
    if file is None:
        return None
    source = path.read_bytes()
    try:
        compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as problem:
        line = problem.lineno or 1
        return Broken(file, line, _line(path, line), f"{type(problem).__name__}: {problem.msg}")
    except ValueError as problem:  # a null byte
        return Broken(file, 1, "", str(problem))
    return None
