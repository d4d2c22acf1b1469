"""The table of test frameworks: a new one is one file here and one line below."""

import shlex
from pathlib import Path

from loopwright.evidence.javascript import package_json
from loopwright.evidence.runners.cargo import CargoRunner
from loopwright.evidence.runners.contract import FrameworkRunner
from loopwright.evidence.runners.go import GoRunner
from loopwright.evidence.runners.javascript import JestRunner, NodeRunner, VitestRunner
from loopwright.evidence.runners.make import WrapperRunner
from loopwright.evidence.runners.maven import MavenRunner
from loopwright.evidence.runners.pytest import PytestRunner
from loopwright.evidence.runners.unittest import UnittestRunner

PYTHON: tuple[FrameworkRunner, ...] = (PytestRunner(), UnittestRunner())

FRAMEWORKS: tuple[FrameworkRunner, ...] = (
    *PYTHON,
    VitestRunner(),
    JestRunner(),
    NodeRunner(),
    GoRunner(),
    CargoRunner(),
    MavenRunner(),
)

WRAPPED: FrameworkRunner = WrapperRunner(FRAMEWORKS)
"""Takes every command that does more than to run exactly one framework that it names."""


def detect_command(root: Path) -> str | None:
    """The command of the first that finds its tests: Python's first, unless package.json alone says what they are."""
    leads = package_json.decides_runner(root)
    listed = (*FRAMEWORKS, WRAPPED)
    runners = sorted(listed, key=lambda runner: runner in PYTHON) if leads else listed
    return next((command for runner in runners if (command := runner.detect(root))), None)


def find_runner(command: str, root: Path) -> FrameworkRunner:
    named = [framework for framework in FRAMEWORKS if framework.recognises(command, root)]
    return named[0] if len(named) == 1 and not _has_parts(command) else WRAPPED


def _has_parts(command: str) -> bool:
    """Whether it is more than one command: what the others run is not written on it."""
    try:
        return any(not word.strip(";&|") for word in shlex.shlex(command, posix=True, punctuation_chars=True))
    except ValueError:  # a quotation without its end: the shell will say so
        return False
