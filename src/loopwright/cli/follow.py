"""`watch` and `logs`: looking at what another process drives."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loopwright.cli.kinds import AnyKind, Id
from loopwright.cli.options import HERE, Json, Project, elsewhere, opened
from loopwright.cli.output import remark, write
from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from loopwright.engine.runs import Runs

EVENTS, RUNNER_LOG = "events", "runner.log"


def watch(kind: AnyKind, id: Id, project: Project = HERE, json: Json = False) -> None:
    """Follow a loop until it rests; the exit code says how, as for run."""
    from loopwright.cli.driving import follow, tell_rest

    with opened(project) as engine:
        state = follow(kind, kind.service(engine), id, json)
        code = tell_rest(kind, engine, state, as_json=json, elsewhere=elsewhere(project))
    raise typer.Exit(code)


def logs(
    kind: AnyKind,
    id: Id,
    name: Annotated[
        str | None, typer.Argument(metavar="[LOG]", show_default=False, help="Which; an unknown one is told all.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until it rests.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Print one of a loop's logs: without LOG its transcript, before its first run the journal."""
    known = (EVENTS, *kind.logs, RUNNER_LOG)
    if name is not None and name not in known:
        raise Invalid(f"LOG: no log {name!r} (there are: {', '.join(known)})")
    if json and name == RUNNER_LOG:
        raise Invalid(f"{RUNNER_LOG} holds plain text; leave --json out")
    with opened(project) as engine:
        service = kind.service(engine)
        service.read(id)
        folder = service.store.progress_path(id)
        begun = follow or any((folder / kind.logs[transcript]).exists() for transcript in kind.transcripts)
        names = (name,) if name else kind.transcripts if begun else (EVENTS,)
        files = {name: folder / kind.logs.get(name, name) for name in names}
        source = _events(service, id, json) if names == (EVENTS,) else _lines(files, json)
        told = next(source)
        for _ in _while_it_goes_on(service, id) if follow else ():
            told = next(source) or told
        told = next(source) or told
    if not told:
        remark(f"nothing in {' or '.join(names)} so far")


def _while_it_goes_on(service: "Runs[Any]", id: str) -> "Iterator[None]":
    """One look after the other, until nobody drives it any more or is about to."""
    from loopwright.cli.driving import COMING, LAUNCH_SECONDS, LOOK_SECONDS

    alone_since = time.monotonic()
    while True:
        live, state = service.is_live(id), service.read(id)
        if live:
            alone_since = time.monotonic()
        elif state.status not in COMING or service.awaits(state) or time.monotonic() - alone_since > LAUNCH_SECONDS:
            return
        time.sleep(LOOK_SECONDS)
        yield


def _events(service: "Runs[Any]", id: str, json: bool) -> "Iterator[bool]":
    """Each step prints what is new, and says whether there was anything."""
    from loopwright.cli.plain import event_line, event_object

    seq = 0
    while True:
        entries = service.events(id, seq)
        for entry in entries:
            if json:
                write(event_object(entry))
            else:
                print(event_line(entry), flush=True)
        seq = entries[-1].seq if entries else seq
        yield bool(entries)


def _lines(files: "Mapping[str, Path]", json: bool) -> "Iterator[bool]":
    """As `_events`. Of several logs what is new is told by its time, with whose log it is in."""
    from loopwright.cli.logline import log_line
    from loopwright.cli.text import clean
    from loopwright.store.tail import Tail

    tails = {name: Tail(file) for name, file in files.items()}
    while True:
        found = [(name, line) for name, tail in tails.items() for line in tail.lines()]
        for name, line in sorted(found, key=lambda each: _time(each[1])) if len(tails) > 1 else found:
            if json:
                _write(line, name)
            else:
                said = clean(log_line(files[name].name, line))
                print(f"{name:<12} {said}" if len(tails) > 1 else said, flush=True)
        yield bool(found)


def _time(line: str) -> str:
    """When it was written; a damaged line comes first."""
    from json import loads

    try:
        return str(loads(line)["ts"])
    except (ValueError, KeyError, TypeError):
        return ""


def _write(line: str, name: str) -> None:
    """A line as it is stored; one that is no JSON is not passed off as such."""
    from json import loads

    try:
        write(loads(line))
    except ValueError:
        remark(f"loopwright: a damaged line of {name} is left out")
