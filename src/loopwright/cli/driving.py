"""Driving or following a loop, shown as it goes, until it rests."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from loopwright.cli.ending import ending
from loopwright.cli.output import is_plain, remark, write
from loopwright.cli.plain import LineView, NdjsonView, rest_object
from loopwright.cli.story import Story, View
from loopwright.domain.errors import Exit, WorkspaceError
from loopwright.domain.loop import LoopState
from loopwright.domain.rest import exit_for
from loopwright.domain.transcript import TRANSCRIPT
from loopwright.engine.bus import Bus
from loopwright.ports import Rule
from loopwright.store.tail import Tail

if TYPE_CHECKING:
    from loopwright.engine.service import LoopService
    from loopwright.wiring import Engine

LOOK_SECONDS = 0.2
LAUNCH_SECONDS = 5.0
"""How long a loop that says running may be without a runner before nobody is coming."""


@contextmanager
def shown(as_json: bool) -> Iterator[View]:
    """Where a running loop is shown meanwhile: to a program, in lines, or as a plan that is redrawn."""
    if as_json:
        yield NdjsonView()
    elif is_plain():
        yield LineView()
    else:
        from loopwright.cli.live import PlanView

        with PlanView() as view:
            yield view


def drive(
    engine: "Engine",
    loop_id: str,
    take_up: Rule[LoopState],
    *,
    interactive: bool,
    as_json: bool,
    launched: bool = False,
) -> LoopState:
    """Runs the loop in this process until it rests. KeyboardInterrupt also for TERM and HUP.

    `launched`: in the background, where an interactive loop asks through its state.
    """
    try:
        with shown(as_json) as view:
            return asyncio.run(_drive(engine, loop_id, take_up, view, interactive, launched))
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error


async def _drive(
    engine: "Engine", loop_id: str, take_up: Rule[LoopState], view: View, interactive: bool, launched: bool
) -> LoopState:
    person = None
    if interactive:
        from loopwright.cli.menu import TerminalPerson

        person = TerminalPerson(view, engine.service.clock)
    story = Story(engine.service, loop_id, view)
    end_on_signals()
    async with _looking(story):
        return await engine.runner.drive(
            loop_id, take_up=take_up, bus=Bus(story.note), person=person, from_afar=launched
        )


def end_on_signals() -> None:
    """TERM and HUP cancel the current task, so that whatever it has started is ended."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            loop.add_signal_handler(number, task.cancel)


@asynccontextmanager
async def _looking(story: Story) -> AsyncIterator[None]:
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


def follow(service: "LoopService", loop_id: str, as_json: bool) -> LoopState:
    """Shows a loop that another process drives, until that lets go of it."""
    notes = Tail(service.store.progress_path(loop_id) / TRANSCRIPT, from_end=True)
    with shown(as_json) as view:
        story = Story(service, loop_id, view)
        alone_since = time.monotonic()
        while True:
            live = service.is_live(loop_id)
            state = story.catch_up(notes)
            if live:
                alone_since = time.monotonic()
            elif state.status != "running" or time.monotonic() - alone_since > LAUNCH_SECONDS:
                return state
            time.sleep(LOOK_SECONDS)


def tell_rest(engine: "Engine", state: LoopState, *, as_json: bool, elsewhere: str) -> Exit:
    """The last words about a loop that rests, and the exit code that goes with it."""
    code = exit_for(state)
    if as_json:
        write(rest_object(state, code))
        return code
    summary = engine.service.store.progress_path(state.loop_id) / "summary.md"
    path = str(summary) if summary.exists() else None
    print(ending(state, diff=_diff(engine, state.loop_id), summary=path, live=False, elsewhere=elsewhere))
    return code


def _diff(engine: "Engine", loop_id: str) -> str:
    try:
        return engine.service.diff(loop_id)
    except WorkspaceError as error:
        remark(f"loopwright: what was changed can not be shown: {error}")
        return ""
