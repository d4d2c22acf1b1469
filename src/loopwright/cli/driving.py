"""Driving or following a run of any kind, shown as it goes, until it rests."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from loopwright.cli.kinds import AnyKind
from loopwright.cli.output import is_plain, remark, write
from loopwright.cli.plain import LineView, NdjsonView, rest_object
from loopwright.cli.story import Story, View
from loopwright.domain.errors import Exit, WorkspaceError
from loopwright.domain.run import Run
from loopwright.engine.bus import Bus
from loopwright.ports import Rule
from loopwright.store.tail import Tail

if TYPE_CHECKING:
    from loopwright.engine.runs import Runs
    from loopwright.wiring import Engine

LOOK_SECONDS = 0.2
LAUNCH_SECONDS = 5.0
"""How long what says running may be without a runner before nobody is coming."""

COMING = ("running", "pending")
"""What a runner is at, or will be in a moment: a session of tuning is pending until its first step."""


@contextmanager
def shown(as_json: bool) -> Iterator[View]:
    """Where what runs is shown meanwhile: to a program, in lines, or as a picture that is redrawn."""
    if as_json:
        yield NdjsonView()
    elif is_plain():
        yield LineView()
    else:
        from loopwright.cli.live import PlanView

        with PlanView[Any]() as view:  # Any: pictures of the one kind that is driven
            yield view


def drive(
    kind: AnyKind,
    engine: "Engine",
    id: str,
    take_up: Rule[Any],
    *,
    interactive: bool,
    as_json: bool,
    launched: bool = False,
) -> Any:  # Any: the kind's states, here and in the rule
    """Runs it in this process until it rests. KeyboardInterrupt also for TERM and HUP.

    `launched`: in the background, where an interactive one asks through its state.
    """
    with shown(as_json) as view:
        return drive_before(view, kind, engine, id, take_up, interactive=interactive, launched=launched)


def drive_before(
    view: View, kind: AnyKind, engine: "Engine", id: str, take_up: Rule[Any], *, interactive: bool, launched: bool
) -> Any:
    """The same, shown there."""
    try:
        return asyncio.run(_drive(kind, engine, id, take_up, view, interactive, launched))
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error


async def _drive(
    kind: AnyKind, engine: "Engine", id: str, take_up: Rule[Any], view: View, interactive: bool, launched: bool
) -> Any:
    person = None
    if interactive:
        from loopwright.cli.menu import TerminalPerson

        person = TerminalPerson(view, engine.service.clock)
    story = Story(kind, kind.service(engine), id, view)
    end_on_signals()
    async with _looking(story):
        return await kind.drive(engine, id, take_up, Bus(story.note), person, from_afar=launched)


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


def follow(kind: AnyKind, service: "Runs[Any]", id: str, as_json: bool) -> Any:  # Any: as above
    """Shows what another process drives, until that lets go of it."""
    folder = service.store.progress_path(id)
    notes = [Tail(folder / kind.logs[name], from_end=True) for name in kind.transcripts]
    with shown(as_json) as view:
        story = Story(kind, service, id, view)
        alone_since = time.monotonic()
        while True:
            live = service.is_live(id)
            state = story.catch_up(*notes)
            if live:
                alone_since = time.monotonic()
            elif state.status not in COMING or service.awaits(state) or time.monotonic() - alone_since > LAUNCH_SECONDS:
                return state
            time.sleep(LOOK_SECONDS)


def tell_rest(kind: AnyKind, engine: "Engine", state: Run, *, as_json: bool, elsewhere: str) -> Exit:
    """The last words about what rests, and the exit code that goes with it."""
    code, id = kind.exit_for(state), kind.id_of(state)
    if as_json:
        write(rest_object(state, code, **{kind.key: id}))
        return code
    summary = kind.service(engine).store.progress_path(id) / kind.summary
    path = str(summary) if summary.exists() else None
    print(kind.ending(state, diff=_diff(kind, engine, id), summary=path, elsewhere=elsewhere))
    return code


def _diff(kind: AnyKind, engine: "Engine", id: str) -> str:
    try:
        return kind.service(engine).whole_diff(id)
    except WorkspaceError as error:
        remark(f"loopwright: what was changed can not be shown: {error}")
        return ""
