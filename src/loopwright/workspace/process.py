"""Programs run in a group of their own: bounded in time and output, and ended whole."""

import asyncio
import os
import secrets
import shutil
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from loopwright.domain.errors import Invalid
from loopwright.workspace.capture import Capture
from loopwright.workspace.living import carries, living, own_line

MARKER = "LOOPWRIGHT_LOOP"
"""Environment variable that tags every process we start; its value is the loop's id."""

RUN = "LOOPWRIGHT_RUN"
"""A second tag, different for every run, so that ending one run spares the loop's others."""

GRACE = 2.0
"""Seconds between TERM and KILL."""

OUTPUT_CAP = 1_000_000
_LINGER = 0.3  # seconds that output is still read after the leader's exit, when something keeps the pipe open
_STUBBORN = 2.0  # seconds after which a process that does not even die of KILL is left to the kernel
_POLL = 0.03
_CHUNK = 65_536


@dataclass(frozen=True)
class Finished:
    """`exit_code` is negative for a signal, None after a timeout. `output` holds stdout and stderr, merged."""

    exit_code: int | None
    timed_out: bool
    output: str
    truncated: bool
    duration_ms: float


async def run_group(
    argv: Sequence[str],
    *,
    cwd: Path,
    marker: str,
    timeout: float,
    env: Mapping[str, str] | None = None,
    output_cap: int = OUTPUT_CAP,
    on_output: Callable[[str], None] | None = None,
) -> Finished:
    """Runs a program with closed stdin and leaves nothing of it behind, however it ends.

    `timeout` in seconds, `output_cap` in bytes (head and tail are kept); `env` is added to our own environment.
    `on_output` gets whole lines as they arrive. Invalid when the program can not be started.
    """
    started = time.monotonic()
    capture = Capture(output_cap, on_output)
    tags = tagged(marker, env)
    timed_out = False
    async with _group(argv, cwd, tags) as (process, source):
        try:
            async with asyncio.timeout(timeout):
                await _read_until_exit(process, source, capture)
        except TimeoutError:
            timed_out = True
            await end_group(process.pid, run=tags[RUN])
            _drain(source, capture)
    capture.finish()
    return Finished(
        exit_code=None if timed_out else process.returncode,
        timed_out=timed_out,
        output=capture.text,
        truncated=capture.truncated,
        duration_ms=(time.monotonic() - started) * 1000,
    )


async def run_shell(
    command: str,
    *,
    cwd: Path,
    marker: str,
    timeout: float,
    env: Mapping[str, str] | None = None,
    output_cap: int = OUTPUT_CAP,
    on_output: Callable[[str], None] | None = None,
) -> Finished:
    """Runs a command line as a person would type it, in bash where there is one."""
    argv = (shutil.which("bash") or "/bin/sh", "-c", command)
    return await run_group(
        argv, cwd=cwd, marker=marker, timeout=timeout, env=env, output_cap=output_cap, on_output=on_output
    )


def tagged(marker: str, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Our own environment plus `env` and both tags. Pass `[RUN]` of it to `end_group`."""
    return {**os.environ, **(env or {}), MARKER: marker, RUN: secrets.token_hex(16)}


async def end_group(pgid: int, grace: float = GRACE, run: str | None = None) -> None:
    """Ends a group that was started as a session of its own, with everything that left it but carries `run`.

    TERM first, KILL after `grace` seconds; KILL at once when this call is cancelled.
    """
    told: set[int] = set()
    deadline = time.monotonic() + grace
    try:
        while (members := _members(pgid, run)) and time.monotonic() < deadline:
            for pid in members:
                if pid not in told:  # one may have been forked since we looked last
                    told.add(pid)
                    _signal(pid, signal.SIGTERM)
            await asyncio.sleep(_POLL)
    finally:
        _kill(lambda: _members(pgid, run))


def sweep(marker: str) -> tuple[int, ...]:
    """Kills every living process tagged with this loop, except ourselves and our ancestors; their ids."""
    spared = own_line()
    return _kill(lambda: [p.pid for p in living() if p.pid not in spared and carries(p.pid, MARKER, marker)])


@asynccontextmanager
async def _group(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A running program and the descriptor its output comes from."""
    # A pipe of our own: asyncio's holds back the exit until the pipe ends, which a grandchild can put off for ever.
    source, sink = os.pipe()
    os.set_blocking(source, False)
    try:
        try:
            process = await _start(argv, cwd, env, sink)
        finally:
            os.close(sink)
        try:
            yield process, source
        finally:
            try:
                await end_group(process.pid, run=env[RUN])
            finally:
                await process.wait()
    finally:
        os.close(source)


async def _start(argv: Sequence[str], cwd: Path, env: Mapping[str, str], sink: int) -> asyncio.subprocess.Process:
    if not cwd.is_dir():
        raise Invalid(f"Cannot run {argv[0]!r} in {cwd}: there is no such folder")
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise Invalid(f"Cannot run {argv[0]!r}: there is no such program") from None
    except (OSError, ValueError) as error:
        raise Invalid(f"Cannot run {argv[0]!r}: {error}") from error


async def _read_until_exit(process: asyncio.subprocess.Process, source: int, capture: Capture) -> None:
    try:
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(_read(source, capture))
            await process.wait()
            await asyncio.wait({reading}, timeout=_LINGER)
            reading.cancel()
    except ExceptionGroup as failed:  # there is one task, so one error: what `on_output` raised
        raise failed.exceptions[0] from None


async def _read(source: int, capture: Capture) -> None:
    while _drain(source, capture):
        await _readable(source)


def _drain(source: int, capture: Capture) -> bool:
    """Feeds what can be read now, at most 1 MiB; False at the end of the output."""
    for _ in range(16):
        try:
            chunk = os.read(source, _CHUNK)
        except BlockingIOError:
            return True
        if not chunk:
            return False
        capture.feed(chunk)
    return True


async def _readable(source: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(source, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(source)


def _members(pgid: int, run: str | None) -> list[int]:
    """Living processes of the session, or started by this run. Job control makes new groups, never new sessions."""
    return [p.pid for p in living() if p.session == pgid or (run is not None and carries(p.pid, RUN, run))]


def _kill(find: Callable[[], list[int]]) -> tuple[int, ...]:
    """KILLs until nothing is found any more: a process may start another while we look."""
    killed: dict[int, None] = {}
    deadline = time.monotonic() + _STUBBORN
    while (found := find()) and time.monotonic() < deadline:
        for pid in found:
            _signal(pid, signal.SIGKILL)
            killed[pid] = None
    return tuple(killed)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
