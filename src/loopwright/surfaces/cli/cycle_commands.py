"""`loopwright cycle …`: four roles that work on one task, in iterations."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.errors import Conflict, ExitCode, Invalid
from loopwright.core.text import clean_line
from loopwright.surfaces.cli import follow, loop_commands, pull_request, show_commands, verify
from loopwright.surfaces.cli.derived_commands import extended_words
from loopwright.surfaces.cli.kinds import CYCLES, CycleId, bind_kind
from loopwright.surfaces.cli.options import (
    HERE,
    LIMITS,
    SETTINGS,
    Given,
    Json,
    OptionalTask,
    Project,
    add_options,
    open_project,
    project_option,
    read_options,
)
from loopwright.surfaces.cli.output import has_person, is_plain, print_answer, print_remark
from loopwright.surfaces.cli.run import announce_agent, announce_sandbox, run_in_process
from loopwright.surfaces.cli.show_commands import show_diff
from loopwright.surfaces.cli.sources import SOURCES, NewWork, gather_work, need_work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwright.wiring import Engine
    from loopwright.workflows.cycle.files import Document
    from loopwright.workflows.cycle.model import CycleState

    TakeUp = Callable[[CycleState], CycleState]


def documents(
    cycle_id: CycleId,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", show_default=False, help="Document to print: ra/requirements.md, …"),
    ] = None,
    version: Annotated[str | None, typer.Option("--version", metavar="V", help="Version to print: 1.0.0, …")] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List what the roles have written, or print one document."""
    from dataclasses import asdict

    from loopwright.surfaces.cli.text import clean_lines

    if version is not None and name is None:
        raise Invalid("--version is for one document; name it, as in: documents ID ra/requirements.md --version 1.0.0")
    with open_project(project) as engine:
        if name is None:
            found = engine.cycles.documents(cycle_id)
            print_answer(json, [asdict(document) for document in found], _listed(found), total=len(found))
            return
        document = engine.cycles.document(cycle_id, name, version)
    if document.truncated and not json:
        print_remark(f"only the beginning of {name} is shown")
    print_answer(json, document._asdict(), clean_lines(document.text).rstrip("\n"))


def _listed(found: "Sequence[Document]") -> str:
    """Name, size, and the versions that are kept."""
    from loopwright.surfaces.cli.text import align_columns, format_time

    rows = [(d.name, f"{d.size:,}", format_time(d.modified_at), ", ".join(d.versions) or "-") for d in found]
    return (
        "\n".join(align_columns([("DOCUMENT", "BYTES", "CHANGED", "VERSIONS"), *rows]))
        if rows
        else "nothing written yet"
    )


