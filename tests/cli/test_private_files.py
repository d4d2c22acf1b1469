"""What is kept of runs is the user's alone, by any umask; the project's files stay as they are."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.wiring import open_engine
from loopwright.wiring.places import state_folder
from tests.cli.conftest import Desk


def modes(folder: Path) -> dict[str, str]:
    """Of folders and files that others can reach, by name; what lies in a closed folder is not reached."""
    found = {}
    waiting = [folder]
    while waiting:
        at = waiting.pop()
        mode = at.lstat().st_mode
        if mode & 0o077:
            found[str(at)] = oct(mode)
            if stat.S_ISDIR(mode):
                waiting += at.iterdir()
    return found


def every_mode(folder: Path) -> dict[str, str]:
    """Of all that others could read or write, were its folder open."""
    below = [path for path in folder.rglob("*") if not path.is_symlink()]
    return {str(path): oct(path.lstat().st_mode) for path in below if path.lstat().st_mode & 0o077}


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_a_run_leaves_nothing_for_others(desk: Desk, umask: int) -> None:
    (desk.project / "shared.txt").write_text("x")
    shared = (desk.project / "shared.txt").stat().st_mode
    made = desk.run("run", "add a file", "--auto", "--agent", "bash", "--proof", "none")
    assert made.code in (0, 1, 3, 9), made
    assert every_mode(desk.project / ".workflow") == {}
    assert modes(Path(desk.env["XDG_STATE_HOME"]) / "loopwright") == {}
    assert (desk.project / "shared.txt").stat().st_mode == shared


def test_what_an_older_version_left_open_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (root := tmp_path / "project").mkdir()
    folders = [state_folder(), root / ".workflow" / ".loop", root / ".workflow" / ".cycle"]
    for folder in folders:
        folder.mkdir(parents=True)
        folder.chmod(0o755)
    (root / ".workflow" / "issues").mkdir()
    with open_engine(root, {}, actor="cli"):
        assert [oct(folder.stat().st_mode & 0o777) for folder in folders] == ["0o700"] * 3
    assert (root / ".workflow" / "issues").stat().st_mode & 0o055, "another tool's"
