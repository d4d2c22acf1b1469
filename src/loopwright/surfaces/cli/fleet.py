"""The fleet: `fleet init`, `worker`, `status` and `accounts`, and `submit` and `fetch` of runs."""

import os
import signal
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from loopwright.core.errors import ExitCode, Invalid, StoreError
from loopwright.surfaces.cli.attempts import ATTEMPTS, await_attempts, create_attempts, read_attempts, show_attempts
from loopwright.surfaces.cli.kinds import KINDS, Id
from loopwright.surfaces.cli.options import (
    HERE,
    SETTINGS,
    Json,
    Project,
    Title,
    add_options,
    need_command,
    open_project,
    project_option,
    read_options,
    read_task,
)
from loopwright.surfaces.cli.output import print_answer, print_remark
from loopwright.surfaces.cli.sources import SOURCES, gather_work, need_work

app = typer.Typer(help="Runs on many machines: PostgreSQL, workers, and accounts of agents.", rich_markup_mode=None)
app.callback(invoke_without_command=True)(need_command)


@app.command("init")
def init(project: Project = HERE, json: Json = False) -> None:
    """Make the fleet's tables, or bring them up to date."""
    from loopwright.wiring import read_config
    from loopwright.wiring.fleet.access import DEFAULT_ACCOUNT, make_fleet

    accounts = make_fleet(read_config(project, {}))
    words = f"the fleet is ready; accounts: {', '.join(accounts)}\nstart a worker with: loopwright fleet worker"
    print_answer(json, {"accounts": accounts, "default": DEFAULT_ACCOUNT}, words)


@app.command("worker")
def worker(
    slots: Annotated[int, typer.Option("--slots", metavar="N", min=1, help="Runs at a time.")] = 2,
    place: Annotated[
        Path | None,
        typer.Option("--place", metavar="DIR", show_default=False, help="Folder to work in (default: of your state)."),
    ] = None,
    sandbox: Annotated[
        bool | None,
        typer.Option(
            "--sandbox/--no-sandbox",
            show_default=False,
            help="Put runs that name no sandbox into one (default: where it works).",
        ),
    ] = None,
    drain: Annotated[bool, typer.Option("--drain", help="End when no run is waiting.")] = False,
    project: Project = HERE,
) -> None:
    """Drive runs of the fleet on this machine, until it is interrupted."""
    from loopwright.wiring import read_config
    from loopwright.wiring.fleet.access import worker_place
    from loopwright.wiring.fleet.worker import FleetWorker

    config = read_config(project, {})
    one = FleetWorker(config, (place or worker_place()).resolve(), slots, _say, sandbox)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: one.end())
    if not one.serve(drain=drain):
        sys.stderr.flush()
        os.execv(sys.executable, [sys.executable, "-m", "loopwright", *sys.argv[1:]])


def _say(line: str) -> None:
    from datetime import datetime

    print(f"{datetime.now():%H:%M:%S} {line}", flush=True)


