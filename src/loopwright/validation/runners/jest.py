"""Jest, from version 27 on, whoever starts it."""

from pathlib import Path

from loopwright.validation.javascript.observers import Framework
from loopwright.validation.javascript.package_json import Manifest
from loopwright.validation.runners.javascript import JavaScriptRunner


class Jest(JavaScriptRunner):
    framework: Framework = "jest"

    def without_script(self, root: Path, manifest: Manifest | None) -> str | None:
        if manifest is None or "jest" not in manifest.dependencies:
            return None
        return f"{manifest.program_prefix} jest"
