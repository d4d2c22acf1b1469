"""`run` and `create`: a new loop, or an existing one taken up in this process."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.errors import Conflict, ExitCode, Invalid
from loopwright.core.text import clean_line
from loopwright.surfaces.cli.attempts import ATTEMPTS, create_attempts, drive_attempts, read_attempts
from loopwright.surfaces.cli.kinds import LOOPS, AnyKind
from loopwright.surfaces.cli.options import (
    HERE,
    SETTINGS,
    Auto,
    Given,
    Json,
    OptionalTask,
    Project,
    Title,
    add_options,
    open_project,
    project_option,
    read_limits,
    read_options,
)
from loopwright.surfaces.cli.output import (
    NO_SANDBOX,
    SilentExit,
    has_person,
    is_plain,
    print_answer,
    print_json,
    print_remark,
)
from loopwright.surfaces.cli.sources import SOURCES, NewWork, gather_work, need_work

if TYPE_CHECKING:
    from loopwright.core.state import RunSettings
    from loopwright.wiring import Engine
    from loopwright.workflows.loop.model import LoopState

    TakeUp = Callable[[LoopState], LoopState]


@add_options({**SOURCES, **SETTINGS, **ATTEMPTS})
def run(
    *,
    task: OptionalTask = None,
    loop_id: Annotated[str | None, typer.Option("--loop-id", metavar="ID", help="Continue this loop instead.")] = None,
    auto: Auto = False,
    title: Title = None,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Run a loop until it ends or pauses: a new one for TASK, or --loop-id."""
    given = read_options(options)
    attempts = read_attempts(given, auto=auto, loop_id=loop_id)
    has_work = task is not None or not given.keys().isdisjoint(SOURCES)
    if has_work == (loop_id is not None):
        raise Invalid('give either a task, as in: run "fix the failing tests", or --loop-id ID, but not both')
    interactive = not auto and not launched
    if interactive and (json or not has_person()):
        raise Invalid("needs a terminal to ask; use --auto")
    take_up: TakeUp = _begin
    work = gather_work(task, given, project)
    with open_project(project, given) as engine:
        if attempts and work is not None:
            first = create_attempts(engine, work, title, attempts)
            raise typer.Exit(drive_attempts(engine, first.loop_id, json=json, at=project_option(project)))
        if work is not None:
            state = create_loop(engine, work, title, interactive=interactive)
        elif launched:
            state = engine.service.read(str(loop_id))
        else:
            take_up = _taking_up(engine, given, title, interactive=interactive)
            state = _prepared(engine, str(loop_id), take_up)
        if not json and is_plain():
            print(f"{state.loop_id}: {clean_line(state.title)}", flush=True)
        code = run_in_process(
            LOOPS,
            engine,
            state.loop_id,
            take_up,
            interactive=interactive,
            launched=launched,
            json=json,
            at=project_option(project),
        )
    raise typer.Exit(code)


