"""What a project's files say about its tests, by small projects on disk."""

import os
import shlex
import sys
import venv
from pathlib import Path

import pytest

from loopwright.evidence.python.project import interpreter_of, shorten_interpreter
from loopwright.evidence.run import ProjectTests
from tests.validation.projects import lay_out

CASE = "import unittest\nclass A(unittest.TestCase):\n    def test_it(self): pass\n"
PLAIN = "def test_it(): pass\n"


@pytest.fixture(autouse=True)
def _no_environment_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


def detected(root: Path, files: dict[str, str]) -> str | None:
    """The command without its interpreter."""
    command = ProjectTests(lay_out(root, files)).detect()
    return None if command is None else " ".join(shlex.split(command)[1:])


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"test_a.py": PLAIN}, "-m pytest"),
        ({"a_test.py": PLAIN}, "-m pytest"),
        ({"tests/unit/test_a.py": "import pytest\n"}, "-m pytest"),
        ({"test_a.py": "async def test_it(): pass\n"}, "-m pytest"),
        ({"test_a.py": "class TestIt:\n    def test_it(self): pass\n"}, "-m pytest"),
        ({"test_a.py": "def broken(:\n"}, None),
        ({"test_a.py": CASE}, "-m unittest"),
        ({"tests/test_a.py": CASE, "tests/__init__.py": ""}, "-m unittest"),
        ({"tests/test_a.py": CASE}, "-m unittest discover -s tests"),
        ({"my tests/test_a.py": CASE}, "-m unittest discover -s my tests"),
        ({"tests/a_test.py": CASE}, "-m unittest discover -s tests -p *test*.py"),
        ({"tests/x/test_a.py": CASE, "tests/y/test_b.py": CASE}, "-m unittest discover -s tests"),
        ({"test_a.py": CASE, "pytest.ini": "[pytest]\n"}, "-m pytest"),
        ({"test_a.py": CASE, "pyproject.toml": "[tool.pytest.ini_options]\n"}, "-m pytest"),
        ({"test_a.py": CASE, "pyproject.toml": "[tool.pytest]\n"}, "-m pytest"),
        ({"test_a.py": CASE, "pyproject.toml": "[tool.other]\n"}, "-m unittest"),
        ({"test_a.py": CASE, "pyproject.toml": "[[[broken"}, "-m unittest"),
        ({"test_a.py": CASE, "setup.cfg": "[tool:pytest]\n"}, "-m pytest"),
        ({"test_a.py": CASE, "setup.cfg": "no section\n"}, "-m unittest"),
        ({"test_a.py": CASE, "tox.ini": "[pytest]\n"}, "-m pytest"),
        ({"test_a.py": CASE, "tox.ini": "[tox]\n"}, "-m unittest"),
        ({"test_a.py": CASE, "sub/conftest.py": ""}, "-m pytest"),
        ({"test_a.py": CASE, "test_b.py": PLAIN}, "-m pytest"),
        ({}, None),
        ({"app.py": "x = 1\n", "pytest.ini": "[pytest]\n"}, None),
        ({"node_modules/x/test_a.py": PLAIN, ".hidden/test_a.py": PLAIN}, None),
        ({"env1/pyvenv.cfg": "", "env1/lib/test_a.py": PLAIN}, None),
        ({"testing_tools.py": "x = 1\n", "contest.py": "def test(): pass\n"}, None),
    ],
)
def test_the_command_follows_from_the_files(tmp_path: Path, files: dict[str, str], command: str | None) -> None:
    assert detected(tmp_path, files) == command


def test_a_broken_test_file_beside_settings_is_still_a_test(tmp_path: Path) -> None:
    assert detected(tmp_path, {"test_a.py": "def broken(:\n", "pytest.ini": "[pytest]\n"}) == "-m pytest"


def test_bytes_that_are_no_text_do_not_hurt(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_bytes(b"\xff\xfe\0def test_a(): pass")
    (tmp_path / "test_b.py").symlink_to("nowhere")
    assert detected(tmp_path, {"test_c.py": PLAIN}) == "-m pytest"


class TestInterpreter:
    def test_ours_where_the_project_has_none(self, tmp_path: Path) -> None:
        assert interpreter_of(tmp_path, module="pytest") == Path(sys.executable)

    @pytest.mark.parametrize("folder", [".venv", "venv"])
    def test_the_projects_own_if_it_has_what_is_needed(self, tmp_path: Path, folder: str) -> None:
        venv.create(tmp_path / folder, symlinks=True)
        own = tmp_path / folder / "bin" / "python"
        assert interpreter_of(tmp_path) == own
        assert interpreter_of(tmp_path, module="pytest") == Path(sys.executable)
        packages = next((tmp_path / folder / "lib").glob("python*")) / "site-packages" / "pytest"
        packages.mkdir()
        (packages / "__init__.py").touch()
        assert interpreter_of(tmp_path, module="pytest") == own
        assert shorten_interpreter(tmp_path, own) == f"{folder}/bin/python"
        assert ProjectTests(tmp_path).interpreter(f"{folder}/bin/python -m pytest") == str(own)

    def test_a_broken_one_is_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / ".venv" / "bin").mkdir(parents=True)
        (tmp_path / ".venv" / "bin" / "python").symlink_to("/nowhere/python")
        assert interpreter_of(tmp_path) == Path(sys.executable)
        (tmp_path / ".venv" / "bin" / "python").unlink()
        (tmp_path / ".venv" / "bin" / "python").write_text("no program")
        (tmp_path / ".venv" / "bin" / "python").chmod(0o755)
        assert interpreter_of(tmp_path, module="pytest") == Path(sys.executable)

    def test_the_active_one(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
        assert interpreter_of(tmp_path, module="pytest") == Path(sys.prefix) / "bin" / "python"

    def test_as_a_person_would_type_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        python = tmp_path / "my tools" / "python"
        python.parent.mkdir()
        python.write_text("#!/bin/sh\n")
        python.chmod(0o755)
        elsewhere = tmp_path / "project"
        assert shorten_interpreter(elsewhere, python) == f"'{python}'"
        monkeypatch.setenv("PATH", str(python.parent), prepend=os.pathsep)
        assert shorten_interpreter(elsewhere, python) == "python"

    def test_of_a_command(self, tmp_path: Path) -> None:
        tests = ProjectTests(lay_out(tmp_path, {"test_a.py": PLAIN}))
        assert tests.interpreter(f"A=1 {shlex.quote(sys.executable)} -X dev -m pytest") == sys.executable
        assert tests.interpreter("make test") == sys.executable
        assert tests.interpreter("no-such/python -m pytest") == sys.executable
        script = tmp_path / "pytest"
        script.write_text("#!/opt/some/python3.12\nimport sys\n")
        script.chmod(0o755)
        assert tests.interpreter("./pytest -q") == "/opt/some/python3.12"

    def test_of_a_project_without_python_tests(self, tmp_path: Path) -> None:
        assert ProjectTests(tmp_path).interpreter("make test") is None