def diff(
    cycle_id: CycleId,
    iteration: Annotated[
        int | None, typer.Option("--iteration", metavar="N", help="Only what this iteration changed.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what a cycle has changed in the project."""
    with open_project(project) as engine:
        text = engine.cycles.diff(cycle_id, iteration)
    show_diff(text, json)


CYCLE_ONLY: dict[str, Any] = {  # Any: types with a typer.Option
    "max_iterations": Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="Maximum iterations (default: 5).")
    ],
    "parallel": Annotated[
        int | None, typer.Option("--parallel", metavar="N", help="Agents working in parallel, 1 to 4 (default: 2).")
    ],
    "roles": Annotated[
        list[str] | None,
        typer.Option(
            "--role",
            metavar="ROLE=NAME",
            help="Agent for ra, ep, cd or vas, as in cd=codex or cd=codex:MODEL@EFFORT; repeatable.",
        ),
    ],
}
"""Options that are settings of [cycle]."""

WHO = ("agent", "model", "effort", "fallback")
CYCLE_SETTINGS: dict[str, Any] = {
    **{name: SETTINGS[name] for name in WHO},
    **CYCLE_ONLY,
    **{name: option for name, option in SETTINGS.items() if name not in (*WHO, *CYCLE_ONLY, "review")},
}
"""Options of `cycle run` and `cycle create`: each is the setting of the same name."""

CYCLE_FIELDS: dict[str, Any] = {
    "title": Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Title of the cycle.")],
    "max_iterations": CYCLE_ONLY["max_iterations"],
}
"""Options of `cycle edit`: each is the cycle's field of the same name."""


def collect_flags(given: Given) -> Given:
    """What was typed, as the settings want it: those of cycles in their own table."""
    of_cycles = {name: value for name, value in given.items() if name in CYCLE_ONLY}
    return {**{name: value for name, value in given.items() if name not in CYCLE_ONLY}, "cycle": of_cycles}


@add_options(CYCLE_FIELDS)
def edit(
    cycle_id: CycleId,
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Change a cycle's title and limit; use extend to change its task."""
    given = read_options(options)
    with open_project(project) as engine:
        state = engine.cycles.edit(cycle_id, given)
    print_answer(json, state, f"{cycle_id}: changed {', '.join(given)}")


Title = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Title of the cycle (default: the task's first line).")
]


@add_options({**SOURCES, **CYCLE_SETTINGS})
def run(
    *,
    task: OptionalTask = None,
    cycle_id: Annotated[
        str | None, typer.Option("--cycle-id", metavar="ID", help="Continue this cycle instead.")
    ] = None,
    extend: Annotated[
        str | None, typer.Option("--extend", metavar="TEXT", help="What to add to that cycle's task.")
    ] = None,
    auto: Annotated[bool, typer.Option("--auto", help="Make every decision without asking.")] = False,
    title: Title = None,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Run a cycle until it ends or pauses: a new one for TASK, or --cycle-id."""
    given = read_options(options)
    has_work = task is not None or not given.keys().isdisjoint(SOURCES)
    if has_work == (cycle_id is not None):
        raise Invalid('give either a task, as in: cycle run "add a login", or --cycle-id ID, but not both')
    if extend is not None and cycle_id is None:
        raise Invalid('--extend adds to an existing cycle: cycle run --cycle-id ID --extend "…"')
    interactive = not auto and not launched
    if interactive and (json or not has_person()):
        raise Invalid("needs a terminal to ask; use --auto")
    work = gather_work(task, given, project)
    with open_project(project, collect_flags(given)) as engine:
        if work is not None:
            state = _created(engine, work, title, interactive=interactive)
            take_up: TakeUp = _beginning(engine)
        elif launched:
            state, take_up = engine.cycles.read(str(cycle_id)), _beginning(engine)
        else:
            if extend is not None and engine.cycles.is_live(str(cycle_id)):
                raise typer.Exit(_queued(engine, str(cycle_id), extend, json=json, at=project_option(project)))
            take_up = _taking_up(engine, given, title, extend, interactive=interactive)
            state = _prepared(engine, str(cycle_id), take_up)
        if not json and is_plain():
            print(f"{state.cycle_id}: {clean_line(state.title)}", flush=True)
        code = run_in_process(
            CYCLES,
            engine,
            state.cycle_id,
            take_up,
            interactive=interactive,
            launched=launched,
            json=json,
            at=project_option(project),
        )
    raise typer.Exit(code)


@add_options({**SOURCES, **CYCLE_SETTINGS})
def create(
    *,
    task: OptionalTask = None,
    auto: Annotated[bool, typer.Option("--auto", help="Make every decision without asking.")] = False,
    title: Title = None,
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Create a cycle without starting it."""
    given = read_options(options)
    work = need_work(gather_work(task, given, project))
    with open_project(project, collect_flags(given)) as engine:
        state = _created(engine, work, title, interactive=not auto)
    id, at = state.cycle_id, project_option(project)
    print_answer(json, state, f"{id} created\nstart it with: loopwright cycle start {id}{at}")


def _created(engine: "Engine", work: NewWork, title: str | None, *, interactive: bool) -> "CycleState":
    """A new cycle, unless what it would need is not there."""
    engine.load_cycle_prompts()
    state = engine.create_cycle(work.task, title=title, interactive=interactive, sources=work.sources)
    announce_agent(engine.config.settings.agent, state.engine.settings.agent)
    announce_sandbox(engine, state.engine.settings)
    return state


def _beginning(engine: "Engine") -> "TakeUp":
    """What the first or a launched runner does: it never undoes a pause that came meanwhile."""
    from loopwright.workflows.cycle import commands

    at = engine.cycles.clock.now().isoformat(timespec="milliseconds")

    def take_up(state: "CycleState") -> "CycleState":
        if state.status == "created":
            return commands.take_up(state, at)
        return commands.begin_cycle(state, at) if state.status == "running" else state

    return take_up


def _taking_up(
    engine: "Engine", given: Given, title: str | None, extension: str | None, *, interactive: bool
) -> "TakeUp":
    """Start, resume or reopen with the settings that were given now; the others stay. All in one commit, or nothing."""
    from loopwright.core.state import Limits, RunSettings
    from loopwright.wiring import work_by
    from loopwright.workflows.cycle import commands

    known, cycle = engine.config.settings, engine.config.cycle
    settings = {name: getattr(known, name) for name in given if name in RunSettings.model_fields}
    settings["mode"] = "interactive" if interactive else "auto"
    roles: dict[str, str] = {role: engine.agents.chosen(name) for role, name in cycle.roles.items()}
    if "agent" in given:
        announce_agent(known.agent, engine.agents.choose(known.agent).name)
    limits = {name: getattr(known, name) for name in LIMITS if name in given and name != "max_iterations"}
    iterations = cycle.max_iterations if "max_iterations" in given else None
    at = engine.cycles.clock.now().isoformat(timespec="milliseconds")

    def take_up(state: "CycleState") -> "CycleState":
        titled = commands.edit(state, {"title": title}) if title is not None else state
        chosen = engine.choose_again(state.engine.settings, given)
        by: dict[str, object] = {**work_by(chosen)}
        if "fallback" in given:
            by["fallback"] = engine.agents.check_fallback(known.fallback, str(chosen))
        configured = commands.configure(
            titled,
            {**settings, **by},
            limits=Limits(max_iterations=iterations, **limits),
            roles=roles if "roles" in given else {},
            parallel=cycle.parallel if "parallel" in given else None,
            allow_test_changes=given.get("allow_test_changes"),
        )
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
    settings, before = then.engine.settings, state.engine
    from loopwright.core.agent_names import AgentChoice

    usual, was = (AgentChoice(s.agent, s.model, s.effort) for s in (settings, before.settings))
    engine.cast(usual, then.engine.roles)
    engine.load_cycle_prompts()
    if settings.test_command and settings.test_command != state.engine.settings.test_command:
        engine.runners.loop.tests.check(settings.test_command)
    engine.agents.check_choices(*(engine.players(usual, then.engine.roles) - engine.players(was, before.roles)))
    engine.check_sandbox(settings)
    return then


def _queued(engine: "Engine", cycle_id: str, extension: str, *, json: bool, at: str) -> ExitCode:
    """Hands an extension to the process that drives the cycle, and follows it."""
    from loopwright.surfaces.cli.run_driver import follow_run, report_rest

    state = engine.cycles.extend(cycle_id, extension)
    print_remark(extended_words(state, at))
    rested = follow_run(CYCLES, engine.cycles, cycle_id, json)
    return report_rest(CYCLES, engine, rested, as_json=json, elsewhere=at)


COMMANDS: dict[str, Callable[..., None]] = {
    "run": run,
    "create": create,
    "list": bind_kind(CYCLES, show_commands.list_all),
    "show": bind_kind(CYCLES, show_commands.show),
    "watch": bind_kind(CYCLES, follow.watch),
    "logs": bind_kind(CYCLES, follow.logs),
    "diff": diff,
    "documents": documents,
    "resume": bind_kind(CYCLES, loop_commands.resume),
    "reopen": bind_kind(CYCLES, loop_commands.reopen),
    "approve": bind_kind(CYCLES, loop_commands.approve),
    "pr": bind_kind(CYCLES, pull_request.pr),
    "edit": edit,
    "recover": bind_kind(CYCLES, loop_commands.recover),
    "verify": bind_kind(CYCLES, verify.verify),
    "delete": bind_kind(CYCLES, loop_commands.delete),
}
"""What is written by hand."""
