"""The real command on a real project, in processes of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.warm import run_command

COMMAND = (sys.executable, "-m", "loopwright")


@dataclass(frozen=True)
class Project:
    """A project folder with its own state directory."""

    root: Path
    state: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "XDG_STATE_HOME": str(self.state), "NO_COLOR": "1"}

    def call(self, *words: str) -> tuple[int, Any]:  # Any: parsed JSON
        """Runs a command to its end with --json; exit code and the data of the last object it printed."""
        words = (*words, "--project", str(self.root), "--json")
        done = run_command(words, cwd=Path.cwd(), env=self.environment, seconds=240)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        assert "Traceback" not in done.stderr, done.stderr
        printed = json.loads(lines[-1]) if lines else {}
        return done.returncode, printed.get("data", printed)

    def plain(self, *words: str) -> tuple[int, str]:
        """Runs Python itself in the project; exit code and output."""
        done = subprocess.run(
            [sys.executable, *words], cwd=self.root, capture_output=True, text=True, env=self.environment, timeout=240
        )
        return done.returncode, done.stdout + done.stderr

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Starts a command and leaves it running, in a session of its own."""
        return subprocess.Popen(
            [*COMMAND, *words, "--project", str(self.root), "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.environment, start_new_session=True,
        )  # fmt: skip

    def state_of(self, loop_id: str) -> Any:  # Any: parsed JSON
        code, shown = self.call("show", loop_id)
        assert code == 0, shown
        return shown

    def journal(self, loop_id: str) -> list[Any]:  # Any: parsed JSON
        path = self.root / ".workflow" / ".loop" / f"{loop_id}.events.ndjson"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]


def carrying(marker: str) -> Iterator[int]:
    """Living processes that a loop has started."""
    return having(f"LOOPWRIGHT_LOOP={marker}")


def having(variable: str) -> Iterator[int]:
    """Living processes with that NAME=VALUE in the environment they began with."""
    tag = variable.encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and tag in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
        except OSError:
            continue
