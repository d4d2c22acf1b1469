"""Tests in the project's place, with other files than are there: as in a copy, and the project stays as it is."""

import asyncio
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from loopwright.core.ports import FileLayer, TestOrder
from loopwright.evidence.goal_proof import Overlay, run_overlay
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestRun
from loopwright.processes.process_tree import LOOP, carries_tags, list_processes
from loopwright.wiring.runners import project_tests
from loopwright.workspace import checkpoints
from loopwright.workspace.checkpoints import GitWorkspace
from tests.validation.projects import PYTEST, lay_out

TELL = """
import os

def test_tell():
    for at, folders, files in os.walk("."):
        folders.sort()
        for name in sorted(files + [one for one in folders if os.path.islink(os.path.join(at, one))]):
            path = os.path.join(at, name)
            held = os.readlink(path) if os.path.islink(path) else open(path).read()
            print("HELD", path, oct(os.lstat(path).st_mode), repr(held))
"""
"""A test that prints all that it finds where it runs."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(checkpoints, "_SMALL", 0)
    root = tmp_path / "project"
    root.mkdir()
    lay_out(root, {
        ".gitignore": ".env\n__pycache__/\nout.txt\n", ".env": "KEY=1\n", "test_tell.py": TELL, "kept.txt": "kept",
        "changed.txt": "old", "gone.txt": "old", "run.sh": "echo", "folder/a.txt": "a", "file": "file",
        "tests/t.txt": "1",
    })  # fmt: skip
    os.symlink("kept.txt", root / "link")
    subprocess.run(("git", "init", "-q"), cwd=root, check=True)
    return root


def edit(root: Path) -> None:
    """Changes of each kind."""
    lay_out(root, {"changed.txt": "new", "new/deep/b.txt": "b", "tests/t.txt": "2", "tests/u.txt": "3"})
    (root / "gone.txt").unlink()
    (root / "run.sh").chmod(0o755)
    (root / "folder" / "a.txt").unlink()
    (root / "folder").rmdir()
    (root / "folder").write_text("a file now")
    (root / "file").unlink()
    lay_out(root, {"file/c.txt": "c"})
    (root / "link").unlink()
    os.symlink("changed.txt", root / "link")


def order(command: str = f"{PYTEST} -s", *, at: Path | None = None, seconds: float = 60) -> TestOrder:
    return TestOrder(command, seconds, "loop-layered", at=at)


def layered(root: Path, layer: FileLayer | None, asked: TestOrder) -> TestRun:
    assert layer is not None
    run = asyncio.run(project_tests(root).run_layered(asked, layer))
    if run is None:
        pytest.skip("the kernel lays nothing over anything here")
    return run


def told(run: TestRun) -> list[str]:
    assert [result.status for result in run.results] == ["passed"], run
    return [line for line in run.output.splitlines() if line.startswith("HELD")]


@pytest.mark.parametrize("paths", [(), ("tests/t.txt", "tests/u.txt", "gone.txt")], ids=["all", "but some"])
@pytest.mark.parametrize("older", [True, False], ids=["the older", "the same"])
def test_what_it_finds_is_what_a_copy_holds(project: Path, tmp_path: Path, paths: tuple[str, ...], older: bool) -> None:
    workspace = GitWorkspace(project, tmp_path / "private")
    first = workspace.snapshot("loop-a", "first").commit
    edit(project)
    last = workspace.snapshot("loop-a", "last").commit
    product, source = (first, last) if older else (last, first)
    copy = tmp_path / "copy" / project.name
    workspace.export(product, copy, without=paths)
    workspace.export(source, copy, paths=[path for path in paths if path != ("gone.txt" if older else "tests/u.txt")])
    workspace.bring_ignored(copy)
    in_copy = asyncio.run(project_tests(project).run(order(at=copy)))

    run = layered(project, workspace.layer(product, tmp_path / "layer", source=source, paths=paths), order())

    assert told(run) == told(in_copy)
    assert run.results[0].key == in_copy.results[0].key


def test_what_tests_do_there_reaches_nobody(project: Path, tmp_path: Path) -> None:
    """Not the project, by whatever path they write, and the run tells it all the same."""
    lay_out(project, {
        "test_tell.py": f"import os, shutil\n\ndef test_tell():\n    shutil.rmtree('folder')\n"
                        f"    open({str(project / 'kept.txt')!r}, 'w').write('spoilt')\n    open('out.txt', 'w')\n"
                        f"    os.chmod('run.sh', 0o700)\n    print('\\nHELD', open('kept.txt').read())\n",
    })  # fmt: skip
    workspace = GitWorkspace(project, tmp_path / "private")
    before = workspace.snapshot("loop-a", "first")

    run = layered(project, workspace.layer(before.commit, tmp_path / "layer", source=before.commit), order())

    assert told(run) == ["HELD spoilt"]
    workspace.distrust()
    assert workspace.tree() == before.tree
    assert not (project / "out.txt").exists()


@pytest.mark.parametrize("how", ["cancelled", "timed out"])
def test_nothing_of_it_is_left_behind(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    lay_out(project, {"test_tell.py":
        "import subprocess, time\n\ndef test_tell():\n    subprocess.Popen(('setsid', 'sleep', '100'))\n"
        "    open('../begun', 'w')\n    time.sleep(100)\n"})  # fmt: skip
    workspace = GitWorkspace(project, tmp_path / "private")
    commit = workspace.snapshot("loop-a", "first").commit
    layer = workspace.layer(commit, tmp_path / "layer", source=commit)
    assert layer is not None

    async def go() -> TestRun | None:
        running = asyncio.ensure_future(project_tests(project).run_layered(order(seconds=4), layer))
        if how == "cancelled":
            for _ in range(600):
                await asyncio.sleep(0.05)
                if (tmp_path / "begun").exists():
                    break
            assert len(marked()) >= 3
            running.cancel()
            await asyncio.wait({running})
            return None if running.cancelled() else running.result()
        return await running

    run = asyncio.run(go())

    assert run is None or run.trouble == "timeout"
    deadline = time.monotonic() + 5
    while marked() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert marked() == []
    assert not list((tmp_path / "tmp").glob("loopwright-*"))


def marked() -> list[int]:
    return [process.pid for process in list_processes() if carries_tags(process.pid, {LOOP: "loop-layered"})]


def test_where_nothing_can_be_laid_over_it_says_so(project: Path, tmp_path: Path) -> None:
    """A path that such a mount cannot name; a layer inside of the project."""
    workspace = GitWorkspace(project, tmp_path / "private")
    commit = workspace.snapshot("loop-a", "first").commit
    for place in (tmp_path / "a,b" / "layer", project / "layer"):
        layer = workspace.layer(commit, place, source=commit)
        assert layer is not None
        assert asyncio.run(project_tests(project).run_layered(order(), layer)) is None


class MeddledTests(ProjectTests):
    """Somebody writes into the project while a layered run goes on."""

    def __init__(self, real: ProjectTests, meddle: Callable[[], object]) -> None:
        self._real, self._meddle = real, meddle
        self.asked: list[Path | None] = []

    async def run(self, order: TestOrder) -> TestRun:
        self.asked.append(order.at)
        return await self._real.run(order)

    async def run_program(self, argv: Sequence[str], order: TestOrder) -> tuple[int | None, str]:
        return 0, ""

    async def run_layered(self, order: TestOrder, layer: FileLayer) -> TestRun | None:
        run = await self._real.run_layered(order, layer)
        self._meddle()
        return run


@pytest.mark.parametrize("meddled", [True, False])
def test_a_project_that_changes_meanwhile_is_copied(project: Path, tmp_path: Path, meddled: bool) -> None:
    workspace = GitWorkspace(project, tmp_path / "private")
    commit = workspace.snapshot("loop-a", "first").commit
    tests = MeddledTests(project_tests(project), (project / "kept.txt").unlink if meddled else lambda: None)
    ground: Any = SimpleNamespace(workspace=workspace, tests=tests, test_order=order)

    run = asyncio.run(run_overlay(ground, Overlay(commit, commit), f"{PYTEST} -s"))

    assert any("kept.txt" in line for line in told(run))
    assert len(tests.asked) == meddled


def test_small_projects_are_copied(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    workspace = GitWorkspace(project, tmp_path / "private")
    commit = workspace.snapshot("loop-a", "first").commit
    assert workspace.layer(commit, tmp_path / "layer", source=commit) is None
