"""The table of test frameworks: a new one is one file here and one line below."""

import shlex
from pathlib import Path

from loopwright.evidence.javascript import package_json
from loopwright.evidence.runners.cargo import Cargo
from loopwright.evidence.runners.contract import Runner
from loopwright.evidence.runners.go import Go
from loopwright.evidence.runners.javascript import Jest, Node, Vitest
from loopwright.evidence.runners.make import Wrapped
from loopwright.evidence.runners.maven import Maven
from loopwright.evidence.runners.pytest import Pytest
from loopwright.evidence.runners.unittest import Unittest

PYTHON: tuple[Runner, ...] = (Pytest(), Unittest())

FRAMEWORKS: tuple[Runner, ...] = (
    *PYTHON,
    Vitest(),
    Jest(),
    Node(),
    Go(),
    Cargo(),
    Maven(),
)

WRAPPED: Runner = Wrapped(FRAMEWORKS)
"""Takes every command that does more than to run exactly one framework that it names."""

RUNNERS: tuple[Runner, ...] = (*FRAMEWORKS, WRAPPED)


def detected(root: Path) -> str | None:
    """The command of the first that finds its tests: Python's first, unless package.json alone says what they are."""
    leads = package_json.leads(root)
    runners = sorted(RUNNERS, key=lambda runner: runner in PYTHON) if leads else RUNNERS
    return next((command for runner in runners if (command := runner.detect(root))), None)


def runner_for(command: str, root: Path) -> Runner:
    named = [framework for framework in FRAMEWORKS if framework.recognises(command, root)]
    return named[0] if len(named) == 1 and not _has_parts(command) else WRAPPED


def _has_parts(command: str) -> bool:
    """Whether it is more than one command: what the others run is not written on it."""
    try:
        return any(not word.strip(";&|") for word in shlex.shlex(command, posix=True, punctuation_chars=True))
    except ValueError:  # a quotation without its end: the shell will say so
        return False
