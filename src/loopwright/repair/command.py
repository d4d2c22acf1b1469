"""Reads a test command: whether we can take its tests over, and which of its options choose them."""

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Literal

_RUNNERS = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "rye"})
_PYTHON = re.compile(r"python(\d(\.\d+)?)?$")
_SHELL = re.compile(r"[;&|<>`$]")
_FLAGS = re.compile(
    r"(-[qvsxl]+|--(exitfirst|quiet|verbose|lf|last-failed|ff|failed-first|nf|sw|stepwise|no-header|"
    r"no-summary|cov|showlocals|setup-show|full-trace|pdb|no-cov))$"
)
_WITH_VALUE = frozenset({
    "--maxfail", "--tb", "--junitxml", "--junit-xml", "-n", "--numprocesses", "--dist", "--cov-report", "--cov-config",
    "--durations", "--durations-min", "--color", "-r", "--timeout", "--capture", "--cov-fail-under", "--verbosity",
    "--basetemp", "--log-cli-level", "--show-capture", "--junit-prefix",
})  # fmt: skip
_TAKES_NEXT = frozenset({
    "-k", "-m", "-p", "-c", "-o", "-W", "--rootdir", "--import-mode", "--ignore", "--ignore-glob", "--deselect",
    "--confcutdir", "--override-ini", "--config-file",
})  # fmt: skip

_SHORT = {"--start-directory": "-s", "--pattern": "-p", "--top-level-directory": "-t"}


@dataclass(frozen=True)
class SuiteCommand:
    """`arguments` are for pytest, which runs unittest's cases as well; `root_on_path`: `python -m` puts it there.

    `environment`: what is assigned in front of the command.
    """

    style: Literal["pytest", "unittest"]
    arguments: tuple[str, ...]
    root_on_path: bool = True
    environment: tuple[tuple[str, str], ...] = ()


def parse_command(line: str, root: Path) -> SuiteCommand | None:
    """The command in our terms; None when it is not plainly pytest or unittest."""
    if _SHELL.search(line):
        return None
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    environment = list(takewhile(lambda word: re.match(r"\w+=", word), words))
    found = _runner(words[len(environment) :], root)
    assigned = tuple((name, value) for name, _, value in (word.partition("=") for word in environment))
    return replace(found, environment=assigned) if found else None


def _runner(words: Sequence[str], root: Path) -> SuiteCommand | None:
    if len(words) > 2 and words[0] in _RUNNERS and words[1] == "run":
        words = words[2:]
    if not words:
        return None
    program = os.path.basename(words[0])
    if program in ("pytest", "py.test"):
        return SuiteCommand("pytest", _chosen(words[1:]), root_on_path=False)
    if program == "coverage" or _PYTHON.match(program):
        return _module(words[1:], root)
    return None


def _module(words: Sequence[str], root: Path) -> SuiteCommand | None:
    if "-m" not in words:
        return None
    at = words.index("-m")
    name, rest = (words[at + 1] if at + 1 < len(words) else ""), list(words[at + 2 :])
    if name == "pytest":
        return SuiteCommand("pytest", _chosen(rest))
    if name == "unittest":
        return SuiteCommand("unittest", _discovery(rest, root))
    return _module(words[at + 1 :], root) if name == "coverage" else None


def _chosen(words: Sequence[str]) -> tuple[str, ...]:
    """What chooses and configures tests; reports, verbosity, early ends and parallel runs are left out."""
    kept: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name = word.split("=", 1)[0]
        if name in _WITH_VALUE:
            if "=" not in word and rest:
                rest.pop(0)
        elif word in _TAKES_NEXT:
            kept += [word, *rest[:1]]
            rest = rest[1:]
        elif not (_FLAGS.match(name) or re.match(r"-[nr]\w+$", word)):
            kept.append(word)
    return tuple(kept)


def _discovery(words: Sequence[str], root: Path) -> tuple[str, ...]:
    """Where unittest would look and for what, as pytest's arguments."""
    found = {"-s": ".", "-p": "test*.py"}
    names: list[str] = []
    rest = [_SHORT.get(word, word) for word in words if word != "discover"]
    while rest:
        word = rest.pop(0)
        if word in ("-s", "-p", "-t", "-k"):
            found[word] = rest.pop(0) if rest else ""
        elif not word.startswith("-"):
            names.append(word)
    if "discover" in words:
        found |= dict(zip(("-s", "-p"), names, strict=False))
        names = []
    paths = [_path(name, root) for name in names] or [found["-s"]]
    return ("-o", f"python_files={found['-p']}", *paths)


def _path(name: str, root: Path) -> str:
    """`package.module.Class.method` as a pytest node id; a path stays one."""
    if name.endswith(".py") or "/" in name:
        return name
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        file = Path(*parts[:end])
        if (root / file.with_suffix(".py")).is_file():
            return "::".join([file.with_suffix(".py").as_posix(), *parts[end:]])
        if (root / file).is_dir() and end == len(parts):
            return file.as_posix()
    return name
