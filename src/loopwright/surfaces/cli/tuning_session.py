"""One session of tuning, driven in this process until it ends; at each choice the person is asked."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from loopwright.core.errors import ExitCode
from loopwright.core.record import JournalEntry
from loopwright.core.run_events import RunNote
from loopwright.core.text import clean_line
from loopwright.surfaces.cli.follow import RunView
from loopwright.surfaces.cli.kinds import TUNINGS
from loopwright.surfaces.cli.output import SilentExit, is_plain, print_json, print_remark
from loopwright.surfaces.cli.plain import LineView, NdjsonView
from loopwright.surfaces.cli.run_scene import RunPicture
from loopwright.surfaces.cli.text import clean_lines, colour_diff
from loopwright.workflows.tuning.model import Fix, TuningState
from loopwright.workflows.tuning.publish import diff_of

if TYPE_CHECKING:
    from loopwright.core.ports import Rule
    from loopwright.surfaces.cli.tune import TuneOrder
    from loopwright.wiring import Engine


YES, NO, ALL, NONE = "apply it", "leave it", "apply it and all that follow", "leave it and all that follow"


def ask_fixes(state: TuningState) -> tuple[str, ...]:
    """Their ids. Ctrl-C is a KeyboardInterrupt, and nothing is chosen."""
    waiting = state.engine.waiting
    offered = [fix for id in (waiting.options if waiting else ()) if (fix := state.fix(id))]
    taken: list[str] = []
    for number, fix in enumerate(offered):
        print_remark(f"\n{render_fix(fix, plain=is_plain())}")
        answer = _asked(f"{fix.id}, {number + 1} of {len(offered)}:")
        if answer == NONE:
            break
        if answer == ALL:
            return (*taken, *(one.id for one in offered[number:]))
        if answer == YES:
            taken.append(fix.id)
    return tuple(taken)


def render_fix(fix: Fix, *, plain: bool) -> str:
    """What it does and why, and its unified diff."""
    diff = clean_lines(diff_of(fix)).rstrip("\n")
    return (
        f"{fix.id}  {clean_line(fix.description)}\n{clean_line(fix.rationale)}\n{diff if plain else colour_diff(diff)}"
    )


def _asked(question: str) -> str:
    import questionary

    return str(questionary.select(question, [YES, NO, ALL, NONE]).unsafe_ask())


LATE = 1.0
"""Seconds after which somebody wonders what is going on."""
EVERY = 0.2


class DelayedView:
    """Says nothing for a second; then everything, in the view for this terminal."""

    draws = True

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._kept: list[JournalEntry] = []
        self._view: RunView | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def look(self, picture: RunPicture, entries: Sequence[JournalEntry]) -> None:
        self._kept += entries
        if self._view is None and time.monotonic() - self._began > LATE:
            self._view = self._open.enter_context(_view())
        if self._view is not None:
            self._view.look(picture, self._kept)
            self._kept = []

    def note(self, note: RunNote, at: datetime) -> None:
        if self._view is not None:
            self._view.note(note, at)

    def aside(self) -> AbstractContextManager[None]:
        return self._view.aside() if self._view is not None else nullcontext()


@contextmanager
def open_session_view(order: "TuneOrder") -> Iterator[RunView]:
    """For this order: events as they happen, or nothing that is not needed."""
    if order.events:
        yield NdjsonView()
        return
    with DelayedView() as view:
        yield view


@contextmanager
def _view() -> Iterator[RunView]:
    """Drawn where the report comes to stand later, else told on stderr."""
    if is_plain():
        yield LineView(print_remark)
        return
    from loopwright.surfaces.cli.run_driver import PlanView

    with PlanView[Any](passing=True) as view:  # Any: pictures of the one kind that is driven
        yield view


class ProgressCounter:
    """`12 of 200 skills`, on a terminal, once it takes a while."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._next = time.monotonic() + LATE
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def at(self, number: int) -> None:
        """So many are done."""
        if is_plain() or not sys.stderr.isatty() or time.monotonic() < self._next:
            return
        self._next, self._shown = time.monotonic() + EVERY, True
        print(f"\r\x1b[K{number:,} of {self._total:,} skills", end="", file=sys.stderr, flush=True)


def drive_session(engine: "Engine", id: str, order: "TuneOrder") -> "TuningState":
    """As it rests: ended, or with a choice that nobody is here for. Told where it was interrupted."""

    take_up: Rule[TuningState] = _as_it_is
    try:
        while True:
            state = _run(engine, id, take_up, order)
            if state.engine.waiting is None or not order.asks:
                return state
            take_up = _choosing(ask_fixes(state))
    except KeyboardInterrupt:
        how = f"loopwright tune --tuning-id {id}{order.at}"
        if order.events:
            error = f"interrupted; {how}"
            print_json({"type": "interrupted", "success": False, TUNINGS.key: id, "error": error})
        else:
            print_remark(f"\nloopwright: interrupted; nothing is lost, continue with: {how}")
        raise SilentExit(ExitCode.INTERRUPTED) from None


def _run(engine: "Engine", id: str, take_up: "Rule[TuningState]", order: "TuneOrder") -> "TuningState":
    from loopwright.surfaces.cli.run_driver import drive_run

    with open_session_view(order) as view:
        state: TuningState = drive_run(view, TUNINGS, engine, id, take_up, interactive=order.asks)
    return state


def _as_it_is(state: "TuningState") -> "TuningState":
    return state


def _choosing(ids: tuple[str, ...]) -> "Rule[TuningState]":
    from loopwright.workflows.tuning import commands

    return lambda latest: commands.choose(latest, ids) if latest.engine.waiting else latest
