"""`demo`: the main job on a packaged example, from failing tests to a fix."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import loopwright
from loopwright.core.errors import ExitCode, Invalid, NotFound
from loopwright.surfaces.cli.kinds import LOOPS
from loopwright.surfaces.cli.options import Json, open_project, quote_shell
from loopwright.surfaces.cli.output import is_plain, print_json, show_patience

if TYPE_CHECKING:
    from loopwright.evidence.testing import TestRun
    from loopwright.wiring import Engine
    from loopwright.workflows.loop.model import LoopState

TASK = "Make the tests pass"
MINUTES = 10.0

Flags = dict[str, object]


def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Keep the example's folder.")] = False,
    not_found: Annotated[bool, typer.Option("--not-found", help="Use an example whose fault is not found.")] = False,
    json: Json = False,
) -> None:
    """Find and fix the faults in an example project."""
    import os
    import shutil
    import tempfile

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the examples ask for none
    folder = Path(tempfile.mkdtemp(prefix="loopwright-demo-"))
    try:
        project = folder / ("roastery" if not_found else "cinema_desk")
        shutil.copytree(_examples() / project.name, project, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        code = _play(project, keep=keep, as_json=json)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    raise typer.Exit(code)


def _examples() -> Path:
    """In an installed package beside the code, in a source tree at its top."""
    packaged = Path(loopwright.__file__).parent / "examples"
    candidates = (packaged, packaged.parent.parent.parent / "examples")
    found = next((path for path in candidates if path.is_dir()), None)
    if found is None:
        raise NotFound("this installation does not include the examples")
    return found


def _play(project: Path, *, keep: bool, as_json: bool) -> ExitCode:
    import asyncio

    from loopwright.surfaces.cli.run_driver import drive_run, open_view
    from loopwright.wiring import make_budget, run_settings
    from loopwright.workflows.loop import commands

    # A copy that goes away takes its checkpoints along.
    place: Flags = {} if keep else {"checkpoints": str(project.parent / "checkpoints")}
    with open_project(project, {"agent": "builtin", "max_minutes": MINUTES, **place}) as engine:
        if engine.project != project.resolve():
            raise Invalid(f"the temporary folder {project.parent} lies in a git work tree; set TMPDIR elsewhere")
        if not as_json:
            print(f"{project} is a copy of an example. Its tests, as they are:", flush=True)
            _show_tests(asyncio.run(_run_tests(engine)))
            print(f'\nNow running: loopwright run "{TASK}" --auto --agent builtin\n', flush=True)
        settings = engine.config.settings
        state = engine.service.create(
            TASK, settings=run_settings(settings, interactive=False), budget=make_budget(settings)
        )
        with open_view(as_json) as view:
            state = drive_run(view, LOOPS, engine, state.loop_id, commands.take_up)
        return _tell(engine, state, keep=keep, as_json=as_json)


async def _run_tests(engine: "Engine") -> "TestRun":
    from loopwright.core.ports import TestOrder

    tests = engine.runners.loop.tests
    command = tests.detect()
    assert command is not None, "both examples have tests"
    order = TestOrder(command, timeout=engine.config.settings.test_timeout, marker="demo")
    with show_patience(f"running {command}"):
        return await tests.run(order)


def _show_tests(run: "TestRun") -> None:
    for key in run.failed:
        print(f"  ✗ {key}")
    print(f"  {len(run.failed)} failed, {run.passed_count} passed")


def _tell(engine: "Engine", state: "LoopState", *, keep: bool, as_json: bool) -> ExitCode:
    """What was changed, the summary that the loop wrote, and where to look."""
    from loopwright.core.pause import exit_for
    from loopwright.surfaces.cli.loop_rendering import LOOP
    from loopwright.surfaces.cli.plain import rest_object
    from loopwright.surfaces.cli.text import clean_lines, colour_diff

    code = exit_for(state)
    diff = engine.service.diff(state.loop_id)
    if as_json:
        print_json(
            {
                **rest_object(state, code, loop_id=state.loop_id),
                "diff": diff,
                "project": str(engine.project) if keep else None,
            }
        )
        return code
    summary = engine.service.store.progress_path(state.loop_id) / "summary.md"
    shown = clean_lines(diff).rstrip()
    print(f"\n{shown if is_plain() else colour_diff(shown)}" if shown else "\nNothing was changed.")
    print(f"\nsummary.md:\n\n{clean_lines(summary.read_text(encoding='utf-8'))}")
    print(LOOP.headline(state))
    where = f"loopwright show {state.loop_id} --project {quote_shell(str(engine.project))}"
    print(f"The copy is kept; inspect it with: {where}" if keep else "The copy has been removed; --keep keeps it.")
    return code
