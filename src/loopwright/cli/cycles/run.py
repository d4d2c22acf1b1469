"""`cycle run` and `cycle create`: a new cycle, or an existing one taken up in this process."""

from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.cycles.changing import extended_words
from loopwright.cli.cycles.options import CYCLE_SETTINGS, flags
from loopwright.cli.kinds import CYCLES
from loopwright.cli.options import HERE, LIMITS, Given, Json, Project, Task, elsewhere, opened, takes
from loopwright.cli.output import answer, has_person, is_plain, remark
from loopwright.cli.run import run_here, tell_agent
from loopwright.cli.text import clean
from loopwright.domain.errors import Conflict, Exit, Invalid

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwright.domain.cycle import CycleState
    from loopwright.wiring import Engine

    TakeUp = Callable[[CycleState], CycleState]

Title = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Name of the cycle (default: the task's first words).")
]


@takes(CYCLE_SETTINGS)
def run(
    *,
    task: Annotated[str | None, typer.Argument(metavar="TASK", help="What shall be done.", show_default=False)] = None,
    cycle_id: Annotated[
        str | None, typer.Option("--cycle-id", metavar="ID", help="Take up this cycle instead.")
    ] = None,
    extend: Annotated[
        str | None, typer.Option("--extend", metavar="TEXT", help="What shall be added to the task of that cycle.")
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="Make every decision without asking.")] = False,
    given: Given,
    title: Title = None,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
) -> None:
    """Run a cycle until it rests: a new one for TASK, or --cycle-id."""
    if (task is None) == (cycle_id is None):
        raise Invalid('give either a task, as in: cycle run "add a login", or --cycle-id ID; not both, not neither')
    if extend is not None and cycle_id is None:
        raise Invalid('--extend adds to a cycle that is there: cycle run --cycle-id ID --extend "…"')
    interactive = not auto and not launched
    if interactive and (json or not has_person()):
        raise Invalid("needs a terminal to ask; use --auto")
    with opened(project, flags(given)) as engine:
        if task is not None:
            state = _created(engine, task, title, interactive=interactive)
            take_up: TakeUp = _beginning(engine)
        elif launched:
            state, take_up = engine.cycles.read(str(cycle_id)), _beginning(engine)
        else:
            if extend is not None and engine.cycles.is_live(str(cycle_id)):
                raise typer.Exit(_queued(engine, str(cycle_id), extend, json=json, at=elsewhere(project)))
            take_up = _taking_up(engine, given, title, extend, interactive=interactive)
            state = _prepared(engine, str(cycle_id), take_up)
        if not json and is_plain():
            print(f"{state.cycle_id}: {clean(state.title)}", flush=True)
        code = run_here(
            CYCLES, engine, state.cycle_id, take_up,
            interactive=interactive, launched=launched, json=json, at=elsewhere(project),
        )  # fmt: skip
    raise typer.Exit(code)


@takes(CYCLE_SETTINGS)
def create(
    *,
    task: Task,
    auto: Annotated[bool, typer.Option("--auto", help="Make every decision without asking.")] = False,
    given: Given,
    title: Title = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Create a cycle without starting it."""
    with opened(project, flags(given)) as engine:
        state = _created(engine, task, title, interactive=not auto)
    id, at = state.cycle_id, elsewhere(project)
    answer(json, state, f"{id} created\nstart it with: loopwright cycle start {id}{at}")


def _created(engine: "Engine", task: str, title: str | None, *, interactive: bool) -> "CycleState":
    """A new cycle, unless what it would need is not there."""
    engine.load_cycle_prompts()
    state = engine.create_cycle(task, title=title, interactive=interactive)
    tell_agent(engine.config.settings.agent, state.engine.settings.agent)
    return state


def _beginning(engine: "Engine") -> "TakeUp":
    """What the first or a launched runner does: it never undoes a pause that came meanwhile."""
    from loopwright.domain import cycle_commands as commands

    at = engine.cycles.clock.now().isoformat(timespec="milliseconds")

    def take_up(state: "CycleState") -> "CycleState":
        if state.status == "created":
            return commands.take_up(state, at)
        return commands.begun(state, at) if state.status == "running" else state

    return take_up


def _taking_up(
    engine: "Engine", given: Given, title: str | None, extension: str | None, *, interactive: bool
) -> "TakeUp":
    """Start, resume or reopen with the settings that were given now; the others stay. All in one commit, or nothing."""
    from loopwright.domain import cycle_commands as commands
    from loopwright.domain.engine_state import Limits, RunSettings

    known, cycle = engine.config.settings, engine.config.cycle
    settings = {name: getattr(known, name) for name in given if name in RunSettings.model_fields}
    settings["mode"] = "interactive" if interactive else "auto"
    agent, roles = engine.cast(known.agent, cycle.roles) if "agent" in given or "roles" in given else ("", {})
    if "agent" in given:
        settings["agent"] = agent
        tell_agent(known.agent, agent)
    limits = {name: getattr(known, name) for name in LIMITS if name in given and name != "max_iterations"}
    iterations = cycle.max_iterations if "max_iterations" in given else None
    at = engine.cycles.clock.now().isoformat(timespec="milliseconds")

    def take_up(state: "CycleState") -> "CycleState":
        titled = commands.edit(state, {"title": title}) if title is not None else state
        configured = commands.configure(
            titled, settings, limits=Limits(max_iterations=iterations, **limits),
            roles={role: name for role, name in roles.items() if "roles" in given},
            parallel=cycle.parallel if "parallel" in given else None,
            allow_test_changes=given.get("allow_test_changes"),
        )  # fmt: skip
        extended = configured if extension is None else commands.extend(configured, extension, at)
        return commands.take_up(extended, at)

    return take_up


def _prepared(engine: "Engine", cycle_id: str, take_up: "TakeUp") -> "CycleState":
    """The cycle, once it is sure that it can be taken up this way: nothing is written for what will be refused."""
    state = engine.cycles.read(cycle_id)
    if engine.cycles.is_live(cycle_id):
        follow = f"loopwright cycle watch {cycle_id}"
        raise Conflict(f"{cycle_id} is being driven by another process; follow it with: {follow}")
    then = take_up(state)
    settings = then.engine.settings
    engine.cast(settings.agent, then.engine.roles)
    engine.load_cycle_prompts()
    if settings.test_command and settings.test_command != state.engine.settings.test_command:
        engine.runner.tests.check(settings.test_command)
    return then


def _queued(engine: "Engine", cycle_id: str, extension: str, *, json: bool, at: str) -> Exit:
    """Hands an extension to the process that drives the cycle, and follows it."""
    from loopwright.cli.driving import follow, tell_rest

    state = engine.cycles.extend(cycle_id, extension)
    remark(extended_words(state, at))
    rested = follow(CYCLES, engine.cycles, cycle_id, json)
    return tell_rest(CYCLES, engine, rested, as_json=json, elsewhere=at)
