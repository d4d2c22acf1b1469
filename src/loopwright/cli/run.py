"""`run` and `create`: a new loop, or an existing one taken up in this process."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import (
    HERE,
    AgentName,
    AllowTestChanges,
    Auto,
    Json,
    MaxIterations,
    MaxMinutes,
    MinCoverage,
    Project,
    Required,
    TestCommand,
    TestTimeout,
    Title,
    elsewhere,
    opened,
)
from loopwright.cli.output import answer, has_person, is_plain, remark, write
from loopwright.cli.text import clean
from loopwright.domain.errors import Conflict, Exit, Invalid

if TYPE_CHECKING:
    from loopwright.domain.loop import LoopState
    from loopwright.wiring import Engine

Flags = dict[str, object]


def run(
    task: Annotated[str | None, typer.Argument(metavar="TASK", help="What shall be done.", show_default=False)] = None,
    loop_id: Annotated[str | None, typer.Option("--loop-id", metavar="ID", help="Take up this loop instead.")] = None,
    auto: Auto = False,
    agent: AgentName = None,
    max_iterations: MaxIterations = None,
    max_minutes: MaxMinutes = None,
    test_command: TestCommand = None,
    test_timeout: TestTimeout = None,
    allow_test_changes: AllowTestChanges = False,
    require: Required = None,
    min_coverage: MinCoverage = None,
    title: Title = None,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
) -> None:
    """Run a loop until it rests: a new one for TASK, or --loop-id."""
    if (task is None) == (loop_id is None):
        raise Invalid('give either a task, as in: run "fix the failing tests", or --loop-id ID; not both, not neither')
    interactive = not auto and not launched
    if interactive and (json or not has_person()):
        raise Invalid("needs a terminal to ask; use --auto")
    flags = _given(
        agent=agent, max_iterations=max_iterations, max_minutes=max_minutes, test_command=test_command,
        test_timeout=test_timeout, allow_test_changes=allow_test_changes or None, require=require,
        min_coverage=min_coverage,
    )  # fmt: skip
    with opened(project, flags) as engine:
        if task is not None:
            state = _created(engine, task, title, interactive=interactive)
        elif launched:
            state = engine.service.read(str(loop_id))
        else:
            state = _prepared(engine, str(loop_id), flags, title, interactive=interactive)
        if not json and is_plain():
            print(f"{state.loop_id}: {clean(state.title)}", flush=True)
        code = _run(engine, state, flags, interactive=interactive, launched=launched, json=json, at=elsewhere(project))
    raise typer.Exit(code)


def create(
    task: Annotated[str, typer.Argument(metavar="TASK", help="What shall be done.", show_default=False)],
    auto: Auto = False,
    agent: AgentName = None,
    max_iterations: MaxIterations = None,
    max_minutes: MaxMinutes = None,
    test_command: TestCommand = None,
    test_timeout: TestTimeout = None,
    allow_test_changes: AllowTestChanges = False,
    require: Required = None,
    min_coverage: MinCoverage = None,
    title: Title = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Create a loop without starting it."""
    flags = _given(
        agent=agent, max_iterations=max_iterations, max_minutes=max_minutes, test_command=test_command,
        test_timeout=test_timeout, allow_test_changes=allow_test_changes or None, require=require,
        min_coverage=min_coverage,
    )  # fmt: skip
    with opened(project, flags) as engine:
        state = _created(engine, task, title, interactive=not auto)
    id, at = state.loop_id, elsewhere(project)
    answer(json, state, f"{id} created\nstart it with: loopwright start {id}{at}")


def _given(**flags: object) -> Flags:
    return {name: value for name, value in flags.items() if value is not None}


def _created(engine: "Engine", task: str, title: str | None, *, interactive: bool) -> "LoopState":
    """A new loop, unless what it would need is not there."""
    from loopwright.wiring import budget, run_settings

    settings = engine.config.settings
    _check_means(engine, settings.agent, settings.test_command)
    return engine.service.create(
        task, title=title, max_iterations=settings.max_iterations,
        settings=run_settings(settings, interactive=interactive), budget=budget(settings),
        allow_test_changes=settings.allow_test_changes,
    )  # fmt: skip


def _prepared(engine: "Engine", loop_id: str, flags: Flags, title: str | None, *, interactive: bool) -> "LoopState":
    """An existing loop with the settings that were given now; the others stay."""
    from loopwright.domain.engine_state import RunSettings

    service, given = engine.service, engine.config.settings
    state = service.read(loop_id)
    if service.is_live(loop_id):
        raise Conflict(f"{loop_id} is being driven by another process; follow it with: loopwright watch {loop_id}")
    changed = {name: getattr(given, name) for name in flags if name in RunSettings.model_fields}
    _check_means(engine, changed.get("agent", state.engine.settings.agent), changed.get("test_command"))
    texts = _given(title=title, max_iterations=flags.get("max_iterations"))
    if texts:
        service.edit(loop_id, texts)
    return service.configure(
        loop_id, {"mode": "interactive" if interactive else "auto", **changed},
        max_minutes=given.max_minutes if "max_minutes" in flags else None,
        allow_test_changes=True if "allow_test_changes" in flags else None,
    )  # fmt: skip


def _check_means(engine: "Engine", agent: str, test_command: str | None) -> None:
    """Errors that are better seen before a loop exists: AgentError, Invalid."""
    from loopwright.engine.bus import Bus

    engine.runner.agents(agent, "", Bus())
    if test_command:
        engine.runner.tests.check(test_command)


def _run(
    engine: "Engine", state: "LoopState", flags: Flags, *, interactive: bool, launched: bool, json: bool, at: str
) -> Exit:
    from loopwright.cli.driving import drive, tell_rest
    from loopwright.domain import loop_commands as commands

    given = engine.config.settings
    iterations = given.max_iterations if "max_iterations" in flags else None
    minutes = given.max_minutes if "max_minutes" in flags else None

    def take_up(latest: "LoopState") -> "LoopState":
        if launched:
            return commands.begin(latest) if latest.status == "created" else latest
        return commands.take_up(latest, max_iterations=iterations, max_minutes=minutes)

    try:
        rested = drive(engine, state.loop_id, take_up, interactive=interactive, as_json=json)
    except KeyboardInterrupt:
        how = f"loopwright resume {state.loop_id}{at}"
        if json:
            write({"type": "interrupted", "success": False, "loop_id": state.loop_id, "error": f"interrupted; {how}"})
        else:
            remark(f"\nloopwright: interrupted; nothing is lost, take it up again with: {how}")
        return Exit.INTERRUPTED
    return tell_rest(engine, rested, as_json=json, elsewhere=at)
