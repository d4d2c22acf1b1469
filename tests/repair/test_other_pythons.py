"""Newer interpreters, where there are any on this machine: there the interpreter itself tells which lines ran."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repair.asking import diagnose, mended, search

PROGRAM = """def late_fee(days, member):
    if days < 0:
        return 0
    fee = sum(2 for day in range(days))
    if member and fee > 10:
        fee -= 2
    while fee > 20:
        fee -= 1
    return fee
"""
TESTS = """import pytest
from fees import late_fee


@pytest.mark.parametrize(("days", "member", "fee"),
                         [(1, False, 2), (5, True, 8), (4, True, 8), (30, False, 20), (-1, True, 0), (9, True, 16)])
def test_fee(days, member, fee):
    assert late_fee(days, member) == fee
"""
FILES = {"fees.py": PROGRAM, "test_fees.py": TESTS}
RUNS = "import sys; print(*sys.version_info[:2], sep='.')"


def interpreters(version: str) -> Iterator[str]:
    """Of this version, by name or among those that pyenv keeps."""
    yield from filter(None, [shutil.which(f"python{version}")])
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    yield from map(str, kept.glob(f"{version}.*/bin/python"))


@pytest.fixture(params=["3.12", "3.13", "3.14"])
def python(request: pytest.FixtureRequest) -> str:
    version = str(request.param)
    for found in interpreters(version):  # a name alone may be a shim that starts nothing
        said = subprocess.run([found, "-c", RUNS], capture_output=True, text=True, check=False).stdout
        if said.strip() == version:
            return found
    pytest.skip(f"there is no Python {version} here")


def test_a_fault_is_found_and_mended_without_a_pytest_of_its_own(python: str, tmp_path: Path) -> None:
    assert mended(FILES, search(tmp_path, FILES, python=python), "fee > 10", "fee >= 10")


def test_the_lines_that_ran_are_those_that_we_see(python: str, tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        (tmp_path / name).mkdir()
    ours, theirs = (
        diagnose(tmp_path / name, FILES, python=one) for name, one in (("ours", sys.executable), ("theirs", python))
    )
    assert ours.hypotheses
    assert [(one.logging_point, one.evidence) for one in theirs.hypotheses] == [
        (one.logging_point, one.evidence) for one in ours.hypotheses
    ]
