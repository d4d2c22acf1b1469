"""A copy that holds what a checkpoint says, and nothing that a run has put beside it."""

import subprocess
import zlib
from pathlib import Path

import pytest

from loopwright.core.errors import WorkspaceError
from loopwright.workspace.checkpoints import GitWorkspace, private_directory

COMMAND = "true"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / ".gitignore").write_text("local_*\n*.so\ndata/\n")
    (root / "app.py").write_text("x = 1\n")
    (root / "src").mkdir()
    (root / "src" / "more.py").write_text("y = 1\n")
    (root / "old").symlink_to("/usr")
    (root / "data").mkdir()
    (root / "data" / "kept.txt").write_text("kept")
    return root


def test_what_the_run_has_put_beside_it_is_not_there(project: Path, tmp_path: Path) -> None:
    workspace = GitWorkspace(project, tmp_path / "private")
    start = workspace.snapshot("loop-a", "start").commit
    remembered = workspace.remember_environment("loop-a", COMMAND, ())
    (project / "local_app.py").write_text("x = 2\n")
    (project / "junk.so").write_text("")
    (project / "built.so").write_text("")
    (project / "built.c").write_text("")
    (project / "outside").symlink_to(tmp_path)
    (project / "inside").symlink_to("app.py")
    here = workspace.snapshot("loop-a", "end").commit
    workspace.lay_out_sealed(here, tmp_path / "copy", start=start, remembered=remembered)
    there = {path.name for path in (tmp_path / "copy").iterdir()}
    assert there == {".gitignore", ".git", "app.py", "old", "inside", "data", "src", "built.c", "built.so"}
    status = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"], cwd=tmp_path / "copy", capture_output=True, text=True
    )
    assert status.stdout.strip() == str(tmp_path / "copy")


@pytest.mark.parametrize("name", ["app.py", "src"])
def test_an_object_that_is_not_what_its_name_says_is_refused(project: Path, tmp_path: Path, name: str) -> None:
    """Git looks by itself at commits and whole trees."""
    workspace = GitWorkspace(project, tmp_path / "private")
    first = workspace.snapshot("loop-a", "start")
    for path in (project / "app.py", project / "src" / "more.py"):
        path.write_text("z = 2\n")
    last = workspace.snapshot("loop-a", "end")
    _swap(private_directory(tmp_path / "private", project), f"{first.commit}:{name}", f"{last.commit}:{name}")
    with pytest.raises(WorkspaceError, match="the private repository was changed"):
        workspace.export(first.commit, tmp_path / "copy")


def _swap(directory: Path, name: str, other: str) -> None:
    """Puts the contents of the one under the name of the other, as whoever can write there can."""
    git = ["git", f"--git-dir={directory}"]
    name, other = (
        subprocess.run([*git, "rev-parse", name, other], capture_output=True, check=True).stdout.decode().split()
    )
    kind = subprocess.run([*git, "cat-file", "-t", other], capture_output=True, check=True).stdout.strip()
    data = subprocess.run([*git, "cat-file", kind, other], capture_output=True, check=True).stdout
    for pack in (directory / "objects" / "pack").glob("*"):  # what is packed comes first
        pack.rename(directory / pack.name)
    for pack in directory.glob("*.pack"):
        with pack.open("rb") as packed:
            subprocess.run([*git, "unpack-objects", "-q"], stdin=packed, check=True)
    path = directory / "objects" / name[:2] / name[2:]
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(b"%s %d\0" % (kind, len(data)) + data))
