"""The user's own git, with their settings, identity and hooks; what it starts carries the mark of a run."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from loopwright.core.errors import Invalid
from loopwright.processes.process_tree import ProcessMark

PATIENCE = 600.0
"""Seconds that a command may take, hooks included."""


class GitAnswer(NamedTuple):
    """`output` and `said` (its stderr) as text, without the space around it."""

    exit_code: int
    output: str
    said: str

    @property
    def is_good(self) -> bool:
        return self.exit_code == 0

    @property
    def words(self) -> str:
        """What it said that a person should read."""
        return self.said or self.output or f"exit code {self.exit_code}"


@dataclass(frozen=True)
class UserGit:
    """Commands in the repository around `folder`, for the run of that `id` in that `project`."""

    folder: Path
    id: str
    project: Path

    def at(self, folder: Path) -> "UserGit":
        return UserGit(folder, self.id, self.project)

    def run(self, *arguments: str, stdin: str = "", settings: Sequence[str] = ()) -> GitAnswer:
        """The exit code is the caller's to look at. `settings` as git's -c takes them. Invalid without git."""
        switches = [word for setting in settings for word in ("-c", setting)]
        return run_program(["git", *switches, *arguments], self, stdin=stdin)


def run_program(argv: Sequence[str], at: UserGit, *, stdin: str = "") -> GitAnswer:
    """Runs a program of the user's there, without a terminal of its own, for so long as has patience.

    Its output goes to files: what it leaves in the background must not keep anybody waiting.
    """
    mark = ProcessMark(at.id, str(at.project))
    hidden = [name for name in os.environ if name.startswith("GIT_") and name not in _KEPT]
    more = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode("utf-8", "replace"))
        given.seek(0)
        try:
            with mark.handed_on():
                process = subprocess.Popen(
                    argv,
                    cwd=at.folder,
                    env=mark.environment(more, hidden),
                    stdin=given,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                )
        except FileNotFoundError:
            raise Invalid(f"{argv[0]} was not found on PATH") from None
        try:
            code, cut = process.wait(PATIENCE), ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code, cut = process.wait(), f"it was ended after {PATIENCE:.0f} seconds"
        told = (cut, _text(err), "")
        return GitAnswer(code, _text(out), "\n".join(filter(None, told)))


_KEPT = frozenset({"GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"})
"""Variables of the user's that say how their git works, and not where."""


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace").strip()
