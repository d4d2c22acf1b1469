"""What a copy of a project gets of its ignored files: a way to them, and never a way to spoil them."""

import os
import shutil
from pathlib import Path

import pytest

from loopwright.workspace import copies
from loopwright.workspace.checkpoints import GitWorkspace


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in (
        "app.py", "tests/test_app.py", "lib/a.js", "lib/node_modules/x/index.js", ".venv/bin/python", ".env",
        "tests/data/big.bin", "tests/conftest.py", "pkg/__pycache__/a.pyc", "pkg/a.py", "target/debug/app",
        "pytest_cache/x", ".pytest_cache/x", "site/sitecustomize.py", "sitecustomize.py", ".venv/pyvenv.cfg",
        "dist/app.js",
    ):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / ".gitignore").write_text(
        "node_modules\n.venv\ndist\n.env\n*.bin\nconftest.py\n__pycache__\ntarget\n.pytest_cache\nsite\nsitecustomize.py\n.env.*\n"
    )
    os.symlink("nowhere", root / ".env.local")
    return root


def copied(project: Path, tmp_path: Path) -> Path:
    workspace = GitWorkspace(project, tmp_path / "private")
    commit = workspace.snapshot("loop-1", "now").commit
    workspace.export(commit, tmp_path / "copy")
    workspace.bring_ignored(tmp_path / "copy")
    return tmp_path / "copy"


def test_packages_are_linked(project: Path, tmp_path: Path) -> None:
    copy = copied(project, tmp_path)
    links = {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_symlink()}
    assert links == {"lib/node_modules", ".venv", ".env.local"}
    assert (copy / "lib/node_modules/x/index.js").read_text() == "lib/node_modules/x/index.js"
    assert not (copy / "app.py").is_symlink()


def test_a_build_there_writes_nothing_here(project: Path, tmp_path: Path) -> None:
    copy = copied(project, tmp_path)
    for name in ("dist/app.js", ".env", "tests/data/big.bin", "site/sitecustomize.py"):
        assert (copy / name).read_text() == name
        (copy / name).write_text("built there")
        assert (project / name).read_text() == name


def test_what_is_big_is_linked(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "LARGEST_COPIED", 15)
    copy = copied(project, tmp_path)
    assert (copy / "tests/data").is_symlink()
    assert not (copy / "dist").is_symlink()


def test_what_is_in_the_way_stays(project: Path, tmp_path: Path) -> None:
    workspace = GitWorkspace(project, tmp_path / "private")
    copy = tmp_path / "copy"
    (copy / "lib/node_modules").mkdir(parents=True)
    (copy / "tests").write_text("a file where a folder would have to be")
    workspace.bring_ignored(copy)
    assert not (copy / "lib/node_modules").is_symlink()
    assert (copy / "tests").is_file()
    assert (copy / ".venv").is_symlink()


def test_removing_the_copy_removes_nothing_else(project: Path, tmp_path: Path) -> None:
    shutil.rmtree(copied(project, tmp_path))
    assert (project / ".venv/bin/python").read_text() == ".venv/bin/python"
    assert (project / "lib/node_modules/x/index.js").exists()
