"""What the runners for compiled languages have in common: their tool is recorded wherever a command starts it."""

import re
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from loopwright.evidence.recording import shims
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.contract import FrameworkRunner, InstrumentedCommand


class RecordedRunner(FrameworkRunner):
    """`tools` are the programs that a stand-in takes the place of; `command` finds what plainly runs tests."""

    tools: tuple[str, ...]
    command: re.Pattern[str]

    @abstractmethod
    def read_recorded(self, root: Path, recordings: Sequence[shims.ToolRecording], begun: int) -> RunnerReport:
        """What one run's recordings say; there is at least one. `begun`: when the run did, in ns since the epoch."""
        ...

    def recognises(self, command: str, root: Path) -> bool:
        return self.command.search(command) is not None

    def interpreter(self, command: str, root: Path) -> str | None:
        return None

    def instrument(self, command: str, root: Path, folder: Path) -> InstrumentedCommand:
        env = self.environment(root, folder)
        return InstrumentedCommand(shims.record_command(command, folder, self.tools), env)

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        return shims.shim_environment(folder, self.tools)

    def read(self, root: Path, folder: Path) -> RunnerReport:
        recordings = list(shims.read_recordings(folder, self.tools))
        return self.read_recorded(root, recordings, shims.read_start_time(folder)) if recordings else RunnerReport()
