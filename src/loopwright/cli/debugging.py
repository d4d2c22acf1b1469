"""`debug`: where the failing tests point to, without changing anything."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, Project, elsewhere
from loopwright.cli.output import answer, cells, is_plain, remark

if TYPE_CHECKING:
    from loopwright.domain.debugging import DebugRequest, Diagnosis

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
    from loopwright.wiring.debugging import debug_request

    found = means(project, {"test_command": test_command} if test_command else {})
    request = debug_request(
        found.project, found.config.settings.test_command, option="--test-command", failing=tests or (), python=python,
        seconds=SECONDS,
    )  # fmt: skip
    try:
        diagnosis = asyncio.run(_diagnosed(request))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    look = Look(cells(), plain if is_plain() else coloured)
    page = diagnosis_page(diagnosis, request, found.project, elsewhere(project), look)
    answer(json, {**diagnosis.model_dump(mode="json"), "test_command": request.test_command}, page)


async def _diagnosed(request: "DebugRequest") -> "Diagnosis":
    from loopwright.cli.driving import end_on_signals
    from loopwright.repair.debugger import PythonDebugger

    end_on_signals()
    remark(f"(running {request.test_command} on a copy, and watching which lines each test runs)")
    return await PythonDebugger(marker="debug").diagnose(request)
