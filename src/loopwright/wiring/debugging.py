"""What the debugger is asked where no loop asks it: by a person at a terminal, or by an agent from outside."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from loopwright.core.errors import Invalid
from loopwright.evidence.debugging import DebugRequest


def debug_request(
    project: Path,
    command: str | None,
    *,
    option: str,
    failing: Sequence[str] = (),
    python: str | None = None,
    seconds: float = 120,
) -> DebugRequest:
    """For all tests that fail, or these. `command`: as configured, default: detected; `option` is where it is given.

    Invalid: the debugger cannot work with this project's tests.
    """
    from loopwright.evidence.run import ProjectTests
    from loopwright.repair.command import parse_command

    tests = ProjectTests(project)
    command = command or tests.detect()
    if command is None:
        raise Invalid(f"no tests were found here; name the command that runs them with {option}")
    tests.check(command)
    if parse_command(command, project) is None:
        raise Invalid(f"debug works on Python projects: {command!r} is neither plain pytest nor unittest")
    if python is not None and shutil.which(python) is None:
        raise Invalid(f"--python {python}: there is no such interpreter")
    return DebugRequest(
        project=str(project),
        python=python or tests.interpreter(command) or sys.executable,
        test_command=command,
        failing=tuple(failing),
        budget_seconds=seconds,
    )
