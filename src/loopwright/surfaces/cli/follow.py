"""`watch` and `logs`: looking at what another process drives."""

import time
from json import dumps, loads
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from loopwright.core.errors import Invalid
from loopwright.surfaces.cli.kinds import AnyKind, Id
from loopwright.surfaces.cli.mirror import open_mirrored
from loopwright.surfaces.cli.options import HERE, Json, Project, project_option
from loopwright.surfaces.cli.output import print_json, print_remark
from loopwright.surfaces.cli.text import format_time, shorten_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from loopwright.core.record import JournalEntry
    from loopwright.core.recording import TranscriptLine
    from loopwright.core.run_commands import RunService
    from loopwright.core.run_events import RunNote
    from loopwright.core.wording import Fields
    from loopwright.store.tail import FileTail
    from loopwright.surfaces.cli.run_scene import RunPicture


EVENTS, PLAIN_LOGS = "events", ("runner.log", "setup.log")
LOOK_SECONDS = 0.2
LAUNCH_SECONDS = 5.0
"""How long what says running may be without a runner before nobody is coming."""
COMING = ("running", "pending")
"""What a runner is at, or will be in a moment: a session of tuning is pending until its first step."""


def watch(kind: AnyKind, id: Id, project: Project = HERE, json: Json = False) -> None:
    """Follow a loop until it ends or pauses; same exit codes as run."""
    from loopwright.surfaces.cli.run_driver import follow_run, report_rest

    with open_mirrored(project, follow=id) as engine:
        state = follow_run(kind, kind.service(engine), id, json)
        code = report_rest(kind, engine, state, as_json=json, elsewhere=project_option(project))
    raise typer.Exit(code)


def logs(
    kind: AnyKind,
    id: Id,
    name: Annotated[
        str | None, typer.Argument(metavar="[LOG]", show_default=False, help="Log name; an unknown one lists them all.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing until it ends or pauses.")] = False,
    project: Project = HERE,
    json: Json = False,
) -> None:
    """Print one of a loop's logs: without LOG its transcript, before its first run the journal."""
    known = (EVENTS, *kind.logs, *PLAIN_LOGS)
    if name is not None and name not in known:
        raise Invalid(f"LOG: no log {name!r} (available: {', '.join(known)})")
    if json and name in PLAIN_LOGS:
        raise Invalid(f"{name} is plain text; omit --json")
    with open_mirrored(project, follow=id if follow else None) as engine:
        service = kind.service(engine)
        service.read(id)
        folder = service.store.progress_path(id)
        begun = follow or any((folder / kind.logs[transcript]).exists() for transcript in kind.transcripts)
        names = (name,) if name else kind.transcripts if begun else (EVENTS,)
        files = {name: folder / kind.logs.get(name, name) for name in names}
        source = _events(service, id, json) if names == (EVENTS,) else _lines(files, json)
        told = next(source)
        for _ in look_while_driven(service, id, lambda: service.read(id)) if follow else ():
            told = next(source) or told
        told = next(source) or told
    if not told:
        print_remark(f"nothing in {' or '.join(names)} so far")


def look_while_driven(service: "RunService[Any]", id: str, look: "Callable[[], Any]") -> "Iterator[Any]":
    """What one look after the other finds, until nobody drives the run any more or is about to."""  # Any: its state
    alone_since = time.monotonic()
    while True:
        live, state = service.is_live(id), look()
        yield state
        if live:
            alone_since = time.monotonic()
        elif state.status not in COMING or service.awaits(state) or time.monotonic() - alone_since > LAUNCH_SECONDS:
            return
        time.sleep(LOOK_SECONDS)


def _events(service: "RunService[Any]", id: str, json: bool) -> "Iterator[bool]":
    """Each step prints what is new, and says whether there was anything."""
    from loopwright.surfaces.cli.plain import event_line, event_object

    seq = 0
    while True:
        entries = service.events(id, seq)
        for entry in entries:
            if json:
                print_json(event_object(entry))
            else:
                print(event_line(entry), flush=True)
        seq = entries[-1].seq if entries else seq
        yield bool(entries)


def _lines(files: "Mapping[str, Path]", json: bool) -> "Iterator[bool]":
    """As `_events`. Of several logs what is new is told by its time, with whose log it is in."""
    from loopwright.core.text import clean_line
    from loopwright.store.tail import FileTail

    tails = {name: FileTail(file) for name, file in files.items()}
    while True:
        found = [(name, line) for name, tail in tails.items() for line in tail.lines()]
        for name, line in sorted(found, key=lambda each: _time(each[1])) if len(tails) > 1 else found:
            if json:
                _write(line, name)
            else:
                said = clean_line(log_line(files[name].name, line))
                print(f"{name:<12} {said}" if len(tails) > 1 else said, flush=True)
        yield bool(found)


