"""Several attempts at one goal: `run --attempts`, and what `resume` and `show` have to say about them."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from loopwright.core.errors import Conflict, ExitCode, Invalid
from loopwright.core.text import clean_line, plural
from loopwright.surfaces.cli.options import Given
from loopwright.surfaces.cli.output import SilentExit, print_answer, print_json, print_remark

if TYPE_CHECKING:
    from loopwright.surfaces.cli.sources import NewWork
    from loopwright.wiring import Engine
    from loopwright.workflows.loop.family import AttemptResult

MOST = 16
"""Attempts at once; each has a worktree of its own."""

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


class AttemptOptions(NamedTuple):
    """`agents`: none where the settings name the only one."""

    attempts: int
    parallel: int
    run_all: bool
    agents: tuple[str, ...]


def read_attempts(given: Given, *, auto: bool, loop_id: str | None) -> AttemptOptions | None:
    """What is wanted of several attempts, which `given` no longer holds; None where there is one. Invalid."""
    agents: tuple[str, ...] = given.pop("agent", ())
    attempts, parallel, run_all = given.pop("attempts", None), given.pop("parallel", None), given.pop("all", False)
    if len(agents) == 1:
        given["agent"] = agents[0]
    if attempts is None:
        if parallel is not None or run_all or len(agents) > 1:
            what = "several agents" if len(agents) > 1 else "--all" if run_all else "--parallel"
            raise Invalid(f"{what}: only with several attempts, as in --attempts 4")
        return None
    if loop_id is not None:
        raise Invalid("--attempts begins new loops; to go on with some, run: loopwright resume ID --wait")
    if not auto:
        raise Invalid("--attempts needs --auto: nobody can answer several at once")
    if not 2 <= attempts <= MOST:
        raise Invalid(f"--attempts: a number from 2 to {MOST} (got {attempts})")
    if parallel is not None and not 1 <= parallel <= attempts:
        raise Invalid(f"--parallel: a number from 1 to {attempts}, which is --attempts (got {parallel})")
    if len(agents) > attempts:
        raise Invalid(f"{len(agents)} agents for {attempts} attempts: raise --attempts, or name fewer agents")
    if len(agents) > 1 and (named := [name for name in ("model", "effort") if name in given]):
        raise Invalid(f"--{named[0]} with several agents: name it with each, as in --agent codex:MODEL@EFFORT")
    if given.get("worktree") is False:
        raise Invalid("--attempts needs worktrees: leave out --no-worktree")
    given["worktree"] = True
    several = agents if len(agents) > 1 else ()
    return AttemptOptions(attempts, min(parallel or 2, attempts), bool(run_all), several)


def run_attempts(
    engine: "Engine", work: "NewWork", title: str | None, options: AttemptOptions, *, json: bool, at: str
) -> ExitCode:
    """Creates them and drives them to their end."""
    engine.load_prompts()
    first = engine.create_family(
        work.task,
        attempts=options.attempts,
        parallel=options.parallel,
        run_all=options.run_all,
        agents=options.agents,
        title=title,
        sources=work.sources,
    )
    return drive_attempts(engine, first.loop_id, json=json, at=at)


def is_unsettled(engine: "Engine", id: str) -> bool:
    """Whether it is one of several attempts of which not all know yet which was chosen."""
    from loopwright.workflows.loop.family import read_family

    if engine.service.read(id).engine.family is None:
        return False
    families = [state.engine.family for state in read_family(engine.service, id)[1]]
    return any(family is not None and family.winner is None for family in families)


def resume_attempts(engine: "Engine", id: str, *, wait: bool, json: bool, at: str) -> None:
    """Goes on with all of them, here or in the background."""
    if wait:
        raise typer.Exit(drive_attempts(engine, id, json=json, at=at))
    family = engine.service.read(id).engine.family
    assert family is not None
    with _driving(engine, family.ids[0]):
        pass
    folder = engine.service.store.progress_path(family.ids[0])
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "loopwright", "resume", id, "--wait", "--project", str(engine.project)]
    with (folder / "attempts.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=engine.project, start_new_session=True
        )
    process.returncode = 0  # it outlives us on purpose
    words = f"{plural(len(family.members), 'attempt')} resumed; see how they stand with: loopwright show {id}{at}"
    print_answer(json, engine.service.read(id), words)


@contextmanager
def _driving(engine: "Engine", first: str) -> "Iterator[None]":
    """One process at a time. Conflict."""
    from loopwright.store.lease import Flock

    folder = engine.service.store.progress_path(first)
    folder.mkdir(parents=True, exist_ok=True)
    lock = Flock.at_once(str(folder / "attempts.lock"))
    if lock is None:
        raise Conflict(f"another process drives these attempts; see how they stand with: loopwright show {first}")
    try:
        yield
    finally:
        lock.release()


def drive_attempts(engine: "Engine", id: str, *, json: bool, at: str) -> ExitCode:
    """In this process, until nothing is left to do; then the best is chosen."""
    import asyncio  # slow to load, and help has no use for it

    from loopwright.surfaces.cli.run_driver import end_on_signals
    from loopwright.workflows.loop.family import FamilyDriver, exit_for_family, settle_family

    service = engine.service
    family = service.read(id).engine.family
    assert family is not None
    driver, view = FamilyDriver(service), _AttemptView(json)

    async def drive() -> "list[AttemptResult]":
        end_on_signals()
        return await driver.drive(id, view.look)

    with _driving(engine, family.ids[0]):
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
    code = ExitCode.DONE if winner else exit_for_family(found)
    if json:
        print_json(
            {
                "type": "rest",
                "success": code == ExitCode.DONE,
                "exit_code": code,
                "winner": winner or None,
                "attempts": _data(found, winner),
            }
        )
    else:
        print("\n".join(_page(found, winner, id, at)))
    return code


class AttemptsPage(NamedTuple):
    page: str
    data: list[dict[str, Any]]  # Any: JSON


def show_attempts(engine: "Engine", id: str, at: str) -> AttemptsPage | None:
    """How all stand that this one is one of; None where it is alone."""
    own = engine.service.read(id).engine.family
    if own is None:
        return None
    from loopwright.workflows.loop.family import list_results, read_family

    family, states = read_family(engine.service, id)
    found = list_results(engine.service, family, states)
    return AttemptsPage("\n".join(_page(found, own.winner, id, at)), _data(found, own.winner))


def _data(found: "Sequence[AttemptResult]", winner: str | None) -> list[dict[str, Any]]:  # Any: JSON
    return [
        {
            **_described(one),
            "mutation_score": one.score,
            "changed_lines": one.lines,
            "chosen": one.id == winner,
        }
        for one in found
    ]


def _described(one: "AttemptResult") -> dict[str, Any]:  # Any: as above
    return {
        "number": one.number,
        "loop_id": one.id,
        "agent": one.agent,
        "status": one.status,
        "outcome": one.outcome,
        "reason": one.reason or None,
    }


def _page(found: "Sequence[AttemptResult]", winner: str | None, id: str, at: str) -> list[str]:
    """A line for each, and what to do next."""
    from loopwright.surfaces.cli.text import align_columns, shorten_text

    rows = [("", "ATTEMPT", "AGENT", "RESULT", "MUTANTS", "LINES")]
    for one in found:
        score = "-" if one.score is None else f"{one.score:.0f} %"
        result, mark = one.outcome or one.status, "*" if one.id == winner else ""
        rows.append((mark, one.id, clean_line(one.agent), result, score, str(one.lines)))
    lines = align_columns(rows)
    lines += [f"  {one.number}: {shorten_text(one.reason, 100)}" for one in found if one.reason]
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
    return [*lines, "", "Not settled yet.", f"  next  loopwright resume {id} --wait{at}"]


def _closeness(one: "AttemptResult") -> tuple[int, int]:
    from loopwright.workflows.loop.family import OUTCOMES

    return OUTCOMES.index(one.outcome) if one.outcome else len(OUTCOMES), one.number


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
                print_json({"type": "attempt", **_described(one)})
            elif one.status != "created":
                print(f"attempt {one.number}: {one.outcome or one.status}", flush=True)
