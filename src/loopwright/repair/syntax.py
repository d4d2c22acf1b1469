"""Files of the project that are no Python: which line, and what Python says of it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Broken(NamedTuple):
    """A line that keeps a file from being compiled; `file` is relative to the project, with '/'."""

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


def _compiled(path: Path, tree: Path) -> Broken | None:
    try:
        file = path.resolve().relative_to(tree).as_posix()
        source = path.read_bytes()
    except (ValueError, OSError):
        return None
    try:
        compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as problem:
        line = problem.lineno or 1
        lines = source.decode(errors="replace").splitlines()
        code = lines[line - 1].strip()[:120] if line <= len(lines) else ""
        return Broken(file, line, code, f"{type(problem).__name__}: {problem.msg}")
    except ValueError as problem:  # a null byte
        return Broken(file, 1, "", str(problem))
    return None
