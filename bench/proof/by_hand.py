"""What a framework reports by itself, without loopwright: its own machine-readable output, as statuses by test."""

import json
import os
import re
import shlex
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

Statuses = dict[str, str]
"""passed, failed or skipped, by the key that loopwright would give the test."""

PLAIN = {"PYTHONDONTWRITEBYTECODE": "1", "CI": "1", "NO_COLOR": "1"}


def statuses(command: str, framework: str, project: Path, files: Sequence[str], report: Path) -> Statuses:
    """One run of the command, in which `{files}` and `{report}` stand for themselves. No files: all tests are run."""
    report.unlink(missing_ok=True)
    words = command.replace("{files}", shlex.join(files)).replace("{report}", str(report))
    done = subprocess.run(
        words, cwd=project, shell=True, capture_output=True, text=True, errors="replace", env={**os.environ, **PLAIN}
    )
    text = report.read_text("utf-8", "replace") if report.exists() else done.stdout
    found = dict(READERS[framework](text, project))
    if not found and "{report}" in command and not report.exists():
        raise SystemExit(f"{words}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return found


def fail_to_pass(parent: Mapping[str, str], without: Mapping[str, str], commit: Mapping[str, str]) -> frozenset[str]:
    """Tests that pass at the commit, and failed at its parent or fail there with the commit's tests laid over it.

    A test that is missing there could not be loaded; that counts for those which the parent does not have.
    """
    passing = (test for test, status in commit.items() if status == "passed")
    return frozenset(
        test
        for test in passing
        if "failed" in (parent.get(test), without.get(test)) or (test not in without and test not in parent)
    )


def _pytest(text: str, project: Path) -> Iterator[tuple[str, str]]:
    """pytest-reportlog's lines."""
    worst: Statuses = {}
    for line in map(json.loads, text.splitlines()):
        if line.get("$report_type") == "TestReport":
            outcomes = ("passed", "skipped", "failed")
            known = worst.get(line["nodeid"], "passed")
            worst[line["nodeid"]] = max(known, line["outcome"], key=outcomes.index)
    yield from worst.items()


def _jest(text: str, project: Path) -> Iterator[tuple[str, str]]:
    """The JSON of jest, which vitest writes too."""
    for file in json.loads(text)["testResults"]:
        name = os.path.relpath(file["name"], project)
        for test in file["assertionResults"]:
            path = " > ".join((*(part for part in test["ancestorTitles"] if part), test["title"]))
            yield f"{name}::{path}", test["status"] if test["status"] in ("passed", "failed") else "skipped"


def _node(text: str, project: Path) -> Iterator[tuple[str, str]]:
    """Node's JUnit reports, one for each file: names of files, where those are the tests."""
    for case in ElementTree.fromstring(f"<all>{re.sub(r'<[?].*?[?]>', '', text)}</all>").iter("testcase"):
        kinds = {child.tag for child in case}
        status = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        yield os.path.relpath(project / case.attrib["name"], project), status


def _cargo(text: str, project: Path) -> Iterator[tuple[str, str]]:
    package = re.findall(r'^name = "(.*)"', (project / "Cargo.toml").read_text(), re.MULTILINE)[0]
    suite = package
    for line in text.splitlines():
        if found := re.match(r" +Running (?:unittests )?(\S+) \(", line):
            suite = package if found[1].startswith("src/") else f"{package}/{Path(found[1]).stem}"
        elif line.startswith("   Doc-tests"):
            suite = f"{package}/doc"
        elif found := re.match(r"test (.*) \.\.\. (ok|FAILED|ignored)", line):
            yield f"{suite}::{found[1]}", {"ok": "passed", "FAILED": "failed"}.get(found[2], "skipped")


def _go(text: str, project: Path) -> Iterator[tuple[str, str]]:
    module = re.findall(r"^module (\S+)", (project / "go.mod").read_text(), re.MULTILINE)[0]
    for line in text.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        if "Test" in event and event["Action"] in ("pass", "fail", "skip"):
            folder = os.path.relpath("/" + event["Package"].removeprefix(module).lstrip("/"), "/")
            yield f"{folder}::{event['Test']}", {"pass": "passed", "fail": "failed", "skip": "skipped"}[event["Action"]]


READERS: dict[str, Callable[[str, Path], Iterator[tuple[str, str]]]] = {
    "pytest": _pytest,
    "jest": _jest,
    "node": _node,
    "cargo": _cargo,
    "go": _go,
}
