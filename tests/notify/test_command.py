"""A program that is told of news: what it gets, and every way in which it can go wrong."""

import json
import os
import sys
import time
from pathlib import Path

from loopwright.notify import CommandNotifier
from tests.notify.letters import LETTER


def shell(project: Path, script: str, seconds: float = 30) -> CommandNotifier:
    return CommandNotifier(("/bin/sh", "-c", script), project, seconds)


async def test_the_letter_is_on_stdin_and_its_points_in_the_environment(tmp_path: Path) -> None:
    told = await shell(tmp_path, "cat > letter; env > env; pwd > where").notify(LETTER)
    assert told is None
    assert json.loads((tmp_path / "letter").read_text()) == LETTER.model_dump(mode="json")
    env = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)
    assert env["LOOPWRIGHT_EVENT"] == "needs_person"
    assert env["LOOPWRIGHT_LOOP_ID"] == env["LOOPWRIGHT_LOOP"] == LETTER.loop_id
    assert (env["LOOPWRIGHT_STATUS"], env["LOOPWRIGHT_OUTCOME"]) == ("paused", "")
    assert env["LOOPWRIGHT_TEXT"] == LETTER.text
    assert Path((tmp_path / "where").read_text().strip()) == tmp_path.resolve()


async def test_of_a_cycle_it_gets_the_id_of_the_cycle(tmp_path: Path) -> None:
    id = "cycle-v1-20260122T100000-0123abcd"
    assert await shell(tmp_path, "env > env").notify(LETTER.evolve(loop_id=None, cycle_id=id)) is None
    env = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)
    assert env["LOOPWRIGHT_CYCLE_ID"] == env["LOOPWRIGHT_LOOP"] == id
    assert "LOOPWRIGHT_LOOP_ID" not in env


async def test_one_that_reads_nothing_is_fine(tmp_path: Path) -> None:
    assert await shell(tmp_path, "exec true").notify(LETTER) is None


async def test_a_failure_is_told_with_its_last_words(tmp_path: Path) -> None:
    told = await shell(tmp_path, "echo first; printf 'no \\033[31m bus\\n' >&2; exit 3").notify(LETTER)
    assert told == "notify_command: sh exited with 3: no [31m bus"


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    told = await CommandNotifier(("/no/such/program",), tmp_path).notify(LETTER)
    assert told == "notify_command: Cannot run '/no/such/program': there is no such program"


async def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    told = await CommandNotifier(("true",), tmp_path / "gone").notify(LETTER)
    assert told is not None
    assert "there is no such folder" in told


async def test_one_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    begun = time.monotonic()
    script = (
        "setsid sh -c 'echo $$ > daemon; exec sleep 100' & while ! test -s daemon; do :; done; trap '' TERM; sleep 100"
    )
    told = await shell(tmp_path, script, 0.5).notify(LETTER)
    assert told == "notify_command: sh took longer than 0.5 s and was ended"
    assert time.monotonic() - begun < 10
    assert not lives(int((tmp_path / "daemon").read_text()))


async def test_a_daemon_is_not_left_behind(tmp_path: Path) -> None:
    script = "setsid sh -c 'echo $$ > daemon; exec sleep 100' & while ! test -s daemon; do :; done"
    assert await shell(tmp_path, script).notify(LETTER) is None
    assert not lives(int((tmp_path / "daemon").read_text()))


async def test_a_flood_is_cut(tmp_path: Path) -> None:
    flood = "import sys\nfor _ in range(3000): sys.stdout.write('x' * 10000)\nsys.exit(1)"
    told = await CommandNotifier((sys.executable, "-c", flood), tmp_path).notify(LETTER)
    assert told is not None
    assert len(told) < 300


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
