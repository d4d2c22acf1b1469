"""The table of test frameworks: a new one is one file here and one line below."""

from pathlib import Path

from loopwright.validation.runners.cargo import Cargo
from loopwright.validation.runners.contract import Runner
from loopwright.validation.runners.go import Go
from loopwright.validation.runners.jest import Jest
from loopwright.validation.runners.make import Wrapped
from loopwright.validation.runners.maven import Maven
from loopwright.validation.runners.node import Node
from loopwright.validation.runners.pytest import Pytest
from loopwright.validation.runners.unittest import Unittest
from loopwright.validation.runners.vitest import Vitest

FRAMEWORKS: tuple[Runner, ...] = (
    Pytest(),
    Unittest(),
    Vitest(),
    Jest(),
    Node(),
    Go(),
    Cargo(),
    Maven(),
)

WRAPPED: Runner = Wrapped(FRAMEWORKS)
"""Takes every command that not exactly one framework recognises."""

RUNNERS: tuple[Runner, ...] = (*FRAMEWORKS, WRAPPED)


def runner_for(command: str, root: Path) -> Runner:
    named = [framework for framework in FRAMEWORKS if framework.recognises(command, root)]
    return named[0] if len(named) == 1 else WRAPPED
