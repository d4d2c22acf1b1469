"""Stop and restart through the real command: everything that belongs to the loop ends in time, and nothing else."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopwright.processes.process_tree import LOOP, ProcessMark, find_process, list_processes
from tests.real_command import COMMAND, Project
from tests.waiting import until

TESTS = "import unittest\n\n\nclass Nothing(unittest.TestCase):\n    def test_it(self) -> None:\n        pass\n"
STOP_SECONDS = 10.0

WAYS = {
    "child": "sleep 300 &",
    "daemon": "(setsid -f sleep 300)",
    "clean_daemon": "(env -i setsid -f sleep 300)",
    "own_session": "setsid sleep 300 &",
    "own_group": "set -m; sleep 300 & set +m",
    "clean_group": "set -m; env -i sleep 300 & set +m",
    "deaf": "(trap '' TERM HUP INT; sleep 300) &",
    "stopped": "sleep 300 & kill -STOP $!",
    "clean_stopped": "env -i setsid sleep 300 & sleep 0.2; kill -STOP $!",
}
"""How a task's processes try to get out of sight."""

BOMB = "hop() { sleep 0.0$((RANDOM % 9)); hop & }; for n in $(seq 20); do hop & done"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "test_done.py").write_text(TESTS)
    return Project(tmp_path / "project", tmp_path / "state")


def created(project: Project, command: str, sandbox: str = "auto") -> str:
    _, loop = project.call("create", "One step", "--auto", "--agent", "builtin", "--sandbox", sandbox)
    loop_id = str(loop["loop_id"])
    assert project.call("tasks", loop_id, "add", "step", "--tool", "bash", "--command", command)[0] == 0
    return loop_id


def hiding() -> str:
    """A command that starts a process in every way; their sleeps are told apart by their number."""
    starts = "\n".join(way.replace("sleep 300", f"sleep {300 + n}") for n, way in enumerate(WAYS.values()))
    return f"{starts}\ntouch up; sleep 299"


def sleepers(project: Project) -> list[int]:
    """Living processes in the project's folder whose program is sleep, whatever they carry."""
    found = []
    for process in list_processes():
        try:
            here = os.readlink(f"/proc/{process.pid}/cwd") == str(project.root)
            if here and Path(f"/proc/{process.pid}/comm").read_text() in ("sleep\n", "bash\n"):
                found.append(process.pid)
        except OSError:
            continue
    return found


@contextmanager
def running(project: Project, loop_id: str, *before: str) -> Iterator[subprocess.Popen[bytes]]:
    """A runner whose task has begun."""
    words = [*before, *COMMAND, "run", "--loop-id", loop_id, "--auto", "--json", "--project", str(project.root)]
    runner = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=project.environment, start_new_session=True,
    )  # fmt: skip
    try:
        until(lambda: (project.root / "up").exists() or runner.poll() is not None)
        yield runner
    finally:
        runner.kill()
        runner.wait()


def stop(project: Project, loop_id: str) -> float:
    """Seconds that stop took, beyond what any command takes on this machine now."""
    begun = time.monotonic()
    assert project.call("show", loop_id)[0] == 0
    between = time.monotonic()
    assert project.call("stop", loop_id)[0] == 0
    return time.monotonic() - between - (between - begun)


@pytest.mark.parametrize("is_stopped", [False, True])
def test_stop_ends_a_deaf_or_hanging_runner_with_all_that_hides(project: Project, is_stopped: bool) -> None:
    loop_id = created(project, f"{BOMB}\n{hiding()}")
    with running(project, loop_id, "sh", "-c", "trap '' TERM HUP INT; exec \"$@\"", "sh") as runner:
        assert len(sleepers(project)) >= len(WAYS)
        if is_stopped:
            runner.send_signal(signal.SIGSTOP)
        assert stop(project, loop_id) < STOP_SECONDS
        assert sleepers(project) == []
        assert runner.wait(1) == (-signal.SIGKILL if is_stopped else 1)
    assert project.state_of(loop_id)["failure_reason"] == "Manually stopped by user"


def test_a_flood_of_output_does_not_hold_up_a_stop(project: Project) -> None:
    """The test command floods; the runner shows it line by line, as in a log."""
    _, loop = project.call("create", "Quiet!", "--auto", "--agent", "builtin", "--test-command", "touch up; yes")
    words = [*COMMAND, "run", "--loop-id", loop["loop_id"], "--auto", "--project", str(project.root)]
    with (project.root.parent / "log").open("wb") as log:
        runner = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=project.environment)
        try:
            until((project.root / "up").exists)
            flood = next(p.pid for p in list_processes() if Path(f"/proc/{p.pid}/comm").read_text() == "yes\n")
            until(lambda: written_by(flood) > 30_000_000)
            assert stop(project, loop["loop_id"]) < STOP_SECONDS / 2
            assert runner.wait(STOP_SECONDS) == 1
        finally:
            runner.kill()
            runner.wait()
    kept = [path for path in project.root.rglob("*") if path.is_file()] + [project.root.parent / "log"]
    assert sum(path.stat().st_size for path in kept) < 1_000_000


def written_by(pid: int) -> int:
    """Bytes that the process has written so far."""
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar:"))


@contextmanager
def innocents(project: Project, loop_id: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes in the project's folder that look like the loop's, and are none."""
    number = re.sub(r"[^0-9a-f]", "", loop_id)[-8:]
    marks = [
        ProcessMark(loop_id, f"{project.root}-copy").with_run(),
        ProcessMark(f"{loop_id[:-8]}{number[::-1]}", str(project.root)).with_run(),
    ]
    started = [subprocess.Popen(["sleep", "400"], cwd=project.root, env={**os.environ, LOOP: loop_id})]
    for mark in marks:
        with mark.handed_on():
            started.append(subprocess.Popen(["sleep", "400"], cwd=project.root, env=mark.environment({})))
    started.append(subprocess.Popen(["sleep", "400"], cwd=project.root, start_new_session=True))
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize("start", ["stop", "resume --all"])
def test_the_next_start_reaps_what_a_killed_runner_left_and_nothing_else(project: Project, start: str) -> None:
    once = "mkdir first || exit 1"  # the second attempt ends at once
    loop_id = created(project, f"{once}; {hiding()}", "none")
    with running(project, loop_id) as runner:
        runner.kill()
        runner.wait()
        left = sleepers(project)
        assert len(left) >= len(WAYS)
        with innocents(project, loop_id) as others:
            words = start.split()
            project.call(*words) if "--all" in words else project.call(*words, loop_id)
            until(lambda: not any(find_process(pid) for pid in left))
            assert [process.poll() for process in others] == [None] * len(others)
        if start != "stop":
            until(lambda: project.state_of(loop_id)["status"] == "failed")
    assert not list((project.state / "loopwright").glob("*.processes/*.json"))


def test_a_loopwright_inside_of_another_spares_the_outer_one(tmp_path: Path, project: Project) -> None:
    shutil.copytree(project.root, tmp_path / "inner")
    inner = Project(tmp_path / "inner", project.state)
    inner_id = created(inner, "sleep 300 & touch in.txt", "none")
    call = f"{sys.executable} -m loopwright run --loop-id {inner_id} --auto --json --project {inner.root}"
    outer_id = created(project, f"sleep 300 & {call}; test -e {inner.root}/in.txt && echo $? > out.txt", "none")
    code, state = project.call("run", "--loop-id", outer_id, "--auto")
    assert code == 0, (state["engine"], state["skill_state"])
    assert (project.root / "out.txt").read_text() == "0\n"
    assert sleepers(inner) == sleepers(project) == []
