"""Our own runners: started detached, and ended with all they started."""

import os
import signal
import subprocess
import sys
from pathlib import Path


class OwnProcesses:
    """Implements ports.Processes on this machine."""

    def sweep(self, marker: str) -> tuple[int, ...]:
        from loopwright.workspace.process import sweep  # slow to load, and most commands sweep nothing

        return sweep(marker)

    def end_runner(self, pid: int) -> None:
        """KILL: it has had its time to let go. The group only where the runner leads one."""
        try:
            if os.getpgid(pid) == pid:
                os.killpg(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


class RunnerLauncher:
    """Implements ports.Launcher: `loopwright run` in a session of its own, its output in the loop's runner.log."""

    def __init__(self, project: Path) -> None:
        self._project = project

    def launch(self, loop_id: str) -> int:
        folder = self._project / ".workflow" / ".loop" / f"{loop_id}.progress"
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "loopwright", "run", "--project", str(self._project), "--loop-id", loop_id]
        with (folder / "runner.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--launched", "--json"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self._project, start_new_session=True,
            )  # fmt: skip
        process.returncode = 0  # it outlives us on purpose; nobody waits for it here
        return process.pid
