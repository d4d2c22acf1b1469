"""Commands that only loops have, and need no runner in this process."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.core.errors import Invalid
from loopwright.core.text import clean_line
from loopwright.surfaces.cli.attempts import drive_attempts, is_undriven
from loopwright.surfaces.cli.derived_commands import how_to_follow, taken_words
from loopwright.surfaces.cli.follow import watch
from loopwright.surfaces.cli.kinds import KINDS, LOOPS, AnyKind, Id, LoopId
from loopwright.surfaces.cli.options import (
    HERE,
    LIMITS,
    LOOP_FIELDS,
    WAIVER,
    Auto,
    Json,
    Project,
    add_options,
    open_project,
    project_option,
    read_limits,
    read_options,
)
from loopwright.surfaces.cli.output import has_person, print_answer, print_remark

if TYPE_CHECKING:
    from loopwright.workflows.loop.model import LoopState


@add_options(LOOP_FIELDS)
def edit(
    loop_id: LoopId,
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Change a loop's texts and limits; an empty --tag or --notes clears it."""
    given = read_options(options)
    if "tags" in given:
        given["tags"] = tuple(tag for tag in given["tags"] if tag.strip())
    with open_project(project) as engine:
        state = engine.service.edit(loop_id, given)
    print_answer(json, state, f"{loop_id}: changed {', '.join(given)}")


DONE = {
    "add": "task added; the menu stays open",
    "raise": "limit raised; the menu stays open",
    "exit": "left the loop; it can be resumed",
}
"""What comes of a choice, where that is no action."""


def choose(
    loop_id: LoopId,
    choice: Annotated[
        str,
        typer.Argument(metavar="CHOICE", show_default=False, help="Menu entry, or a rival of its patch (see show)."),
    ],
    description: Annotated[
        str | None, typer.Argument(metavar="[DESCRIPTION]", show_default=False, help="Task description, for add.")
    ] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="Agent for the task, for add.")] = None,
    command: Annotated[
        str | None, typer.Option("--command", metavar="CMD", help="Command of a bash task, for add.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Choose the next step of an interactive loop in the background, or another edit instead of its patch."""
    typed = {"description": description, "tool": tool, "command": command}
    with open_project(project) as engine:
        given = {name: value for name, value in typed.items() if value is not None}
        state = engine.service.choose(loop_id, choice, **given)
    print_answer(json, state, f"{loop_id}: {_done(choice, state, project_option(project))}")


def _done(choice: str, state: "LoopState", at: str) -> str:
    from loopwright.evidence.rivals import RIVAL

    if not RIVAL.fullmatch(choice) or state.engine.menu is not None:
        return DONE.get(choice, f"{choice} is next")
    return taken_words("loopwright", choice, state, state.loop_id, at)


def resume(
    kind: AnyKind,
    id: Id | None = None,
    every: Annotated[bool, typer.Option("--all", help="Every one whose runner is gone.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Follow it until it ends or pauses.")] = False,
    auto: Auto = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Resume a paused or abandoned loop in the background."""
    if (id is None) != every or (every and (wait or auto)):
        raise Invalid(f"name one {kind.name}, for example: resume ID --wait; or give only --all")
    if id is None:
        resume_every(project, json)
        return
    with open_project(project) as engine:
        kind.run_kind.load_prompts(engine)
        if wait and kind is LOOPS and is_undriven(engine, id):
            raise typer.Exit(drive_attempts(engine, id, json=json, at=project_option(project)))
        state = kind.service(engine).resume(id, "auto" if auto else None)
    if wait:
        watch(kind, id, project, json)
    else:
        print_answer(json, state, f"{id} resumed; {how_to_follow(kind, state, project_option(project))}")


def resume_every(project: Path, json: bool) -> None:
    """Whatever their kind: who asks for all wants nothing left behind."""
    from loopwright.core.supervisor import resume_all

    with open_project(project) as engine:
        now = engine.service.clock.now()
        for kind in KINDS:
            kind.run_kind.load_prompts(engine)
        taken = [(kind.key, t) for kind in KINDS for t in resume_all(kind.service(engine), now)]
    lines = [f"{t.id} {'resumed' if t.problem is None else f'not resumed: {t.problem}'}" for _, t in taken]
    data = [{key: t.id, "problem": t.problem} for key, t in taken]
    print_answer(json, data, "\n".join(lines) or "nothing to resume")


@add_options({**LIMITS, **WAIVER})
def reopen(
    kind: AnyKind,
    id: Id,
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Reopen a finished loop in the background."""
    given = read_options(options)
    with open_project(project, given) as engine:
        from loopwright.core.run import Waiver

        waiver = Waiver(**{name: getattr(engine.config.settings, name) for name in WAIVER if name in given})
        state = kind.service(engine).reopen(id, read_limits(engine, given), waiver)
    print_answer(json, state, f"{id} reopened; {how_to_follow(kind, state, project_option(project))}")


def approve(
    kind: AnyKind,
    id: Id,
    request_id: Annotated[
        str | None,
        typer.Argument(metavar="REQUEST", show_default=False, help="Request id, if several are open (see show)."),
    ] = None,
    allow: Annotated[
        bool | None, typer.Option("--allow/--deny", help="Whether the agent may do it.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every open request.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Allow or deny a permission request of a loop's agent."""
    from loopwright.policy.permissions import request_words

    if allow is None:
        raise Invalid("give --allow or --deny")
    if every and request_id is not None:
        raise Invalid("name one request, or give only --all")
    with open_project(project) as engine:
        given = kind.service(engine).approve(id, request_id, answer="allow" if allow else "deny", every=every)
    word = "allowed" if allow else "denied"
    print_answer(
        json, given, "\n".join(f"{word} {request.id}: {clean_line(request_words(request))}" for request in given)
    )


def recover(kind: AnyKind, id: Id, project: Project = HERE, json: Json = False) -> None:
    """Rebuild a loop's damaged state from what is left."""
    from loopwright.core.wording import event_words
    from loopwright.surfaces.cli.run_rendering import recovery_page

    with open_project(project) as engine:
        found = kind.service(engine).recover(id)
    words = [event_words(entry) for entry in found.repairs]
    page = recovery_page(
        id, kind.rendering.restored(found.state), words, found.kept, f"{kind.line} show {id}{project_option(project)}"
    )
    repairs = [{"type": e.event.type, "data": e.event.data} for e in found.repairs]
    print_answer(json, found.state, page, repairs=repairs, kept=[str(path) for path in found.kept])


def delete(
    kind: AnyKind,
    id: Id,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Delete a loop with its history and checkpoints."""
    with open_project(project) as engine:
        service = kind.service(engine)
        service.read(id)
        if not yes and (json or not has_person()):
            raise Invalid("deleting needs confirmation, and there is no terminal to ask on; add --yes")
        if not yes and not typer.confirm(f"Delete {id} with its history and checkpoints?", err=True):
            print_remark("nothing was deleted")
            return
        kept = service.delete(id)
    if kept:
        print_remark(kept)
    print_answer(
        json,
        {kind.key: id, **({"kept": kept} if kept else {})},
        f"{id} deleted",
        message=f"{kind.name.capitalize()} deleted",
    )
