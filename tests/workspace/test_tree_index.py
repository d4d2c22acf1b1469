"""The index of a work tree tells what a look at all of it would tell, whatever happens to the files in between."""

import asyncio
import mmap
import os
import resource
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core import threads
from loopwright.core.errors import WorkspaceError
from loopwright.core.threads import CallCancelledError, hear_calls, run_in_thread
from loopwright.processes.inotify import Inotify
from loopwright.workspace import file_store, tree_index
from loopwright.workspace.checkpoints import GitWorkspace
from loopwright.workspace.private_git import PrivateGit
from tests.tiers import examples
from tests.workspace.trees import git

NAMES = ["a.txt", "b.log", "src/a.py", "src/A.py", "src/deep/b.py", "build/out.txt", "new/x", "new/in/y", "sub/z.py"]
FOLDERS = ["src", "src/deep", "new", "new/in", "build", "sub", "moved"]


class Edits:
    """What programs, people and their gits do to a project. Each takes two numbers, to choose what it is done to."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.written = 0

    def file(self, number: int) -> Path:
        path = self.root / NAMES[number % len(NAMES)]
        for folder in reversed(path.relative_to(self.root).parents[:-1]):
            at = self.root / folder
            if at.is_symlink() or at.is_file():
                at.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        return path

    def write(self, one: int, other: int) -> None:
        path = self.file(one)
        path.unlink(missing_ok=True) if path.is_symlink() else None
        self.written += 1
        path.write_text(f"{self.written:06}" * (1 + other % 3))

    def rewrite_in_the_same_moment(self, one: int, other: int) -> None:
        path = self.file(one)
        self.write(one, other)
        before = path.stat()
        path.write_text("x" * before.st_size)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def write_in_the_future(self, one: int, other: int) -> None:
        self.write(one, other)
        os.utime(self.file(one), (4e9, 4e9))

    def append_beneath_an_open_file(self, one: int, other: int) -> None:
        self.write(one, other)
        with self.file(one).open("ab", buffering=0) as file:
            file.write(b"more")
            os.ftruncate(file.fileno(), other % 7)

    def rename(self, one: int, other: int) -> None:
        source, target = self.file(one), self.file(other)
        if source.exists() and source != target and source not in target.parents and target not in source.parents:
            source.replace(target)

    def rename_folder(self, one: int, other: int) -> None:
        source, target = self.root / FOLDERS[one % len(FOLDERS)], self.root / FOLDERS[other % len(FOLDERS)]
        if source.is_dir() and not source.is_symlink() and not os.path.lexists(target) and target.parent.is_dir():
            source.rename(target) if source not in target.parents else None

    def move_away_and_back(self, one: int, other: int) -> None:
        source, away = self.root / FOLDERS[one % len(FOLDERS)], self.root.parent / "away"
        if source.is_dir() and not source.is_symlink():
            shutil.rmtree(away, ignore_errors=True)
            source.rename(away)
            (away / "meanwhile.py").write_text(str(other))
            if other % 2:
                away.rename(source)

    def remove(self, one: int, _: int) -> None:
        self.file(one).unlink(missing_ok=True)

    def remove_folder(self, one: int, _: int) -> None:
        path = self.root / FOLDERS[one % len(FOLDERS)]
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)

    def make_empty_folder(self, one: int, _: int) -> None:
        self.file(one)

    def change_mode(self, one: int, other: int) -> None:
        path = self.file(one)
        if path.is_file() and not path.is_symlink():
            path.chmod((0o644, 0o755)[other % 2])

    def link(self, one: int, other: int) -> None:
        path = self.file(one)
        path.unlink(missing_ok=True)
        path.symlink_to(NAMES[other % len(NAMES)])

    def link_a_folder(self, one: int, other: int) -> None:
        path = self.root / FOLDERS[one % len(FOLDERS)]
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        if not os.path.lexists(path) and path.parent.is_dir():
            path.symlink_to(self.root / FOLDERS[other % len(FOLDERS)])

    def change_by_another_name(self, one: int, other: int) -> None:
        path, beside = self.file(one), self.root.parent / f"other-{one % len(NAMES)}"
        if path.is_file() and not path.is_symlink() and not beside.exists():
            os.link(path, beside)
            os.utime(path)  # that a file gets another name elsewhere is told to nobody
        if beside.exists():
            beside.write_text(f"elsewhere {other}")

    def ignore(self, one: int, other: int) -> None:
        folder = self.root / ("", "src", "new")[other % 3]
        if folder.is_dir() and not folder.is_symlink():
            (folder / ".gitignore").write_text(("*.log\n", "*.py\n", "in/\n", "")[one % 4])

    def track_what_is_ignored(self, one: int, _: int) -> None:
        self.git("add", "-f", NAMES[one % len(NAMES)])

    def untrack(self, one: int, _: int) -> None:
        self.git("rm", "-q", "--cached", NAMES[one % len(NAMES)])

    def commit(self, _: int, __: int) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "more")

    def check_out(self, one: int, _: int) -> None:
        self.git("checkout", "-q", "-f", f"HEAD~{one % 2}")

    def stash(self, _: int, __: int) -> None:
        self.git("stash", "-q", "-u")

    def exclude(self, one: int, _: int) -> None:
        (self.root / ".git/info/exclude").write_text(("*.txt\n", "")[one % 2])

    def nest_a_repository(self, one: int, other: int) -> None:
        folder = self.root / ("sub", "new")[one % 2]
        if folder.is_dir() and not folder.is_symlink():
            if (folder / ".git").exists() and other % 2:
                shutil.rmtree(folder / ".git")
            else:
                subprocess.run(["git", "init", "-q", folder], check=True)
                (folder / ".gitignore").write_text("*.py\n")

    def git(self, *args: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=u", "-c", "user.email=u@localhost", *args],
            cwd=self.root, capture_output=True, check=False,
        )  # fmt: skip


KINDS: list[Callable[[Edits, int, int], None]] = [
    one for name, one in vars(Edits).items() if callable(one) and name not in ("__init__", "file", "git")
]
ONE = st.tuples(st.sampled_from(KINDS), st.integers(0, 30), st.integers(0, 30))


def make_project(folder: Path) -> Path:
    root = folder / "project"
    for name in NAMES[:6]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    git(root, "init", "-q", "-b", "trunk")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def check(workspace: GitWorkspace, slow: Path) -> None:
    shutil.rmtree(slow, ignore_errors=True)
    anew = GitWorkspace(workspace.root, slow)
    assert (workspace.tree(), workspace.listed()) == (anew.tree(), anew.listed())


@settings(max_examples=examples(60))
@given(st.lists(st.lists(ONE, min_size=1, max_size=4), min_size=1, max_size=6))
def test_what_it_tells_is_what_is_there(
    tmp_path_factory: pytest.TempPathFactory, course: list[list[tuple[Callable[..., None], int, int]]]
) -> None:
    folder = tmp_path_factory.mktemp("indexed")
    root = make_project(folder)
    workspace, edits = GitWorkspace(root, folder / "state"), Edits(root)
    workspace.tree()
    check(workspace, folder / "slow")
    for several in course:
        for kind, one, other in several:
            kind(edits, one, other)
        check(workspace, folder / "slow")
    shutil.rmtree(folder)


def plain(root: Path, home: Path) -> str:
    """The tree by reading every file."""
    return GitWorkspace(root, home).tree()


def test_what_is_taken_over_from_the_users_git_is_what_reading_would_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_project(tmp_path)
    (root / ".gitattributes").write_text(
        "*.rot filter=rot\n*.id ident\n*.crlf text eol=crlf\n*.w working-tree-encoding=UTF-16\n"
    )
    git(root, "config", "filter.rot.clean", "tr a-z b-za")
    git(root, "config", "filter.rot.smudge", "tr b-za a-z")
    for name, text in {
        "x.rot": "abc",
        "x.id": "$Id$\n",
        "x.crlf": "one\r\n",
        "x.w": "w",
        "run": "run",
        "gone": "",
    }.items():
        (root / name).write_bytes(text.encode("utf-16" if name == "x.w" else "utf-8"))
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("run")
    for name in ("assumed", "skipped", "soon"):
        (root / name).write_text("before")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")
    git(root, "rm", "-q", "--cached", "gone")
    git(root, "update-index", "--assume-unchanged", "assumed")
    git(root, "update-index", "--skip-worktree", "skipped")
    (root / "x.id").unlink()
    git(root, "checkout", "x.id")  # with its name written in
    for name in ("assumed", "skipped", "soon"):
        (root / name).write_text("after!")
    (root / "untracked").write_text("new")
    (root / "intended").write_text("new")
    git(root, "add", "-N", "intended")
    wanted = plain(root, tmp_path / "slow")
    monkeypatch.setattr(tree_index, "_MOST_TOLD", 0)
    read: list[bytes] = []
    store = file_store.store_tree

    def noting(private: PrivateGit, base: str, files: Mapping[bytes, os.stat_result], plan: Any) -> str:
        read.extend(files)
        return store(private, base, files, plan)

    monkeypatch.setattr(tree_index, "store_tree", noting)
    workspace = GitWorkspace(root, tmp_path / "state")
    assert workspace.tree() == wanted
    assert {b"a.txt", b"run", b"link", b"src/a.py"}.isdisjoint(read)
    assert {b"x.rot", b"x.id", b"x.crlf", b"x.w", b"assumed", b"skipped", b"soon", b"untracked", b"intended"} <= set(
        read
    )
    shutil.rmtree(root / ".git")  # nothing is borrowed
    kept = workspace.snapshot("loop-1", "all")
    for name in ("a.txt", "run", "src/a.py"):
        (root / name).write_text("lost")
    workspace.restore(kept.commit)
    assert (root / "run").read_text() == "run"
    assert workspace.tree() == kept.tree


@pytest.mark.parametrize("ruin", ["objects", "index", "head"])
def test_a_git_of_the_users_that_is_broken_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ruin: str
) -> None:
    root = make_project(tmp_path)
    monkeypatch.setattr(tree_index, "_MOST_TOLD", 0)
    if ruin == "objects":
        shutil.rmtree(root / ".git/objects")
        (root / ".git/objects").mkdir()
    elif ruin == "index":
        (root / ".git/index").write_bytes(b"DIRC torn")
    else:
        (root / ".git/HEAD").unlink()
    assert "src/a.py" in GitWorkspace(root, tmp_path / "state").listed()


@pytest.mark.parametrize("way", ["none", "full", "overflow"])
def test_where_the_kernel_does_not_tell_all_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    root, limit = make_project(tmp_path), 2000
    if way == "none":
        monkeypatch.setattr(Inotify, "opened", classmethod(lambda cls: None))
    elif way == "full":
        monkeypatch.setattr(Inotify, "add", lambda self, folder, mask: None)
    workspace = GitWorkspace(root, tmp_path / "state")
    workspace.tree()
    check(workspace, tmp_path / "slow")
    if way == "overflow":
        limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
        for _ in range(limit // 2 + 1):  # the same twice in a row would count once
            for name in ("a.txt", "src/a.py"):
                (root / name).touch()
    (root / "src/a.py").write_text("changed")
    is_watched = workspace._index._watch is not None  # not where others have taken all that a user gets
    assert any("lost track" in words for words in told_of(workspace)) == (way == "overflow" and is_watched)
    check(workspace, tmp_path / "slow")


def told_of(workspace: GitWorkspace) -> list[str]:
    """What a look tells whoever waits for it."""
    told: list[str] = []

    async def look() -> None:
        with hear_calls(told.append):
            await run_in_thread(workspace.tree)
        await asyncio.sleep(0)

    asyncio.run(look())
    return told


@pytest.mark.parametrize("nested", [False, True])
def test_a_folder_of_ignored_files_may_get_others(tmp_path: Path, nested: bool) -> None:
    """Git lists it as ignored as long as nothing else is there; it is not."""
    root = make_project(tmp_path)
    (root / ".gitignore").write_text("*.log\nin/\n")
    for folder in ("logs", "outer/in"):
        (root / folder).mkdir(parents=True)
        (root / folder / "a.log").write_text("a")
    if nested:
        subprocess.run(["git", "init", "-q", root / "logs"], check=True)
        (root / "logs/.gitignore").write_text("*.log\n.gitignore\n")
        (root / "logs/within").mkdir()
        (root / "logs/within/a.log").write_text("a")
    workspace = GitWorkspace(root, tmp_path / "state")
    for _ in range(3):
        check(workspace, tmp_path / "slow")
    for name in ("logs/b.txt", "outer/b.txt", "outer/in/b.txt", *(["logs/within/b.txt"] if nested else [])):
        (root / name).write_text("b")
        check(workspace, tmp_path / "slow")
    assert {"logs/b.txt", "outer/b.txt"} <= set(workspace.listed())
    assert "outer/in/b.txt" not in workspace.listed()


@pytest.mark.parametrize("size", [999, 1000, 1001, 4096, 10_000])
def test_files_of_any_size_are_kept_as_git_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    root, data = make_project(tmp_path), os.urandom(size)
    monkeypatch.setattr(file_store, "_BIG", 1000)
    monkeypatch.setattr(file_store, "_PIECE", 1000)
    for name in ("one.bin", "same.bin"):
        (root / name).write_bytes(data)
    workspace = GitWorkspace(root, tmp_path / "state")
    kept = workspace.snapshot("loop-1", "all")
    git(root, "add", "-A")
    assert kept.tree == git(root, "write-tree").strip()
    (root / "one.bin").unlink()
    workspace.restore(kept.commit)
    assert (root / "one.bin").read_bytes() == data
    assert not list((tmp_path / "state").rglob("tmp_obj_*"))


@pytest.mark.parametrize("room", [2_000_000, 2_999_000], ids=["for a part", "but for its end"])
def test_a_big_file_for_which_there_is_no_room_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    root = make_project(tmp_path)
    monkeypatch.setattr(file_store, "_BIG", 1_000_000)
    (root / "big.bin").write_bytes(os.urandom(3_000_000))
    workspace = GitWorkspace(root, tmp_path / "state")
    known = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, known[1]))
    try:
        with pytest.raises(WorkspaceError, match="File too large"):
            workspace.tree()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, known)
    assert not list((tmp_path / "state").rglob("tmp_obj_*"))
    check(workspace, tmp_path / "slow")


def test_a_look_tells_how_far_it_is_and_of_big_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_project(tmp_path)
    (root / "big.bin").write_bytes(b"b" * 3_000_000)
    monkeypatch.setattr(file_store, "_BIG", 2_000_000)
    monkeypatch.setattr(threads, "_FIRST_WORDS", 0.0)
    first, *_, last = told_of(GitWorkspace(root, tmp_path / "state"))
    assert first == "0 files of the project looked at"
    assert last.endswith("files of the project read")
    (root / "b.bin").write_bytes(b"b" * 2_000_000)
    assert "keeping 2 big files, such as big.bin, whole: 5 MB of the disk for each version" in told_of(
        GitWorkspace(root, tmp_path / "other")
    )


def test_what_the_kernel_tells_nobody_is_found_where_it_is_not_trusted(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    workspace = GitWorkspace(root, tmp_path / "state")
    first = [workspace.tree() for _ in range(2)][-1]
    os.link(root / "a.txt", tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("changed by another name")
    with (root / "src/a.py").open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        file.close()
        workspace.tree()
        memory[:4] = b"MMAP"
        workspace.distrust()
        assert workspace.tree() != first
        check(workspace, tmp_path / "slow")


def test_files_that_are_written_during_a_look_are_found_by_the_next(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    workspace, is_over = GitWorkspace(root, tmp_path / "state"), threading.Event()

    def write() -> None:
        turn = 0
        while not is_over.is_set():
            turn += 1
            Edits(root).write(turn, turn)
            (root / "a.txt").write_text(str(turn))

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(20):
        workspace.tree()
    is_over.set()
    writer.join()
    check(workspace, tmp_path / "slow")


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_a_look_that_was_broken_off_is_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    root = make_project(tmp_path)
    workspace = GitWorkspace(root, tmp_path / "state")
    for _ in range(looks):
        workspace.tree()
    for name in ("src/a.py", "new.py"):
        (root / name).write_text("changed")
    with monkeypatch.context() as patch:
        patch.setattr(file_store, "check_cancelled", broken_off)
        with pytest.raises(CallCancelledError):
            workspace.tree()
    check(workspace, tmp_path / "slow")


def broken_off() -> None:
    raise CallCancelledError
