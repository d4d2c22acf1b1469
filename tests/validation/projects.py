"""Small projects on disk, and one way to run their tests."""

import asyncio
import shlex
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from loopwright.core.ports import TestOrder
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestRun

PYTHON = shlex.quote(sys.executable)
# Plugins of our own environment are no part of these projects, and take longer to load than the tests to run.
PYTEST = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {PYTHON} -m pytest"
UNITTEST = f"{PYTHON} -m unittest"


def lay_out(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return root


def run(root: Path, command: str, *, timeout: float = 60, silence: float = 0, marker: str = "loop-tests") -> TestRun:
    return asyncio.run(ProjectTests(root).run(TestOrder(command, timeout, marker, silence)))


def statuses(measured: TestRun) -> dict[str, str]:
    assert len({result.key for result in measured.results}) == len(measured.results)
    return {result.key: result.status for result in measured.results}


def message_of(measured: TestRun, key: str) -> str:
    return next(result.error_message or "" for result in measured.results if result.key == key)
