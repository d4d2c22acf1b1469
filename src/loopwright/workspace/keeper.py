"""What this process started, kept together while it lives: orphans come back to it, are recorded, and are buried."""

import asyncio
import ctypes
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from loopwright.workspace.living import Living, children
from loopwright.workspace.process import AWAITED
from loopwright.workspace.registry import Registry

LOOK_SECONDS = 0.2
_SET_SUBREAPER, _GET_SUBREAPER = 36, 37


@asynccontextmanager
async def keeping(registry: Registry) -> AsyncIterator[None]:
    """While it lasts, `registry` knows what was started below this process outside of its own session.

    Meant for a process that drives a loop and does nothing else: whatever else it starts so would be taken for it.
    """
    before = frozenset(process for process, _ in children())
    with _subreaper():
        keeper = asyncio.ensure_future(_keep(registry, before))
        try:
            yield
        finally:
            keeper.cancel()
            await asyncio.wait({keeper})
            _bury(before)
    if not keeper.cancelled():
        keeper.result()


async def _keep(registry: Registry, before: frozenset[Living]) -> None:
    known: set[Living] = set()
    while True:
        below = _bury(before)
        if below != known:
            with suppress(OSError):  # no room: tried again at the next look, and the marks tell the same
                registry.write(below)
                known = below
        await asyncio.sleep(LOOK_SECONDS)


def _bury(before: frozenset[Living]) -> set[Living]:
    """Waits for dead orphans, which nobody else does; the children that live, but for our own session's and `before`.

    Whoever starts a program inside of our session (git) waits for it, and run_group for those in AWAITED.
    """
    below = set()
    for process, is_dead in children():
        if process.session == os.getsid(0) or process in before:
            continue
        if not is_dead:
            below.add(process)
        elif process.pid not in AWAITED:
            with suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)
    return below


@contextmanager
def _subreaper() -> Iterator[None]:
    """Orphans below this process become its children. Does nothing where the system can not do that."""
    libc = ctypes.CDLL(None)
    before = ctypes.c_int(0)
    libc.prctl(_GET_SUBREAPER, ctypes.byref(before))
    libc.prctl(_SET_SUBREAPER, ctypes.c_ulong(1))
    try:
        yield
    finally:
        libc.prctl(_SET_SUBREAPER, ctypes.c_ulong(before.value))
