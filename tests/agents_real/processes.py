"""What an agent has started, told by the marker in the environment, and the end of all of it."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from tests.agents_real.agents import MARKER


def started_by(home: Path) -> Mapping[int, str]:
    """Living processes of the agent with this home, and their command lines; groups and sessions do not matter."""
    tag = f"{MARKER}={home}".encode()
    found = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError):  # it ended meanwhile, or is not ours
            if entry.name.isdigit() and tag in (entry / "environ").read_bytes().split(b"\0"):
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return found


async def end_all(group: int, home: Path) -> None:
    """Kills the agent's group, then whatever has left it, until nothing is found."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    await until(lambda: not _killed(home))


async def until(is_so: Callable[[], bool], timeout: float = 30.0) -> None:
    """Returns once the condition holds; TimeoutError after so many seconds."""
    deadline = time.monotonic() + timeout
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"still not so after {timeout} s")
        await asyncio.sleep(0.02)


def _killed(home: Path) -> Mapping[int, str]:
    found = started_by(home)
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return found


def group(pid: int) -> int | None:
    """A process's group; None for one that has ended."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def children(pid: int) -> set[int]:
    """Living processes that this one has started itself."""
    found = set()
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.add(int(entry.name))
    return found
