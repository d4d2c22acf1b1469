"""A program of the user's own that is told of news."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from loopwright.domain.errors import Invalid
from loopwright.domain.json_line import json_line
from loopwright.domain.notices import Letter
from loopwright.domain.words import clean, clipped
from loopwright.workspace.patience import Patience
from loopwright.workspace.process import Finished, run_group

SECONDS = 30.0
OUTPUT = 4000
"""Bytes of what it prints that are looked at."""


@dataclass(frozen=True)
class CommandNotifier:
    """Implements ports.Notifier: the letter on stdin, its main points in the environment; ended with all it started.

    It carries the run's mark: like all that a run starts it can not permit it anything.
    """

    argv: tuple[str, ...]
    project: Path
    seconds: float = SECONDS

    async def notify(self, letter: Letter) -> str | None:
        try:
            return self._problem(await self._run(letter))
        except (Invalid, OSError) as error:
            return f"notify_command: {error}"

    async def _run(self, letter: Letter) -> Finished:
        with tempfile.TemporaryFile() as stdin:
            stdin.write(json_line(letter.model_dump(mode="json")).encode() + b"\n")
            stdin.seek(0)
            return await run_group(
                self.argv, cwd=self.project, marker=letter.id, patience=Patience(self.seconds),
                env=_environment(letter), stdin=stdin.fileno(), output_cap=OUTPUT,
            )  # fmt: skip

    def _problem(self, ran: Finished) -> str | None:
        if ran.exit_code == 0:
            return None
        if ran.exit_code is None:
            return f"notify_command: {Path(self.argv[0]).name} took longer than {self.seconds:g} s and was ended"
        lines = [clean(line) for line in ran.output.splitlines() if line.strip()]
        said = f": {clipped(lines[-1], 200)}" if lines else ""
        return f"notify_command: {Path(self.argv[0]).name} exited with {ran.exit_code}{said}"


def _environment(letter: Letter) -> dict[str, str]:
    known = {
        "EVENT": letter.event, "LOOP_ID" if letter.loop_id else "CYCLE_ID": letter.id, "STATUS": letter.status,
        "OUTCOME": letter.outcome or "", "TITLE": letter.title, "TEXT": letter.text,
    }  # fmt: skip
    return {f"LOOPWRIGHT_{name}": value.replace("\0", "") for name, value in known.items()}