@app.command("accounts")
def accounts(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", show_default=False)] = None,
    slots: Annotated[
        int | None, typer.Option("--slots", metavar="N", min=1, help="Its runs that are driven at a time.")
    ] = None,
    user_slots: Annotated[
        int | None, typer.Option("--user-slots", metavar="N", min=1, help="Of these, the most of one user.")
    ] = None,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """List the accounts of agents, or set how many runs one has at a time."""
    from loopwright.surfaces.cli.text import align_columns
    from loopwright.wiring import read_config
    from loopwright.wiring.fleet.access import open_dispatcher

    if (name is None) != (slots is None):
        raise Invalid("an account is set by its name and its slots, as in: fleet accounts team --slots 4")
    dispatcher = open_dispatcher(read_config(project, {}))
    if name is not None and slots is not None:
        dispatcher.set_account(name, slots, user_slots)
    rows = dispatcher.accounts()
    lines = [
        (
            one["name"],
            f"{one['running']} of {one['slots']} run",
            f"{one['queued']} wait",
            f"{one['user_slots']} a user" if one["user_slots"] else "",
            f"closed until {one['closed_until']}: {one['closed_why']}" if one["closed_until"] else "",
        )
        for one in rows
    ]
    print_answer(json, rows, "\n".join(line.rstrip() for line in align_columns(lines)) or "no accounts")


@app.command("status")
def status(project: Project = HERE, json: Json = False) -> None:
    """Show the workers, what they drive, and what waits."""
    from loopwright.surfaces.cli.text import align_columns
    from loopwright.wiring import read_config
    from loopwright.wiring.fleet.access import open_dispatcher

    found = open_dispatcher(read_config(project, {})).status()
    workers = [
        (w["executor"], f"{w['running']} of {w['slots']} slots", f"beat {w['age']:.0f} s ago") for w in found["workers"]
    ]
    counts = ", ".join(f"{n} {name}" for name, n in found["runs"].items()) or "no runs"
    lines = [f"workers: {len(workers)}", *(f"  {line}" for line in align_columns(workers)), f"runs: {counts}"]
    rows = [
        (r["id"], r["status"], r["holder"] or "", ": ".join(filter(None, (r["title"], r["trouble"]))))
        for r in found["latest"]
    ]
    print_answer(json, found, "\n".join([*lines, *(f"  {line.rstrip()}" for line in align_columns(rows))]))


ATTEMPTS_THERE = {name: option for name, option in ATTEMPTS.items() if name != "parallel"}
"""How many are driven at once, the slots of their account say."""


@add_options({**SOURCES, **SETTINGS, **ATTEMPTS_THERE})
def submit(
    *,
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK|ID",
            help="What to do, or the id of a run that is there; @FILE reads a task from a file, - from stdin.",
            show_default=False,
            callback=read_task,
        ),
    ],
    title: Title = None,
    account: Annotated[
        str | None, typer.Option("--account", metavar="NAME", help="Account that it works with (default: see [fleet]).")
    ] = None,
    priority: Annotated[
        int, typer.Option("--priority", metavar="N", min=0, help="Of your runs, the lowest is begun first.")
    ] = 0,
    wait: Annotated[bool, typer.Option("--wait", help="Follow it until it ends or pauses.")] = False,
    project: Project = HERE,
    json: Json = False,
    **options: Any,
) -> None:  # Any: as typed
    """Hand a run to the fleet: a new loop for TASK, or a loop, cycle or session that is there."""
    from loopwright.core.ids import is_safe_id
    from loopwright.surfaces.cli.run import create_loop
    from loopwright.wiring.fleet.access import choose_account, open_dispatcher
    from loopwright.wiring.fleet.runs import find_kind, services, submit_run

    given = read_options(options)
    attempts = read_attempts(given, auto=True, loop_id=None)
    with open_project(project, given) as engine:
        chosen = choose_account(engine.config, account)
        id, kind = task, find_kind(engine, task) if is_safe_id(task) else None
        if kind is None:
            work = need_work(gather_work(task, given, project))
            if attempts:
                made = create_attempts(engine, work, title, attempts, elsewhere=True)
            else:
                made = create_loop(engine, work, title, interactive=False, elsewhere=True)
            id, kind = made.loop_id, "loop_id"
        elif attempts:
            raise Invalid(f"--attempts begins new loops, and {id} is there already; submit it without")
        submitted = submit_run(engine, kind, id, chosen, priority)
        state = services(engine)[kind].read(id)
        with suppress(StoreError), closing(open_dispatcher(engine.config)) as dispatcher:  # it is there already
            if not dispatcher.status()["workers"]:
                print_remark("no worker lives; start one with: loopwright fleet worker")
    at = project_option(project)
    are, they = (f"{', '.join(submitted)} are", "they have") if submitted[1:] else (f"{id} is", "it has")
    words = f"{are} in the fleet\nbring what {they} done here with: loopwright fetch {id}{at}"
    if not wait:
        print_answer(json, state, words)
        return
    print_remark(words)
    raise typer.Exit(_await(project, id, json=json))


def _await(project: Path, id: str, *, json: bool) -> ExitCode:
    """Until it has ended, or rests until a person helps; of several attempts, until all do."""
    from loopwright.surfaces.cli.mirror import open_mirrored
    from loopwright.surfaces.cli.run_driver import follow_run, report_rest
    from loopwright.wiring.fleet.runs import fetch_run, find_kind, find_unsettled

    with open_mirrored(project) as engine:
        if find_unsettled(engine, id):
            return await_attempts(engine, id, json=json, at=project_option(project))
    with open_mirrored(project, follow=id) as engine:
        kind = next(kind for kind in KINDS if kind.key == find_kind(engine, id))
        follow_run(kind, kind.service(engine), id, json)
        _, state = fetch_run(engine, id)
        return report_rest(kind, engine, state, as_json=json, elsewhere=project_option(project))


def fetch(loop_id: Id, project: Project = HERE, json: Json = False) -> None:
    """Bring what a run has done in the fleet into this project: its state, its checkpoints and its branch."""
    from loopwright.wiring.fleet.runs import fetch_runs, find_kind, services

    with open_project(project) as engine:
        found = fetch_runs(engine, loop_id)
        kind = find_kind(engine, loop_id)
        assert kind is not None, "it is here now"
        state = services(engine)[kind].read(loop_id)
        attempts = show_attempts(engine, loop_id, project_option(project)) if kind == "loop_id" else None
    lines = [f"{id}: {run.words}; its state is here now" for id, run in found.items()]
    if attempts:
        print_answer(json, state, "\n".join([*lines, attempts.page]), attempts=attempts.data)
    else:
        print_answer(json, state, *lines)
