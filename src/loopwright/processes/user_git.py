"""The user's own git, with their settings, identity and hooks; what it starts carries the mark of a run."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, NamedTuple

from loopwright.core.errors import Invalid, NotFound, WorkspaceError
from loopwright.processes.process_tree import ProcessMark

PATIENCE = 600.0
"""Seconds for which a command may be silent, hooks included."""


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
    """Commands in the repository around `folder`, for the run of that `id` in that `project`.

    `variables` are set in their environment beside the user's.
    """

    folder: Path
    id: str
    project: Path
    patience: float = PATIENCE
    variables: Mapping[str, str] = field(default_factory=dict)

    def at(self, folder: Path) -> "UserGit":
        return replace(self, folder=folder)

    def run(self, *arguments: str, stdin: str = "", settings: Sequence[str] = ()) -> GitAnswer:
        """The exit code is the caller's to look at. `settings` as git's -c takes them. Invalid without git."""
        switches = [word for setting in settings for word in ("-c", setting)]
        return run_program(["git", *switches, *arguments], self, stdin=stdin)


def run_program(argv: Sequence[str], at: UserGit, *, stdin: str = "") -> GitAnswer:
    """Runs a program of the user's there, without a terminal of its own, until it was silent for too long.

    Its output goes to files: what it leaves in the background must not keep anybody waiting.
    """
    mark = ProcessMark(at.id, str(at.project))
    hidden = [name for name in os.environ if name.startswith("GIT_") and not name.startswith(tuple(_KEPT.split()))]
    more = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "LC_ALL": "C.UTF-8", **at.variables}
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
            if not at.folder.is_dir():
                raise WorkspaceError(f"the folder {at.folder} does not exist") from None
            raise Invalid(f"{argv[0]} was not found on PATH") from None
        cut = _end_when_silent(process, at.patience, (out, err))
        told = (cut, _text(err), "")
        return GitAnswer(process.returncode, _text(out), "\n".join(filter(None, told)))


def _end_when_silent(process: subprocess.Popen[bytes], patience: float, files: Sequence[IO[bytes]]) -> str:
    """Waits for its end; what to say of one that was not its own. `files` take its output."""
    heard = 0
    while True:
        try:
            process.wait(patience)
            return ""
        except subprocess.TimeoutExpired:
            before, heard = heard, sum(os.fstat(file.fileno()).st_size for file in files)
        if heard == before:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"it was ended after {patience:.0f} seconds of silence"


_KEPT = (
    "GIT_SSH GIT_SSL_ GIT_PROXY_ GIT_HTTP_ GIT_ASKPASS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM "
    "GIT_CONFIG_COUNT GIT_CONFIG_KEY_ GIT_CONFIG_VALUE_"
)
"""How the names of variables of the user's begin that say how their git works, and not where."""


def choose_remote(names: Sequence[str], followed: str) -> str:
    """The remote that the branch follows, else origin, else the only one. NotFound without any, else Invalid."""
    if not names:
        raise NotFound("this project has no git remote; add one, as in: git remote add origin URL")
    chosen = next((name for name in (followed, "origin") if name in names), names[0] if len(names) == 1 else None)
    if chosen is None:
        raise Invalid(f"which git remote is meant is not clear: there are {', '.join(names)}; name one of them origin")
    return chosen


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace").strip()
