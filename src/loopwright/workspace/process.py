"""Programs run in a session of their own: bounded in time and output, and ended whole."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from loopwright.domain.errors import Invalid
from loopwright.workspace.capture import Capture
from loopwright.workspace.ending import end_session
from loopwright.workspace.living import living
from loopwright.workspace.marks import Mark
from loopwright.workspace.patience import Cut, Patience, reached
from loopwright.workspace.pipe import Pipe, readable

AWAITED: set[int] = set()
"""Children that this module waits for itself; nobody else may."""

OUTPUT_CAP = 1_000_000
LINGER = 0.3
"""Seconds that output is still read after the leader's exit, when something keeps the pipe open."""
_STUBBORN = 2.0  # seconds after which a process that does not even die of KILL is left to the kernel
_POLL = 0.03
_BLUR = 0.05  # seconds by which two processes' starts, or a file's time, can not be told apart


@dataclass(frozen=True)
class Finished:
    """How a program ended: by itself, or `cut` by us. `output` holds stdout and stderr, merged.

    `exit_code` is negative for a signal, None when it was cut.
    """

    exit_code: int | None
    cut: Cut | None
    output: str
    truncated: bool
    duration_ms: float


async def run_group(
    argv: Sequence[str],
    *,
    cwd: Path,
    marker: str,
    patience: Patience,
    project: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    output_cap: int = OUTPUT_CAP,
    on_output: Callable[[str], None] | None = None,
) -> Finished:
    """Runs a program with no terminal and `stdin` (default: closed), and leaves nothing of it behind, however it ends.

    `marker` is the id of the loop, `project` its project (default: `cwd`). `output_cap` in bytes (head and tail are
    kept); `env` is added to our own environment. `on_output` gets whole lines as they arrive; of a flood, parts.
    Invalid when the program can not be started.
    """
    started = time.monotonic()
    capture = Capture(output_cap, on_output)
    mark = Mark(marker, str((project or cwd).resolve())).with_run()
    async with _group(argv, cwd, mark, env or {}, stdin) as (process, source):
        cut = await _until_exit_or_limit(process, source, capture, patience)
        if cut is not None:
            await end_session(process.pid, mark)
            source.drain(capture.feed)
    capture.finish()
    return Finished(
        exit_code=process.returncode if cut is None else None,
        cut=cut,
        output=capture.text,
        truncated=capture.truncated,
        duration_ms=(time.monotonic() - started) * 1000,
    )


async def run_shell(
    command: str,
    *,
    cwd: Path,
    marker: str,
    patience: Patience,
    project: Path | None = None,
    env: Mapping[str, str] | None = None,
    output_cap: int = OUTPUT_CAP,
    on_output: Callable[[str], None] | None = None,
) -> Finished:
    """Runs a command line as a person would type it, in bash where there is one."""
    argv = (shutil.which("bash") or "/bin/sh", "-c", command)
    return await run_group(
        argv, cwd=cwd, marker=marker, patience=patience, project=project, env=env, output_cap=output_cap,
        on_output=on_output,
    )  # fmt: skip


@asynccontextmanager
async def _group(
    argv: Sequence[str], cwd: Path, mark: Mark, env: Mapping[str, str], stdin: int
) -> AsyncIterator[tuple[subprocess.Popen[bytes], Pipe]]:
    """A running program and the pipe its output comes from."""
    with Pipe() as source:
        with source.sink() as sink:
            process = start(
                argv, cwd=cwd, mark=mark, environment=mark.environment(env),
                stdin=stdin, stdout=sink, stderr=sink,
            )  # fmt: skip
        async with ending(process, mark):
            yield process, source


@asynccontextmanager
async def ending(process: subprocess.Popen[bytes], mark: Mark) -> AsyncIterator[None]:
    """While it lasts, nobody else waits for this process; at its end nothing is left of its session and mark."""
    AWAITED.add(process.pid)
    try:
        yield
    finally:
        try:
            await end_session(process.pid, mark)
        finally:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STUBBORN)
            AWAITED.discard(process.pid)


def start(
    argv: Sequence[str],
    *,
    cwd: Path,
    mark: Mark,
    environment: Mapping[str, str],
    stdin: int,
    stdout: int,
    stderr: int,
) -> subprocess.Popen[bytes]:
    """Starts a program as the leader of a session of its own. Whoever calls ends and awaits it. Invalid."""
    if not cwd.is_dir():
        raise Invalid(f"Cannot run {argv[0]!r} in {cwd}: there is no such folder")
    try:
        with mark.handed_on():
            return subprocess.Popen(
                argv, cwd=cwd, env=environment, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
            )
    except FileNotFoundError:
        raise Invalid(f"Cannot run {argv[0]!r}: there is no such program") from None
    except (OSError, ValueError) as error:
        raise Invalid(f"Cannot run {argv[0]!r}: {error}") from error


async def _until_exit_or_limit(
    process: subprocess.Popen[bytes], source: Pipe, capture: Capture, patience: Patience
) -> Cut | None:
    def is_lingering() -> bool:
        """Done, and no later step of the same command has begun since."""
        quiet = time.time() - patience.progress() + _BLUR
        return patience.is_done() and not any(p.session == process.pid and p.age < quiet for p in living())

    work = asyncio.ensure_future(_read_until_exit(process, source, capture))
    watch = asyncio.ensure_future(reached(patience, lambda: capture.total, is_lingering))
    try:
        await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            return watch.result()
        work.result()
        return None
    finally:
        work.cancel()
        watch.cancel()
        await asyncio.wait({work, watch})


async def _read_until_exit(process: subprocess.Popen[bytes], source: Pipe, capture: Capture) -> None:
    try:
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(source.read(capture.feed))
            await exited(process)
            await asyncio.wait({reading}, timeout=LINGER)
            reading.cancel()
    except ExceptionGroup as failed:  # there is one task, so one error: what `on_output` raised
        raise failed.exceptions[0] from None


async def exited(process: subprocess.Popen[bytes]) -> None:
    """Waits for the exit of the leader alone, whoever still holds its pipe."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # an old system, or its exit is known
        while process.poll() is None:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(_POLL)
        return
    try:
        await readable(handle)
    finally:
        os.close(handle)
    process.wait()


def starved(pid: int) -> float:
    """Seconds that its main thread could have run and had no processor; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/schedstat").read_text().split()
    except OSError:
        return 0.0
    return int(fields[1]) / 1e9 if len(fields) == 3 else 0.0
