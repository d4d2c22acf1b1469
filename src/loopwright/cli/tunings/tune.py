"""`loopwright tune`: diagnoses skills, and mends them where that is wanted."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Given, Json, Project, elsewhere, opened, takes
from loopwright.cli.output import has_person
from loopwright.cli.tunings.fixing import level_of
from loopwright.cli.tunings.options import TUNE
from loopwright.domain.errors import Conflict, Exit, Invalid

if TYPE_CHECKING:
    from loopwright.cli.tunings.order import Order
    from loopwright.cli.tunings.targets import Targets
    from loopwright.wiring import Engine

LIMITS = ("max_tokens", "max_cost", "max_iterations")
"""Options that are settings, too, and are checked as these."""


@takes(TUNE)
def tune(
    *,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH… [WORDS]",
            show_default=False,
            help="Skills, or folders of skills; a last argument that is no path and has a space says what is wrong.",
        ),
    ] = None,
    given: Given,
    project: Project = HERE,
    launched: Annotated[bool, typer.Option("--launched", hidden=True)] = False,
    json: Json = False,
) -> None:
    """Check agent skills: what is wrong, why, and what to do; --fix also fixes it, verified by a new diagnosis."""
    _check(given)
    words, id, fix = what or [], given.get("tuning_id"), given.get("rollback")
    with opened(project, {name: given[name] for name in LIMITS if name in given}) as engine:
        order = _order(engine, given, elsewhere(project), json=json)
        if fix is not None:
            code = _rolled_back(engine, words, fix, id, order)
        elif id is not None:
            code = _taken_up(engine, words, id, order, yes=bool(given.get("yes")), launched=launched)
        else:
            code = _tuned(engine, _targets(engine, words, given), order, given)
    raise typer.Exit(code)


def _check(given: Given) -> None:
    """What does not go together."""
    mends = "fix" in given or "agent" in given
    begun = {"installed", "files", "focus", "fix", "agent", "refuter", "baseline", *LIMITS}
    if "tuning_id" in given and given.keys() & begun:
        raise Invalid("--tuning-id takes up a session as it was begun; leave the other options out")
    if given.get("update_baseline") and "baseline" not in given:
        raise Invalid("--update-baseline writes the file of --baseline FILE; name it")
    if "refuter" in given and "agent" not in given:
        raise Invalid("--refuter tries to refute what an agent has found; name that with --agent")
    if given.get("update_baseline") and mends:
        raise Invalid("mend first, then accept what is left: --update-baseline goes without --fix and --agent")
    if given.get("fix") == "all" and "agent" not in given:
        raise Invalid("--fix=all lets an agent write what --fix can not mend; name that with --agent")
    if given.keys() & {"max_tokens", "max_cost"} and "agent" not in given:
        raise Invalid("--max-tokens and --max-cost limit what an agent uses; name that with --agent")
    if "yes" in given and not given.keys() & {"fix", "tuning_id"}:
        raise Invalid("--yes applies fixes without asking; say which with --fix, or --fix=all --agent NAME")


def _order(engine: "Engine", given: Given, at: str, *, json: bool) -> "Order":
    from loopwright.cli.tunings.order import Order, dimensions_of, form_of

    level, form = level_of(given.get("fix")), form_of(given.get("form", "text"), json)
    asks = level != "none" and not given.get("yes") and form == "text" and has_person()
    base = Path.cwd() if form == "text" else engine.project
    return Order(
        base, dimensions_of(given.get("focus")), level, given.get("agent"), given.get("refuter"), asks=asks,
        form=form, events=json, output=given.get("output"), max_iterations=given.get("max_iterations"), at=at,
    )  # fmt: skip


def _targets(engine: "Engine", words: list[str], given: Given) -> "Targets":
    from loopwright.cli.tunings import targets

    installed, files = bool(given.get("installed")), bool(given.get("files"))
    if installed and (words or files):
        raise Invalid("--installed names the skills by itself; leave the paths out")
    if installed:
        return targets.installed((engine.project, Path.home()), engine.tunings.folders)
    return targets.owning(words) if files else targets.named(words, engine.tunings.folders)


def _tuned(engine: "Engine", found: "Targets", order: "Order", given: Given) -> Exit:
    from dataclasses import replace

    from loopwright.cli.tunings.carrying_out import carried_out
    from loopwright.cli.tunings.telling import tell

    order = replace(order, words=found.words)
    update = bool(given.get("update_baseline"))
    result = carried_out(engine, found, order, given.get("baseline"), update=update)
    tell(result, order, single=found.single)
    return result.exit


def _taken_up(engine: "Engine", words: list[str], id: str, order: "Order", *, yes: bool, launched: bool) -> Exit:
    """A session that is there: in the background it rests where somebody has to choose."""
    from dataclasses import replace

    from loopwright.cli.tunings.carrying_out import Result, of_session
    from loopwright.cli.tunings.session import driven
    from loopwright.cli.tunings.telling import tell

    if words:
        raise Invalid("--tuning-id takes up a session as it was begun; name no skill beside it")
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
    result = Result(((root, of_session(state, order)),), {root: state})
    tell(result, order, single=True)
    return result.exit


def _rolled_back(engine: "Engine", words: list[str], fix: str, id: str | None, order: "Order") -> Exit:
    from loopwright.cli.tunings.telling import tell_rollback

    if (id is None) == (not words):
        raise Invalid("--rollback takes a fix out of one skill: name that, or its session with --tuning-id")
    if id is None:
        found = _targets(engine, words, {})
        if len(found.roots) != 1:
            raise Invalid(
                f"--rollback is about one skill, and {len(found.roots)} are named; name the one, or --tuning-id"
            )
        state = engine.tunings.latest_of(found.roots[0], lambda s: any(f.fix_id == fix for f in s.applied_fixes))
        id = state.tuning_id
    tell_rollback(engine.tunings.roll_back(id, fix), fix, order)
    return Exit.DONE
