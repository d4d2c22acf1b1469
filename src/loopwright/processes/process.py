"""Programs run in a session of their own: bounded in time and output, and ended whole."""

import asyncio
import codecs
import os
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from loopwright.core.errors import Invalid
from loopwright.processes.confinement import ONLY_TESTS, SandboxStatus, current_sandbox
from loopwright.processes.environment import explain_withheld, withheld_here
from loopwright.processes.process_tree import AWAITED, ProcessMark, end_session, list_processes
from loopwright.processes.sandbox import SandboxNeeds

LONGEST_LINE = 65_536

FLOOD = 1_000_000
"""Bytes a second that are passed on: whoever listens shows them to people, and must not hold up the reading."""


class OutputCapture:
    """Keeps the head and the tail of a stream of bytes, at most `cap` of them, and counts its `total`.

    `on_output` gets the text as it arrives, whole lines at a time; a line longer than 64 KiB comes in pieces. Of a
    flood it gets the first part of every second, and a line that says how much was left out.
    """

    def __init__(self, cap: int, on_output: Callable[[str], None] | None = None) -> None:
        self.total = 0
        self._half = max(cap // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self._listener = None if on_output is None else _Listener(on_output)

    def feed(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._half:  # twice, so that trimming costs nothing per byte
            del self._tail[: -self._half]
        if self._listener is not None:
            self._listener.feed(chunk)

    def finish(self) -> None:
        """Passes on the last line, even without its newline."""
        if self._listener is not None:
            self._listener.finish()

    @property
    def truncated(self) -> bool:
        return self.total > 2 * self._half

    @property
    def text(self) -> str:
        """Head and tail; what was left out between them is said in a line of its own."""
        tail = self._tail[-self._half :]
        if not self.truncated:
            return (self._head + tail).decode("utf-8", "replace")
        gap = f"\n{_left_out(self.total - len(self._head) - len(tail))}\n"
        return self._head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")


class _Listener:
    """Passes text on in whole lines, as much of it as somebody can want to see."""

    def __init__(self, on_output: Callable[[str], None]) -> None:
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = ""
        self._second = 0.0
        self._passed = self._skipped = 0

    def feed(self, chunk: bytes) -> None:
        now = time.monotonic()
        if now - self._second >= 1:
            self._second, self._passed = now, 0
        if self._passed >= FLOOD:
            self._skipped += len(chunk)
            return
        self._passed += len(chunk)
        self._pass_on(self._gap() + self._decoder.decode(chunk))

    def finish(self) -> None:
        rest = self._line + self._decoder.decode(b"", final=True) + self._gap()
        self._line = ""
        if rest:
            self._on_output(rest)

    def _pass_on(self, text: str) -> None:
        whole, newline, rest = (self._line + text).rpartition("\n")
        self._line = rest
        if newline:
            self._on_output(whole + newline)
        if len(rest) > LONGEST_LINE:
            self._on_output(rest)
            self._line = ""

    def _gap(self) -> str:
        skipped, self._skipped = self._skipped, 0
        return f"\n{_left_out(skipped)}\n" if skipped else ""


def _left_out(count: int) -> str:
    return f"… {count:,} bytes left out …"


_CHUNK = 65_536
_CHUNKS = 16
_DROP, _DROPS, _PAUSE = 4096, 20, 0.05
"""After more than so many chunks of fewer bytes, none later than so many seconds after another: that is waited."""


class OutputPipe:
    """A pipe of our own: asyncio's holds back the exit until its end, which a grandchild can put off for ever."""

    def __init__(self) -> None:
        self._source, self._sink = os.pipe()
        os.set_blocking(self._source, False)

    @property
    def descriptor(self) -> int:
        """The end that is read from."""
        return self._source

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._source)

    @contextmanager
    def sink(self) -> Iterator[int]:
        """The end to hand to the program; ours is closed afterwards."""
        try:
            yield self._sink
        finally:
            os.close(self._sink)

    async def read(self, feed: Callable[[bytes], None]) -> None:
        """Feeds all that comes, until everybody has closed the other end. What comes in drops is collected for a while,
        which saves both sides most of the work.
        """
        drops = 0

        def count(chunk: bytes) -> None:
            nonlocal drops
            drops = drops + 1 if len(chunk) < _DROP else 0
            feed(chunk)

        while self.drain(count):
            asked = time.monotonic()
            await await_readable(self._source)
            if time.monotonic() - asked > _PAUSE:
                drops = 0
            elif drops > _DROPS:
                await asyncio.sleep(_PAUSE)

    def drain(self, feed: Callable[[bytes], None]) -> bool:
        """Feeds what can be read now, at most 1 MiB; False at the end of the output."""
        for _ in range(_CHUNKS):
            try:
                chunk = os.read(self._source, _CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            feed(chunk)
        return True


async def await_readable(descriptor: int) -> None:
    """Returns once there is something to read."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)


Cut = Literal["timeout", "silence", "lingering"]
"""Why a program was ended by us: it took too long, it showed no sign of life, it was done and did not leave."""

_LOOK = 0.5

WORDS: dict[Cut, str] = {
    "timeout": "took longer than {timeout:g} s and was ended (setting {setting})",
    "silence": "showed no activity for {silence:g} s and was ended (setting silence_timeout)",
    "lingering": "was done, did not exit within {farewell:g} s, and was ended",
}
"""What to say of a program that was cut; `setting` is the one that holds the timeout."""


@dataclass(frozen=True)
class Patience:
    """Seconds: `timeout` for all of it, `silence` between two signs of life (0: no limit), `farewell` to exit.

    A sign of life is output, or a new value of `progress`, the time when the program last wrote what it has done.
    `is_done`: whether it says that its work is done; it is asked in a thread.
    """

    timeout: float
    silence: float = 0
    farewell: float = 10
    progress: Callable[[], float] = lambda: 0.0
    is_done: Callable[[], bool] = lambda: False

    def told(self, cut: Cut, setting: str) -> str:
        """What became of the program, in words that follow its name."""
        return WORDS[cut].format(timeout=self.timeout, silence=self.silence, farewell=self.farewell, setting=setting)


async def await_limit(patience: Patience, printed: Callable[[], int], is_lingering: Callable[[], bool]) -> Cut:
    """Waits until one of the limits is reached. `printed` counts the bytes of output so far.

    `is_lingering` is asked in a thread, once after each progress, when none has followed for `farewell` seconds.
    """
    begun = heard = moved = time.monotonic()
    output, progress, was_asked = printed(), patience.progress(), False
    step = min(_LOOK, patience.timeout / 4, patience.silence / 4 or _LOOK)
    while True:
        await asyncio.sleep(step)
        now = time.monotonic()
        if (latest := patience.progress()) != progress:
            progress, moved, heard, was_asked = latest, now, now, False
        if (size := printed()) != output:
            output, heard = size, now
        if now - begun >= patience.timeout:
            return "timeout"
        if patience.silence and now - heard >= patience.silence:
            return "silence"
        if progress and now - moved >= patience.farewell and not was_asked:
            was_asked = True
            if await asyncio.to_thread(is_lingering):
                return "lingering"


OUTPUT_CAP = 1_000_000
LINGER = 0.3
"""Seconds that output is still read after the leader's exit, when something keeps the pipe open."""
_STUBBORN = 2.0  # seconds after which a process that does not even die of KILL is left to the kernel
_POLL = 0.03
_BLUR = 0.05  # seconds by which two processes' starts, or a file's time, cannot be told apart


@dataclass(frozen=True)
class ProcessResult:
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
    needs: SandboxNeeds | None = ONLY_TESTS,
    passed: Sequence[str] = (),
) -> ProcessResult:
    """Runs a program with no terminal and `stdin` (default: closed), and leaves nothing of it behind, however it ends.

    `marker` is the id of the loop, `project` its project (default: `cwd`). `output_cap` in bytes (head and tail are
    kept); `env` is added to our own environment, of which it gets no secrets but those that are `passed`, and those of
    pass_env; one that fails over another is told so at the end of its output. `on_output` gets whole lines as they
    arrive; of a flood, parts. `needs`: of the sandbox, where the run has one; None: it is started outside. Invalid when
    the program cannot be started, SandboxError when its sandbox cannot be made.
    """
    started = time.monotonic()
    capture = OutputCapture(output_cap, on_output)
    mark = ProcessMark(marker, str((project or cwd).resolve())).with_run()
    async with _group(argv, cwd, mark, env or {}, stdin, needs, passed) as (process, source):
        cut = await _until_exit_or_limit(process, source, capture, patience)
        if cut is not None:
            await end_session(process.pid, mark)
            source.drain(capture.feed)
        else:
            process.check_sandbox(capture.text)
    if process.returncode != 0 and (words := explain_withheld(capture.text)):
        capture.feed(f"\nloopwright: {words}\n".encode())
    capture.finish()
    return ProcessResult(
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
    needs: SandboxNeeds | None = ONLY_TESTS,
) -> ProcessResult:
    """Runs a command line as a person would type it, in bash where there is one."""
    argv = (shutil.which("bash") or "/bin/sh", "-c", command)
    return await run_group(
        argv,
        cwd=cwd,
        marker=marker,
        patience=patience,
        project=project,
        env=env,
        output_cap=output_cap,
        on_output=on_output,
        needs=needs,
    )


class RunningProcess(subprocess.Popen[bytes]):
    """`sandbox` tells of the one it is in."""

    sandbox: SandboxStatus | None = None

    def permit_writing(self, allowed: bool) -> bool:
        """See SandboxStatus."""
        return self.sandbox is not None and self.sandbox.permit_writing(allowed)

    def check_sandbox(self, said: str) -> None:
        """SandboxError where it has ended because its sandbox could not be made. `said`: its output."""
        if self.sandbox is not None:
            self.sandbox.check(self.returncode, said)


@asynccontextmanager
async def _group(
    argv: Sequence[str],
    cwd: Path,
    mark: ProcessMark,
    env: Mapping[str, str],
    stdin: int,
    needs: SandboxNeeds | None,
    passed: Sequence[str],
) -> AsyncIterator[tuple[RunningProcess, OutputPipe]]:
    """A running program and the pipe its output comes from."""
    with OutputPipe() as source:
        with source.sink() as sink:
            process = start_process(
                argv,
                cwd=cwd,
                mark=mark,
                environment=mark.environment(env, withheld_here(passed)),
                stdin=stdin,
                stdout=sink,
                stderr=sink,
                needs=needs,
            )
        async with ensure_end(process, mark):
            yield process, source


@asynccontextmanager
async def ensure_end(process: RunningProcess, mark: ProcessMark) -> AsyncIterator[None]:
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
            if process.sandbox is not None:
                process.sandbox.close()


def start_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    mark: ProcessMark,
    environment: Mapping[str, str],
    stdin: int,
    stdout: int,
    stderr: int,
    needs: SandboxNeeds | None,
) -> RunningProcess:
    """Starts a program as the leader of a session of its own, in the run's sandbox unless it has no `needs`.

    Whoever calls ends and awaits it. Invalid, SandboxError.
    """
    if not cwd.is_dir():
        raise Invalid(f"Cannot run {argv[0]!r} in {cwd}: there is no such folder")
    sandbox, status = current_sandbox(), None
    try:
        if sandbox is not None and needs is not None:
            status = SandboxStatus(sandbox.name)
            argv = sandbox.command(argv, cwd, environment, needs, status)
        with mark.handed_on():
            process = RunningProcess(
                argv,
                cwd=cwd,
                env=environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                pass_fds=status.descriptors if status else (),
            )
        if status is not None:
            status.hand_over()
        process.sandbox, status = status, None
        return process
    except FileNotFoundError:
        raise Invalid(f"Cannot run {argv[0]!r}: there is no such program") from None
    except (OSError, ValueError) as error:
        raise Invalid(f"Cannot run {argv[0]!r}: {error}") from error
    finally:
        if status is not None:
            status.close()


