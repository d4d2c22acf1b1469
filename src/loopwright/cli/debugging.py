"""`debug`: where the failing tests point to, without changing anything."""

from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from loopwright.cli.options import HERE, Json, Project, elsewhere
from loopwright.cli.output import answer, cells, is_plain, remark
from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from loopwright.domain.debugging import DebugRequest, Diagnosis
    from loopwright.domain.looking import Probed, ProbeOrder

T = TypeVar("T")

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
    probe: Annotated[
        str | None,
        typer.Option("--probe", metavar="FILE:LINE", help="What is there each time a failing test comes to this line."),
    ] = None,
    show: Annotated[
        list[str] | None,
        typer.Option("--show", metavar="EXPR", help="With --probe: this expression (default: all local variables)."),
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show which lines the failing tests point to, ranked, with the evidence; nothing is changed."""
    from loopwright.wiring import means
    from loopwright.wiring.debugging import debug_request

    found = means(project, {"test_command": test_command} if test_command else {})
    request = debug_request(
        found.project, found.config.settings.test_command, option="--test-command", failing=tests or (), python=python,
        seconds=SECONDS,
    )  # fmt: skip
    if probe is not None:
        _probe(request, probe, show or [], json=json)
    elif show:
        raise Invalid("--show says what to look at with --probe FILE:LINE; name the line too")
    else:
        _diagnose(request, found.project, elsewhere(project), json=json)


def _diagnose(request: "DebugRequest", root: Path, at: str, *, json: bool) -> None:
    from loopwright.cli.hypotheses import diagnosis_page
    from loopwright.cli.layout import Look, coloured, plain

    diagnosis = _run(_diagnosed(request))
    page = diagnosis_page(diagnosis, request, root, at, Look(cells(), plain if is_plain() else coloured))
    answer(json, {**diagnosis.model_dump(mode="json"), "test_command": request.test_command}, page)


def _probe(request: "DebugRequest", place: str, expressions: list[str], *, json: bool) -> None:
    from loopwright.domain.looking import ProbeOrder, read_place
    from loopwright.mcp.debug_pages import debug_page

    order = ProbeOrder(**read_place(place, request.project)._asdict(), expressions=tuple(expressions))
    seen = _run(_probed(request, order))
    answer(json, {**seen.model_dump(mode="json"), "test_command": request.test_command}, debug_page(seen))


def _run(work: Coroutine[object, object, T]) -> T:
    import asyncio

    try:
        return asyncio.run(work)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _probed(request: "DebugRequest", order: "ProbeOrder") -> "Probed":
    from loopwright.cli.driving import end_on_signals
    from loopwright.repair.debugger import PythonDebugger

    end_on_signals()
    remark(f"(running {request.test_command} on a copy, and watching {order.file}:{order.line})")
    return await PythonDebugger(marker="debug").probe(request, order)


async def _diagnosed(request: "DebugRequest") -> "Diagnosis":
    from loopwright.cli.driving import end_on_signals
    from loopwright.domain.debugging import TRIALS
    from loopwright.repair.debugger import PythonDebugger

    end_on_signals()
    remark(f"(running {request.test_command} on a copy, watching which lines each test runs, then trying small edits)")
    return await PythonDebugger(marker="debug").diagnose(request.evolve(trials=TRIALS))
