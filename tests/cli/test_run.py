"""Whole runs as processes: what they print, how they exit, what survives an interruption."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import waiting
from tests.cli.conftest import DONE, SLOW, Desk, planned, said

ASKS = {"text": said("DEVELOP", "needs_input", "Up or down?", "- options: up | down")}


def until(process: "subprocess.Popen[str]", type: str, text: str = "") -> dict[str, object]:
    """Reads NDJSON until an event of that type."""
    assert process.stdout is not None
    for line in process.stdout:
        event = json.loads(line)
        if event["type"] == type and text in line:
            assert isinstance(event, dict)
            return event
    raise AssertionError(f"ended without {type}: {process.stderr and process.stderr.read()}")


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def test_a_fix_is_verified(ledger: Desk, repaired: str) -> None:
    agent = ledger.script({"text": said("DEBUG"), "files": {"ledger.py": repaired}})
    ran = ledger.run("run", "Make the tests pass", "--auto", "--agent", agent)
    assert (ran.code, ran.err) == (0, "")
    assert "\x1b" not in ran.out
    for words in ("DEBUG: fix applied", "VALIDATE: pass", "Succeeded: all 14 tests pass; ", "ledger.py  +1 -1"):
        assert words in ran.out, ran.out
    loop_id = ran.out.split(":")[0]
    assert f"next        loopwright diff {loop_id}" in ran.out
    diff = ledger.run("diff", loop_id)
    assert "+            if entry.day > until:" in diff.out
    assert "changed ledger.py" in ledger.run("logs", loop_id, "changes.log").out
    assert ledger.run("watch", loop_id).code == 0
    back = ledger.run("rewind", loop_id, "--to", "1")
    assert (back.code, repaired == (ledger.project / "ledger.py").read_text()) == (0, False)


def test_ndjson_and_nothing_else(desk: Desk) -> None:
    agent = desk.script(planned("Look"), DONE)
    ran = desk.run("run", "Look around", "--auto", "--json", "--agent", agent, "--max-iterations", "1")
    first, last = ran.lines[0], ran.lines[-1]
    assert first["type"] == "lease_taken"
    assert (last["type"], last["success"], last["exit_code"], last["outcome"]) == ("rest", False, 1, "exhausted")
    assert ran.code == 1
    seqs = [line["seq"] for line in ran.lines if "seq" in line]
    assert seqs == sorted(set(map(int, map(str, seqs))))
    assert {"action_started", "action_finished", "note"} <= {line["type"] for line in ran.lines}


def test_a_spent_budget(desk: Desk) -> None:
    agent = desk.script(planned("Look"), {**DONE, "seconds": 0.2})
    ran = desk.run("run", "Look around", "--auto", "--agent", agent, "--max-minutes", "0.0001")
    assert ran.code == 8
    assert "over_budget" in ran.out
    loop_id = ran.out.split(":")[0]
    assert "raise" in desk.run("run", "--loop-id", loop_id, "--auto").err
    again = desk.run("run", "--loop-id", loop_id, "--auto", "--max-minutes", "5", "--max-iterations", "4", "--json")
    assert again.lines[-1]["outcome"] != "over_budget"


def test_a_question_in_auto_mode(desk: Desk) -> None:
    agent = desk.script(planned("Look"), {"to": "answer to your question", **DONE}, ASKS, ASKS)
    ran = desk.run("run", "Look around", "--auto", "--agent", agent)
    assert ran.code == 3
    assert "Paused with a question: Up or down? (up / down)" in ran.out
    loop_id = ran.out.split(":")[0]
    assert "paused (asks)" in desk.run("list").out
    assert desk.run("answer", loop_id, "up").code == 0
    resumed = desk.run("resume", loop_id, "--wait", "--json")
    assert resumed.lines[-1]["type"] == "rest"
    assert "answered" in desk.run("logs", loop_id, "events").out


def test_flags_change_an_existing_loop(desk: Desk) -> None:
    loop_id = desk.create("--agent", "bash")
    agent = desk.script(planned("Look"), DONE)
    desk.run(
        "run", "--loop-id", loop_id, "--auto", "--agent", agent, "--max-iterations", "1", "--title", "Other",
        "--allow-test-changes", "--min-coverage", "12",
    )  # fmt: skip
    state = desk.state(loop_id)
    engine = state["engine"]
    assert isinstance(engine, dict)
    assert (state["title"], state["max_iterations"], engine["allow_test_changes"]) == ("Other", 1, True)
    assert (engine["settings"]["agent"], engine["settings"]["min_coverage"]) == (agent, 12.0)


def test_in_the_background(desk: Desk) -> None:
    """start, watch, a second runner, pause --now, resume, stop: with the runner in a process of its own."""
    loop_id = desk.create("--agent", desk.script(*SLOW))
    assert desk.run("start", loop_id).code == 0
    watching = desk.begin("watch", loop_id, "--json")  # it may come too late to see an action begin
    waiting.until(lambda: "DEVELOP" in desk.run("logs", loop_id, "events").out)
    busy = desk.run("run", "--loop-id", loop_id, "--auto", "--title", "Mine")
    assert (busy.code, busy.out) == (5, "")
    assert desk.state(loop_id)["title"] != "Mine"
    assert desk.run("delete", loop_id, "--yes").code == 5
    assert desk.run("pause", loop_id, "--now").code == 0
    code, out, _ = ended(watching)
    assert code == 3
    assert json.loads(out.splitlines()[-1])["status"] == "paused"
    log = desk.run("logs", loop_id, "runner.log").out
    assert "DEVELOP task-" in log, "what the runner said is for people"
    assert "{" not in log
    assert desk.run("resume", loop_id).code == 0
    assert desk.run("stop", loop_id).code == 0
    assert desk.state(loop_id)["status"] == "failed"
    assert desk.run("watch", loop_id).code == 1
    waiting.until(lambda: desk.run("delete", loop_id, "--yes").code == 0)  # its runner may be on its way out
    assert desk.run("show", loop_id).code == 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_how_to_go_on(desk: Desk, number: signal.Signals) -> None:
    running = desk.begin("run", "x", "--auto", "--json", "--agent", desk.script(*SLOW))
    until(running, "action_started", "DEVELOP")
    running.send_signal(number)
    code, out, err = ended(running)
    last = json.loads(out.splitlines()[-1])
    assert (code, last["type"], "Traceback" in err) == (130, "interrupted", False)
    assert f"loopwright resume {last['loop_id']}" in last["error"]
    assert "running (no runner)" in desk.run("list").out


def test_a_killed_runner_is_taken_up_by_resume_all(desk: Desk) -> None:
    running = desk.begin("run", "x", "--auto", "--json", "--agent", desk.script(*SLOW))
    until(running, "action_started", "DEVELOP")
    running.kill()
    ended(running)
    loop_id = str(desk.run("list", "--json").lines[0]["data"][0]["loop_id"])  # type: ignore[index]  # parsed JSON
    orphan = desk.run("show", loop_id)
    assert "no runner is working" in orphan.out
    assert loop_id in desk.run("resume", "--all").out
    watching = desk.begin("watch", loop_id, "--json")
    assert desk.run("stop", loop_id).code == 0
    assert ended(watching)[0] == 1
    assert "taken over" in desk.run("logs", loop_id, "events").out or desk.state(loop_id)["status"] == "failed"


def test_a_launched_runner_never_undoes_a_pause(desk: Desk) -> None:
    agent = desk.script(planned("Look"), ASKS, ASKS)
    loop_id = desk.run("run", "x", "--auto", "--agent", agent).out.split(":")[0]
    ran = desk.run("run", "--loop-id", loop_id, "--launched", "--json")
    assert (ran.code, ran.lines[-1]["status"]) == (3, "paused")


def test_another_project_is_named_in_what_to_type_next(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "other place"
    other.mkdir()
    agent = desk.script(planned("Look"), ASKS, ASKS)
    ran = desk.run("run", "x", "--auto", "--agent", agent, "--project", str(other))
    assert f"--project '{other}'" in ran.out
    assert not (desk.project / ".workflow" / ".loop").exists()


def test_a_log_is_followed_to_its_end(desk: Desk) -> None:
    agent = desk.script(planned("Look"), {**DONE, "seconds": 1}, ASKS, ASKS)
    loop_id = desk.create("--agent", agent, "--max-iterations", "1")
    desk.run("start", loop_id)
    ran = desk.run("logs", loop_id, "events", "--follow", "--json")
    assert [line["type"] for line in ran.lines][-1] == "action_finished"


def test_a_reader_that_goes_away_is_no_accident(desk: Desk) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        piped = subprocess.run(
            [sys.executable, "-m", "loopwright", "schema", "loop"], cwd=desk.project, env=desk.env,
            stdout=closed, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert piped.stderr == ""


def test_a_refused_run_of_an_ended_loop_changes_nothing(desk: Desk) -> None:
    """The limit is too low: neither title nor settings nor limits are half taken over."""
    agent = desk.script(planned("Look"), DONE)
    loop_id = desk.run("run", "x", "--auto", "--agent", agent, "--max-iterations", "1").out.split(":")[0]
    files = {
        path: path.read_bytes()
        for path in (desk.project / ".workflow" / ".loop").glob(f"{loop_id}.*")
        if path.is_file()
    }
    wishes = ("--max-iterations", "1", "--title", "New", "--min-coverage", "5")
    refused = desk.run("run", "--loop-id", loop_id, "--auto", *wishes, "--json")
    assert (refused.code, refused.lines[0]["success"]) == (2, False)
    assert "--max-iterations 11" in str(refused.lines[0]["error"])
    for path, content in files.items():
        assert path.read_bytes() == content, path


def test_every_limit_can_be_raised(desk: Desk) -> None:
    """For a loop that is taken up here, and for one that is reopened in the background."""
    agent = desk.script(planned("Look"), DONE)
    loop_id = desk.run("run", "x", "--auto", "--agent", agent, "--max-iterations", "1").out.split(":")[0]
    raised = ("--max-iterations", "3", "--max-minutes", "7", "--max-tokens", "500", "--max-cost", "2.5")
    assert desk.run("run", "--loop-id", loop_id, "--auto", *raised).code in (1, 3)
    assert limits(desk, loop_id) == (3, 7, 500, 2.5)
    desk.run("reopen", loop_id, "--max-iterations", "9", "--max-tokens", "600", "--max-cost", "3")
    assert limits(desk, loop_id) == (9, 7, 600, 3)


def limits(desk: Desk, loop_id: str) -> tuple[object, ...]:
    state = desk.state(loop_id)
    engine = state["engine"]
    assert isinstance(engine, dict)
    budget = engine["budget"]
    return state["max_iterations"], budget["max_minutes"], budget["max_tokens"], budget["max_cost"]


def test_a_full_disk_behind_the_output_is_told_once(desk: Desk) -> None:
    for arguments in (["schema", "loop"], ["list"], ["config", "show"], ["list", "--json"], ["--help"], ["--version"]):
        with open("/dev/full", "w") as full:
            ran = subprocess.run(
                [sys.executable, "-m", "loopwright", *arguments], cwd=desk.project, env=desk.env,
                stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        words = "loopwright: the output could not be written: No space left on device\n"
        assert (ran.returncode, ran.stderr) == (6, words), arguments