@add_options({**SOURCES, **SETTINGS, **ATTEMPTS})
def create(
    *,
    task: OptionalTask = None,
    auto: Auto = False,
    title: Title = None,
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Create a loop without starting it."""
    given = read_options(options)
    attempts = read_attempts(given, auto=auto, loop_id=None)
    work = need_work(gather_work(task, given, project))
    with open_project(project, given) as engine:
        if attempts:
            state = create_attempts(engine, work, title, attempts)
        else:
            state = create_loop(engine, work, title, interactive=not auto)
    id, at = state.loop_id, project_option(project)
    print_answer(json, state, f"{id} created\nstart it with: loopwright start {id}{at}")


def create_loop(
    engine: "Engine", work: NewWork, title: str | None, *, interactive: bool, elsewhere: bool = False
) -> "LoopState":
    """A new loop, unless what it would need is not there."""
    engine.load_prompts()
    state = engine.create(work.task, title=title, interactive=interactive, sources=work.sources, elsewhere=elsewhere)
    announce_agent(engine.config.settings.agent, state.engine.settings.agent)
    announce_sandbox(engine, state.engine.settings)
    return state


def announce_sandbox(engine: "Engine", settings: "RunSettings") -> None:
    """That there is none, where the best was wanted."""
    if settings.sandbox == "auto" and engine.find_sandbox("auto") == "none":
        print_remark(f"WARNING: {NO_SANDBOX}")


def announce_agent(asked: str, taken: str) -> None:
    """Who works on the loop from now on, where nobody was named."""
    from loopwright.core.agent_names import read_choice  # slow to load, and help has no use for it

    if read_choice(asked).name != taken:
        none = "auto: no coding agent is installed, see loopwright doctor" if taken == "builtin" else "auto"
        print_remark(f"agent: {taken} ({none})")


def _begin(state: "LoopState") -> "LoopState":
    """What a launched runner does: it never undoes a pause that came meanwhile."""
    from loopwright.workflows.loop.commands import begin

    return begin(state) if state.status == "created" else state


def _taking_up(engine: "Engine", given: Given, title: str | None, *, interactive: bool) -> "TakeUp":
    """Start, resume or reopen with the settings that were given now; the others stay. All in one commit, or nothing."""
    from loopwright.core.state import RunSettings
    from loopwright.wiring import work_by
    from loopwright.workflows.loop import commands

    known = engine.config.settings
    changed = {name: getattr(known, name) for name in given if name in RunSettings.model_fields}
    if "agent" in changed:
        announce_agent(known.agent, engine.agents.choose(known.agent).name)
    settings = {"mode": "interactive" if interactive else "auto", **changed}

    def take_up(state: "LoopState") -> "LoopState":
        titled = commands.edit(state, {"title": title}) if title is not None else state
        chosen = engine.choose_again(state.engine.settings, given)
        by: dict[str, object] = {**work_by(chosen)}
        if "fallback" in given:
            by["fallback"] = engine.agents.check_fallback(known.fallback, str(chosen))
        if "review" in given:
            by["review"] = engine.agents.check_review(known.review)
        configured = commands.configure(
            titled,
            {**settings, **by},
            limits=read_limits(engine, given),
            allow_test_changes=given.get("allow_test_changes"),
        )
        return commands.take_up(configured)

    return take_up


def _prepared(engine: "Engine", loop_id: str, take_up: "TakeUp") -> "LoopState":
    """The loop, once it is sure that it can be taken up this way: nothing is written for what will be refused."""
    service = engine.service
    state = service.read(loop_id)
    if service.is_live(loop_id):
        raise Conflict(f"{loop_id} is being driven by another process; follow it with: loopwright watch {loop_id}")
    then = take_up(state)
    settings = then.engine.settings
    before = state.engine.settings
    _check_means(
        engine, settings.agent, settings.test_command if settings.test_command != before.test_command else None
    )
    if (settings.agent, settings.model, settings.effort) != (before.agent, before.model, before.effort):
        from loopwright.core.agent_names import complete_name  # slow to load, and help has no use for it

        engine.agents.check_choices(complete_name(settings.agent, settings))
    engine.check_sandbox(settings)
    return then


def _check_means(engine: "Engine", agent: str, test_command: str | None) -> None:
    """Errors that are better seen before a loop exists: AgentError, Invalid."""
    engine.agents.check(agent)
    engine.load_prompts()
    if test_command:
        engine.runners.loop.tests.check(test_command)


def run_in_process(
    kind: AnyKind,
    engine: "Engine",
    id: str,
    take_up: "Callable[[Any], Any]",  # Any: states of the kind
    *,
    interactive: bool,
    launched: bool,
    json: bool,
    at: str,
) -> ExitCode:
    """Drives it in this process, and says how it came to rest. `at` ends each suggested command."""
    from loopwright.surfaces.cli.run_driver import drive_run, open_view, report_rest

    try:
        with open_view(json) as view:
            rested = drive_run(view, kind, engine, id, take_up, interactive=interactive, launched=launched)
    except KeyboardInterrupt:
        how = f"{kind.again} {id}{at}" if interactive else f"{kind.line} resume {id}{at}"
        if json:
            print_json({"type": "interrupted", "success": False, kind.key: id, "error": f"interrupted; {how}"})
        else:
            print_remark(f"\nloopwright: interrupted; nothing is lost, continue with: {how}")
        raise SilentExit(ExitCode.INTERRUPTED) from None
    return report_rest(kind, engine, rested, as_json=json, elsewhere=at)
