"""`loopwright tasks ID add|list|edit|remove|reorder`: what a loop shall do, task by task."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, LoopId, Project, opened
from loopwright.cli.output import answer
from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from loopwright.domain.loop import LoopState

app = typer.Typer(help="A loop's tasks: loopwright tasks ID add|list|edit|remove|reorder.", rich_markup_mode=None)

Task = Annotated[str, typer.Argument(metavar="TASK", show_default=False)]
Tool = Annotated[str | None, typer.Option("--tool", metavar="NAME", help="bash, or an agent's name.")]
Command = Annotated[str | None, typer.Option("--command", metavar="CMD", help="What a bash task runs.")]
OnError = Annotated[str | None, typer.Option("--on-error", metavar="WHAT", help="continue, pause or fail_fast.")]
Mode = Annotated[str | None, typer.Option("--mode", metavar="MODE", help="write, analysis or review.")]
DependsOn = Annotated[list[str] | None, typer.Option("--depends-on", metavar="TASK", help="May be repeated.")]
Template = Annotated[str | None, typer.Option("--prompt-template", metavar="TEXT", help="Hints for the agent.")]


@dataclass(frozen=True)
class Chosen:
    """The loop that was named before the verb."""

    loop_id: str


@app.callback(invoke_without_command=True)
def tasks(context: typer.Context, loop_id: LoopId) -> None:
    context.obj = Chosen(loop_id)
    if context.invoked_subcommand is None:
        list_tasks(context)


@app.command("add")
def add(
    context: typer.Context,
    description: Annotated[str, typer.Argument(metavar="DESCRIPTION", show_default=False)],
    tool: Tool = None,
    command: Command = None,
    on_error: OnError = None,
    mode: Mode = None,
    depends_on: DependsOn = None,
    prompt_template: Template = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Add a task after the last one."""
    fields = _fields(tool, command, on_error, mode, depends_on, prompt_template)
    with opened(project) as engine:
        loop_id = _loop(context)
        if tool is None:
            fields["tool"] = "bash" if command else engine.service.read(loop_id).engine.settings.agent
        task = engine.service.add_task(loop_id, {"description": description, **fields})
    answer(json, task, f"{task.task_id} added")


@app.command("list")
def list_tasks(context: typer.Context, project: Project = HERE, json: Json = False) -> None:
    """List the tasks in their order."""
    with opened(project) as engine:
        state = engine.service.read(_loop(context))
    tasks = sorted(state.engine.tasks, key=lambda task: task.order)
    answer(json, tasks, task_table(state), total=len(tasks), loop_id=state.loop_id)


@app.command("edit")
def edit(
    context: typer.Context,
    task: Task,
    description: Annotated[str | None, typer.Option("--description")] = None,
    tool: Tool = None,
    command: Command = None,
    on_error: OnError = None,
    mode: Mode = None,
    depends_on: DependsOn = None,
    prompt_template: Template = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Change a task that has not begun."""
    fields = _fields(tool, command, on_error, mode, depends_on, prompt_template)
    if description is not None:
        fields["description"] = description
    if not fields:
        raise Invalid("nothing to change; for example: tasks ID edit TASK --description TEXT")
    with opened(project) as engine:
        edited = engine.service.edit_task(_loop(context), task, fields)
    answer(json, edited, f"{task} changed")


@app.command("remove")
def remove(context: typer.Context, task: Task, project: Project = HERE, json: Json = False) -> None:
    """Remove a task that has not begun."""
    with opened(project) as engine:
        engine.service.remove_task(_loop(context), task)
    answer(json, {"task_id": task}, f"{task} removed", message="Task deleted")


@app.command("reorder")
def reorder(
    context: typer.Context,
    order: Annotated[list[str], typer.Argument(metavar="TASK…", show_default=False)],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Put the tasks in a new order; every one has to be named."""
    with opened(project) as engine:
        engine.service.reorder_tasks(_loop(context), order)
        state = engine.service.read(_loop(context))
    answer(json, state.engine.tasks, task_table(state))


def task_table(state: "LoopState") -> str:
    from loopwright.cli.render import task_rows

    return "\n".join(task_rows(state)) or "no tasks yet"


def _loop(context: typer.Context) -> str:
    chosen = context.obj
    assert isinstance(chosen, Chosen)
    return chosen.loop_id


def _fields(
    tool: str | None,
    command: str | None,
    on_error: str | None,
    mode: str | None,
    depends_on: list[str] | None,
    prompt_template: str | None,
) -> dict[str, object]:
    given = {
        "tool": tool, "command": command, "on_error": on_error, "mode": mode,
        "depends_on": tuple(depends_on) if depends_on else None, "prompt_template": prompt_template,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}
