"""The table of test frameworks: a new one is one file here and one line below."""

from pathlib import Path

from loopwright.validation.runners.contract import Runner
from loopwright.validation.runners.jest import Jest
from loopwright.validation.runners.node import Node
from loopwright.validation.runners.pytest import Pytest
from loopwright.validation.runners.unittest import Unittest
from loopwright.validation.runners.vitest import Vitest

RUNNERS: tuple[Runner, ...] = (
    Pytest(),
    Unittest(),
    Vitest(),
    Jest(),
    Node(),
)

WRAPPED: Runner = RUNNERS[0]
"""Taken for commands that nobody recognises, such as `make test`: it can be reached through the environment alone."""


def runner_for(command: str, root: Path) -> Runner:
    return next((runner for runner in RUNNERS if runner.recognises(command, root)), WRAPPED)
