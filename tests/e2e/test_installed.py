"""What a person has who installs the wheel and nothing else: an empty environment, without any tool of ours."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

import loopwright
from tests.browser.served import Served, served
from tests.wheels import ROOT, built_wheel

pytestmark = pytest.mark.timeout(900)

SAMPLES = ROOT / "tests" / "samples"
TOOLS = frozenset({"hypothesis", "mypy", "playwright", "pytest-xdist", "pytest-timeout", "ruff", "schemathesis"})
OURS = ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "VIRTUAL_ENV", "PYTHONPATH")
"""What the suite and its environment say to whatever they start, and a person would not."""


@dataclass(frozen=True)
class Installed:
    """The environment's folder, and a home for whoever uses it."""

    place: Path
    home: Path

    @property
    def python(self) -> Path:
        return self.place / "bin" / "python"

    @property
    def command(self) -> Path:
        return self.place / "bin" / "loopwright"

    def call(self, *words: str | Path, cwd: Path, **env: str) -> "subprocess.CompletedProcess[str]":
        kept = {name: value for name, value in os.environ.items() if name not in OURS and not name.startswith("XDG_")}
        return subprocess.run(
            [self.command, *words], cwd=cwd, env={**kept, "HOME": str(self.home), "NO_COLOR": "1", **env},
            capture_output=True, text=True, timeout=800, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Skipped where pip gets no packages; where it gets one, all that the wheel asks for has to be there.

    Nothing is compiled before it is needed: most of it never is.
    """
    place, home = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("home")
    bare = ["--without-pip"] if find_spec("pip") else []
    subprocess.run([sys.executable, "-m", "venv", *bare, str(place)], check=True, timeout=120)
    made = Installed(place, home)
    if trouble := pip(made, "download", "--no-deps", "--dest", str(home / "packages"), "pluggy"):
        pytest.skip(f"pip gets no packages here: {trouble}")
    assert not pip(made, "install", "--no-compile", str(built_wheel(tmp_path_factory.mktemp("wheel"))))
    return made


def pip(installed: Installed, *words: str) -> str:
    """What went wrong, in its last words."""
    borrowed = [sys.executable, "-m", "pip", "--python", str(installed.python)]
    program = borrowed if find_spec("pip") else [str(installed.python), "-m", "pip"]
    command = [*program, "--quiet", "--disable-pip-version-check", "--retries", "1", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


@pytest.fixture
def plugin(tmp_path: Path) -> tuple[Path, Path]:
    """A folder with a plugin of pytest as packages bring it, and the file that is there once it was loaded.

    Where it can not be written, in a sandbox, that is no reason to fail.
    """
    folder, loaded = tmp_path / "packages", tmp_path / "told" / "loaded"
    loaded.parent.mkdir()
    about = folder / "pytest_loud-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "pytest_loud.py").write_text(f"try:\n    open({str(loaded)!r}, 'w').close()\nexcept OSError:\n    pass\n")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pytest-loud\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pytest11]\nloud = pytest_loud\n")
    return folder, loaded


def test_it_is_alone(installed: Installed, tmp_path: Path) -> None:
    shown = installed.call("--version", cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (0, f"loopwright {loopwright.__version__}\n"), shown.stderr
    listed = "from importlib.metadata import distributions as d; print(*(one.name for one in d()))"
    names = subprocess.run([installed.python, "-I", "-c", listed], capture_output=True, text=True, check=True)
    assert not TOOLS & {*names.stdout.split()}


def test_the_demo_mends_its_example_without_the_plugins_that_are_there(
    installed: Installed, plugin: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, loaded = plugin
    played = installed.call("demo", cwd=tmp_path, PYTHONPATH=str(folder), LOOPWRIGHT_SANDBOX="none")
    assert played.returncode == 0, played.stdout + played.stderr
    assert "Succeeded: all 87 tests pass" in played.stdout
    assert not loaded.exists()


def test_a_loop_mends_a_project_whose_plugins_are_loaded(
    installed: Installed, plugin: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, loaded = plugin
    project = tmp_path / "ledger"
    shutil.copytree(SAMPLES / "ledger", project, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "loopwright.toml").write_text(f'sandbox_paths = ["{loaded.parent}:rw"]\n')
    words = ("run", "Make the tests pass", "--auto", "--agent", "builtin")
    ran = installed.call(*words, cwd=project, PYTHONPATH=str(folder))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert loaded.exists()


@pytest.fixture
def server(installed: Installed, tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as ready:
        ready.command = (str(installed.command),)
        ready.project("tests/samples/healthy")
        yield ready


def test_the_server_answers_with_its_page(server: Served) -> None:
    server.start()
    with urlopen(f"{server.origin}/api/health", timeout=30) as answer:
        assert json.load(answer)["success"] is True
    with urlopen(server.url, timeout=30) as answer:
        assert answer.headers.get_content_type() == "text/html"
        assert b'<script type="module"' in answer.read()


def test_a_skill_is_checked_and_mended(installed: Installed, tmp_path: Path) -> None:
    skill = tmp_path / "travel"
    shutil.copytree(ROOT / "tests/tune/samples/wrong-tool/sick", skill)
    assert "wrong-tool" in installed.call("tune", "travel", cwd=tmp_path).stdout
    mended = installed.call("tune", "travel", "--fix", "--yes", cwd=tmp_path)
    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert "AskUserQuestion(" in (skill / "SKILL.md").read_text()
    assert "wrong-tool" not in installed.call("tune", "travel", cwd=tmp_path).stdout
