"""Ending processes: what belongs together goes, however it hides; what stands beside it stays."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopwright.processes.process import Patience, run_shell
from loopwright.processes.process_tree import (
    LOOP,
    PROJECT,
    RUN,
    LiveProcess,
    ProcessMark,
    carries_tags,
    end_session,
    find_process,
    kill_marked,
)
from loopwright.processes.runner_processes import ProcessRegistry

MINE = ProcessMark("loop-mine", "/projects/mine")
SOON = 10.0


@contextmanager
def started(
    *argv: str, mark: ProcessMark | None = None, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A program in a session of its own, which prints a line; with `mark`, as run_group would start it."""
    environment = mark.environment(env or {}) if mark else {**os.environ, **(env or {})}
    with (mark or ProcessMark("none", "none")).handed_on() if mark else _nothing():
        process = subprocess.Popen(argv, env=environment, start_new_session=True, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    return find_process(pid) is None


HIDDEN = "sh -c 'echo $$; exec sleep 60'"


@pytest.mark.parametrize(
    "way",
    [
        HIDDEN,
        f"env -i {HIDDEN}",
        f"setsid {HIDDEN}",
        f"setsid env -i {HIDDEN}",
        f"(env -i setsid -f {HIDDEN}) & wait",
        f"set -m; env -i {HIDDEN} & wait",
        "env -i setsid sh -c 'echo $$; kill -STOP $$'",
    ],
)
def test_sweep_finds_it(way: str) -> None:
    with started("bash", "-c", way, mark=MINE.with_run()) as shell:
        hidden = int(line_of(shell))
        assert not is_gone(hidden)
        assert hidden in kill_marked(MINE)
        assert is_gone(hidden)
        assert kill_marked(MINE) == ()


def test_a_swept_session_and_its_children_go_even_without_any_mark() -> None:
    """As on a system where limits cannot be set: the leader is known from the registry, the rest hangs on it."""
    child, orphan = f"env -i setsid {HIDDEN} &", f"(env -i {HIDDEN} &)"
    with started("bash", "-c", f"{child} {orphan}; wait; sleep 60") as leader:
        hidden = {int(line_of(leader)), int(line_of(leader))}
        known = find_process(leader.pid)
        assert known is not None
        assert {leader.pid, *hidden} <= set(kill_marked(ProcessMark("another", "project"), frozenset({known})))
        assert all(map(is_gone, hidden))


INNOCENT = {
    "another loop of this project": ProcessMark("loop-other", MINE.project).with_run(),
    "this loop in a copy of the project": ProcessMark(MINE.loop, "/projects/copy").with_run(),
}


@pytest.mark.parametrize("mark", INNOCENT.values(), ids=INNOCENT)
def test_sweep_spares_other_marks(mark: ProcessMark) -> None:
    with started("sh", "-c", "echo; exec sleep 60", mark=mark) as other:
        line_of(other)
        assert kill_marked(MINE) == ()
        assert other.poll() is None


@pytest.mark.parametrize("variables", [{LOOP: MINE.loop}, {PROJECT: MINE.project}, {RUN: "0" * 32}])
def test_sweep_spares_who_happens_to_have_a_variable(variables: dict[str, str]) -> None:
    with started("sh", "-c", "echo; exec sleep 60", env=variables) as other:
        line_of(other)
        assert kill_marked(MINE) == ()
        assert other.poll() is None


def test_sweep_spares_a_process_that_was_given_a_recorded_id(tmp_path: Path) -> None:
    registry = ProcessRegistry(tmp_path / "state" / "loop.json")
    with started("sh", "-c", "echo; exec sleep 60") as other:
        line_of(other)
        now = find_process(other.pid)
        assert now is not None
        registry.write([now._replace(started=now.started - 1)])
        assert registry.living() == frozenset()
        assert kill_marked(MINE, registry.living()) == ()
        assert other.poll() is None
        registry.write([now])
        assert kill_marked(MINE, registry.living()) == (other.pid,)


def test_sweep_spares_ourselves_and_our_ancestors(tmp_path: Path) -> None:
    """A loopwright inside of an agent of another: the shell above carries the mark; the sleep beside is to go."""
    code = (
        "from loopwright.processes.process_tree import ProcessMark, kill_marked;"
        f"print(*kill_marked(ProcessMark({MINE.loop!r}, {MINE.project!r})))"
    )
    line = f'sleep 60 & echo $!; "{sys.executable}" -c "{code}"; echo alive'
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    with started("sh", "-c", line, mark=MINE.with_run(), env=path) as shell:
        sleeper = line_of(shell)
        assert line_of(shell) == sleeper
        assert line_of(shell) == "alive"


def test_a_group_that_holds_somebody_else_is_not_ended_as_one() -> None:
    """A marked process in the user's own pipeline, as after the death of a runner that was one part of it."""
    with started("sh", "-c", "sleep 60 & echo $!; exec sleep 61") as pipeline:
        part = int(line_of(pipeline))
        known = find_process(part)
        assert known is not None
        assert known.group == pipeline.pid
        assert kill_marked(MINE, frozenset({known})) == (part,)
        assert pipeline.poll() is None


def test_a_swarm_that_forks_while_it_is_killed(tmp_path: Path) -> None:
    """Sixty lines of processes; each lives for a moment and leaves a successor."""
    hop = tmp_path / "hop.sh"
    hop.write_text(f"sleep 0.0$((RANDOM % 9)); bash {hop} & \n")
    line = f"for n in $(seq 60); do bash {hop} & done; echo up; wait; sleep 60"
    with started("bash", "-c", line, mark=MINE.with_run()) as swarm:
        line_of(swarm)
        begun = time.monotonic()
        assert len(kill_marked(MINE)) > 1
        assert time.monotonic() - begun < SOON
        assert kill_marked(MINE) == ()


def test_runs_of_one_loop_are_told_apart() -> None:
    first, second = MINE.with_run(), MINE.with_run()
    with started("env", "-i", "sh", "-c", "echo; exec sleep 60", mark=first) as process:
        line_of(process)
        assert first.is_on(process.pid)
        assert MINE.is_on(process.pid)
        assert not second.is_on(process.pid)
        assert not carries_tags(process.pid, {LOOP: MINE.loop})


def test_where_limits_are_fixed_the_variables_have_to_do() -> None:
    code = (
        "import resource, subprocess, sys; resource.setrlimit(10, (5, 5));"
        "from loopwright.processes.process_tree import ProcessMark;"
        f"mark = ProcessMark({MINE.loop!r}, {MINE.project!r}).with_run()\n"
        "with mark.handed_on(): child = subprocess.Popen(['sh', '-c', 'echo $$; sleep 60; :'],"
        " env=mark.environment({}), stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline().strip(), mark.is_on(child.pid), flush=True)"
    )
    with started(sys.executable, "-c", code) as parent:
        pid, known = line_of(parent).split()
        assert known == "True"
        assert int(pid) in kill_marked(MINE)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"boot": 1}', '{"boot": "x", "processes": [[1, 1]]}', "\udc80"])
