"""Our own runners: started detached, known by what they hold, and ended with all they started."""

import ctypes
import errno
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.core.errors import AgentError, Conflict, StoreError
from loopwright.core.ids import generation_of
from loopwright.core.ports import JobResult
from loopwright.core.private_files import make_private_folder, open_private
from loopwright.core.state import RunSettings, SandboxName
from loopwright.processes.confinement import Sandbox, confine, resolve_sandbox
from loopwright.processes.environment import pass_secrets, withheld_here
from loopwright.processes.process_tree import (
    AWAITED,
    STARTING,
    LiveProcess,
    ProcessMark,
    find_process,
    kill_marked,
    list_children,
    read_boot_id,
)

if TYPE_CHECKING:
    import asyncio


class ProcessRegistry:
    """Ids and start times in one file. Not synced: a machine that went down has no processes left."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_suffix(".part")

    def write(self, processes: Iterable[LiveProcess]) -> None:
        """Replaces all that was known; a reader finds the old or the new."""
        known = sorted((process.pid, process.started) for process in processes)
        make_private_folder(self._path.parent)
        self._part.write_text(json.dumps({"boot": read_boot_id(), "processes": known}))
        os.replace(self._part, self._path)

    def living(self) -> frozenset[LiveProcess]:
        """Those that are still the same; an id that was given to another process since counts for nothing."""
        found = ((find_process(pid), started) for pid, started in self._known())
        return frozenset(process for process, started in found if process is not None and process.started == started)

    def clear(self) -> None:
        for path in (self._path, self._part):
            path.unlink(missing_ok=True)

    def _known(self) -> list[tuple[int, int]]:
        """Empty after a restart of the machine, and for a file that is none of ours."""
        try:
            raw = json.loads(self._path.read_bytes())
            known = [(int(pid), int(started)) for pid, started in raw["processes"]]
            return known if raw["boot"] == read_boot_id() else []
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return []


_STUBBORN = 2.0  # seconds after which a runner that does not even die of KILL is left to the kernel


class OwnProcesses:
    """Implements ports.Processes on this machine. `home` lies outside of the project.

    It holds a registry for each loop, and a folder for what its programs keep (see `folder`). `usual`: the sandbox of a
    run, by its id, that has named none itself. `passed`: secret variables that programs get (setting pass_env).
    """

    def __init__(
        self,
        project: Path,
        home: Path,
        usual: Callable[[str], SandboxName] = lambda id: "none",
        passed: tuple[str, ...] = (),
    ) -> None:
        self._project = project.resolve()
        self._home = home
        self._usual = usual
        self._passed = passed

    def sweep(self, loop_id: str) -> tuple[int, ...]:
        registry = self._registry(loop_id)
        ended = kill_marked(ProcessMark(loop_id, str(self._project)), registry.living())
        registry.clear()
        return ended

    @asynccontextmanager
    async def owning(self, loop_id: str) -> AsyncIterator[tuple[int, ...]]:
        left = self.sweep(loop_id)
        async with keep_registry(self._registry(loop_id)):
            try:
                yield left
            finally:
                self.sweep(loop_id)

    def withheld(self) -> tuple[str, ...]:
        with pass_secrets(self._passed):
            return withheld_here()

    @contextmanager
    def confined(self, loop_id: str, settings: RunSettings) -> Iterator[None]:
        wanted = self._usual(loop_id) if settings.sandbox == "none" else settings.sandbox
        name = resolve_sandbox(wanted, self._project)
        if name == "none":
            with pass_secrets(self._passed):
                yield
            return
        sandbox = Sandbox(
            name,
            self._project,
            self.folder(loop_id),
            self._home.parent.resolve(),
            settings.sandbox_paths,
            tuple(self._home.with_suffix(kind) / loop_id for kind in (".worktrees", ".lanes")),
            settings.sandbox_hosts,
        )
        sandbox.check()
        with pass_secrets(self._passed), confine(sandbox):
            yield

    def within(self, loop_id: str) -> bool:
        marks = (loop_id, generation_of(loop_id))
        return any(ProcessMark(mark, str(self._project)).is_on(os.getpid()) for mark in marks)

    @contextmanager
    def alone(self, mark: str, busy: str) -> Iterator[None]:
        make_private_folder(self._home)
        with self._lock(mark).open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(busy) from None
            yield

    def end_runner(self, pid: int) -> None:
        """KILL: it has had its time to let go. What shares its group may be the user's, and is left to the sweep."""
        runner = find_process(pid)
        deadline = time.monotonic() + _STUBBORN
        while runner is not None and find_process(pid) == runner and time.monotonic() < deadline:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            time.sleep(0.01)

    def forget(self, loop_id: str) -> None:
        for mark in (loop_id, generation_of(loop_id)):
            shutil.rmtree(self.folder(mark), ignore_errors=True)
            self._lock(mark).unlink(missing_ok=True)

    def folder(self, loop_id: str) -> Path:
        """Where that loop's programs may keep files; nobody has made it yet."""
        return self._home / loop_id

    def _lock(self, mark: str) -> Path:
        return self._home / f"{mark}.lock"

    def _registry(self, loop_id: str) -> ProcessRegistry:
        return ProcessRegistry(self._home / f"{loop_id}.json")


