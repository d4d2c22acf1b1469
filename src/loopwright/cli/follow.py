"""`watch` and `logs`: looking at a loop that another process drives."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from loopwright.cli.options import HERE, Json, LoopId, Project, elsewhere, opened
from loopwright.cli.output import remark, write
from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopwright.engine.service import LoopService

EVENTS, TRANSCRIPT, RUNNER_LOG = "events", "transcript.ndjson", "runner.log"
LOGS = (EVENTS, "changes.log", "debug.log", TRANSCRIPT, RUNNER_LOG)


def watch(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """Follow a loop until it rests; the exit code says how, as for run."""
    from loopwright.cli.driving import follow, tell_rest

    with opened(project) as engine:
        state = follow(engine.service, loop_id, json)
        code = tell_rest(engine, state, as_json=json, elsewhere=elsewhere(project))
    raise typer.Exit(code)


def logs(
    loop_id: LoopId,
    name: Annotated[
        str | None, typer.Argument(metavar="[LOG]", show_default=False, help=f"One of {', '.join(LOGS)}.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the loop rests.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Print one of a loop's logs: without LOG the transcript, before its first run the journal."""
    if name is not None and name not in LOGS:
        raise Invalid(f"LOG: no log {name!r} (there are: {', '.join(LOGS)})")
    if json and name == RUNNER_LOG:
        raise Invalid(f"{RUNNER_LOG} holds plain text; leave --json out")
    with opened(project) as engine:
        service = engine.service
        service.read(loop_id)
        begun = follow or (service.store.progress_path(loop_id) / TRANSCRIPT).exists()
        name = name or (TRANSCRIPT if begun else EVENTS)
        source = _events(service, loop_id, json) if name == EVENTS else _lines(service, loop_id, name, json)
        told = next(source)
        for _ in _while_it_goes_on(service, loop_id) if follow else ():
            told = next(source) or told
        told = next(source) or told
    if not told:
        remark(f"nothing in {name} so far")


def _while_it_goes_on(service: "LoopService", loop_id: str) -> "Iterator[None]":
    """One look after the other, until nobody drives the loop any more or is about to."""
    from loopwright.cli.driving import LAUNCH_SECONDS, LOOK_SECONDS

    alone_since = time.monotonic()
    while True:
        live, state = service.is_live(loop_id), service.read(loop_id)
        if live:
            alone_since = time.monotonic()
        elif state.status != "running" or time.monotonic() - alone_since > LAUNCH_SECONDS:
            return
        time.sleep(LOOK_SECONDS)
        yield


def _events(service: "LoopService", loop_id: str, json: bool) -> "Iterator[bool]":
    """Each step prints what is new, and says whether there was anything."""
    from loopwright.cli.plain import event_line, event_object

    seq = 0
    while True:
        entries = service.events(loop_id, seq)
        for entry in entries:
            if json:
                write(event_object(entry))
            else:
                print(event_line(entry), flush=True)
        seq = entries[-1].seq if entries else seq
        yield bool(entries)


def _lines(service: "LoopService", loop_id: str, name: str, json: bool) -> "Iterator[bool]":
    from loopwright.cli.logline import log_line
    from loopwright.cli.text import clean
    from loopwright.store.tail import Tail

    tail = Tail(service.store.progress_path(loop_id) / name)
    while True:
        lines = tail.lines()
        for line in lines:
            if json:
                _write(line, name)
            else:
                print(clean(log_line(name, line)), flush=True)
        yield bool(lines)


def _write(line: str, name: str) -> None:
    """A line as it is stored; one that is no JSON is not passed off as such."""
    from json import loads

    try:
        write(loads(line))
    except ValueError:
        remark(f"loopwright: a damaged line of {name} is left out")