def test_a_registry_that_can_not_be_read_knows_nobody(tmp_path: Path, text: str) -> None:
    path = tmp_path / "loop.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert ProcessRegistry(path).living() == frozenset()


def test_a_registry_of_an_earlier_boot_knows_nobody(tmp_path: Path) -> None:
    path = tmp_path / "loop.json"
    us = find_process(os.getpid())
    assert us is not None
    ProcessRegistry(path).write([us])
    assert ProcessRegistry(path).living() == {us}
    path.write_text(path.read_text().replace('{"boot": "', '{"boot": "x'))
    assert ProcessRegistry(path).living() == frozenset()


def test_end_session_ends_a_session_that_someone_else_started() -> None:
    with started("sh", "-c", "sleep 60 & echo up; sleep 60") as process:
        line_of(process)
        asyncio.run(end_session(process.pid))
        assert process.wait() == -signal.SIGTERM


def test_end_session_wakes_a_stopped_process_so_that_it_can_end_by_itself(tmp_path: Path) -> None:
    with started("bash", "-c", f"trap 'echo > {tmp_path}/said; exit' TERM; echo up; kill -STOP $$") as process:
        line_of(process)
        until(lambda: Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        asyncio.run(end_session(process.pid))
        assert (tmp_path / "said").exists()


def test_end_session_of_a_dead_session_does_nothing() -> None:
    process = subprocess.Popen(["true"], start_new_session=True)
    process.wait()
    asyncio.run(end_session(process.pid))


def test_a_daemon_that_left_everything_behind_ends_with_its_run(tmp_path: Path) -> None:
    command = f"(env -i setsid -f {HIDDEN}) "
    done = asyncio.run(run_shell(command, cwd=tmp_path, marker="loop-daemon", patience=Patience(20)))
    assert is_gone(int(done.output))


def test_the_mark_does_not_stay_on_ourselves(tmp_path: Path) -> None:
    asyncio.run(run_shell("true", cwd=tmp_path, marker="loop-own", patience=Patience(20)))
    assert not ProcessMark("loop-own", str(tmp_path)).is_on(os.getpid())


def test_a_living_process_knows_its_age() -> None:
    process: LiveProcess | None = find_process(os.getpid())
    assert process is not None
    assert 0 < process.age < 24 * 3600
