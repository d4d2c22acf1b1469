"""`debug`: where the failing tests point to, without changing anything."""

from collections.abc import Coroutine, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from loopwright.core.errors import Invalid
from loopwright.core.text import plural
from loopwright.surfaces.cli.options import HERE, Json, Project, project_option
from loopwright.surfaces.cli.output import count_cells, is_plain, print_answer, print_remark
from loopwright.surfaces.cli.text import Layout, label_text, layout_source, shorten_text, wrap_text

if TYPE_CHECKING:
    from pydantic import JsonValue

    from loopwright.evidence.debugging import DebugRequest, Diagnosis, ProbeOrder, ProbeResult
    from loopwright.evidence.hypotheses import Hypothesis


T = TypeVar("T")

SECONDS = 120.0
"""A diagnosis may take, at most."""


def debug(
    tests: Annotated[
        list[str] | None,
        typer.Option("--tests", metavar="NODEID", help="Only this failing test; repeatable (default: all)."),
    ] = None,
    test_command: Annotated[
        str | None, typer.Option("--test-command", metavar="CMD", help="Command to run the tests (default: detected).")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="Interpreter that runs the tests (default: detected)."),
    ] = None,
    probe: Annotated[
        str | None,
        typer.Option("--probe", metavar="FILE:LINE", help="Show variables whenever a failing test reaches this line."),
    ] = None,
    show: Annotated[
        list[str] | None,
        typer.Option("--show", metavar="EXPR", help="With --probe: expression to show (default: all local variables)."),
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show which lines the failing tests point to, ranked, with evidence; changes nothing."""
    from loopwright.processes.environment import pass_secrets
    from loopwright.wiring import read_means
    from loopwright.wiring.debugging import debug_request

    found = read_means(project, {"test_command": test_command} if test_command else {})
    request = debug_request(
        found.project,
        found.config.settings.test_command,
        option="--test-command",
        failing=tests or (),
        python=python,
        seconds=SECONDS,
    )
    if probe is None and show:
        raise Invalid("--show needs --probe FILE:LINE")
    with pass_secrets(found.config.settings.pass_env):
        if probe is not None:
            _probe(request, probe, show or [], json=json)
        else:
            _diagnose(request, found.project, project_option(project), json=json)


def _diagnose(request: "DebugRequest", root: Path, at: str, *, json: bool) -> None:
    from loopwright.surfaces.cli.text import Layout, paint_coloured, paint_plain

    diagnosis = _run(_diagnosed(request))
    page = diagnosis_page(
        diagnosis, request, root, at, Layout(count_cells(), paint_plain if is_plain() else paint_coloured)
    )
    print_answer(json, {**diagnosis.model_dump(mode="json"), "test_command": request.test_command}, page)


def _probe(request: "DebugRequest", place: str, expressions: list[str], *, json: bool) -> None:
    from loopwright.evidence.debugging import ProbeOrder, parse_position
    from loopwright.surfaces.mcp.debug_pages import debug_page

    order = ProbeOrder(**parse_position(place, request.project)._asdict(), expressions=tuple(expressions))
    seen = _run(_probed(request, order))
    print_answer(json, {**seen.model_dump(mode="json"), "test_command": request.test_command}, debug_page(seen))


def _run(work: Coroutine[object, object, T]) -> T:
    import asyncio

    try:
        return asyncio.run(work)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _probed(request: "DebugRequest", order: "ProbeOrder") -> "ProbeResult":
    from loopwright.repair.debugger import PythonDebugger
    from loopwright.surfaces.cli.run_driver import end_on_signals

    end_on_signals()
    print_remark(f"(running {request.test_command} on a copy, and watching {order.file}:{order.line})")
    return await PythonDebugger(marker="debug").probe(request, order)


async def _diagnosed(request: "DebugRequest") -> "Diagnosis":
    from loopwright.evidence.debugging import TRIALS
    from loopwright.repair.debugger import PythonDebugger
    from loopwright.surfaces.cli.run_driver import end_on_signals

    end_on_signals()
    print_remark(
        f"(running {request.test_command} on a copy, watching which lines each test runs, then trying small edits)"
    )
    return await PythonDebugger(marker="debug").diagnose(request.evolve(trials=TRIALS))


INDENT = 8
SEEN = 3
"""Times that a line was reached of which the values are shown."""
VALUES_CELLS = 400


def diagnosis_page(diagnosis: "Diagnosis", request: "DebugRequest", root: Path, at: str, look: Layout) -> str:
    """`root` of the project; `at`: what a suggested command adds when that is not the current folder."""
    if not diagnosis.hypotheses:
        return "\n".join(wrap_text(diagnosis.note or "nothing found to investigate", look.cells))
    lines = [look.paint("strong", line) for line in wrap_text(diagnosis.active_bug, look.cells)]
    for number, hypothesis in enumerate(diagnosis.hypotheses, start=1):
        lines += ["", *_hypothesis(number, hypothesis, root, look)]
    if diagnosis.note:
        lines += ["", *wrap_text(diagnosis.note, look.cells)]
    if all("says" not in (one.evidence or {}) for one in diagnosis.hypotheses):
        lines += ["", f'next: loopwright run "Make the tests pass" --agent builtin --auto{at}']
    return "\n".join(lines)


def _hypothesis(number: int, hypothesis: "Hypothesis", root: Path, look: Layout) -> Iterator[str]:
    evidence: Mapping[str, JsonValue] = hypothesis.evidence or {}
    file, line, func = (evidence.get(name) for name in ("file", "line", "func"))
    yield f"{look.paint('high', f'{number:>2}')}  {look.paint('strong', f'{file}:{line}')} in {func}"
    if isinstance(line, int):
        yield from layout_source(line, _line_of(root / str(file), line), (0, 0), "high", look)[:1]
    yield from label_text("   why", _why(evidence), look, INDENT)
    for n, values in enumerate(_seen(evidence)):
        yield from label_text("   seen" if n == 0 else "", shorten_text(values, VALUES_CELLS), look, INDENT)


def _why(evidence: "Mapping[str, JsonValue]") -> str:
    if "says" in evidence:
        return f"Python cannot load it: {evidence['says']}"
    raised = evidence.get("exceptions")
    came = f"; {' and '.join(map(str, raised))} came from it" if isinstance(raised, list) and raised else ""
    ran = f"{_tests(evidence, 'failing')} and {_tests(evidence, 'passing')} ran it"
    turned, tried = evidence.get("candidates_that_turned_a_test"), evidence.get("candidates_tried")
    helped = f"; {turned} of {tried} small edits here made a failing test pass" if turned else ""
    changed = "; changed since the last commit" if evidence.get("changed_since_last_commit") else ""
    return f"{ran}{came}{changed}{helped}; suspiciousness {evidence.get('suspiciousness')} of 1"


def _tests(evidence: "Mapping[str, JsonValue]", kind: str) -> str:
    count = evidence.get(f"{kind}_tests")
    return plural(count if isinstance(count, int) else 0, f"{kind} test")


def _seen(evidence: "Mapping[str, JsonValue]") -> list[str]:
    """What the variables held, a line for each time that was different."""
    found = evidence.get("probe_values")
    times = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    told = (", ".join(f"{name}={value}" for name, value in one.items() if name.isidentifier()) for one in times)
    return list(dict.fromkeys(filter(None, told)))[:SEEN]


def _line_of(path: Path, line: int) -> str:
    """Nothing where the file has changed or gone since it was measured."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()[line - 1].strip()
    except (OSError, IndexError):
        return ""
