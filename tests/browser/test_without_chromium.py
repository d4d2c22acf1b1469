"""Where there is no Chromium the tests fail, and say how to get one."""

import subprocess
import sys

import pytest

from tests.browser.chromium import INSTALL, Missing, program
from tests.browser.served import ROOT


def test_a_missing_chromium_is_an_error_that_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Missing, match="apt-get install chromium"):
        program()


def test_the_browser_tests_fail_then() -> None:
    """Not skipped: in a process of its own, with a PATH on which there is none."""
    one = "tests/browser/test_doors.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", one],
        cwd=ROOT, env={"PATH": "/nowhere"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "skipped" not in done.stdout
    assert INSTALL in done.stdout


def test_a_named_one_is_taken_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", sys.executable)
    assert program() == sys.executable
