"""A test runner, a notifier and a coding agent, added at run time: each by one entry where such things are listed."""

from pathlib import Path

import pytest

from loopwright.core import agent_names
from loopwright.core.agent_names import AgentCommand
from loopwright.core.errors import AgentError
from loopwright.core.notices import Notification
from loopwright.core.ports import NOWHERE, TestOrder
from loopwright.core.run_events import EventBus
from loopwright.evidence import runners
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.runners.contract import InstrumentedCommand
from loopwright.evidence.testing import TestResult
from loopwright.wiring import open_engine
from loopwright.wiring.runners import Runners
from loopwright.workflows.loop import commands


class TallyRunner:
    """Tests that are lines of a shell script, which appends their results to a file."""

    name = "tally"

    def detect(self, root: Path) -> str | None:
        return "sh tally.sh" if (root / "tally.sh").is_file() else None

    def recognises(self, command: str, root: Path) -> bool:
        return command == "sh tally.sh"

    def interpreter(self, command: str, root: Path) -> str | None:
        return None

    def instrument(self, command: str, root: Path, folder: Path) -> InstrumentedCommand:
        return InstrumentedCommand(command, {"TALLY": str(folder / "tally")})

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        return {}

    def read(self, root: Path, folder: Path) -> RunnerReport:
        lines = (folder / "tally").read_text().split()
        results = tuple(
            TestResult(suite="tally", test_name=name, status="passed" if status == "ok" else "failed")
            for name, _, status in (line.partition("=") for line in lines)
        )
        return RunnerReport(results=results, complete=True, reported=True)


async def test_a_test_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tally.sh").write_text('echo adds=ok >> "$TALLY"; echo divides=wrong >> "$TALLY"; exit 1\n')
    monkeypatch.setattr(runners, "FRAMEWORKS", (*runners.FRAMEWORKS, TallyRunner()))
    tests = ProjectTests(tmp_path)
    assert tests.detect() == "sh tally.sh"
    run = await tests.run(TestOrder("sh tally.sh", timeout=60, marker="loop"))
    assert [(result.test_name, result.status) for result in run.results] == [("adds", "passed"), ("divides", "failed")]
    assert run.runner == "tally"


class ListNotifier:
    def __init__(self) -> None:
        self.letters: list[Notification] = []

    async def notify(self, letter: Notification) -> str | None:
        self.letters.append(letter)
        return None


async def test_a_notifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(Runners, "_notifiers", (told := ListNotifier(),))
    (tmp_path / "shop").mkdir()
    with open_engine(tmp_path / "shop", {"agent": "bash"}) as engine:
        id = engine.create("Nothing to do", title=None, interactive=False).loop_id
        ended = await engine.runners.loop.drive(id, take_up=commands.take_up, bus=EventBus())
    assert [letter.loop_id for letter in told.letters] == [id]
    assert told.letters[0].status == ended.status


def test_a_coding_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "scribe"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setitem(agent_names.PRESET_COMMANDS, "scribe", AgentCommand("scribe", (str(program), "--acp")))
    with open_engine(tmp_path, {}) as engine:
        assert engine.agents.make("scribe", NOWHERE).capabilities.plans
        with pytest.raises(AgentError):
            engine.agents.make("nobody", NOWHERE)
