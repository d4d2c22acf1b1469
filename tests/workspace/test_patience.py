"""Limits of time, silence and farewell, kept by real programs, several at a time."""

import asyncio
import time
from pathlib import Path

from loopwright.processes.process import Cut, Patience, ProcessResult, run_shell


async def ran(command: str, cwd: Path, patience: Patience) -> ProcessResult:
    cwd.mkdir(exist_ok=True)
    return await run_shell(command, cwd=cwd, marker="loop-patience", patience=patience)


def wrote(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0


SILENCE: dict[str, Cut | None] = {
    "echo begun; sleep 60": "silence",
    "exec > /dev/null 2>&1; sleep 60": "silence",
    "for n in 1 2 3; do sleep 0.6; echo $n; done": None,
    "for n in 1 2 3; do sleep 0.6; printf .; done": None,
    "while :; do sleep 0.2; echo; done": "timeout",
    "sleep 0.3": None,
    "cat; echo end": None,
    "cat < /dev/tty; echo end": None,
}


async def test_silence(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = await asyncio.gather(*(ran(command, tmp_path, Patience(4, silence=1.5)) for command in SILENCE))
    assert {command: one.cut for command, one in zip(SILENCE, done, strict=True)} == SILENCE
    assert time.monotonic() - begun < 12


async def test_no_limit_of_silence(tmp_path: Path) -> None:
    assert (await ran("sleep 1.5", tmp_path, Patience(20, silence=0))).exit_code == 0


async def test_progress_elsewhere_is_a_sign_of_life(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = "for n in 1 2 3; do sleep 0.7; echo $n >> log; done; sleep 60"
    done = await ran(command, tmp_path, Patience(30, silence=1.2, progress=lambda: wrote(log)))
    assert done.cut == "silence"
    assert log.read_text().split() == list("123")


FAREWELL: dict[str, tuple[Cut | None, int | None]] = {
    "sleep 0.1; echo > report; exec sleep 60": ("lingering", None),
    "echo > report; sleep 0.1; exit 3": (None, 3),
    "echo > report; (sleep 1.8); echo; exit 5": (None, 5),  # the sleep came after the report
    "sleep 2; exit 4": (None, 4),
}


async def test_done_and_still_there(tmp_path: Path) -> None:
    async def one(n: int, command: str) -> ProcessResult:
        report = tmp_path / str(n) / "report"
        patience = Patience(20, farewell=1, progress=lambda: wrote(report), is_done=report.exists)
        return await ran(command, report.parent, patience)

    done = await asyncio.gather(*(one(n, command) for n, command in enumerate(FAREWELL)))
    assert {command: (d.cut, d.exit_code) for command, d in zip(FAREWELL, done, strict=True)} == FAREWELL


async def test_what_is_never_done_does_not_linger(tmp_path: Path) -> None:
    report = tmp_path / "report"
    patience = Patience(2.5, farewell=1, progress=lambda: wrote(report))
    assert (await ran("echo > report; exec sleep 60", tmp_path, patience)).cut == "timeout"


def test_the_words_name_the_limit_and_its_setting() -> None:
    patience = Patience(595, silence=300)
    assert patience.told("timeout", "timeout_per_action") == (
        "took longer than 595 s and was ended (setting timeout_per_action)"
    )
    assert patience.told("silence", "test_timeout") == (
        "showed no activity for 300 s and was ended (setting silence_timeout)"
    )
