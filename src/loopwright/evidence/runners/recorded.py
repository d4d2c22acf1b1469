"""What the runners for compiled languages have in common: their tool is recorded wherever a command starts it."""

import re
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from loopwright.evidence.recording import shims
from loopwright.evidence.results import Reading
from loopwright.evidence.runners.contract import Instrumented, Runner


class RecordedRunner(Runner):
    """`tools` are the programs that a stand-in takes the place of; `command` finds what plainly runs tests."""

    tools: tuple[str, ...]
    command: re.Pattern[str]

    @abstractmethod
    def read_recorded(self, root: Path, recordings: Sequence[shims.Recording], begun: int) -> Reading:
        """What one run's recordings say; there is at least one. `begun`: when the run did, in ns since the epoch."""
        ...

    def recognises(self, command: str, root: Path) -> bool:
        return self.command.search(command) is not None

    def interpreter(self, command: str, root: Path) -> str | None:
        return None

    def instrument(self, command: str, root: Path, folder: Path) -> Instrumented:
        env = self.environment(root, folder)
        return Instrumented(shims.recorded(command, folder, self.tools), env)

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        return shims.environment(folder, self.tools)

    def read(self, root: Path, folder: Path) -> Reading:
        recordings = list(shims.recordings(folder, self.tools))
        return self.read_recorded(root, recordings, shims.begun(folder)) if recordings else Reading()
