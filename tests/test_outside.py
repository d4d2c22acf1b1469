"""The environment of whoever runs the suite reaches neither the tests nor what they start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chance import SEED
from tests.outside import outside, shut_out

HERE = Path(__file__)
HOSTILE = {
    "PYTEST_ADDOPTS": "--tb=no --durations=3", "PYTEST_PLUGINS": "", "PYTHONPATH": "/nowhere",
    "PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": "1", "MAKEFLAGS": "n", "MAKELEVEL": "2", "MFLAGS": "-n",
    "GIT_DIR": "/nowhere/.git", "GIT_AUTHOR_NAME": "Nobody", "LOOPWRIGHT_LOOP": "loop-x", "LOOPWRIGHT_REQUIRE": "tests",
    "NO_COLOR": "1", "FORCE_COLOR": "1", "COLUMNS": "31", "LANG": "de_DE.UTF-8", "LC_ALL": "C", "TZ": "Asia/Tokyo",
    "NODE_OPTIONS": "--no-warnings", "GOFLAGS": "-v", "RUSTFLAGS": "-g", "CI": "true",
}  # fmt: skip


def test_what_is_shut_out_and_what_stays() -> None:
    stays = {"PATH": "/bin", "HOME": "/h", "LOOPWRIGHT_SEED": "7", "PYTEST_XDIST_WORKER": "gw0", "CARGO_HOME": "/c"}
    environment = {**HOSTILE, **stays}
    shut_out(environment)
    assert environment == {**stays, "LANG": "C.UTF-8"}


def test_nothing_of_it_is_here_nor_in_what_a_test_starts() -> None:
    ours = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD", "LANG"}
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    told = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert set(outside(os.environ)) == ours
    assert set(outside(json.loads(told.stdout))) == ours
    assert os.environ["LANG"] == "C.UTF-8"


@pytest.mark.parametrize("processes", [0, 1])
def test_a_hostile_environment_changes_nothing(processes: int) -> None:
    """The suite in it: the test above, and a run that make drives."""
    tests = [f"{HERE}::{test_nothing_of_it_is_here_nor_in_what_a_test_starts.__name__}"]
    tests.append(f"{HERE.parent}/validation/runners/test_make.py::TestMake::test_pytest")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", str(processes), *tests]
    environment = {**os.environ, **HOSTILE, "LOOPWRIGHT_SEED": str(SEED)}
    del environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
    done = subprocess.run(command, cwd=HERE.parent.parent, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"LOOPWRIGHT_SEED={SEED}" in done.stdout
