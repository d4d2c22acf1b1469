"""What the runners for Node's frameworks have in common: scripts of package.json start them, our observers report."""

from pathlib import Path

from loopwright.evidence.javascript import observers, package_json
from loopwright.evidence.javascript.observers import Framework
from loopwright.evidence.javascript.package_json import PackageManifest
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.contract import FrameworkRunner, InstrumentedCommand


class JavaScriptRunner(FrameworkRunner):
    """A framework is found by the test script that names it; `name` is also that of its logs."""

    framework: Framework
    program: str

    @property
    def name(self) -> str:
        return self.framework

    def without_script(self, root: Path, manifest: PackageManifest | None) -> str | None:
        """The command for a project without a test script, if its tests are this framework's."""
        if manifest is None or self.framework not in manifest.dependencies:
            return None
        return f"{manifest.program_prefix} {self.program}"

    def detect(self, root: Path) -> str | None:
        manifest = package_json.read_manifest(root)
        if manifest is None or manifest.test is None:
            return self.without_script(root, manifest)
        return manifest.test_command if self.recognises(manifest.test_command, root) else None

    def recognises(self, command: str, root: Path) -> bool:
        return package_json.find_frameworks(command, root) == {self.framework}

    def interpreter(self, command: str, root: Path) -> str | None:
        return None

    def instrument(self, command: str, root: Path, folder: Path) -> InstrumentedCommand:
        return InstrumentedCommand(observers.instrument_command(command), self.environment(root, folder))

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        return observers.observer_environment(root, folder)

    def read(self, root: Path, folder: Path) -> RunnerReport:
        return observers.read_observers(root, folder, self.framework)


class JestRunner(JavaScriptRunner):
    framework: Framework = "jest"
    program = "jest"


class VitestRunner(JavaScriptRunner):
    framework: Framework = "vitest"
    program = "vitest run"


class NodeRunner(JavaScriptRunner):
    framework: Framework = "node"

    def without_script(self, root: Path, manifest: PackageManifest | None) -> str | None:
        return "node --test" if package_json.has_tests(root) else None
