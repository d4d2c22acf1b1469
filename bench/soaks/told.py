"""People tell a working agent something at random moments, and its runner is killed between: nothing is heard twice."""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.real_command import Project
from tests.told import listener

MESSAGES = 200
EACH_KILL = 15
"""Messages between two kills."""

TURN_SECONDS = 0.6
PATIENCE = 60.0


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Messages by what became of them, once with an agent that can be told within a turn, once with another."""
    counts: Counter[str] = Counter()
    for steers in ("steers", ""):
        with tempfile.TemporaryDirectory(prefix="loopwright-told-") as folder:
            counts += tell(chance, Path(folder), max(round(MESSAGES * scale / 2), 2), steers)
    return counts


def tell(chance: random.Random, folder: Path, messages: int, steers: str) -> Counter[str]:
    project, heard = Project(folder / "project", folder / "state"), folder / "told" / "heard"
    heard.parent.mkdir()
    heard.touch()
    project.root.mkdir()
    (project.root / "app.txt").write_text("as it was")
    (project.root / "test_app.py").write_text("def test_nothing():\n    assert True\n")
    command = [sys.executable, listener.__file__, str(heard), str(TURN_SECONDS), steers]
    (project.root / "loopwright.toml").write_text(
        f'sandbox_paths = ["{heard.parent}:rw"]\n[agents.listener]\ncommand = {json.dumps(command)}\n'
    )
    options = ("--auto", "--agent", "listener", "--max-iterations", "1000", "--proof", "none")
    _, created = project.call("create", "Take many small steps", *options)
    loop_id, kills = created["loop_id"], 0
    for n in range(messages + 10):  # more than there can be turns
        project.call("tasks", loop_id, "add", f"Step {n}")
    runner = _start(project, loop_id, heard)
    for n in range(messages):
        time.sleep(chance.uniform(0, 1.2 * TURN_SECONDS))
        if n and n % min(EACH_KILL, max(messages // 2, 1)):
            _tell(project, loop_id, n, now=chance.random() < 0.3)
            continue
        if n:
            _kill(runner)
            kills += 1
        _tell(project, loop_id, n, now=False)  # nobody is there
        if n:
            runner = _start(project, loop_id, heard)
    _wait(project, loop_id)
    _kill(runner)
    state = project.state_of(loop_id)
    project.call("stop", loop_id)
    return _checked(project.journal(loop_id), state, heard, messages) + Counter(kills=kills)


def _start(project: Project, loop_id: str, heard: Path) -> "subprocess.Popen[bytes]":
    """Until its agent has heard something."""
    before, end = heard.stat().st_size, time.monotonic() + PATIENCE
    runner = project.start("run", "--loop-id", loop_id, "--auto")
    while heard.stat().st_size == before:
        assert time.monotonic() < end, "its agent hears nothing"
        time.sleep(0.05)
    return runner


def _tell(project: Project, loop_id: str, n: int, *, now: bool) -> None:
    """Waits while too many wait already."""
    words = ("tell", loop_id, f"Mind word-{n}-word.", *(("--now",) if now else ()))
    end = time.monotonic() + PATIENCE
    while (answer := project.call(*words))[0] == 5 and time.monotonic() < end:
        time.sleep(0.3)
    assert answer[0] == 0, answer


def _wait(project: Project, loop_id: str) -> None:
    """Until nothing waits."""
    end = time.monotonic() + PATIENCE
    while any(m["status"] in ("queued", "sending") for m in project.state_of(loop_id)["engine"]["messages"]):
        assert time.monotonic() < end, "what was told is not delivered"
        time.sleep(0.2)


def _kill(runner: "subprocess.Popen[bytes]") -> None:
    runner.kill()
    runner.wait()


def _checked(journal: list[Any], state: Any, heard: Path, messages: int) -> Counter[str]:  # Any: JSON
    """Each was heard once where that is said, and at most once where it is not known."""
    times = Counter(word for line in heard.read_text().splitlines() for word in json.loads(line)["told"])
    told = {e["event"]["data"]["message"]: e["event"]["data"]["text"] for e in journal if e["event"]["type"] == "told"}
    assert len(told) == messages
    ends = {id: _end(journal, id) for id in told}
    kept = {message["id"]: message["status"] for message in state["engine"]["messages"]}
    assert all(ends[id] == status for id, status in kept.items()), (ends, kept)
    for id, text in told.items():
        count = times[text.removeprefix("Mind ").removesuffix(".")]
        assert (ends[id] in ("delivered", "answered")) <= count <= 1, (id, ends[id], count)
    return Counter(ends.values())


def _end(journal: list[Any], id: str) -> str:  # Any: JSON
    """What became of it last, as the journal has it; what a runner's death has left on its way is undelivered."""
    events = (e["event"] for e in journal if id in str(e["event"]["data"].get("message", "")).split(", "))
    last = [event["type"].removeprefix("message_") for event in events][-1]
    return "undelivered" if last == "sending" else last
