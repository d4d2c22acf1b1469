"""`loopwright tunings …`: sessions that diagnose and mend skills; `loopwright tune` begins one."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.core.errors import Invalid
from loopwright.surfaces.cli import follow, loop_commands, show_commands, verify
from loopwright.surfaces.cli.derived_commands import how_to_follow
from loopwright.surfaces.cli.kinds import TUNINGS, TuningId, bind_kind
from loopwright.surfaces.cli.options import HERE, Json, Project, open_project, project_option
from loopwright.surfaces.cli.output import print_answer
from loopwright.surfaces.cli.show_commands import show_diff

if TYPE_CHECKING:
    from loopwright.workflows.tuning.model import TuningState


def diff(
    tuning_id: TuningId,
    fix: Annotated[
        str | None, typer.Argument(metavar="[FIX]", show_default=False, help="Only this fix, applied or not.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Show what a session has changed in the skill, or what one of its fixes would change."""
    from loopwright.workflows.tuning.publish import diff_of

    with open_project(project) as engine:
        service = engine.tunings
        text = service.whole_diff(tuning_id) if fix is None else diff_of(service.fix(tuning_id, fix))
    show_diff(text, json)


def report(tuning_id: TuningId, project: Project = HERE, json: Json = False) -> None:
    """Print a session's report, in Markdown."""
    from loopwright.surfaces.cli.text import clean_lines

    with open_project(project) as engine:
        text = engine.tunings.report(tuning_id)
    print_answer(json, {"report": text}, clean_lines(text).rstrip("\n"))


def choose(
    tuning_id: TuningId,
    fixes: Annotated[
        list[str] | None, typer.Argument(metavar="[FIX…]", show_default=False, help="Fixes to apply (see show).")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All offered fixes.")] = False,
    none: Annotated[bool, typer.Option("--none", help="None of them.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Choose which of the proposed fixes are applied; the session continues in the background."""
    if [bool(fixes), every, none].count(True) != 1:
        raise Invalid("name fixes, as in: tunings choose ID FIX-001 FIX-003; or give only --all or --none")
    with open_project(project) as engine:
        waiting = engine.tunings.read(tuning_id).engine.waiting
        offered = waiting.options if waiting else ()
        chosen = offered if every else tuple(fix.upper() for fix in fixes or ())
        state = engine.tunings.choose(tuning_id, chosen)
    words = ", ".join(chosen) or "no fix"
    print_answer(json, state, f"{words} chosen; {_following(state, project_option(project))}")


def _following(state: "TuningState", at: str) -> str:
    return how_to_follow(TUNINGS, state, at).partition("\n")[0]


COMMANDS: dict[str, Callable[..., None]] = {
    "list": bind_kind(TUNINGS, show_commands.list_all),
    "show": bind_kind(TUNINGS, show_commands.show),
    "watch": bind_kind(TUNINGS, follow.watch),
    "logs": bind_kind(TUNINGS, follow.logs),
    "diff": diff,
    "report": report,
    "choose": choose,
    "approve": bind_kind(TUNINGS, loop_commands.approve),
    "resume": bind_kind(TUNINGS, loop_commands.resume, without="auto"),
    "recover": bind_kind(TUNINGS, loop_commands.recover),
    "verify": bind_kind(TUNINGS, verify.verify),
    "delete": bind_kind(TUNINGS, loop_commands.delete),
}
"""What is written by hand. A session takes seconds: it is neither paused nor reopened."""
