"""What a Python project tells about its tests and its interpreter, from its files."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from loopwright.processes.confinement import run_briefly

_SKIPPED = frozenset({"node_modules", "venv", "env", "build", "dist", "site-packages", "__pycache__"})
_TEST_FILE = re.compile(r"test.*\.py|.*_test\.py")
_PLAIN_TEST = re.compile(r"^(async )?def test|^\s*(import pytest\b|from pytest\b)|^class Test\w*(\(\))?:", re.MULTILINE)
_TEST_CASE = re.compile(r"\bTestCase\b")
_MOST_FILES = 2000
_SECTIONS = (("pytest.ini", None), (".pytest.ini", None), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


class TestFile(NamedTuple):
    """A file that looks like a test; `path` relative to the project."""

    path: Path
    needs_pytest: bool
    has_test_case: bool


def test_files(root: Path) -> list[TestFile]:
    found = []
    for path in _walk(root):
        if _TEST_FILE.fullmatch(path.name):
            text = path.read_bytes().decode("utf-8", "replace")
            plain, case = _PLAIN_TEST.search(text) is not None, _TEST_CASE.search(text) is not None
            # What is neither may be broken just now: its name alone says pytest's kind of test.
            if plain or case or re.fullmatch(r"test_.*|.*_test\.py", path.name):
                found.append(TestFile(path.relative_to(root), plain, case))
        if len(found) == _MOST_FILES:
            break
    return found


def is_set_up_for_pytest(root: Path) -> bool:
    """Whether a settings file or a conftest.py says so."""
    return (
        any(_has_section(root / name, section) for name, section in _SECTIONS)
        or _pyproject_has_pytest(root / "pyproject.toml")
        or any(path.name == "conftest.py" for path in _walk(root))
    )


def interpreter_of(root: Path, module: str | None = None) -> Path:
    """The project's own Python, if it has the module that is needed; else the one that runs us."""
    places = [root / ".venv", root / "venv", *([Path(active)] if (active := os.environ.get("VIRTUAL_ENV")) else [])]
    for python in (place / "bin" / "python" for place in places):
        if os.access(python, os.X_OK) and (module is None or can_import(python, module)):
            return python
    return Path(sys.executable)


def shorten_interpreter(root: Path, python: Path) -> str:
    """The interpreter as a person in the project's folder would type it."""
    plain = shutil.which("python")
    if plain is not None and Path(plain) == python:
        return "python"
    return shlex.quote(str(python.relative_to(root) if python.is_relative_to(root) else python))


def find_named_interpreter(command: str, root: Path, script: str | None = None) -> str | None:
    """The interpreter that the command names, or that its `script` (such as pytest) is installed for."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    for word in words:
        if re.fullmatch(r"python[\d.]*", Path(word).name) and (python := find_program(word, root)) is not None:
            return str(python)
        if Path(word).name == script and (found := find_program(word, root)) is not None:
            with found.open("rb") as file:
                first = file.readline(500).decode("utf-8", "replace").strip()
            return first[2:].strip() if first.startswith("#!/") and "python" in first and " " not in first else None
    return None


def find_program(word: str, root: Path) -> Path | None:
    """The program that a command word starts, or None. Links are kept: a venv's Python is one."""
    found = shutil.which(word) if "/" not in word else shutil.which(root / word)
    return Path(found) if found else None


def discovery(root: Path, tests: Sequence[Path]) -> list[str]:
    """Arguments that make unittest find these files; none where its own rule does."""
    patterns = [] if all(path.name.startswith("test") for path in tests) else ["-p", shlex.quote("*test*.py")]
    # unittest walks down from the root through packages alone
    folders = {part for path in tests for part in (path.parent, *path.parent.parents)} - {Path(".")}
    if all((root / folder / "__init__.py").is_file() for folder in folders):
        return ["discover", *patterns] if patterns else []
    start = Path(os.path.commonpath([path.parent for path in tests]))
    return ["discover", "-s", shlex.quote(str(start)), *patterns]


def _walk(root: Path) -> Iterator[Path]:
    for at, folders, files in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _SKIPPED and not os.path.exists(f"{at}/{name}/pyvenv.cfg")
        )
        yield from (Path(at, name) for name in sorted(files) if name.endswith(".py") and os.path.isfile(f"{at}/{name}"))


def _has_section(file: Path, section: str | None) -> bool:
    if not file.is_file():
        return False
    if section is None:
        return True
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(file.read_bytes().decode("utf-8", "replace"))
    except configparser.Error:
        return False
    return parser.has_section(section)


def _pyproject_has_pytest(file: Path) -> bool:
    try:
        return "pytest" in tomllib.loads(file.read_text("utf-8")).get("tool", {})
    except (FileNotFoundError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False


def can_import(python: Path, module: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    try:
        return run_briefly([str(python), "-c", code], cwd=Path.cwd(), seconds=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
