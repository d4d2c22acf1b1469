"""What a runner holds while it drives: orphans come back, are recorded and buried; nothing is left afterwards."""

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from loopwright.processes.process import Patience, run_shell
from loopwright.processes.process_tree import find_process, list_children, list_processes
from loopwright.processes.runner_processes import OwnProcesses
from tests.waiting import soon

LOOP = "loop-owned"
HIDDEN = "env -i setsid -f sh -c 'echo $$; exec sleep 60'"


@pytest.fixture
def own(tmp_path: Path) -> OwnProcesses:
    return OwnProcesses(tmp_path, tmp_path / "state")


def recorded(tmp_path: Path) -> list[int]:
    path = tmp_path / "state" / f"{LOOP}.json"
    return [pid for pid, _ in json.loads(path.read_text())["processes"]] if path.exists() else []


async def another_look(tmp_path: Path) -> None:
    """Returns once the keeper, who had nothing to record, has looked again: it has recorded what is started here."""
    assert recorded(tmp_path) == []
    await asyncio.to_thread(subprocess.run, ["setsid", "-f", "sleep", "60"], check=True)
    await soon(lambda: recorded(tmp_path) != [])


def test_an_orphan_comes_back_and_is_recorded_with_its_leader(own: OwnProcesses, tmp_path: Path) -> None:
    async def scene() -> None:
        heard: list[str] = []
        async with own.owning(LOOP) as left:
            assert left == ()
            command = f"({HIDDEN}); echo leader $$; sleep 60"
            running = asyncio.ensure_future(
                run_shell(command, cwd=tmp_path, marker=LOOP, patience=Patience(60), on_output=heard.append)
            )
            await soon(lambda: len("".join(heard).split()) == 3)
            words = "".join(heard).replace("leader", "").split()
            pids = {int(word) for word in words}
            await soon(lambda: set(recorded(tmp_path)) == pids)
            assert {process.parent for process in list_processes() if process.pid in pids} == {os.getpid()}
            running.cancel()
            await asyncio.wait({running})
            assert [pid for pid in pids if find_process(pid)] == []
            await soon(lambda: recorded(tmp_path) == [])
        assert not (tmp_path / "state" / f"{LOOP}.json").exists()

    asyncio.run(scene())


def test_dead_orphans_are_buried_and_no_exit_code_is_lost(own: OwnProcesses, tmp_path: Path) -> None:
    before = {process.pid for process, _ in list_children()}  # of other tests

    async def scene() -> None:
        async with own.owning(LOOP):
            for _ in range(4):
                commands = [f"(setsid -f true); (setsid -f sh -c 'sleep 0.05'); exit {code}" for code in range(10)]
                ran = (run_shell(c, cwd=tmp_path, marker=LOOP, patience=Patience(60)) for c in commands)
                assert [done.exit_code for done in await asyncio.gather(*ran)] == list(range(10))
            await soon(lambda: {process.pid for process, _ in list_children()} <= before)

    asyncio.run(scene())


def test_programs_of_our_own_session_are_left_to_whoever_started_them(own: OwnProcesses, tmp_path: Path) -> None:
    async def scene() -> int:
        async with own.owning(LOOP):
            process = subprocess.Popen(["sh", "-c", "exit 7"])  # noqa: ASYNC220 - as our git is started, in a thread
            await soon(lambda: any(dead for child, dead in list_children() if child.pid == process.pid))
            await another_look(tmp_path)
            return process.wait()

    assert asyncio.run(scene()) == 7


def test_what_was_below_us_before_stays(own: OwnProcesses, tmp_path: Path) -> None:
    """As a job of the shell that became the runner: `sleep 100 & exec loopwright run`."""
    before = subprocess.Popen(["sleep", "60"], start_new_session=True)

    async def scene() -> None:
        async with own.owning(LOOP):
            await another_look(tmp_path)

    try:
        asyncio.run(scene())
        assert before.poll() is None
    finally:
        before.kill()
        before.wait()


def test_end_runner_spares_the_rest_of_its_pipeline(own: OwnProcesses) -> None:
    """`loopwright run | tee log` is one process group, and led by the runner."""
    with subprocess.Popen(
        ["sh", "-c", "sleep 60 & echo $!; exec sleep 61"], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as runner:
        assert runner.stdout is not None
        beside = int(runner.stdout.readline())
        own.end_runner(runner.pid)
        assert runner.wait() == -signal.SIGKILL
        assert find_process(beside) is not None
        os.kill(beside, signal.SIGKILL)


def test_end_runner_ends_one_that_is_stopped_and_one_that_is_gone(own: OwnProcesses) -> None:
    runner = subprocess.Popen(["sleep", "60"])
    runner.send_signal(signal.SIGSTOP)
    own.end_runner(runner.pid)
    assert runner.wait() == -signal.SIGKILL
    own.end_runner(runner.pid)


def test_what_a_loops_programs_kept_goes_with_it(tmp_path: Path) -> None:
    owner = OwnProcesses(tmp_path, tmp_path / "state")
    for loop in ("one", "other"):
        (owner.folder(loop) / "deep").mkdir(parents=True)
        (owner.folder(loop) / "deep" / "file").write_text("kept")
    owner.forget("one")
    owner.forget("one")
    assert [folder.name for folder in (tmp_path / "state").iterdir()] == ["other"]
    assert (owner.folder("other") / "deep" / "file").read_text() == "kept"
