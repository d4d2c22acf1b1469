"""`loopwright tasks ID add|import|generate|list|edit|remove|reorder`: what a loop shall do, task by task."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.errors import ExitCode, Invalid
from loopwright.core.text import clean_line
from loopwright.surfaces.cli.kinds import LoopId
from loopwright.surfaces.cli.options import (
    HERE,
    TASK_FIELDS,
    Json,
    Project,
    add_options,
    open_project,
    read_options,
)
from loopwright.surfaces.cli.output import SilentExit, print_answer, print_error, print_remark

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from loopwright.core.run_events import RunNote
    from loopwright.core.state import LoopTask
    from loopwright.wiring import Engine
    from loopwright.workflows.loop.model import LoopState


def generate(
    context: typer.Context,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="Agent that proposes them (default: the loop's own).")
    ] = None,
    count: Annotated[int, typer.Option("--count", metavar="N", help="Maximum number of tasks, up to 7.")] = 5,
    for_actor: Annotated[str | None, typer.Option("--for", hidden=True)] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Let an agent propose tasks, and add them."""
    import asyncio

    with _engine(project, for_actor) as engine:
        try:
            added = asyncio.run(_generated(engine, loop_of(context), tool, count, tied=for_actor is not None))
        except (KeyboardInterrupt, asyncio.CancelledError):
            print_error(json, "interrupted; no task was added")
            raise SilentExit(ExitCode.INTERRUPTED) from None
    print_answer(json, added, "\n".join(f"{task.task_id} added: {clean_line(task.description)}" for task in added))


@contextmanager
def _engine(project: "Path", for_actor: str | None) -> "Iterator[Engine]":
    """For another surface under its name."""
    from loopwright.wiring import open_engine

    with open_engine(project, {}, actor=for_actor or "cli") as engine:
        yield engine


async def _generated(
    engine: "Engine", loop_id: str, tool: str | None, count: int, *, tied: bool
) -> "tuple[LoopTask, ...]":
    import asyncio

    from loopwright.core.run_events import EventBus
    from loopwright.reports.proposals import check_count
    from loopwright.surfaces.cli.run_driver import end_on_signals, end_with_input
    from loopwright.workflows.loop.steps.generate import propose_tasks

    check_count(count)
    agent = (
        engine.agents.chosen("auto") if tool == "auto" else tool or engine.service.read(loop_id).engine.settings.agent
    )
    engine.agents.check(agent)
    if tool:
        await asyncio.to_thread(engine.agents.check_choices, tool)
    end_on_signals()
    if tied:
        end_with_input()
    bus = EventBus(_tell, secrets=engine.runners.loop.secrets)
    found = await propose_tasks(engine.runners.loop, loop_id, agent=agent, count=count, bus=bus)
    return engine.service.tasks.add_proposed(loop_id, found, agent)


def _tell(note: "RunNote") -> None:
    if note.kind == "activity":
        print_remark(clean_line(note.text))


app = typer.Typer(
    help="A loop's tasks: loopwright tasks ID add|import|generate|list|edit|remove|reorder.", rich_markup_mode=None
)

TaskId = Annotated[str, typer.Argument(metavar="TASK", show_default=False, help="Id of a task(see list).")]


@dataclass(frozen=True)
class NamedLoop:
    """The loop that was named before the verb."""

    loop_id: str


@app.callback(invoke_without_command=True)
def tasks(context: typer.Context, loop_id: LoopId) -> None:
    context.obj = NamedLoop(loop_id)
    if context.invoked_subcommand is None:
        list_tasks(context)


@app.command("add")
@add_options(TASK_FIELDS)
def add(
    *,
    context: typer.Context,
    description: Annotated[str, typer.Argument(metavar="DESCRIPTION", show_default=False)],
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Add a task after the last one."""
    given = read_options(options)
    with open_project(project) as engine:
        loop_id = loop_of(context)
        own = "bash" if given.get("command") else engine.service.read(loop_id).engine.settings.agent
        task = engine.service.tasks.add(loop_id, {"description": description, "tool": own, **given})
        _note_tools(engine, (task,))
    print_answer(json, task, f"{task.task_id} added")


@app.command("import")
def import_issue(
    context: typer.Context,
    issue: Annotated[str, typer.Argument(metavar="ISSUE", show_default=False, help="Id of a tracked issue.")],
    tool: Annotated[
        str | None,
        typer.Option("--tool", metavar="NAME", help="Agent for them (default: the loop's, or one that writes code)."),
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Add the tasks of the solution bound to an issue."""
    with open_project(project) as engine:
        added = engine.service.tasks.import_issue(loop_of(context), issue, tool)
        _note_tools(engine, added)
    print_answer(json, added, "\n".join(f"{task.task_id} added: {clean_line(task.description)}" for task in added))


app.command("generate")(generate)


@app.command("list")
def list_tasks(context: typer.Context, project: Project = HERE, json: Json = False) -> None:
    """List the tasks in order."""
    with open_project(project) as engine:
        state = engine.service.read(loop_of(context))
    print_answer(json, _objects(state), _table(state), total=len(state.engine.tasks), loop_id=state.loop_id)


@app.command("edit")
@add_options({"description": Annotated[str | None, typer.Option("--description", metavar="TEXT")], **TASK_FIELDS})
def edit(
    *,
    context: typer.Context,
    task: TaskId,
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Change a task that has not started."""
    given = read_options(options)
    if not given:
        raise Invalid("nothing to change; for example: tasks ID edit TASK --description TEXT")
    with open_project(project) as engine:
        edited = engine.service.tasks.edit(loop_of(context), task, given)
        if "tool" in given:
            _note_tools(engine, (edited,))
    print_answer(json, edited, f"{task} changed")


@app.command("remove")
def remove(context: typer.Context, task: TaskId, project: Project = HERE, json: Json = False) -> None:
    """Remove a task that has not started."""
    with open_project(project) as engine:
        engine.service.tasks.remove(loop_of(context), task)
    print_answer(json, {"task_id": task}, f"{task} removed", message="Task deleted")


@app.command("reorder")
def reorder(
    context: typer.Context,
    order: Annotated[list[str], typer.Argument(metavar="TASK…", show_default=False)],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Reorder the tasks; name every task."""
    with open_project(project) as engine:
        engine.service.tasks.reorder(loop_of(context), order)
        state = engine.service.read(loop_of(context))
    print_answer(json, _objects(state), _table(state))


def _note_tools(engine: "Engine", tasks: "Sequence[LoopTask]") -> None:
    """What keeps an agent from the tasks it was given."""
    for tool, mode in dict.fromkeys((task.tool, task.mode) for task in tasks):
        if missing := engine.agents.missing(tool):
            print_remark(f"note: {missing}")
        elif (tool, mode) == ("builtin", "write"):
            print_remark(
                "note: builtin only repairs what failing tests reveal; it cannot write code from a description"
            )


def _table(state: "LoopState") -> str:
    from loopwright.surfaces.cli.loop_rendering import task_rows

    return "\n".join(task_rows(state)) or "no tasks yet"


def _objects(state: "LoopState") -> list[dict[str, object]]:
    """The tasks in order, every field with a value or null, and how far each is."""
    from loopwright.workflows.loop.summary import task_statuses

    statuses = task_statuses(state)
    tasks = sorted(state.engine.tasks, key=lambda task: task.order)
    return [{**dict(task), **(task.model_extra or {}), "status": statuses[task.task_id]} for task in tasks]


def loop_of(context: typer.Context) -> str:
    chosen = context.obj
    assert isinstance(chosen, NamedLoop)
    return chosen.loop_id
