"""pytest, directly or through any wrapper that hands on its environment."""

import os
import re
import shlex
from pathlib import Path

from loopwright.evidence.python import probe, project
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.contract import InstrumentedCommand

# One module that cannot be imported must not hide the others, and a failure must not hide those after it.
_OPTIONS = ("-p", "loopwright_pytest", "--continue-on-collection-errors", "--maxfail=0")


class PytestRunner:
    name = "pytest"

    def detect(self, root: Path) -> str | None:
        tests = project.test_files(root)
        if not tests or not (project.is_set_up_for_pytest(root) or any(t.needs_pytest for t in tests)):
            return None
        return f"{project.shorten_interpreter(root, project.interpreter_of(root, module='pytest'))} -m pytest"

    def recognises(self, command: str, root: Path) -> bool:
        return re.search(r"(?<![\w.-])(py\.?test)(?![\w.-])", command) is not None

    def interpreter(self, command: str, root: Path) -> str | None:
        named = project.find_named_interpreter(command, root, script="pytest")
        if named is not None or not self.detect(root):
            return named
        return str(project.interpreter_of(root, module="pytest"))

    def instrument(self, command: str, root: Path, folder: Path) -> InstrumentedCommand:
        return InstrumentedCommand(probe.instrument_command(command), self.environment(root, folder))

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        # The cache moves out of the project; without it, options that need it would be unknown.
        options = shlex.join((*_OPTIONS, "-o", f"cache_dir={folder / 'cache'}"))
        known = os.environ.get("PYTEST_ADDOPTS")
        addopts = f"{known} {options}" if known else options
        return probe.probe_environment(root, folder, {"PYTEST_ADDOPTS": addopts})

    def read(self, root: Path, folder: Path) -> RunnerReport:
        return probe.read_probes(root, folder)
