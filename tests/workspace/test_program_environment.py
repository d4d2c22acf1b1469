"""What programs get of our environment."""

from pathlib import Path

import pytest

from loopwright.processes.environment import explain_withheld, masking_log, pass_secrets, program_environment
from loopwright.processes.process import Patience, run_shell


async def shown(tmp_path: Path, command: str, *passed: str) -> str:
    with pass_secrets(passed):
        done = await run_shell(command, cwd=tmp_path, marker="loop-a", patience=Patience(20))
    return done.output


async def test_a_secret_only_where_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_TOKEN", "value-of-it")
    command = 'echo "got ${PLANTED_TOKEN-none}"'
    assert await shown(tmp_path, command) == "got none\n"
    assert await shown(tmp_path, command, "PLANTED_*") == "got value-of-it\n"
    assert "PLANTED_TOKEN" not in program_environment()


async def test_who_fails_over_one_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_TOKEN", "value-of-it")
    failed = await shown(tmp_path, ": ${PLANTED_TOKEN?}")
    assert failed.endswith(f"\nloopwright: {explain_withheld('PLANTED_TOKEN')}\n")
    assert "pass_env" in failed
    assert "pass_env" not in await shown(tmp_path, "echo PLANTED_TOKEN")


def test_a_log_that_a_program_writes_itself_tells_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_TOKEN", "value-of-it")
    log = tmp_path / "stderr.log"
    with masking_log(log, {"OWN_TOKEN": "another-value"}):
        log.write_bytes(b"\xff value-of-it another-value end")
    assert log.read_bytes() == b"\xff " + "‹masked environment› ‹masked environment› end".encode()
