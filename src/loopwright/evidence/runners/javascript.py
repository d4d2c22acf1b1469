"""What the runners for Node's frameworks have in common: scripts of package.json start them, our observers report."""

from abc import abstractmethod
from pathlib import Path

from loopwright.evidence.javascript import observers, package_json
from loopwright.evidence.javascript.observers import Framework
from loopwright.evidence.javascript.package_json import Manifest
from loopwright.evidence.results import Reading
from loopwright.evidence.runners.contract import Instrumented, Runner


class JavaScriptRunner(Runner):
    """A framework is found by the test script that names it; `name` is also that of its logs."""

    framework: observers.Framework

    @property
    def name(self) -> str:
        return self.framework

    @abstractmethod
    def without_script(self, root: Path, manifest: Manifest | None) -> str | None:
        """The command for a project without a test script, if its tests are this framework's."""
        ...

    def detect(self, root: Path) -> str | None:
        manifest = package_json.read(root)
        if manifest is None or manifest.test is None:
            return self.without_script(root, manifest)
        return manifest.test_command if self.recognises(manifest.test_command, root) else None

    def recognises(self, command: str, root: Path) -> bool:
        return package_json.frameworks(command, root) == {self.framework}

    def interpreter(self, command: str, root: Path) -> str | None:
        return None

    def instrument(self, command: str, root: Path, folder: Path) -> Instrumented:
        return Instrumented(observers.instrumented(command), self.environment(root, folder))

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        return observers.environment(root, folder)

    def read(self, root: Path, folder: Path) -> Reading:
        return observers.read(root, folder, self.framework)


class Jest(JavaScriptRunner):
    framework: Framework = "jest"

    def without_script(self, root: Path, manifest: Manifest | None) -> str | None:
        if manifest is None or "jest" not in manifest.dependencies:
            return None
        return f"{manifest.program_prefix} jest"


class Vitest(JavaScriptRunner):
    framework: Framework = "vitest"

    def without_script(self, root: Path, manifest: Manifest | None) -> str | None:
        if manifest is None or "vitest" not in manifest.dependencies:
            return None
        return f"{manifest.program_prefix} vitest run"


class Node(JavaScriptRunner):
    framework: Framework = "node"

    def without_script(self, root: Path, manifest: Manifest | None) -> str | None:
        return "node --test" if package_json.has_tests(root) else None