def _time(line: str) -> str:
    """When it was written; a damaged line comes first."""
    try:
        return str(loads(line)["ts"])
    except (ValueError, KeyError, TypeError):
        return ""


def _write(line: str, name: str) -> None:
    """A line as it is stored; one that is no JSON is not passed off as such."""
    try:
        print_json(loads(line))
    except ValueError:
        print_remark(f"loopwright: a damaged line of {name} is left out")


def _change(f: "Fields") -> str:
    from loopwright.core.wording import CHANGES

    return f"{_at(f['timestamp'])} {CHANGES[f['action']]} {f['file']} ({f['agent']}): {f['description']}"


def _note(f: "Fields") -> str:
    from loopwright.core.wording import NOTES

    return f"{_at(f['ts'])} {NOTES[f['kind']].format(shorten_text(f['text'], CELLS))}"


FORMS: "dict[str, Callable[[Fields], str]]" = {
    "changes.log": _change,
    "debug.log": lambda f: f"{_at(f['ts'])} {f['hid']} {f['func']}:{f['line']} {dumps(f['data'])}",
    "transcript.ndjson": _note,
}
CELLS = 400
"""Of a text in the transcript that people are shown; --json has it whole."""


def log_line(name: str, line: str) -> str:
    """Time first, then what happened; a line of another shape stays as it is."""
    form = FORMS.get(name)
    try:
        return form(loads(line)) if form else line
    except (ValueError, KeyError, TypeError, AttributeError):
        return line


def _at(timestamp: str) -> str:
    return format_time(timestamp, "%H:%M:%S")


class RunView(Protocol):
    """Where something that runs is shown. `draws`: a picture of all of it, and not only what is new."""

    draws: bool

    def look(self, picture: "RunPicture", entries: "Sequence[JournalEntry]") -> None:
        """The latest state, and what was committed since the last look."""
        ...

    def note(self, note: "RunNote", at: "datetime") -> None:
        """What the runner does right now, or did at that time."""
        ...

    def aside(self) -> "AbstractContextManager[None]":
        """While somebody else has the terminal."""
        ...


class RunReporter:
    """Tells one run to one view. History before the start is known to the picture, but not told again."""

    def __init__(self, kind: AnyKind, service: "RunService[Any]", id: str, view: RunView) -> None:  # Any: as in AnyKind
        self._kind, self._service, self._id, self._view = kind, service, id, view
        self._began = time.monotonic()
        self._history = kind.rendering.remembered(service.events(id) if view.draws else ())
        self._seq = service.read(id).engine.rev

    def look(self, upto: int | None = None) -> Any:
        """Shows what is new, up to that number of the journal, and returns the latest state."""
        known = self._service.events(self._id, self._seq)
        entries = tuple(entry for entry in known if upto is None or entry.seq <= upto)
        state = self._service.read(self._id)
        if entries:
            self._history += self._kind.rendering.remembered(entries)
            self._seq = entries[-1].seq
        picture = self._kind.rendering.picture(state, self._history, time.monotonic() - self._began)
        self._view.look(picture, entries)
        return state

    def note(self, note: "RunNote") -> None:
        """Passes a note of this moment on, after what was committed before it."""
        if note.event is None and note.kind != "output":
            self.look()
        self._view.note(note, self._service.clock.now())

    def catch_up(self, *notes: "FileTail") -> Any:
        """Shows what another process has done since the last look, in the order in which it was done.

        What is committed after this look at the journal is left for the next one: a note that came before it may not
        be in the transcript yet.
        """
        latest = self._service.events(self._id, self._seq)
        found = [kept for tail in notes for kept in filter(None, map(parse_note, tail.lines()))]
        for kept in sorted(found, key=lambda kept: kept.at) if len(notes) > 1 else found:
            if kept.after:
                self.look(kept.after)
            self._view.note(kept.note, kept.at)
        return self.look(latest[-1].seq if latest else self._seq)


def parse_note(line: str) -> "TranscriptLine | None":
    """A note from a line of the transcript, or None for one that was torn or is of another version."""
    from loopwright.core.recording import read_line

    try:
        return read_line(line)
    except (ValueError, TypeError):
        return None
