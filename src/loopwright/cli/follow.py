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

EVENTS = "events"
LOGS = (EVENTS, "changes.log", "debug.log", "transcript.ndjson", "runner.log")
LOOK_SECONDS = 0.2


def watch(loop_id: LoopId, project: Project = HERE, json: Json = False) -> None:
    """Follow a loop until it rests; the exit code says how, as for run."""
    from loopwright.cli.driving import follow, tell_rest

    with opened(project) as engine:
        state = follow(engine.service, loop_id, json)
        code = tell_rest(engine, state, as_json=json, elsewhere=elsewhere(project))
    raise typer.Exit(code)


def logs(
    loop_id: LoopId,
    name: Annotated[str, typer.Option("--name", metavar="LOG", help=f"One of {', '.join(LOGS)}.")] = EVENTS,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the loop rests.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Print a loop's journal, or one of its logs."""
    if name not in LOGS:
        raise Invalid(f"--name: no log {name!r} (there are: {', '.join(LOGS)})")
    if json and name == "runner.log":
        raise Invalid("runner.log holds plain text; leave --json out")
    with opened(project) as engine:
        service = engine.service
        service.read(loop_id)
        source = _events(service, loop_id, json) if name == EVENTS else _lines(service, loop_id, name, json)
        told = next(source)
        while follow and _goes_on(service, loop_id):
            time.sleep(LOOK_SECONDS)
            told = next(source) or told
        told = next(source) or told
    if not told:
        remark(f"nothing in {name} so far")


def _goes_on(service: "LoopService", loop_id: str) -> bool:
    return service.is_live(loop_id) or service.read(loop_id).status == "running"


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
    from loopwright.cli.story import Tail
    from loopwright.cli.text import clean

    tail = Tail(service.store.progress_path(loop_id) / name)
    while True:
        lines = tail.lines()
        for line in lines:
            print(line if json else clean(log_line(name, line)), flush=True)
        yield bool(lines)
