"""Several attempts at one goal: `run --attempts`, and what `resume` and `show` have to say about them."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from loopwright.core.attempts import AttemptOptions, take_attempts
from loopwright.core.errors import ExitCode, Invalid, StoreError
from loopwright.core.text import clean_line
from loopwright.surfaces.cli.options import Given
from loopwright.surfaces.cli.output import SilentExit, print_json, print_remark

if TYPE_CHECKING:
    from loopwright.surfaces.cli.sources import NewWork
    from loopwright.wiring import Engine
    from loopwright.workflows.loop.family import AttemptGlance, AttemptResult
    from loopwright.workflows.loop.model import LoopState

ATTEMPTS: dict[str, Any] = {  # Any: types with a typer.Option
    "agent": Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="NAME",
            show_default=False,
            help="Agent that does the work: auto, builtin, codex, … (see doctor); repeatable with --attempts.",
        ),
    ],
    "attempts": Annotated[
        int | None,
        typer.Option(
            "--attempts", metavar="N", help="Try N times, each in its own worktree; the best proven one is chosen."
        ),
    ],
    "parallel": Annotated[
        int | None, typer.Option("--parallel", metavar="N", help="Attempts that run at once (default: 2).")
    ],
    "all": Annotated[
        bool | None,
        typer.Option("--all", help="Let every attempt end, also once one has succeeded.", show_default=False),
    ],
}
"""Options of `run`, in the place of those of the same name."""


FLAGS = {"agents": "--agent", "run_all": "--all"}


def read_attempts(given: Given, *, auto: bool, loop_id: str | None) -> AttemptOptions | None:
    """As `take_attempts`, of what was typed. Invalid also where a loop is named that is there already."""
    for typed, name in (("agent", "agents"), ("all", "run_all")):
        if typed in given:
            given[name] = given.pop(typed)
    if "attempts" in given and loop_id is not None:
        raise Invalid("--attempts begins new loops; to go on with some, run: loopwright resume ID --wait")
    return take_attempts(given, auto=auto, flag=lambda name: FLAGS.get(name, f"--{name}"))


def create_attempts(
    engine: "Engine", work: "NewWork", title: str | None, options: AttemptOptions, *, elsewhere: bool = False
) -> "LoopState":
    """The first of them."""
    engine.load_prompts()
    return engine.create_family(work.task, options, title=title, sources=work.sources, elsewhere=elsewhere)


def is_undriven(engine: "Engine", id: str) -> bool:
    """Whether it is one of several attempts that are not settled, and that nobody drives."""
    if engine.service.read(id).engine.family is None:
        return False
    from loopwright.workflows.loop.family import find_undriven

    return find_undriven(engine.service, id) is not None


def drive_attempts(engine: "Engine", id: str, *, json: bool, at: str) -> ExitCode:
    """In this process, until nothing is left to do; then the best is chosen."""
    import asyncio  # slow to load, and help has no use for it

    from loopwright.surfaces.cli.run_driver import end_on_signals
    from loopwright.workflows.loop.family import FamilyDriver, hold_family, read_family, settle_family

    service = engine.service
    family, _ = read_family(service, id)
    driver, view = FamilyDriver(service), _AttemptView(json)

    async def drive() -> "list[AttemptResult]":
        end_on_signals()
        return await driver.drive(id, view.look)

    with hold_family(service, family):
        view.begin(family.ids, [member.agent for member in family.members], at)
        try:
            found = asyncio.run(drive())
        except (KeyboardInterrupt, asyncio.CancelledError):
            driver.pause(id)
            how = f"loopwright resume {id} --wait{at}"
            if json:
                print_json({"type": "interrupted", "success": False, "loop_id": id, "error": f"interrupted; {how}"})
            else:
                print_remark(f"\nloopwright: interrupted; nothing is lost, continue with: {how}")
            raise SilentExit(ExitCode.INTERRUPTED) from None
        winner = settle_family(service, id)
    return _report(engine, found, winner, id, json=json, at=at)


def await_attempts(engine: "Engine", id: str, *, json: bool, at: str) -> ExitCode:
    """While the fleet drives them; then they are fetched, and the best is chosen. Ends as `drive_attempts`."""
    from loopwright.wiring.fleet.runs import fetch_runs
    from loopwright.workflows.loop.family import LOOK_SECONDS, find_winner, list_results, list_standing, read_family

    service, mirror, view = engine.service, engine.mirror(), _AttemptView(json)
    family, _ = read_family(service, id)
    view.begin(family.ids, [member.agent for member in family.members], at)
    told, is_busy = "", True
    while mirror and is_busy:
        before, told = told, ""
        try:
            mirror.look()
            found = list_standing(service, *read_family(service, id))
            view.look(found)
            is_busy = any(one.is_busy for one in found)
        except StoreError as error:
            told = str(error)
        if told not in ("", before):
            print_remark(f"loopwright: {told}")
        if is_busy:
            time.sleep(LOOK_SECONDS)
    fetch_runs(engine, id)
    _, states = read_family(service, id)
    return _report(engine, list_results(service, family, states), find_winner(states), id, json=json, at=at)


def _report(
    engine: "Engine", found: "list[AttemptResult]", winner: str | None, id: str, *, json: bool, at: str
) -> ExitCode:
    from loopwright.workflows.loop.family import exit_for_family, glance_attempts

    code = ExitCode.DONE if winner else exit_for_family(found)
    if json:
        print_json(
            {
                "type": "rest",
                "success": code == ExitCode.DONE,
                "exit_code": code,
                "winner": winner or None,
                "attempts": _data(glance_attempts(found, winner)),
            }
        )
    else:
        print("\n".join(_page(engine, found, winner, id, at)))
    return code


class AttemptsPage(NamedTuple):
    page: str
    data: list[dict[str, Any]]  # Any: JSON


def show_attempts(engine: "Engine", id: str, at: str) -> AttemptsPage | None:
    """How all stand that this one is one of; None where it is alone."""
    if engine.service.read(id).engine.family is None:
        return None
    from loopwright.workflows.loop.family import find_winner, glance_attempts, list_results, read_family

    family, states = read_family(engine.service, id)
    found, winner = list_results(engine.service, family, states), find_winner(states)
    return AttemptsPage("\n".join(_page(engine, found, winner, id, at)), _data(glance_attempts(found, winner)))


def _data(found: "Sequence[AttemptGlance]") -> list[dict[str, Any]]:  # Any: JSON
    return [one.model_dump() for one in found]


def _page(engine: "Engine", found: "Sequence[AttemptResult]", winner: str | None, id: str, at: str) -> list[str]:
    """A line for each, and what to do next."""
    from loopwright.surfaces.cli.text import align_columns, shorten_text

    rows = [("", "ATTEMPT", "AGENT", "RESULT", "MUTANTS", "LINES")]
    for one in found:
        score = "-" if one.score is None else f"{one.score:.0f} %"
        result, mark = one.outcome or one.status, "*" if one.id == winner else ""
        size = "-" if one.lines is None else str(one.lines)
        rows.append((mark, one.id, clean_line(one.agent), result, score, size))
    lines = align_columns(rows)
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.reason:
            reasons.setdefault(one.reason, []).append(str(one.number))
    lines += [f"  {', '.join(numbers)}: {shorten_text(reason, 300)}" for reason, numbers in reasons.items()]
    if winner:
        number = next(one.number for one in found if one.id == winner)
        return [
            *lines,
            "",
            f"Attempt {number} is the best; your files are as they were.",
            f"  next  loopwright diff {winner}{at}",
            f"  then  loopwright apply {winner}{at}  (or: branch, pr)",
        ]
    if winner == "":
        best = min(found, key=_closeness).id
        return [
            *lines,
            "",
            "No attempt is proven; nothing was applied. What each has changed is kept: loopwright diff ID",
            f"  next  loopwright show {best}{at}",
        ]
    service = engine.service
    if not any(service.is_elsewhere(one.id) for one in found):
        return [*lines, "", "Not settled yet.", f"  next  loopwright resume {id} --wait{at}"]
    there = [run for one in found if (run := service.in_fleet(one.id))]
    waiting = [f"  help  loopwright show {run.id}{at}" for run in there if run.status == "resting"]
    return [*lines, "", "Not settled yet: they are in the fleet.", *waiting, f"  then  loopwright fetch {id}{at}"]


def _closeness(one: "AttemptResult") -> tuple[int, int]:
    from loopwright.workflows.loop.family import OUTCOMES

    return OUTCOMES.index(one.outcome) if one.outcome else len(OUTCOMES), one.number


def _standing(one: "AttemptResult") -> dict[str, Any]:  # Any: JSON
    """Without what is measured only at the end."""
    from loopwright.workflows.loop.family import glance_attempts

    (told,) = glance_attempts([one], None)
    return told.model_dump(exclude={"mutation_score", "changed_lines", "chosen"})


class _AttemptView:
    """A line for each change of an attempt's status."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._shown: dict[str, tuple[str, str | None]] = {}

    def begin(self, ids: Sequence[str], agents: Sequence[str], at: str) -> None:
        for number, (id, agent) in enumerate(zip(ids, agents, strict=True), 1):
            if not self._as_json:
                print(f"attempt {number}: {id} ({clean_line(agent)})", flush=True)
        if not self._as_json:
            print_remark(f"loopwright: follow one with: loopwright watch ID{at}")

    def look(self, found: "Sequence[AttemptResult]") -> None:
        for one in found:
            now = (one.status, one.outcome)
            if self._shown.get(one.id) == now:
                continue
            self._shown[one.id] = now
            if self._as_json:
                print_json({"type": "attempt", **_standing(one)})
            elif one.status != "created":
                print(f"attempt {one.number}: {one.outcome or one.status}", flush=True)
