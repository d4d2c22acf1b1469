"""`debug` by the real command on real projects: what it shows, and that it touches nothing."""

import sys
from pathlib import Path

import pytest

from loopwright.core.errors import ExitCode
from tests.cli.conftest import Desk

SHARE = """def share(part, whole):
    if part > whole:
        raise ValueError("more than all")
    return part / whole


def percent(part, whole):
    return round(share(part, whole) * 10)
"""
TESTS = """import pytest

from shares import percent, share


def test_half():
    assert share(1, 2) == 0.5


def test_too_much():
    with pytest.raises(ValueError):
        share(3, 2)


class TestPercent:
    @pytest.mark.parametrize("part", [1, 2])
    def test_of_four(self, part):
        assert percent(part, 4) == part * 25
"""
COMMAND = f"{sys.executable} -m pytest"


@pytest.fixture
def shares(desk: Desk) -> Desk:
    """A project with one fault, which two of four tests show."""
    (desk.project / "shares.py").write_text(SHARE)
    (desk.project / "test_shares.py").write_text(TESTS)
    return desk


def bytes_of(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_the_fault_comes_first_with_its_evidence(shares: Desk) -> None:
    before = bytes_of(shares.project)
    ran = shares.run("debug", "--test-command", COMMAND)
    assert ran.code == ExitCode.DONE, ran
    first = ran.out[: ran.out.index("\n 2  ")]
    assert "TestPercent::test_of_four[1] (and 1 more): AssertionError" in " ".join(first.split())
    assert "shares.py:8 in percent\n    8 | return round(share(part, whole) * 10)" in first
    assert "2 failing tests and 0 passing tests ran it" in first
    assert "part=1, whole=4" in first
    assert bytes_of(shares.project) == before


def test_json_holds_what_a_loop_would_hold(shares: Desk) -> None:
    (line,) = shares.run("debug", "--json", "--test-command", COMMAND).lines
    data = line["data"]
    assert isinstance(data, dict)
    assert data["hypotheses"][0]["logging_point"] == "shares.py:percent:8"
    assert data["hypotheses"][0]["evidence"]["failing_tests"] == 2
    assert data["probes"][0]["data"]["whole"] == "4"
    assert data["test_command"] == COMMAND


def test_a_line_is_watched_and_no_file_is_edited(shares: Desk) -> None:
    before = bytes_of(shares.project)
    ran = shares.run("debug", "--probe", "shares.py:8", "--show", "share(part, whole)", "--test-command", COMMAND)
    assert ran.code == ExitCode.DONE, ran
    assert ran.out.splitlines() == [
        "shares.py:percent:8  return round(share(part, whole) * 10)",
        "failed: test_shares.py::TestPercent::test_of_four[1]: reached 1 time",
        "  1: share(part, whole) = 0.25",
        "failed: test_shares.py::TestPercent::test_of_four[2]: reached 1 time",
        "  1: share(part, whole) = 0.5",
    ]
    assert bytes_of(shares.project) == before


def test_a_watched_line_as_json_beside_a_test_that_passes(shares: Desk) -> None:
    named = ("--tests", "test_shares.py::test_half")
    (line,) = shares.run("debug", "--json", "--probe", "shares.py:share:4", *named, "--test-command", COMMAND).lines
    data = line["data"]
    assert isinstance(data, dict)
    (test,) = data["tests"]
    assert (test["status"], test["hits"][0]["data"]) == ("passed", {"part": "1", "whole": "2"})
    assert data["test_command"] == COMMAND


def test_tests_can_be_chosen_and_a_name_that_there_is_not_is_said(shares: Desk) -> None:
    ran = shares.run("debug", "--tests", "test_shares.py::TestPercent::test_of_four[2]", "--test-command", COMMAND)
    assert "1 failing test and 0 passing tests ran it" in ran.out, ran
    gone = shares.run("debug", "--tests", "test_shares.py::test_gone", "--test-command", COMMAND)
    assert "no test is called 'test_shares.py::test_gone'; the first of 4 is" in gone.out, gone


def test_a_green_project_is_said_to_be_green(shares: Desk) -> None:
    (shares.project / "shares.py").write_text(SHARE.replace("* 10)", "* 100)"))
    assert "no test fails on the copy of the project: 4 of 4 passed" in shares.run("debug").out


def test_a_file_that_does_not_compile_is_the_first_hypothesis(shares: Desk) -> None:
    (shares.project / "shares.py").write_text(SHARE.replace("whole):\n    if", "whole)\n    if"))
    ran = shares.run("debug", "--test-command", COMMAND)
    assert "shares.py:1 in <module>" in ran.out, ran
    assert "Python cannot load it: SyntaxError: expected ':'" in ran.out
    assert "next:" not in ran.out, "no edit can be tried before that is mended"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--test-command", "npm test"], "'npm test' is neither plain pytest nor unittest"),
        (["--python", "/nowhere/python"], "--python /nowhere/python: there is no such interpreter"),
        (["--show", "part"], "--show needs --probe FILE:LINE"),
        (["--probe", "shares.py"], "expected file:line or file:function:line"),
    ],
)
def test_what_can_not_be_debugged_is_refused(shares: Desk, arguments: list[str], said: str) -> None:
    (shares.project / "package.json").write_text("{}")
    ran = shares.run("debug", *arguments)
    assert (ran.code, said in ran.err) == (ExitCode.USAGE, True), ran


def test_a_project_without_tests_is_told_what_to_name(desk: Desk) -> None:
    for path in desk.project.rglob("test_*.py"):
        path.unlink()
    ran = desk.run("debug")
    assert (ran.code, "--test-command" in ran.err) == (ExitCode.USAGE, True), ran
