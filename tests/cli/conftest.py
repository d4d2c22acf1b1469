"""The real command in real projects, with scripted agents."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest

from tests.warm import run_command

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "tests" / "samples"
SEEN_FROM_OUTSIDE = ("PYTHON", "LC_", "LANG", "LOOPWRIGHT_")
"""What Python itself reads as it starts, and what a loop marks its processes with."""

PATIENCE = 60
"""Seconds after which a command hangs."""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, object]]:
        """Stdout as NDJSON; fails when anything else is in it."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Desk:
    """A project folder, and the command as a process in it."""

    project: Path
    env: Mapping[str, str]

    def run(self, *arguments: str, **env: str) -> Ran:
        given = {**self.env, **env}
        if any(name.startswith(SEEN_FROM_OUTSIDE) for name in env):
            done = subprocess.run(
                [sys.executable, "-m", "loopwright", *arguments], cwd=self.project, env=given,
                capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        else:
            done = run_command(arguments, cwd=self.project, env=given, seconds=PATIENCE)
        return Ran(done.returncode, done.stdout, done.stderr)

    def begin(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "loopwright", *arguments], cwd=self.project, env=self.env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def create(self, *arguments: str) -> str:
        """The id of a new loop."""
        ran = self.run("create", "Do what is in the script", "--auto", "--json", *arguments)
        assert ran.code == 0, ran
        data = ran.lines[0]["data"]
        assert isinstance(data, dict)
        return str(data["loop_id"])

    def state(self, loop_id: str) -> dict[str, object]:
        data = self.run("show", loop_id, "--json").lines[0]["data"]
        assert isinstance(data, dict)
        return data

    def script(self, *answers: Mapping[str, object]) -> str:
        """The name of an agent that gives these answers; its script is no file of the work tree."""
        path = self.project / ".workflow" / "script.json"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text(json.dumps({"answers": answers}))
        return f"scripted:{path}"


def said(action: str, status: str = "success", message: str = "done", *more: str) -> str:
    """An agent's report."""
    fields = "\n".join(("ACTION_RESULT:", f"- action: {action}", f"- status: {status}", f"- message: {message}", *more))
    return f"{fields}\n\nFILES_UPDATED:\n\nNEXT_ACTION_NEEDED: COMPLETED\n"


def planned(*descriptions: str) -> dict[str, object]:
    """INIT's answer: these tasks."""
    tasks = json.dumps({"tasks": [{"description": text} for text in descriptions]})
    return {"to": "INIT\n", "text": said("INIT", "success", "planned", f"- state_updates: {tasks}")}


DONE: Mapping[str, object] = {"text": said("DEVELOP"), "files": {"notes.txt": "looked\n"}}
"""DEVELOP's answer of one that has changed something."""


KINDS = (
    (".loop", (), ("loop_id",)), (".cycle", ("cycle",), ("cycle_id",)), (".scratchpad", ("tunings",), ("engine", "id")),
)  # fmt: skip
"""Folder, first words of its commands, and where a state has its id."""

SLOW: Sequence[Mapping[str, object]] = (planned("Take your time"), {**DONE, "seconds": 250})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty project; whatever still runs for its loops and cycles is ended."""
    project = tmp_path / "project"
    project.mkdir()
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("LOOPWRIGHT_", "COV_"))},
        "PYTHONPATH": str(ROOT / "src"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "TERM": "xterm",
    }
    env.pop("NO_COLOR", None)
    desk = Desk(project, env)
    yield desk
    for folder, kind, key in KINDS:
        if (project / ".workflow" / folder).exists():
            running = desk.run(*kind, "list", "--status", "running", "--json").lines[0]["data"]
            assert isinstance(running, list)
            for state in running:
                desk.run(*kind, "stop", reduce(getitem, key, state))


@pytest.fixture
def ledger(desk: Desk) -> Desk:
    """A project with three failing tests of fourteen."""
    shutil.copytree(SAMPLES / "ledger", desk.project, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return desk


@pytest.fixture
def repaired() -> str:
    """The ledger's code as it should be."""
    return (SAMPLES / "ledger" / "ledger.py").read_text().replace("entry.day >= until", "entry.day > until")
