"""loopwright itself on a small project, as people start it: a process inside of the fence, and a real agent."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents_real.agents import RealAgent
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import FILES
from tests.agents_real.processes import end_all, started_by, until
from tests.validation.projects import lay_out

Json = Any
"""As loopwright writes it: taken apart by the tests."""


@dataclass(frozen=True)
class Rested:
    """A command that has come to its end. `said`: the objects it printed, one a line."""

    code: int
    said: tuple[Json, ...]
    stderr: str

    @property
    def state(self) -> Json:
        return self.said[-1]["data"]


@dataclass(frozen=True)
class Ground:
    """A project under git, an agent that is installed, and the model behind it."""

    agent: RealAgent
    project: Path
    fence: Fence

    @property
    def environment(self) -> Mapping[str, str]:
        """The agent's own, as the user of this home would have it; `python` is ours, without its plugins of pytest."""
        own = dict(self.agent.environment)
        path = os.pathsep.join([str(Path(sys.executable).parent), own["PATH"]])
        here = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
        return {**own, **here, "PATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(self, *words: str, timeout: float = 240) -> Rested:
        done = subprocess.run(
            self.argv(words), cwd=self.project, env=self.environment, capture_output=True, text=True, timeout=timeout,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return Rested(done.returncode, tuple(json.loads(line) for line in done.stdout.splitlines()), done.stderr)

    def shown(self, *words: str) -> str:
        """What a command prints for people."""
        argv = self.argv(words)[:-1]
        done = subprocess.run(argv, cwd=self.project, env=self.environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @asynccontextmanager
    async def running(self, *words: str) -> AsyncIterator["subprocess.Popen[bytes]"]:
        """In a session of its own, from the moment there is a loop; its words go to a file in the home.

        At the end of the block it is gone, and all that was started here.
        """
        with (self.agent.home / "runner").open("ab") as out:
            runner = subprocess.Popen(  # noqa: ASYNC220 - its end is waited for elsewhere
                self.argv(words), cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, start_new_session=True,
            )  # fmt: skip
        try:
            await until(lambda: runner.poll() is not None or any(self._folder.glob("*.json")))
            yield runner
        finally:
            await end_all(runner.pid, self.agent.home)
            runner.wait()

    def argv(self, words: tuple[str, ...]) -> list[str]:
        return [*self.fence.prefix, sys.executable, "-m", "loopwright", *words, "--json"]

    @property
    def loop_id(self) -> str:
        """The only loop's."""
        [state] = self._folder.glob("*.json")
        return state.stem

    @property
    def state(self) -> Json:
        return json.loads((self._folder / f"{self.loop_id}.json").read_bytes())

    @property
    def journal(self) -> list[Json]:
        return objects(self._folder / f"{self.loop_id}.events.ndjson")

    @property
    def transcript(self) -> list[Json]:
        return objects(self._folder / f"{self.loop_id}.progress" / "transcript.ndjson")

    def heard(self, kind: str) -> list[Json]:
        """The lines of that kind in the transcript."""
        return [line for line in self.transcript if line["kind"] == kind]

    @property
    def changes(self) -> list[Json]:
        """The lines of changes.log."""
        return objects(self._folder / f"{self.loop_id}.progress" / "changes.log")

    @property
    def rest(self) -> tuple[str, str | None]:
        """Status and outcome."""
        state = self.state
        return state["status"], state["engine"]["outcome"]

    @property
    def _folder(self) -> Path:
        return self.project / ".workflow" / ".loop"

    def settings(self, **values: object) -> None:
        """The user's own, as they stand in the home."""
        path = self.agent.home / ".config" / "loopwright" / "loopwright.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()), encoding="utf-8")

    def touched(self) -> set[str]:
        """What git sees of changes in the project: `?? kelvin.py`, ` M temperature.py`."""
        done = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=all"],
            cwd=self.project, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return set(done.stdout.splitlines())

    def alive(self) -> Mapping[int, str]:
        """All that was started here and lives: the runner, agents, and what they started."""
        return started_by(self.agent.home)


def objects(path: Path) -> list[Json]:
    """The whole lines; the last one may just be written."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def ground(agent: RealAgent, project: Path, fence: Fence, files: Mapping[str, str] = FILES) -> Ground:
    """A fresh project in that folder, committed."""
    lay_out(project, files)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "As it was found"]):
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *who, *words], cwd=project, check=True)
    return Ground(agent, project, fence)
