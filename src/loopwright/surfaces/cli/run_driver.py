"""Driving or following a run of any kind, shown as it goes, until it rests."""

import asyncio
import os
import signal
import stat
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from rich.console import Console
from rich.live import Live
from rich.text import Text

from loopwright.core.config import FLEET_URL
from loopwright.core.errors import ExitCode, NotFound, WorkspaceError
from loopwright.core.ports import Clock, Rule
from loopwright.core.record import JournalEntry
from loopwright.core.run import Run
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.state import MenuEntry
from loopwright.core.text import clean_line
from loopwright.store.tail import FileTail
from loopwright.surfaces.cli.follow import LOOK_SECONDS, RunReporter, RunView, look_while_driven
from loopwright.surfaces.cli.kinds import AnyKind
from loopwright.surfaces.cli.loop_rendering import LOOP
from loopwright.surfaces.cli.mirror import place_words
from loopwright.surfaces.cli.output import count_cells, is_plain, print_json, print_remark
from loopwright.surfaces.cli.plain import LineView, NdjsonView, rest_object
from loopwright.surfaces.cli.run_scene import LineStyle, RunPicture
from loopwright.surfaces.cli.text import fill_ages
from loopwright.workflows.loop.model import LoopState

if TYPE_CHECKING:
    from loopwright.core.run_commands import RunService
    from loopwright.wiring import Engine


@contextmanager
def open_view(as_json: bool) -> Iterator[RunView]:
    """Where what runs is shown meanwhile: to a program, in lines, or as a picture that is redrawn."""
    if as_json:
        yield NdjsonView()
    elif is_plain():
        yield LineView()
    else:
        with PlanView[Any]() as view:  # Any: pictures of the one kind that is driven
            yield view


def drive_run(
    view: RunView,
    kind: AnyKind,
    engine: "Engine",
    id: str,
    take_up: Rule[Any],
    *,
    interactive: bool = False,
    launched: bool = False,
) -> Any:  # Any: the kind's states, here and in the rule
    """Runs it in this process, shown in the view, until it rests. KeyboardInterrupt also for TERM and HUP.

    `launched`: in the background, where an interactive one asks through its state.
    """
    try:
        return asyncio.run(_drive(kind, engine, id, take_up, view, interactive, launched))
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error


async def _drive(
    kind: AnyKind, engine: "Engine", id: str, take_up: Rule[Any], view: RunView, interactive: bool, launched: bool
) -> Any:
    person = None
    if interactive:
        person = TerminalPrompter(view, engine.service.clock)
    story = RunReporter(kind, kind.service(engine), id, view)
    end_on_signals()
    if launched and stat.S_ISFIFO(os.fstat(0).st_mode):
        end_with_input()
        os.environ.pop(FLEET_URL, None)  # what it starts has no business there
    async with _looking(story):
        return await kind.run_kind.runner(engine).drive(
            id, take_up=take_up, bus=EventBus(story.note), person=person, from_afar=launched
        )


def end_on_signals() -> None:
    """TERM and HUP cancel the current task, so that whatever it has started is ended."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            loop.add_signal_handler(number, task.cancel)


def end_with_input() -> None:
    """Whoever started this holds our input open; when it is gone, even by a kill, nobody waits for us any more."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    end = task.cancel

    def read() -> None:
        if not os.read(0, 1024):
            loop.remove_reader(0)
            end()

    loop.add_reader(0, read)


@asynccontextmanager
async def _looking(story: RunReporter) -> AsyncIterator[None]:
    """Looks again and again while the body runs, and once more at its end."""

    async def look() -> None:
        while True:
            story.look()
            await asyncio.sleep(LOOK_SECONDS)

    looking = asyncio.ensure_future(look())
    try:
        yield
        story.look()
    finally:
        looking.cancel()
        await asyncio.wait({looking})
    if not looking.cancelled():
        looking.result()


def follow_run(kind: AnyKind, service: "RunService[Any]", id: str, as_json: bool) -> Any:  # Any: as above
    """Shows what another process drives, until that lets go of it."""
    folder = service.store.progress_path(id)
    notes = [FileTail(folder / kind.logs[name], from_end=True) for name in kind.transcripts]
    with open_view(as_json) as view:
        story = RunReporter(kind, service, id, view)
        for state in look_while_driven(service, id, lambda: story.catch_up(*notes)):
            last = state
    return last


