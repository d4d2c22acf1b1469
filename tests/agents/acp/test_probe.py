"""What an agent tells of itself, also one that dies, hangs, floods, or wants a login; nothing of it is left."""

import json
import sys
from pathlib import Path

import pytest

from loopwright.agents.acp.probe import ProbeResult, probe_agent
from loopwright.core.agent_names import AgentCommand
from loopwright.processes.process_tree import ProcessMark, list_processes
from tests.misbehaving.orders import command

PATIENCE = 20.0


async def probed(agent: AgentCommand, folder: Path, seconds: float = PATIENCE) -> ProbeResult:
    found = await probe_agent(agent, folder, seconds)
    mark = ProcessMark("doctor", str((folder / "project").resolve()))
    assert [process for process in list_processes() if mark.is_on(process.pid)] == []
    assert list((folder / "project").iterdir()) == []
    return found


async def test_one_that_works(tmp_path: Path) -> None:
    found = await probed(command(modes=["calm", "wild"], can_load=True), tmp_path)
    assert (found.version, found.modes, found.mode) == ("0.1", ("calm", "wild"), "calm")
    assert (found.load_session, found.resume_session, found.mcp_http) == (True, False, False)
    assert (found.trouble, found.words) == (None, "")
    assert 0 < found.seconds < PATIENCE


async def test_modes_may_be_a_config_option(tmp_path: Path) -> None:
    found = await probed(command(modes=["build", "plan"], config=True, can_load=False), tmp_path)
    assert (found.modes, found.mode, found.load_session) == (("build", "plan"), "build", False)


async def test_one_that_needs_a_login(tmp_path: Path) -> None:
    found = await probed(command(new={"code": -32000, "message": "Authentication required"}), tmp_path)
    assert (found.trouble, found.version) == ("auth", "0.1")
    assert "Authentication required" in found.words


async def test_one_that_dies_tells_its_last_words(tmp_path: Path) -> None:
    found = await probed(command(start="dies", words="no such model"), tmp_path)
    assert found.trouble == "died"
    assert found.words.endswith(": no such model (it ended at once with exit code 3)")


async def test_one_that_hangs_has_a_limit(tmp_path: Path) -> None:
    found = await probed(command(start="hangs"), tmp_path, 0.5)
    assert (found.trouble, found.words) == ("timeout", "no answer within 0.5 s")


async def test_one_of_another_time(tmp_path: Path) -> None:
    found = await probed(command(version=7), tmp_path)
    assert found.trouble == "protocol"
    assert found.words.endswith(" speaks version 7 of the protocol, not 1")


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("print('hello'); print('{}')", "died"),
        ("import sys; sys.stdout.write('x' * 60_000_000); sys.stdout.flush(); input(); input()", "protocol"),
        ("import os; os.close(1); import time; time.sleep(100)", "died"),
        ("""print('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"one"}}', flush=True); input(); input()""",
         "protocol"),
        ("import subprocess; subprocess.Popen(['setsid', 'sleep', '300']); print('not JSON')", "died"),
    ],
    ids=["chatters", "floods", "closes its output", "answers nonsense", "leaves a child"],
)  # fmt: skip
async def test_what_is_no_agent_at_all(tmp_path: Path, script: str, trouble: str) -> None:
    found = await probed(AgentCommand("x", (sys.executable, "-c", script)), tmp_path)
    assert found.trouble == trouble
    assert found.words
    assert len(found.words) < 2000


async def test_what_can_not_be_started(tmp_path: Path) -> None:
    found = await probed(AgentCommand("x", ("/no/such/program",)), tmp_path)
    assert found.trouble == "died"
    assert "cannot be started" in found.words


async def test_it_gets_its_own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDEN", "secret")
    note = tmp_path / "environment"
    script = f"import os, json; json.dump(dict(os.environ), open({str(note)!r}, 'w'))"
    await probed(AgentCommand("x", (sys.executable, "-c", script), {"EXTRA": "given"}, ("HIDDEN",)), tmp_path)
    environment = json.loads(note.read_text())
    assert environment["EXTRA"] == "given"
    assert "HIDDEN" not in environment
