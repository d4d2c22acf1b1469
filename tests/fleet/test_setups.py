"""What set-up commands have made, as a worker keeps it."""

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from loopwright.core.errors import WorkspaceError
from loopwright.wiring.fleet import setups
from loopwright.wiring.fleet.setups import KeptSetups, setup_key
from loopwright.workspace.private_git import run_git


def check_out(place: Path, **files: str) -> Path:
    """A fresh one, always in the same place."""
    project = place / "project"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    run_git("init", "--quiet", cwd=project)
    for name, text in {
        ".gitignore": "deps/\n*.cache\n.workflow/\n",
        "uv.lock": "one\n",
        "code.py": "",
        **files,
    }.items():
        (project / name).write_text(text)
    run_git("add", "--all", cwd=project)
    return project


def test_it_comes_back_as_it_was_made(tmp_path: Path) -> None:
    kept, project = KeptSetups(tmp_path / "setups"), check_out(tmp_path)
    assert kept.lay_out("key", project) is None
    tool = project / "deps" / "bin" / "-tool with space\n"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    (project / "deps" / "link").symlink_to("bin")
    (project / "a.cache").write_text("a")
    (project / ".workflow").mkdir()
    (project / ".workflow" / "state").write_text("of the run")
    made = tool.stat()
    kept.keep("key", "tree-1", project)
    tool.write_text("spoiled")

    project = check_out(tmp_path)
    assert kept.lay_out("key", project) == "tree-1"
    assert (tool.read_text(), tool.stat().st_mode, int(tool.stat().st_mtime)) == (
        "#!/bin/sh\n", made.st_mode, int(made.st_mtime),
    )  # fmt: skip
    assert (project / "deps" / "link").readlink() == Path("bin")
    assert sorted(path.name for path in project.iterdir()) == [
        ".git", ".gitignore", "a.cache", "code.py", "deps", "uv.lock",
    ]  # fmt: skip
    kept.keep("key", "tree-2", project)
    assert kept.lay_out("key", check_out(tmp_path)) == "tree-2"


def test_the_key_is_that_of_command_remote_place_and_lock_files(tmp_path: Path) -> None:
    def key(command: str = "make", remote: str = "r", place: str = "1", file: str = "code.py") -> str:
        (tmp_path / place).mkdir(exist_ok=True)
        return setup_key(check_out(tmp_path / place, **{file: "changed"}), command, remote)

    assert key() == key(file="other.py")
    files = [key(file=file) for file in ("uv.lock", "package.json", ".gitignore")]
    different = [key(), key("make all"), key(remote="s"), key(place="2"), *files]
    assert len(set(different)) == len(different)


def test_what_is_torn_is_told_once(tmp_path: Path) -> None:
    kept, project = KeptSetups(tmp_path / "setups"), check_out(tmp_path)
    kept.keep("key", "tree", project)
    (archive,) = (tmp_path / "setups").iterdir()
    archive.write_bytes(b"torn")
    with pytest.raises(WorkspaceError, match="tar"):
        kept.lay_out("key", project)
    assert kept.lay_out("key", project) is None


def test_the_latest_few_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setups, "KEPT", 2)
    kept, project = KeptSetups(tmp_path / "setups"), check_out(tmp_path)
    (tmp_path / "setups").mkdir()
    (tmp_path / "setups" / "left.part").write_bytes(b"")
    kept.clear()
    for key in ("one", "two"):
        kept.keep(key, "tree", project)
    assert kept.lay_out("one", project) == "tree"
    kept.keep("three", "tree", project)
    assert sorted(file.name for file in (tmp_path / "setups").iterdir()) == ["one-tree.tar", "three-tree.tar"]


def test_what_is_a_project_s_own_stays(tmp_path: Path) -> None:
    kept, project = KeptSetups(tmp_path / "setups"), check_out(tmp_path)
    (project / "a.cache").write_text("made")
    kept.keep("key", "tree", project)
    project = check_out(tmp_path)
    (project / "a.cache").write_text("its own")
    with suppress(WorkspaceError):
        kept.lay_out("key", project)
    assert (project / "a.cache").read_text() == "its own"
