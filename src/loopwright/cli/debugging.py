"""`debug`: where the failing tests point to, without changing anything."""

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, Project, elsewhere
from loopwright.cli.output import answer, cells, is_plain, remark
from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from loopwright.domain.debugging import DebugRequest, Diagnosis
    from loopwright.wiring import Means

SECONDS = 120.0
"""A diagnosis may take, at most."""


def debug(
    tests: Annotated[
        list[str] | None,
        typer.Option("--tests", metavar="NODEID", help="Only this failing test; may be repeated (default: all)."),
    ] = None,
    test_command: Annotated[
        str | None, typer.Option("--test-command", metavar="CMD", help="How the tests are run (default: detected).")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="The interpreter that runs the tests (default: detected)."),
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show which lines the failing tests point to, ranked, with the evidence; nothing is changed."""
    import asyncio

    from loopwright.cli.hypotheses import diagnosis_page
    from loopwright.cli.layout import Look, coloured, plain
    from loopwright.wiring import means

    found = means(project, {"test_command": test_command} if test_command else {})
    request = _request(found, tuple(tests or ()), python)
    try:
        diagnosis = asyncio.run(_diagnosed(request))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    look = Look(cells(), plain if is_plain() else coloured)
    page = diagnosis_page(diagnosis, request, found.project, elsewhere(project), look)
    answer(json, {**diagnosis.model_dump(mode="json"), "test_command": request.test_command}, page)


def _request(means: "Means", failing: tuple[str, ...], python: str | None) -> "DebugRequest":
    from loopwright.domain.debugging import DebugRequest
    from loopwright.repair.command import parse
    from loopwright.validation.run import ProjectTests

    tests = ProjectTests(means.project)
    command = means.config.settings.test_command or tests.detect()
    if command is None:
        raise Invalid("no tests were found here; name the command that runs them with --test-command")
    tests.check(command)
    if parse(command, means.project) is None:
        raise Invalid(f"debug looks into Python projects: {command!r} is neither plain pytest nor unittest")
    if python is not None and shutil.which(python) is None:
        raise Invalid(f"--python {python}: there is no such interpreter")
    return DebugRequest(
        project=str(means.project), python=python or tests.interpreter(command) or sys.executable,
        test_command=command, failing=failing, budget_seconds=SECONDS,
    )  # fmt: skip


async def _diagnosed(request: "DebugRequest") -> "Diagnosis":
    from loopwright.cli.driving import end_on_signals
    from loopwright.repair.debugger import PythonDebugger

    end_on_signals()
    remark(f"(running {request.test_command} on a copy, and watching which lines each test runs)")
    return await PythonDebugger(marker="debug").diagnose(request)
