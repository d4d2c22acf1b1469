"""Our own runners: started detached, known by what they hold, and ended with all they started."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from loopwright.domain.errors import Conflict
from loopwright.domain.ids import generation_of
from loopwright.ports import JobDone
from loopwright.workspace.living import look
from loopwright.workspace.registry import Registry

_STUBBORN = 2.0  # seconds after which a runner that does not even die of KILL is left to the kernel


class OwnProcesses:
    """Implements ports.Processes on this machine. `home` lies outside of the project.

    It holds a registry for each loop, and a folder for what its programs keep (see `folder`).
    """

    def __init__(self, project: Path, home: Path) -> None:
        self._project = project.resolve()
        self._home = home

    def sweep(self, loop_id: str) -> tuple[int, ...]:
        from loopwright.workspace.ending import sweep  # slow to load, and most commands sweep nothing
        from loopwright.workspace.marks import Mark

        registry = self._registry(loop_id)
        ended = sweep(Mark(loop_id, str(self._project)), registry.living())
        registry.clear()
        return ended

    @asynccontextmanager
    async def owning(self, loop_id: str) -> AsyncIterator[tuple[int, ...]]:
        from loopwright.workspace.keeper import keeping

        left = self.sweep(loop_id)
        async with keeping(self._registry(loop_id)):
            try:
                yield left
            finally:
                self.sweep(loop_id)

    def within(self, loop_id: str) -> bool:
        from loopwright.workspace.marks import Mark

        marks = (loop_id, generation_of(loop_id))
        return any(Mark(mark, str(self._project)).is_on(os.getpid()) for mark in marks)

    @contextmanager
    def alone(self, mark: str) -> Iterator[None]:
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock(mark).open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict("an agent is proposing tasks for this loop already; wait until it has") from None
            yield

    def end_runner(self, pid: int) -> None:
        """KILL: it has had its time to let go. What shares its group may be the user's, and is left to the sweep."""
        runner = look(pid)
        deadline = time.monotonic() + _STUBBORN
        while runner is not None and look(pid) == runner and time.monotonic() < deadline:
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

    def _registry(self, loop_id: str) -> Registry:
        return Registry(self._home / f"{loop_id}.json")


class RunnerLauncher:
    """Implements ports.Launcher: a command of ours in a session of its own, its output in the run's runner.log.

    `folder` is where a run's own files are, by its id; the words of the `command` end before the id.
    """

    def __init__(self, project: Path, folder: Callable[[str], Path], command: Sequence[str]) -> None:
        self._project = project
        self._folder = folder
        self._command = tuple(command)
        self._launched: set[int] = set()

    def launch(self, loop_id: str) -> int:
        self._bury()
        folder = self._folder(loop_id)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "loopwright", *self._command, loop_id, "--project", str(self._project)]
        with (folder / "runner.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--launched"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self._project, start_new_session=True,
            )  # fmt: skip
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

    async def job(self, arguments: Sequence[str], seconds: float) -> JobDone:
        from loopwright.workspace.job import run_job  # slow to load, and most commands run none

        command = (sys.executable, "-m", "loopwright", *arguments, "--project", str(self._project), "--json")
        return await run_job(command, self._project, seconds)
