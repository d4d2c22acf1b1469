"""Commands that start test frameworks without naming just one, such as `make test`, some `npm test` or `./test.sh`."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from loopwright.evidence import results
from loopwright.evidence.javascript import package_json
from loopwright.evidence.project_files import list_changed_files
from loopwright.evidence.python import probe
from loopwright.evidence.recording import shims
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.runners.contract import FrameworkRunner, InstrumentedCommand
from loopwright.evidence.testing import Coverage

_FILES = ("GNUmakefile", "makefile", "Makefile")
_TARGET = re.compile(r"^(test|check)[ \t]*:(?![:=])", re.MULTILINE)
_HEAD = 4096
_SILENT = (
    "the command ran, but no known test framework reported; "
    "name the framework's own command (test_command), or let it write JUnit XML into the project"
)


class WrapperRunner:
    """All frameworks at once: each is asked through the environment, and those that were there are believed.

    Where none was, JUnit reports that were written during the run are read.
    """

    name = "wrapper"

    def __init__(self, frameworks: Sequence[FrameworkRunner]) -> None:
        self._frameworks = frameworks

    def detect(self, root: Path) -> str | None:
        manifest = package_json.read_manifest(root)
        if manifest is not None and manifest.test is not None:
            return manifest.test_command
        file = next((root / name for name in _FILES if (root / name).is_file()), None)
        targets = _TARGET.findall(file.read_bytes().decode("utf-8", "replace")) if file is not None else []
        return f"make {'test' if 'test' in targets else 'check'}" if targets else None

    def recognises(self, command: str, root: Path) -> bool:
        return sum(framework.recognises(command, root) for framework in self._frameworks) != 1

    def interpreter(self, command: str, root: Path) -> str | None:
        found = (framework.interpreter(command, root) for framework in self._frameworks)
        return next((python for python in found if python is not None), None)

    def instrument(self, command: str, root: Path, folder: Path) -> InstrumentedCommand:
        env = self.environment(root, folder)
        for framework in self._frameworks:
            if framework.recognises(command, root):
                command, more = framework.instrument(command, root, folder)
                env |= more
        return InstrumentedCommand(command, _restored(_through_tox(env), folder))

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        env = shims.shim_environment(folder, ())
        for framework in self._frameworks:
            env |= framework.environment(root, folder)
        return env

    def read(self, root: Path, folder: Path) -> RunnerReport:
        readings: list[RunnerReport] = []
        for framework in self._frameworks:
            reading = framework.read(root, folder)
            if reading not in readings:  # frameworks that share a probe read the same
                readings.append(reading)
        found = results.join_reports(readings)
        if found.coverage is not None:
            return found
        written = list_changed_files(root, shims.read_start_time(folder), ".xml")
        if not found.reported:
            from loopwright.evidence.junit import read_reports

            reports = read_reports([("", file) for file in written if b"<testsuite" in _head(file)])
            found = replace(reports, from_files=reports.reported)
        if not found.reported:
            return RunnerReport(why="; ".join(reading.why for reading in readings if reading.why) or _SILENT)
        return replace(found, coverage=_cobertura(root, written))


def _through_tox(env: dict[str, str]) -> dict[str, str]:
    """tox hands on only what it is told to; settings of a person's own are left alone."""
    if "TOX_OVERRIDE" in os.environ:
        return env
    names = ",".join(sorted({*env, probe.COPY} - {"PATH"}))
    return {**env, "TOX_OVERRIDE": f"testenv.pass_env+={names}"}


def _restored(env: dict[str, str], folder: Path) -> dict[str, str]:
    """Every framework takes back all of this for what its tests start, and not only its own part."""
    # A wrapper may have put a place of its own before the PATH, which has to stay.
    before = {name: os.environ.get(name) for name in env if name != "PATH"}
    shims.restore_variables(folder, before)
    if probe.ORDER not in env:
        return env
    order = json.loads(env[probe.ORDER])
    return {**env, probe.ORDER: json.dumps({**order, "restore": {**order["restore"], **before}})}


def _cobertura(root: Path, files: Iterable[Path]) -> Coverage | None:
    """A report with a document type, or a torn one, measured nothing."""
    from loopwright.evidence.coverage import FileLines, combine_coverage, read_cobertura
    from loopwright.evidence.junit import UnreadableXml

    lines: list[FileLines] = []
    for file in files:
        if "cobertura" in file.name or file.name == "coverage.xml":
            try:
                lines += read_cobertura(file, root)
            except UnreadableXml:
                continue
    return combine_coverage(root, lines)


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_HEAD)
