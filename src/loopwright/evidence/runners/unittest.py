"""unittest of the standard library, where the command names it."""

import re
from pathlib import Path

from loopwright.evidence.python import probe, project
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.contract import InstrumentedCommand

_MODULE = re.compile(r"(?<=\s)-m\s*unittest(?![\w.-])")


class UnittestRunner:
    name = "unittest"

    def detect(self, root: Path) -> str | None:
        tests = [test for test in project.test_files(root) if test.has_test_case]
        if not tests:
            return None
        python = project.shorten_interpreter(root, project.interpreter_of(root))
        return " ".join([python, "-m unittest", *project.discovery(root, [test.path for test in tests])])

    def recognises(self, command: str, root: Path) -> bool:
        return _MODULE.search(command) is not None

    def interpreter(self, command: str, root: Path) -> str | None:
        return project.find_named_interpreter(command, root)

    def instrument(self, command: str, root: Path, folder: Path) -> InstrumentedCommand:
        command = probe.instrument_command(_MODULE.sub("-m loopwright_unittest", command))
        return InstrumentedCommand(command, probe.probe_environment(root, folder))

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        return {}

    def read(self, root: Path, folder: Path) -> RunnerReport:
        return probe.read_probes(root, folder)
