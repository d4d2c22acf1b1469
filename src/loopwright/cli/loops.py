"""Commands on loops that need no runner in this process."""

from pathlib import Path
from typing import Annotated, get_args

import typer

from loopwright.cli.follow import watch
from loopwright.cli.options import HERE, Json, LoopId, MaxIterations, MaxMinutes, Project, elsewhere, opened
from loopwright.cli.output import answer, has_person, is_plain, remark
from loopwright.domain.errors import Invalid


def start(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """Start a loop in the background."""
    with opened(project) as engine:
        state = engine.service.start(loop_id)
    answer(json, state, f"{loop_id} started; follow it with: loopwright watch {loop_id}{elsewhere(project)}")


def list_loops(
    status: Annotated[str | None, typer.Option("--status", metavar="S", help="Only loops with this status.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1)] = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0)] = 0,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List the project's loops, the latest first."""
    from loopwright.cli.render import loop_table
    from loopwright.domain.loop import LoopStatus

    wanted = next((s for s in get_args(LoopStatus) if s == status), None)
    if wanted != status:
        raise Invalid(f"--status: no status {status!r} (there are: {', '.join(get_args(LoopStatus))})")
    with opened(project) as engine:
        service = engine.service
        page = service.list(status=wanted, limit=limit, offset=offset)
        live = [state.status == "running" and service.is_live(state.loop_id) for state in page.items]
        damaged, now = service.damaged(), service.clock.now()
    for id, why in damaged.items():
        remark(f"loopwright: {id} can not be read: {why}")
    more = offset + len(page.items) < page.total
    told = loop_table(list(zip(page.items, live, strict=True)), page.total, now)
    text = told if page.total or not damaged else f"no loop here can be read; {len(damaged)} damaged"
    answer(json, page.items, text, total=page.total, limit=limit, offset=offset, hasMore=more)


def show(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """Show everything about a loop."""
    from loopwright.cli.render import loop_page

    with opened(project) as engine:
        state, live = engine.service.read(loop_id), engine.service.is_live(loop_id)
        now = engine.service.clock.now()
    answer(json, state, loop_page(state, live=live, now=now, elsewhere=elsewhere(project)), live=live)


def diff(
    loop_id: LoopId,
    checkpoint: Annotated[
        int | None, typer.Option("--checkpoint", metavar="N", help="Only what led to this one.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what a loop has changed in the project."""
    from loopwright.cli.text import clean_lines, coloured

    with opened(project) as engine:
        text = engine.service.diff(loop_id, checkpoint)
    if not json and not text:
        remark("nothing has been changed")
    shown = clean_lines(text).rstrip("\n")
    answer(json, {"diff": text}, shown if is_plain() else coloured(shown))


def pause(
    loop_id: LoopId,
    now: Annotated[bool, typer.Option("--now", help="Cancel the action under way as well.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Pause a loop before its next action."""
    with opened(project) as engine:
        live = engine.service.is_live(loop_id)
        state = engine.service.pause(loop_id, now=now)
    when = "" if now or not live else "; the action under way is finished first (--now cancels it)"
    answer(json, state, f"{loop_id} paused{when}; go on with: loopwright resume {loop_id}{elsewhere(project)}")


def resume(
    loop_id: Annotated[str | None, typer.Argument(metavar="ID", show_default=False)] = None,
    all_loops: Annotated[bool, typer.Option("--all", help="Every loop that a runner has left behind.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Follow the loop until it rests.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Let a paused or abandoned loop run on, in the background."""
    if (loop_id is None) != all_loops or (all_loops and wait):
        raise Invalid("name one loop, for example: resume ID --wait; or give --all alone")
    if loop_id is None:
        resume_every(project, json)
        return
    with opened(project) as engine:
        state = engine.service.resume(loop_id)
    if wait:
        watch(loop_id, project, json)
    else:
        answer(json, state, f"{loop_id} resumed; follow it with: loopwright watch {loop_id}{elsewhere(project)}")


def resume_every(project: Path, json: bool) -> None:
    from loopwright.engine.supervisor import resume_all

    with opened(project) as engine:
        taken = resume_all(engine.service, engine.service.clock.now())
    lines = [f"{t.loop_id} {'resumed' if t.problem is None else f'not resumed: {t.problem}'}" for t in taken]
    data = [{"loop_id": t.loop_id, "problem": t.problem} for t in taken]
    answer(json, data, "\n".join(lines) or "no loop has been left behind by its runner")


def stop(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """End a loop for good, with its runner and everything that started."""
    import asyncio

    with opened(project) as engine:
        if engine.service.is_live(loop_id):
            remark(f"asking the runner of {loop_id} to end")
        state = asyncio.run(engine.service.stop(loop_id))
    answer(json, state, f"{loop_id} stopped; `loopwright run --loop-id {loop_id}{elsewhere(project)}` would reopen it")


def reopen(
    loop_id: LoopId,
    max_iterations: MaxIterations = None,
    max_minutes: MaxMinutes = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Let a finished loop run on, in the background."""
    with opened(project, {"max_iterations": max_iterations, "max_minutes": max_minutes}) as engine:
        state = engine.service.reopen(loop_id, max_iterations=max_iterations, max_minutes=max_minutes)
    answer(json, state, f"{loop_id} reopened; follow it with: loopwright watch {loop_id}{elsewhere(project)}")


def answer_question(
    loop_id: LoopId,
    text: Annotated[str, typer.Argument(metavar="TEXT", show_default=False)],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Answer the question a loop waits with."""
    with opened(project) as engine:
        state = engine.service.answer(loop_id, text)
    answer(json, state, f"answer kept; hand it over with: loopwright resume {loop_id}{elsewhere(project)}")


def edit(
    loop_id: LoopId,
    title: Annotated[str | None, typer.Option("--title")] = None,
    description: Annotated[str | None, typer.Option("--description")] = None,
    max_iterations: MaxIterations = None,
    notes: Annotated[str | None, typer.Option("--notes")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="May be given more than once.")] = None,
    priority: Annotated[str | None, typer.Option("--priority", metavar="low|medium|high")] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Change a loop's texts and limits."""
    given = {
        "title": title, "description": description, "max_iterations": max_iterations, "notes": notes,
        "tags": tuple(tag) if tag else None, "priority": priority,
    }  # fmt: skip
    changes = {name: value for name, value in given.items() if value is not None}
    with opened(project) as engine:
        state = engine.service.edit(loop_id, changes)
    answer(json, state, f"{loop_id}: changed {', '.join(changes)}")


def rewind(
    loop_id: LoopId,
    to: Annotated[int, typer.Option("--to", metavar="N", help="Number of the checkpoint.", show_default=False)],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Put files and progress back to a checkpoint."""
    with opened(project) as engine:
        state = engine.service.rewind(loop_id, to)
    kept = state.engine.checkpoints[-1].n
    answer(json, state, f"{loop_id} is back at checkpoint {to}; what was there is kept as checkpoint {kept}")


def recover(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """Rebuild a loop's damaged state from what is left of it."""
    with opened(project) as engine:
        state = engine.service.recover(loop_id)
    answer(json, state, f"{loop_id} can be read ({state.status}); see: loopwright show {loop_id}{elsewhere(project)}")


def delete(
    loop_id: LoopId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Delete a loop with its history and checkpoints."""
    with opened(project) as engine:
        state = engine.service.read(loop_id)
        if not yes and (json or not has_person()):
            raise Invalid("deleting asks first; there is nobody to ask here, so add --yes")
        if not yes and not typer.confirm(f"Delete {loop_id} with its history and checkpoints?", err=True):
            remark("nothing was deleted")
            return
        engine.service.delete(loop_id)
    answer(json, {"loop_id": state.loop_id}, f"{loop_id} deleted", message="Loop deleted")
