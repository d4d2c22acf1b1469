"""unittest of the standard library, where the command names it."""

import re
from pathlib import Path

from loopwright.evidence.python import probe, project
from loopwright.evidence.results import Reading
from loopwright.evidence.runners.contract import Instrumented

_MODULE = re.compile(r"(?<=\s)-m\s*unittest(?![\w.-])")


class Unittest:
    name = "unittest"

    def detect(self, root: Path) -> str | None:
        tests = [test for test in project.test_files(root) if test.has_test_case]
        if not tests:
            return None
        python = project.typed(root, project.interpreter_of(root))
        return " ".join([python, "-m unittest", *project.discovery(root, [test.path for test in tests])])

    def recognises(self, command: str, root: Path) -> bool:
        return _MODULE.search(command) is not None

    def interpreter(self, command: str, root: Path) -> str | None:
        return project.named_in(command, root)

    def instrument(self, command: str, root: Path, folder: Path) -> Instrumented:
        command = probe.instrumented(_MODULE.sub("-m loopwright_unittest", command))
        return Instrumented(command, probe.environment(root, folder))

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        return {}

    def read(self, root: Path, folder: Path) -> Reading:
        return probe.read(root, folder)
