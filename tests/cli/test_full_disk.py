"""A disk without room for a runner: nobody is told that one was started."""

import resource
import subprocess
import sys

from tests.cli.conftest import Desk

LEAST = 40_000
"""Bytes: enough for the journal, not for what a runner needs."""


def test_no_runner_is_told_where_none_could_write(desk: Desk) -> None:
    id = desk.create("--agent", desk.script())
    for command in ("start", "resume"):
        full = subprocess.run(
            [sys.executable, "-m", "loopwright", command, id], cwd=desk.project, env=desk.env, text=True,
            capture_output=True, timeout=60, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LEAST, LEAST)),
        )  # fmt: skip
        assert (full.returncode, full.stdout) == (6, ""), full
        assert "no runner was started: make room" in full.stderr
    assert desk.run("resume", id).code == 0
