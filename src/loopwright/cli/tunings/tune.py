"""`loopwright tune`: diagnoses skills, and mends them where that is wanted."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, Project, elsewhere, opened
from loopwright.cli.output import has_person
from loopwright.cli.tunings.fixing import level_of
from loopwright.domain.errors import Conflict, Exit, Invalid

if TYPE_CHECKING:
    from loopwright.cli.tunings.order import Order
    from loopwright.cli.tunings.targets import Targets
    from loopwright.wiring import Engine


def tune(
    *,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH… [WORDS]",
            help="Skills, or folders of skills; then what is wrong, in words.",
            show_default=False,
        ),
    ] = None,
    focus: Annotated[
        str | None, typer.Option("--focus", metavar="WHAT", help="Only some of context,memory,dataflow,agent.")
    ] = None,
    fix: Annotated[
        str | None,
        typer.Option(
            "--fix",
            metavar="[=all]",
            help="Mend what follows from the skill itself; =all: also what follows from a similar place of it.",
        ),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Mend all, and let this agent write what is missing.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Apply every fix without asking.")] = False,
    rollback: Annotated[
        str | None, typer.Option("--rollback", metavar="FIX", help="Take this fix out of the skill's files again.")
    ] = None,
    tuning_id: Annotated[
        str | None, typer.Option("--tuning-id", metavar="ID", help="Take up this session instead.")
    ] = None,
    installed: Annotated[
        bool, typer.Option("--installed", help="The skills that are installed for the known hosts.")
    ] = False,
    files: Annotated[bool, typer.Option("--files", help="The skills that the files PATH… belong to.")] = False,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="text, json or sarif.")] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write there what would be printed.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="Findings that are accepted as they are.")
    ] = None,
    update_baseline: Annotated[bool, typer.Option("--update-baseline", help="Accept all that is found now.")] = False,
    max_iterations: Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", min=1, help="Rounds of mending (default: 5).")
    ] = None,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
) -> None:
    """Diagnose agent skills: what is wrong, why, and what to do; with --fix mend them, verified by a new diagnosis."""
    from loopwright.cli.tunings.order import Order, dimensions_of, form_of

    level, shape = level_of(fix, agent), form_of(form, json)
    asks = level != "none" and not yes and shape == "text" and has_person()
    words, at = [*(what or [])], elsewhere(project)
    with opened(project) as engine:
        base = Path.cwd() if shape == "text" else engine.project
        order = Order(
            base, dimensions_of(focus), level, agent, asks=asks, form=shape, events=json, output=output,
            max_iterations=max_iterations, at=at,
        )  # fmt: skip
        if rollback is not None:
            code = _rolled_back(engine, words, rollback, tuning_id, order)
        elif tuning_id is not None:
            if words or installed or files:
                raise Invalid("--tuning-id takes up a session as it is; name no skill beside it")
            code = _taken_up(engine, tuning_id, order, yes=yes, launched=launched)
        else:
            found = _targets(engine, words, installed=installed, files=files)
            code = _tuned(engine, found, order, baseline, update=update_baseline)
    raise typer.Exit(code)


def _targets(engine: "Engine", words: list[str], *, installed: bool, files: bool) -> "Targets":
    from loopwright.cli.tunings import targets

    if installed and (words or files):
        raise Invalid("--installed names the skills by itself; leave the paths out")
    if installed:
        return targets.installed((engine.project, Path.home()), engine.tunings.folders)
    return targets.owning(words) if files else targets.named(words, engine.tunings.folders)


def _tuned(engine: "Engine", found: "Targets", order: "Order", baseline: Path | None, *, update: bool) -> Exit:
    from dataclasses import replace

    from loopwright.cli.tunings.carrying_out import carried_out
    from loopwright.cli.tunings.telling import tell

    order = replace(order, words=found.words)
    result = carried_out(engine, found, order, baseline, update=update)
    tell(result, order, single=found.single)
    return result.exit


def _taken_up(engine: "Engine", id: str, order: "Order", *, yes: bool, launched: bool) -> Exit:
    """A session that is there: in the background it rests where somebody has to choose."""
    from dataclasses import replace

    from loopwright.cli.tunings.carrying_out import Result, of_session
    from loopwright.cli.tunings.session import driven
    from loopwright.cli.tunings.telling import tell

    state = engine.tunings.read(id)
    if launched:
        driven(engine, id, replace(order, asks=False))
        return Exit.DONE
    if engine.tunings.is_live(id):
        raise Conflict(f"{id} is being driven by another process; follow it with: loopwright tunings watch {id}")
    asks = state.engine.choosing and not yes and order.form == "text" and has_person()
    order = replace(order, level=state.engine.level, asks=asks)
    state = driven(engine, id, order)
    root = Path(state.engine.root)
    result = Result(((root, of_session(engine, state, order)),), {root: state})
    tell(result, order, single=True)
    return result.exit


def _rolled_back(engine: "Engine", words: list[str], fix: str, id: str | None, order: "Order") -> Exit:
    from loopwright.cli.tunings.telling import tell_rollback

    if (id is None) == (not words):
        raise Invalid("--rollback takes a fix out of one skill: name that, or its session with --tuning-id")
    if id is None:
        found = _targets(engine, words, installed=False, files=False)
        if len(found.roots) != 1:
            raise Invalid(
                f"--rollback is about one skill, and {len(found.roots)} are named; name the one, or --tuning-id"
            )
        state = engine.tunings.latest_of(found.roots[0], lambda s: any(f.fix_id == fix for f in s.applied_fixes))
        id = state.tuning_id
    tell_rollback(engine.tunings.roll_back(id, fix), fix, order)
    return Exit.DONE
