"""Commands on loops that need no runner in this process."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.follow import watch
from loopwright.cli.options import (
    HERE,
    LIMITS,
    LOOP_FIELDS,
    Given,
    Json,
    LoopId,
    Project,
    elsewhere,
    limits_of,
    opened,
    takes,
)
from loopwright.cli.output import answer, has_person, remark
from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from loopwright.domain.loop import LoopState


def start(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """Start a loop in the background."""
    with opened(project) as engine:
        engine.load_prompts()  # here a bad one is seen; its runner's words are only in a log
        state = engine.service.start(loop_id)
    answer(json, state, f"{loop_id} started; {_how_to_follow(state, elsewhere(project))}")


def _how_to_follow(state: "LoopState", at: str) -> str:
    follow = f"follow it with: loopwright watch {state.loop_id}{at}"
    if state.engine.settings.mode == "auto":
        return follow
    return f"{follow}\nit asks for every step; see what it offers with: loopwright show {state.loop_id}{at}"


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
        engine.load_prompts()
        state = engine.service.resume(loop_id)
    if wait:
        watch(loop_id, project, json)
    else:
        answer(json, state, f"{loop_id} resumed; {_how_to_follow(state, elsewhere(project))}")


def resume_every(project: Path, json: bool) -> None:
    from loopwright.engine.supervisor import resume_all

    with opened(project) as engine:
        engine.load_prompts()
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


@takes(LIMITS)
def reopen(loop_id: LoopId, given: Given, project: Project = HERE, json: Json = False) -> None:
    """Let a finished loop run on, in the background."""
    with opened(project, given) as engine:
        state = engine.service.reopen(loop_id, limits_of(engine, given))
    answer(json, state, f"{loop_id} reopened; {_how_to_follow(state, elsewhere(project))}")


def answer_question(
    loop_id: LoopId,
    text: Annotated[str, typer.Argument(metavar="TEXT", show_default=False)],
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Answer the question a loop waits with."""
    with opened(project) as engine:
        state = engine.service.answer(loop_id, text)
    hand_over = f"hand it over with: loopwright resume {loop_id}{elsewhere(project)}"
    answer(json, state, f"answer kept; {'the loop takes it' if state.status == 'running' else hand_over}")


@takes(LOOP_FIELDS)
def edit(loop_id: LoopId, given: Given, project: Project = HERE, json: Json = False) -> None:
    """Change a loop's texts and limits; an empty --tag or --notes removes what is there."""
    if "tags" in given:
        given["tags"] = tuple(tag for tag in given["tags"] if tag.strip())
    with opened(project) as engine:
        state = engine.service.edit(loop_id, given)
    answer(json, state, f"{loop_id}: changed {', '.join(given)}")


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
    from loopwright.cli.render import recovery_page
    from loopwright.domain.wording import event_words

    with opened(project) as engine:
        found = engine.service.recover(loop_id)
    page = recovery_page(found.state, [event_words(e) for e in found.repairs], found.kept, elsewhere(project))
    repairs = [{"type": e.event.type, "data": e.event.data} for e in found.repairs]
    answer(json, found.state, page, repairs=repairs, kept=[str(path) for path in found.kept])


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
