"""What the runners for Node's frameworks have in common: scripts of package.json start them, our observers report."""

from abc import abstractmethod
from pathlib import Path

from loopwright.validation.javascript import observers, package_json
from loopwright.validation.javascript.package_json import Manifest
from loopwright.validation.runners.contract import Instrumented, Reading, Runner


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
