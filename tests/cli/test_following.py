"""`logs --follow` and `replay` as processes: another process drives, and what it says comes as it says it."""

import json
import os
import signal
import subprocess
from pathlib import Path

from tests.cli.conftest import DONE, Desk, planned, said

TRANSCRIPT = "transcript.ndjson"


def until(process: "subprocess.Popen[str]", words: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(f"ended without {words!r}")


def progress(desk: Desk, loop_id: str) -> Path:
    return desk.project / ".workflow" / ".loop" / f"{loop_id}.progress"


def test_a_transcript_is_followed_while_another_process_writes_it(desk: Desk) -> None:
    """From before it is there until the loop rests; half a line is not told, and a file that begins anew is."""
    agent = desk.script(planned("Look"), {**DONE, "seconds": 4})
    loop_id = desk.create("--agent", agent, "--max-iterations", "1")
    desk.run("start", loop_id)
    follower = desk.begin("logs", loop_id, "--follow")
    asked = until(follower, "the agent is asked: CONTINUE EXECUTION")
    assert asked[2] == asked[5] == ":"
    path = progress(desk, loop_id) / TRANSCRIPT
    line = {"ts": "2026-01-22T10:00:00+08:00", "after": 1, "kind": "said", "text": "from another \x1b[31mfile"}
    beside = path.with_name("beside")
    beside.write_text(f'{json.dumps(line)}\n{{"half')
    os.replace(beside, path)
    assert "the agent says: from another [31mfile" in until(follower, "from another")
    rest = follower.communicate(timeout=60)[0]
    assert follower.returncode == 0
    assert "result: COMPLETE: exhausted" in rest
    assert "half" not in rest


def test_a_follower_does_not_wait_for_nobody(desk: Desk) -> None:
    loop_id = desk.create("--agent", "bash")
    ran = desk.run("logs", loop_id, "--follow")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"nothing in {TRANSCRIPT} so far\n"


def test_a_follower_can_be_interrupted(desk: Desk) -> None:
    agent = desk.script(planned("Look"), {"hangs": True})
    loop_id = desk.create("--agent", agent)
    desk.run("start", loop_id)
    follower = desk.begin("logs", loop_id, "--follow", "--json")
    until(follower, '"kind": "turn"')
    follower.send_signal(signal.SIGINT)
    follower.communicate(timeout=30)
    assert follower.returncode == 130
    assert desk.run("stop", loop_id).code == 0


def test_raw_lines_are_json_and_nothing_else(desk: Desk) -> None:
    agent = desk.script(planned("Look"), DONE)
    desk.run("run", "x", "--auto", "--agent", agent, "--max-iterations", "1")
    (loop_id,) = (loop["loop_id"] for loop in json.loads(desk.run("list", "--json").out)["data"])
    path = progress(desk, str(loop_id)) / TRANSCRIPT
    stored = [json.loads(line) for line in path.read_text().splitlines()]
    with path.open("a") as file:
        file.write("\x1b[2Jno json\n")
    ran = desk.run("logs", str(loop_id), TRANSCRIPT, "--json")
    assert ran.lines == stored
    assert ran.err == f"loopwright: a damaged line of {TRANSCRIPT} is left out\n"
    assert "\x1b" not in desk.run("logs", str(loop_id)).out
    refused = desk.run("replay", str(loop_id))
    assert (refused.code, f"{TRANSCRIPT}, line {len(stored) + 1}" in refused.err) == (6, True)


def test_a_run_is_replayed(ledger: Desk, repaired: str) -> None:
    """With the project's real tests, and nothing of the project is touched."""
    agent = ledger.script(
        {"text": said("DEBUG"), "files": {"ledger.py": repaired}, "usage": {"tokens": 12}},
    )  # fmt: skip
    ran = ledger.run("run", "Make the tests pass", "--auto", "--agent", agent)
    assert ran.code == 0
    assert "used 12 tokens" in ran.out
    before = {p: p.stat().st_mtime_ns for p in ledger.project.rglob("*") if p.is_file() and ".workflow" not in p.parts}
    again = ledger.run("replay", ran.out.split(":")[0], "--json")
    (document,) = again.lines
    assert (again.code, document["success"]) == (0, True), again
    assert isinstance(document["data"], dict)
    assert (document["data"]["differences"], document["data"]["state"]["engine"]["outcome"]) == ([], "succeeded")
    assert before == {p: p.stat().st_mtime_ns for p in before}


def test_another_course_is_told(desk: Desk) -> None:
    agent = desk.script(planned("Look"), {"text": said("DEVELOP"), "files": {"a.txt": "x"}})
    ran = desk.run("run", "x", "--auto", "--agent", agent, "--max-iterations", "1")
    loop_id = ran.out.split(":")[0]
    again = desk.run("replay", loop_id)
    assert (again.code, again.out) == (0, "equal: 3 actions, exhausted\n"), again
    path = progress(desk, loop_id) / TRANSCRIPT
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line.replace('"status": "success"', '"status": "failed"') for line in lines))
    other = desk.run("replay", loop_id)
    assert other.code == 1
    assert "tasks differ:\n  recorded: Look: completed (a.txt)\n  replayed: Look: failed (a.txt)\n" in other.out
    path.write_text("".join(line for line in lines if '"action": "DEVELOP"' not in line))
    assert "DEVELOP asked scripted:" in desk.run("replay", loop_id).out
