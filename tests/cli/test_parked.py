"""Loops whose agent is in trouble, by the real command: what is seen, and how it exits."""

import json
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from tests.cli.conftest import DONE, Desk, planned

ONCE = ("--auto", "--max-iterations", "1")


def limit(seconds: float) -> dict[str, object]:
    """Long enough ahead that also a slow machine comes to it before it is over."""
    return {"error": "quota", "until": (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(), "session": "s-1"}


def test_a_parked_loop_says_so_waits_and_goes_on_by_itself(desk: Desk) -> None:
    ran = desk.run("run", "Look around", "--agent", desk.script(planned("Look"), limit(6), DONE), *ONCE)
    assert "DEVELOP: put off: the script ends the turn with quota" in ran.out
    assert "parked until 20" in ran.out
    assert "resumed: the limit has reset" in ran.out
    assert ran.out.count("DEVELOP task-") == 2
    assert (ran.code, "exhausted" in ran.out) == (1, True)


def test_no_park_ends_it_and_says_why(desk: Desk) -> None:
    agent = desk.script(planned("Look"), limit(3600), DONE)
    ran = desk.run("run", "Look around", "--agent", agent, "--no-park", "--json", "--auto")
    assert ran.code == 1
    assert (ran.lines[-1]["status"], ran.lines[-1]["outcome"]) == ("failed", "failed")
    data = ran.lines[-1]["data"]
    assert isinstance(data, dict)
    assert data["failure_reason"] == "the script ends the turn with quota; waiting for it is disabled (park)"


def test_a_login_is_a_persons_business(desk: Desk) -> None:
    agent = desk.script(planned("Look"), {"error": "auth"}, DONE)
    ran = desk.run("run", "Look around", "--agent", agent, "--auto")
    assert ran.code == 3
    assert "Paused: the script ends the turn with auth. Fix that, then resume the loop." in ran.out
    assert "next        loopwright resume loop-" in ran.out
    assert "loopwright answer" not in ran.out


def test_tokens_that_are_used_up_have_their_own_exit_code(desk: Desk) -> None:
    agent = desk.script({**planned("Look"), "usage": {"tokens": 500}}, DONE)
    ran = desk.run("run", "Look around", "--agent", agent, "--auto", "--max-tokens", "400")
    assert (ran.code, "the budget of 400 tokens is used up" in ran.out) == (8, True)


def begun(desk: Desk) -> tuple[str, "subprocess.Popen[str]"]:
    """A loop that is parked for an hour, and its runner."""
    loop_id = desk.create("--agent", desk.script(planned("Look"), limit(3600), DONE), "--max-iterations", "1")
    runner = desk.begin("run", "--loop-id", loop_id, "--auto", "--json")
    assert runner.stdout is not None
    assert any('"text": "parked until' in line for line in runner.stdout)
    return loop_id, runner


@pytest.mark.parametrize(("command", "status"), [("pause", "paused"), ("stop", "failed")])
def test_a_person_in_another_terminal_is_heard_while_it_waits(desk: Desk, command: str, status: str) -> None:
    loop_id, runner = begun(desk)
    assert desk.run(command, loop_id).code == 0
    out, _ = runner.communicate(timeout=30)
    last = json.loads(out.splitlines()[-1])
    assert (last["type"], last["status"], last["data"]["engine"]["parked"]) == ("rest", status, None)


def test_a_parked_loop_whose_runner_was_killed_waits_on_and_can_be_resumed(desk: Desk) -> None:
    loop_id, runner = begun(desk)
    runner.kill()
    runner.communicate()
    assert "limit" in desk.run("list").out
    assert "nothing to resume" in desk.run("resume", "--all").out, "it is not due"
    assert "1 iteration is reached" in desk.run("run", "--loop-id", loop_id, "--auto").out
