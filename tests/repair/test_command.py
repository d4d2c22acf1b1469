"""Which test commands can be taken over, and what of them is kept."""

from pathlib import Path

import pytest

from loopwright.repair.command import SuiteCommand, parse_command


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("python -m pytest", ()),
        ("python3.11 -m pytest -q tests", ("tests",)),
        ("/some/where/.venv/bin/python -X dev -m pytest -x -vv --tb=short tests/a.py", ("tests/a.py",)),
        ("python -m pytest -k 'fast and not slow'", ("-k", "fast and not slow")),
        ("uv run python -m pytest --maxfail 1 --junitxml out.xml -n auto tests", ("tests",)),
        ("coverage run --source=src -m pytest -m unit", ("-m", "unit")),
        ("python -m pytest -o addopts= -p no:cov --cov=src --cov-report term --runslow", None),
    ],
)
def test_pytest(line: str, arguments: tuple[str, ...] | None, tmp_path: Path) -> None:
    expected = ("-o", "addopts=", "-p", "no:cov", "--runslow") if arguments is None else arguments
    assert parse_command(line, tmp_path) == SuiteCommand("pytest", expected)


def test_what_is_assigned_in_front_is_kept(tmp_path: Path) -> None:
    found = parse_command("PYTHONPATH=src MODE='a b' python -m pytest", tmp_path)
    assert found == SuiteCommand("pytest", (), environment=(("PYTHONPATH", "src"), ("MODE", "a b")))


def test_a_bare_pytest_does_not_put_the_root_on_the_path(tmp_path: Path) -> None:
    assert parse_command("pytest -q", tmp_path) == SuiteCommand("pytest", (), root_on_path=False)
    assert parse_command("poetry run pytest", tmp_path) == SuiteCommand("pytest", (), root_on_path=False)


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("python -m unittest", ("-o", "python_files=test*.py", ".")),
        ("python -m unittest -v", ("-o", "python_files=test*.py", ".")),
        ("python -m unittest discover", ("-o", "python_files=test*.py", ".")),
        ("python -m unittest discover -s tests -t .", ("-o", "python_files=test*.py", "tests")),
        ("python -m unittest discover tests '*_check.py'", ("-o", "python_files=*_check.py", "tests")),
        ("python -m unittest discover --pattern check_*.py", ("-o", "python_files=check_*.py", ".")),
        ("python -m unittest pkg.test_a pkg.test_a.Some.test_it", None),
    ],
)
def test_unittest(line: str, arguments: tuple[str, ...] | None, tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "test_a.py").touch()
    named = ("-o", "python_files=test*.py", "pkg/test_a.py", "pkg/test_a.py::Some::test_it")
    assert parse_command(line, tmp_path) == SuiteCommand("unittest", arguments or named)


@pytest.mark.parametrize(
    "line",
    ["", "make test", "npm test", "pytest && echo done", "pytest | tee log", "python run.py", "python -m nose", "'"],
)
def test_everything_else_is_declined(line: str, tmp_path: Path) -> None:
    assert parse_command(line, tmp_path) is None