def start_apart(
    argv: Sequence[str], cwd: Path, log: Path, stdin: int, environ: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Starts a program in a session of its own, and as part of no run, whichever others are begun at this moment.

    What it prints is added to the log.
    """
    with open(log, "ab", opener=open_private) as output, STARTING:
        return subprocess.Popen(
            argv, stdin=stdin, stdout=output, stderr=output, cwd=cwd, env=environ, start_new_session=True
        )


class RunnerLauncher:
    """Implements ports.Launcher: a command of ours in a session of its own, its output in the run's runner.log.

    `folder` is where that log goes, by the run's id; the words of the `command` end before the id.
    """

    def __init__(self, project: Path, folder: Callable[[str], Path], command: Sequence[str]) -> None:
        self._project = project
        self._folder = folder
        self._command = tuple(command)
        self._launched: set[int] = set()

    def argv(self, loop_id: str) -> Sequence[str]:
        """The command itself; a runner whose input is a pipe ends when that does."""
        return (sys.executable, "-P", "-m", "loopwright", *self._command, loop_id, "--project", str(self._project))

    def launch(self, loop_id: str) -> int:
        self._bury()
        folder = self._folder(loop_id)
        _check_room(folder)
        process = start_apart(self.argv(loop_id), self._project, folder / "runner.log", subprocess.DEVNULL)
        process.returncode = 0  # it outlives us on purpose; nobody waits for it here
        self._launched.add(process.pid)
        return process.pid

    def _bury(self) -> None:
        """Takes note of those that have ended meanwhile: whoever launches for days would keep them all as zombies."""
        for pid in tuple(self._launched):
            try:
                ended, _ = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                ended = pid
            if ended:
                self._launched.discard(pid)

    async def job(self, arguments: Sequence[str], seconds: float) -> JobResult:
        command = (sys.executable, "-P", "-m", "loopwright", *arguments, "--project", str(self._project), "--json")
        return await run_job(command, self._project, seconds)


LOOK_SECONDS = 0.2
_SET_SUBREAPER, _GET_SUBREAPER = 36, 37


@asynccontextmanager
async def keep_registry(registry: ProcessRegistry) -> AsyncIterator[None]:
    """While it lasts, `registry` knows what was started below this process outside of its own session.

    Meant for a process that drives a loop and does nothing else: whatever else it starts so would be taken for it.
    """
    import asyncio

    before = frozenset(process for process, _ in list_children())
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


async def _keep(registry: ProcessRegistry, before: frozenset[LiveProcess]) -> None:
    import asyncio

    known: set[LiveProcess] = set()
    while True:
        below = _bury(before)
        if below != known:
            with suppress(OSError):  # no room: tried again at the next look, and the marks tell the same
                registry.write(below)
                known = below
        await asyncio.sleep(LOOK_SECONDS)


def _bury(before: frozenset[LiveProcess]) -> set[LiveProcess]:
    """Waits for dead orphans, which nobody else does; the children that live, but for our own session's and `before`.

    Whoever starts a program inside of our session (git) waits for it, and run_group for those in AWAITED.
    """
    below = set()
    for process, is_dead in list_children():
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
    """Orphans below this process become its children. Does nothing where the system cannot do that."""
    libc = ctypes.CDLL(None)
    before = ctypes.c_int(0)
    libc.prctl(_GET_SUBREAPER, ctypes.byref(before))
    libc.prctl(_SET_SUBREAPER, ctypes.c_ulong(1))
    try:
        yield
    finally:
        libc.prctl(_SET_SUBREAPER, ctypes.c_ulong(before.value))


_WIND_UP = 15.0  # seconds a job has to end what it has started, once nobody waits for it any more


ROOM = 1 << 16
"""Bytes that a runner needs to say at least why it ends."""


def _check_room(folder: Path) -> None:
    """StoreError where a runner in the background could write nothing, so that nobody would hear of its end."""
    try:
        make_private_folder(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, ROOM)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise StoreError(f"{folder}: {error.strerror}; no runner was started: make room, then resume it") from error


async def run_job(command: Sequence[str], cwd: Path, seconds: float) -> JobResult:
    """See ports.Launcher.

    Its input stays open as long as we live: that it ends is how the job learns that we are gone, even by a kill.
    """
    import asyncio

    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(seconds):
            printed = await process.stdout.read()
            code = await process.wait()
    except TimeoutError:
        raise AgentError("timeout", f"it took longer than {seconds:.0f} s, and was ended") from None
    finally:
        await _ended(process)
    return JobResult(code, _last_object(printed))


async def _ended(process: "asyncio.subprocess.Process") -> None:
    """A job whose input ends ends what it has started, and itself; one that does not is killed."""
    import asyncio

    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(_WIND_UP):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()


def _last_object(printed: bytes) -> dict[str, Any]:  # Any: parsed JSON
    """Empty where it has printed none."""
    try:
        found = json.loads(printed.strip().rpartition(b"\n")[2])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