async def _until_exit_or_limit(
    process: RunningProcess, source: OutputPipe, capture: OutputCapture, patience: Patience
) -> Cut | None:
    def is_lingering() -> bool:
        """Done, and no later step of the same command has begun since."""
        quiet = time.time() - patience.progress() + _BLUR
        return patience.is_done() and not any(p.session == process.pid and p.age < quiet for p in list_processes())

    work = asyncio.ensure_future(_read_until_exit(process, source, capture))
    watch = asyncio.ensure_future(await_limit(patience, lambda: capture.total, is_lingering))
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


async def _read_until_exit(process: subprocess.Popen[bytes], source: OutputPipe, capture: OutputCapture) -> None:
    try:
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(source.read(capture.feed))
            await await_exit(process)
            await asyncio.wait({reading}, timeout=LINGER)
            reading.cancel()
    except ExceptionGroup as failed:  # there is one task, so one error: what `on_output` raised
        raise failed.exceptions[0] from None


async def await_exit(process: subprocess.Popen[bytes]) -> None:
    """Waits for the exit of the leader alone, whoever still holds its pipe."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # an old system, or its exit is known
        while process.poll() is None:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(_POLL)
        return
    try:
        await await_readable(handle)
    finally:
        os.close(handle)
    process.wait()


def read_starvation(pid: int) -> float:
    """Seconds that its main thread could have run and had no processor; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/schedstat").read_text().split()
    except OSError:
        return 0.0
    return int(fields[1]) / 1e9 if len(fields) == 3 else 0.0
