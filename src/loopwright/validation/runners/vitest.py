"""Vitest, from version 1 on."""

from pathlib import Path

from loopwright.validation.javascript.observers import Framework
from loopwright.validation.javascript.package_json import Manifest
from loopwright.validation.runners.javascript import JavaScriptRunner


class Vitest(JavaScriptRunner):
    framework: Framework = "vitest"

    def without_script(self, root: Path, manifest: Manifest | None) -> str | None:
        if manifest is None or "vitest" not in manifest.dependencies:
            return None
        return f"{manifest.program_prefix} vitest run"
