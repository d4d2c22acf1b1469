"""Node's own test runner."""

from pathlib import Path

from loopwright.validation.javascript import node_project
from loopwright.validation.javascript.observers import Framework
from loopwright.validation.javascript.package_json import Manifest
from loopwright.validation.runners.javascript import JavaScriptRunner


class Node(JavaScriptRunner):
    framework: Framework = "node"

    def without_script(self, root: Path, manifest: Manifest | None) -> str | None:
        return "node --test" if node_project.has_tests(root) else None