def report_rest(kind: AnyKind, engine: "Engine", state: Run, *, as_json: bool, elsewhere: str) -> ExitCode:
    """The last words about what rests, and the exit code that goes with it."""
    code, id = kind.exit_for(state), kind.id_of(state)
    if as_json:
        print_json(rest_object(state, code, **{kind.key: id}))
        return code
    summary = kind.service(engine).store.progress_path(id) / kind.summary
    path = str(summary) if summary.exists() else None
    place = place_words(kind.service(engine), id)
    diff = _diff(kind, engine, id)
    print(kind.rendering.ending(state, diff=diff, summary=path, elsewhere=elsewhere, place=place))
    return code


def _diff(kind: AnyKind, engine: "Engine", id: str) -> str:
    try:
        if kind.service(engine).is_elsewhere(id):
            from loopwright.wiring.fleet.runs import fetch_checkpoints

            fetch_checkpoints(engine, kind.service(engine), id)
        return kind.service(engine).whole_diff(id)
    except (WorkspaceError, NotFound) as error:
        print_remark(f"loopwright: cannot show the changes: {error}")
        return ""


STYLES: dict[LineStyle, str] = {
    "head": "bold",
    "completed": "green",
    "in_progress": "bold cyan",
    "pending": "dim",
    "fact": "",
    "doing": "cyan",
    "output": "dim",
}
REDRAWS = 5
"""A second."""

P = TypeVar("P", bound=RunPicture)


class PlanView(Generic[P]):
    """Redraws by itself, so that the stopwatch runs while nothing else happens.

    `passing`: at its end nothing of it is left on the screen.
    """

    draws = True

    def __init__(self, *, passing: bool = False) -> None:
        self._console = Console(highlight=False)
        self._passing = passing
        self._live: Live | None = None
        self._shown: tuple[P, float] | None = None
        """The picture, and when it was like that; replaced as a whole, for the redrawing thread."""

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def look(self, picture: P, entries: Sequence[JournalEntry]) -> None:
        last = self._now()
        self._shown = (picture.after(last) if last else picture, time.monotonic())

    def note(self, note: RunNote, at: datetime) -> None:
        picture = self._now()
        if picture is not None:
            self._shown = (picture.noted(note), time.monotonic())

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The picture stays where it is; the next one begins below what was said meanwhile."""
        self._close()
        try:
            yield
        finally:
            self._open()

    def _open(self) -> None:
        self._live = Live(
            get_renderable=self._drawn, console=self._console, refresh_per_second=REDRAWS, transient=self._passing
        )
        self._live.start()

    def _close(self) -> None:
        if self._live:
            self._live.stop()
        self._live = None

    def _now(self) -> P | None:
        """Takes what is shown once, as a whole."""
        shown = self._shown
        return shown[0].aged(time.monotonic() - shown[1]) if shown else None

    def _drawn(self) -> Text:
        """Called by the redrawing thread."""
        picture = self._now()
        lines = picture.lines(self._console.width) if picture else []
        return Text("\n").join(Text(line.text, style=STYLES[line.kind], no_wrap=True) for line in lines)


class TerminalPrompter:
    """Implements ports.Person. Ctrl-C at a question is a KeyboardInterrupt like everywhere else."""

    def __init__(self, view: RunView, clock: Clock) -> None:
        self._view, self._clock = view, clock

    async def ask(self, question: str, options: Sequence[str]) -> str:
        import questionary  # slow to load, and most runs ask nothing

        words = clean_line(question)
        with self._view.aside():
            prompt = questionary.select(words, list(options)) if options else questionary.text(words)
            return str(await prompt.unsafe_ask_async())

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        import questionary

        choices = [questionary.Choice(_words(entry), value=entry.name, disabled=entry.blocked) for entry in menu]
        default = next((entry.name for entry in menu if entry.preselected and not entry.blocked), None)
        with self._view.aside():
            prompt = questionary.select("What next?", choices, default=default)
            return str(await prompt.unsafe_ask_async())

    async def show(self, state: LoopState) -> None:
        with self._view.aside():
            print(fill_ages(LOOP.page(state, live=True, elsewhere="", cells=count_cells()), self._clock.now()))


def _words(entry: MenuEntry) -> str:
    """Name and meaning; what cannot be chosen leaves the room to its reason."""
    return entry.name if entry.blocked else f"{entry.name:<9} {entry.words}"
