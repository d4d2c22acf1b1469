"""Process groups: bounded, ended whole, and never hanging on what a program leaves behind."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid
from loopwright.processes.process import Patience, ProcessResult, run_group, run_shell
from loopwright.processes.process_tree import LOOP, carries_tags, find_process, list_ancestors, list_processes

SOON = 8.0


def shell(
    command: str, cwd: Path, *, timeout: float = 20, marker: str = "loop-test", cap: int = 1_000_000
) -> ProcessResult:
    return asyncio.run(run_shell(command, cwd=cwd, marker=marker, patience=Patience(timeout), output_cap=cap))


def tagged_with(marker: str) -> list[int]:
    return [process.pid for process in list_processes() if carries_tags(process.pid, {LOOP: marker})]


def test_output_and_exit_code_come_back(tmp_path: Path) -> None:
    done = shell("echo out; echo err >&2; pwd; exit 3", tmp_path)
    assert (done.exit_code, done.cut, done.truncated) == (3, None, False)
    assert done.output == f"out\nerr\n{tmp_path}\n"
    assert done.duration_ms > 0


def test_stdin_is_closed(tmp_path: Path) -> None:
    assert shell("cat; echo end", tmp_path, timeout=5).output == "end\n"


def test_the_environment_is_ours_plus_what_is_given(tmp_path: Path) -> None:
    code = f"import os; print(os.environ['GIVEN'], os.environ['{LOOP}'], 'PATH' in os.environ)"
    done = asyncio.run(
        run_group(
            [sys.executable, "-c", code], cwd=tmp_path, marker="loop-7", patience=Patience(20), env={"GIVEN": "ä"}
        )
    )
    assert done.output == "ä loop-7 True\n"


def test_a_missing_program_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"^Cannot run 'no-such-program': there is no such program$"):
        asyncio.run(run_group(["no-such-program"], cwd=tmp_path, marker="m", patience=Patience(5)))


def test_a_missing_folder_is_not_blamed_on_the_program(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="no such folder"):
        shell("true", tmp_path / "gone")


@pytest.mark.parametrize("argv", [["/"], ["echo", "a\0b"], ["echo", "x" * 3_000_000]])
def test_what_the_system_refuses_is_invalid(tmp_path: Path, argv: list[str]) -> None:
    with pytest.raises(Invalid, match="Cannot run"):
        asyncio.run(run_group(argv, cwd=tmp_path, marker="m", patience=Patience(5)))


def test_timeout_ends_the_whole_group_and_keeps_the_output(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = shell("echo before; sleep 60 & sleep 60", tmp_path, timeout=0.5, marker="loop-timeout")
    assert (done.exit_code, done.cut) == (None, "timeout")
    assert done.output.startswith("before\n")
    assert time.monotonic() - begun < SOON
    assert tagged_with("loop-timeout") == []


def test_last_words_after_term_are_kept(tmp_path: Path) -> None:
    done = shell("trap 'echo last words; exit' TERM; echo go; while :; do sleep 0.05; done", tmp_path, timeout=0.7)
    assert done.cut == "timeout"
    assert "last words" in done.output


def test_a_program_that_ignores_term_is_killed(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = shell("trap '' TERM; while :; do sleep 0.1; done", tmp_path, timeout=0.3, marker="loop-stubborn")
    assert done.cut == "timeout"
    assert time.monotonic() - begun < SOON
    assert tagged_with("loop-stubborn") == []


def test_a_grandchild_that_keeps_the_pipe_open_does_not_hang(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = shell("sleep 60 & echo leader done", tmp_path, timeout=30, marker="loop-pipe")
    assert (done.exit_code, done.output) == (0, "leader done\n")
    assert time.monotonic() - begun < SOON
    assert tagged_with("loop-pipe") == []


@pytest.mark.parametrize("escape", ["setsid sleep 60 &", "setsid -f sleep 60", "set -m; sleep 60 &"])
def test_a_child_that_left_the_group_is_ended_too(tmp_path: Path, escape: str) -> None:
    shell(escape, tmp_path, marker="loop-escape")
    assert tagged_with("loop-escape") == []


def test_a_child_without_the_marker_is_ended_with_its_session(tmp_path: Path) -> None:
    done = shell("env -i sleep 60 & echo $!", tmp_path)
    assert find_process(int(done.output)) is None


def test_other_runs_of_the_same_loop_are_spared(tmp_path: Path) -> None:
    async def both() -> tuple[ProcessResult, ProcessResult]:
        long = run_shell("sleep 1.5; echo whole", cwd=tmp_path, marker="loop-two", patience=Patience(20))
        short = run_shell("setsid sleep 60 & sleep 60", cwd=tmp_path, marker="loop-two", patience=Patience(0.3))
        return await asyncio.gather(long, short)

    whole, ended = asyncio.run(both())
    assert (whole.exit_code, whole.output) == (0, "whole\n")
    assert ended.cut == "timeout"


def test_cancelling_ends_the_group(tmp_path: Path) -> None:
    async def cancelled_when_it_speaks() -> None:
        spoken = asyncio.Event()
        running = asyncio.ensure_future(
            run_shell(
                "echo up; setsid sleep 60 & sleep 60",
                cwd=tmp_path,
                marker="loop-cancel",
                patience=Patience(60),
                on_output=lambda _: spoken.set(),
            )
        )
        await asyncio.wait_for(spoken.wait(), SOON)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled_when_it_speaks())
    assert tagged_with("loop-cancel") == []


def test_cancelling_twice_kills_at_once(tmp_path: Path) -> None:
    async def cancelled_during_the_grace() -> float:
        spoken = asyncio.Event()
        command = "trap '' TERM; echo up; while :; do sleep 0.1; done"
        running = asyncio.ensure_future(
            run_shell(
                command, cwd=tmp_path, marker="loop-twice", patience=Patience(60), on_output=lambda _: spoken.set()
            )
        )
        await asyncio.wait_for(spoken.wait(), SOON)
        begun = time.monotonic()
        running.cancel()
        for _ in range(50):
            await asyncio.sleep(0)  # lets the first cancellation reach the grace period
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return time.monotonic() - begun

    assert asyncio.run(cancelled_during_the_grace()) < 1.5
    assert tagged_with("loop-twice") == []


def test_a_flood_costs_neither_memory_nor_the_ends(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = shell("echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last", tmp_path, cap=100_000)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert done.truncated
    assert done.output.startswith("first\nxxx")
    assert done.output.endswith("x\nlast\n")
    assert "bytes left out" in done.output
    assert len(done.output) < 100_100
    assert grown_kb < 30_000


def test_lines_are_passed_on_whole_and_as_they_come(tmp_path: Path) -> None:
    heard: list[str] = []
    code = "printf 'a\\nb'; sleep 0.3; printf 'c\\n\\303'; sleep 0.3; printf '\\244\\nend'"
    asyncio.run(run_shell(code, cwd=tmp_path, marker="m", patience=Patience(20), on_output=heard.append))
    assert heard == ["a\n", "bc\n", "ä\n", "end"]


def test_what_on_output_raises_reaches_the_caller_and_ends_the_group(tmp_path: Path) -> None:
    def refuse(_: str) -> None:
        raise Invalid("no more")

    with pytest.raises(Invalid, match="no more"):
        asyncio.run(
            run_shell("echo a; sleep 60", cwd=tmp_path, marker="loop-refuse", patience=Patience(60), on_output=refuse)
        )
    assert tagged_with("loop-refuse") == []


def test_bytes_that_are_no_text_do_not_hurt(tmp_path: Path) -> None:
    assert shell("printf '\\377\\376ok'", tmp_path).output.endswith("ok")


def test_death_by_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    assert shell("kill -9 $$", tmp_path).exit_code == -signal.SIGKILL


def test_odd_program_names_do_not_hide_a_process(tmp_path: Path) -> None:
    odd = tmp_path / "a) Z 1 (b"
    odd.write_bytes(Path("/bin/sleep").read_bytes())
    odd.chmod(0o755)
    process = subprocess.Popen([str(odd), "60"])
    try:
        seen = find_process(process.pid)
        assert seen is not None
        assert seen.parent == os.getpid()
    finally:
        process.kill()
        process.wait()


def test_own_line_holds_us_and_our_parent() -> None:
    assert {os.getpid(), os.getppid()} <= list_ancestors()
