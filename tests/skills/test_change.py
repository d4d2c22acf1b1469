"""Changing a skill's files and undoing it: what is refused, what fails halfway, what is put back to the byte."""

import errno
import json
import os
import resource
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.soaks.skill_kills import Snapshot, snapshot
from loopwright.core.errors import Conflict, Corrupt, Invalid, NotFound, WorkspaceError
from loopwright.skills.disk.change import LockedFolder
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.files import Rewrite, digest

SKILLS = SkillFolders()
FILES = {"SKILL.md": b"# X\r\n\xff", "phases/01.md": b"one\n", "phases/02.md": b"two\n", "run.sh": b"#!/bin/sh\n"}
CHANGES: Mapping[str, bytes | None] = {
    "SKILL.md": b"# Y\n", "phases/01.md": None, "run.sh": b"#!/bin/bash\n", "new/deep/a.md": b"a", "phases/03.md": b"3",
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        path = tmp_path / "skill" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "skill/run.sh").chmod(0o750)
    (tmp_path / "skill/SKILL.md").chmod(0o444)
    return tmp_path / "skill"


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    return tmp_path / "work/backups/FIX-001"


def rewrite(root: Path, contents: Mapping[str, bytes | None] = CHANGES) -> Rewrite:
    files = {name: (root / name).read_bytes() for name in contents if (root / name).is_file()}
    return Rewrite(contents, {name: digest(files[name]) if name in files else None for name in contents})


def contents(seen: Snapshot) -> dict[str, bytes]:
    return {name: data for name, (_, data) in seen.items() if data is not None}


def test_a_change_and_back(root: Path, backup: Path) -> None:
    before = snapshot(root)
    digests = SKILLS.apply(root, rewrite(root), backup)
    after = snapshot(root)
    expected = {**FILES, **CHANGES}
    assert contents(after) == {name: data for name, data in expected.items() if data is not None}
    assert digests == {name: None if data is None else digest(data) for name, data in CHANGES.items()}
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o750
    assert stat.S_IMODE((root / "SKILL.md").stat().st_mode) == 0o444
    undone = SKILLS.roll_back(root, backup)
    assert snapshot(root) == before
    assert undone == rewrite(root).expected
    assert SKILLS.roll_back(root, backup) == undone
    assert snapshot(root) == before


def test_the_same_change_again_is_the_same(root: Path, backup: Path) -> None:
    """As after a crash that came when all was done and nobody knew yet."""
    change, before = rewrite(root), snapshot(root)
    SKILLS.apply(root, change, backup)
    after = snapshot(root)
    SKILLS.apply(root, change, backup)
    assert snapshot(root) == after
    SKILLS.roll_back(root, backup)
    assert snapshot(root) == before


def test_fixes_one_after_the_other_and_back(root: Path, tmp_path: Path) -> None:
    seen = [snapshot(root)]
    for n in range(3):
        change = rewrite(root, {"SKILL.md": b"%d" % n, f"new-{n}.md": b"x", "phases/01.md": b"%d" % n})
        SKILLS.apply(root, change, tmp_path / f"b/{n}")
        seen.append(snapshot(root))
    for n in (2, 1, 0):
        SKILLS.roll_back(root, tmp_path / f"b/{n}")
        assert snapshot(root) == seen[n]


@pytest.mark.parametrize(
    "name",
    [
        "../out.md", "/etc/out.md", "a/../../out.md", "a//b.md", "./a.md", "", "a/.", "a\0b", "\udcff.md",
        ".git/hooks/x", "a/.hidden/b.md", "node_modules/x.md", ".loopwright-0123",
    ],
)  # fmt: skip
def test_names_that_lead_elsewhere(root: Path, backup: Path, name: str) -> None:
    before = snapshot(root.parent)
    with pytest.raises(Invalid):
        SKILLS.apply(root, Rewrite({name: b"x"}, {name: None}), backup)
    assert snapshot(root.parent) == before


def test_nothing_is_written_through_a_link(root: Path, backup: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.md").write_bytes(b"out")
    (root / "linked").symlink_to(tmp_path / "out")
    (root / "a.md").symlink_to(tmp_path / "out/a.md")
    (root / "dead.md").symlink_to(tmp_path / "out/new.md")
    before = snapshot(tmp_path)
    for name, now in {
        "linked/a.md": digest(b"out"),
        "a.md": digest(b"out"),
        "dead.md": None,
        "linked/b.md": None,
    }.items():
        with pytest.raises(Invalid, match="link"):
            SKILLS.apply(root, Rewrite({name: b"x"}, {name: now}), backup)
    assert snapshot(tmp_path) == before


def test_a_folder_or_a_pipe_in_the_place_of_a_file(root: Path, backup: Path) -> None:
    os.mkfifo(root / "pipe.md")
    for name in ("phases", "pipe.md", "SKILL.md/inner.md"):
        with pytest.raises(Invalid, match="not a regular file"):
            SKILLS.apply(root, Rewrite({name: b"x"}, {name: None}), backup)


@pytest.mark.parametrize(
    ("name", "expected"), [("SKILL.md", digest(b"else")), ("SKILL.md", None), ("gone.md", digest(b"x"))]
)
def test_what_changed_meanwhile_is_not_overwritten(root: Path, backup: Path, name: str, expected: str | None) -> None:
    before = snapshot(root.parent)
    with pytest.raises(Conflict, match=f"{name} changed since it was read"):
        SKILLS.apply(root, Rewrite({name: b"x"}, {name: expected}), backup)
    assert snapshot(root.parent) == before


def test_a_change_can_ask_for_files_that_it_does_not_touch(root: Path, backup: Path) -> None:
    change = Rewrite({"SKILL.md": b"x"}, {"SKILL.md": digest(FILES["SKILL.md"]), "run.sh": digest(b"else")})
    with pytest.raises(Conflict, match=r"run\.sh"):
        SKILLS.apply(root, change, backup)
    with pytest.raises(Invalid, match=r"expected content of SKILL\.md"):
        SKILLS.apply(root, Rewrite({"SKILL.md": b"x"}, {}), backup)


def test_one_session_at_a_time_by_whatever_path(root: Path, backup: Path, tmp_path: Path) -> None:
    SKILLS.apply(root, rewrite(root), backup)
    after = snapshot(root)
    (tmp_path / "other-way").symlink_to(root)
    with LockedFolder.locked(tmp_path / "other-way"):
        with pytest.raises(Conflict, match="another session"):
            SKILLS.apply(root, rewrite(root), tmp_path / "second")
        with pytest.raises(Conflict, match="another session"):
            SKILLS.roll_back(root, backup)
    assert snapshot(root) == after
    SKILLS.roll_back(root, backup)


def test_a_backup_holds_one_change(root: Path, backup: Path) -> None:
    SKILLS.apply(root, rewrite(root, {"SKILL.md": b"first"}), backup)
    after = snapshot(root)
    with pytest.raises(Conflict, match="holds another change"):
        SKILLS.apply(root, rewrite(root, {"SKILL.md": b"second"}), backup)
    assert snapshot(root) == after


def test_a_backup_is_no_part_of_the_skill(root: Path) -> None:
    with pytest.raises(Invalid, match="part of the skill"):
        SKILLS.apply(root, rewrite(root), root / "backups/FIX-001")
    SKILLS.apply(root, rewrite(root), root / ".workflow/backups/FIX-001")
    SKILLS.roll_back(root, root / ".workflow/backups/FIX-001")
    assert {**SKILLS.read(root).files} == FILES


def test_what_somebody_has_changed_since_is_not_rolled_back(root: Path, backup: Path) -> None:
    SKILLS.apply(root, rewrite(root), backup)
    (root / "run.sh").write_bytes(b"mine")
    before = snapshot(root)
    with pytest.raises(Conflict, match=r"run\.sh changed since the fix"):
        SKILLS.roll_back(root, backup)
    assert snapshot(root) == before


@pytest.mark.parametrize(
    "make",
    [lambda path: path.write_bytes(b"mine"), lambda path: path.mkdir(), lambda path: path.symlink_to("02.md")],
    ids=["file", "folder", "link"],
)
def test_what_stands_in_the_place_of_a_deleted_file_stays(
    root: Path, backup: Path, make: Callable[[Path], object]
) -> None:
    SKILLS.apply(root, rewrite(root), backup)
    make(root / "phases/01.md")
    before = snapshot(root)
    with pytest.raises(Conflict):
        SKILLS.roll_back(root, backup)
    assert snapshot(root) == before


def test_a_folder_that_somebody_else_uses_by_now_stays(root: Path, backup: Path) -> None:
    SKILLS.apply(root, rewrite(root), backup)
    (root / "new/mine.md").write_bytes(b"mine")
    SKILLS.roll_back(root, backup)
    assert contents(snapshot(root)) == {**FILES, "new/mine.md": b"mine"}
    assert not (root / "new/deep").exists()


def test_a_deleted_file_comes_back_with_its_folder(root: Path, backup: Path) -> None:
    before = snapshot(root)
    SKILLS.apply(root, rewrite(root, {"phases/01.md": None, "phases/02.md": None}), backup)
    (root / "phases").rmdir()
    SKILLS.roll_back(root, backup)
    assert snapshot(root) == before


def test_no_backup(root: Path, backup: Path) -> None:
    with pytest.raises(NotFound, match="no backup"):
        SKILLS.roll_back(root, backup)
    SKILLS.apply(root, rewrite(root), backup)
    with pytest.raises(NotFound, match="no folder"):
        SKILLS.roll_back(root.parent / "gone", backup)


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
@pytest.mark.parametrize("which", ["blob", "manifest"])
def test_a_damaged_backup_writes_nothing(root: Path, backup: Path, damage: str, which: str) -> None:
    SKILLS.apply(root, rewrite(root), backup)
    path = next((backup / "blobs").iterdir()) if which == "blob" else backup / "manifest.json"
    data = path.read_bytes()
    if damage == "remove":
        path.unlink()
    else:
        path.write_bytes(data[:-1] if damage == "cut" else bytes([data[0] ^ 1]) + data[1:])
    before = snapshot(root)
    with pytest.raises(NotFound if (which, damage) == ("manifest", "remove") else Corrupt, match=r"damaged|no backup"):
        SKILLS.roll_back(root, backup)
    assert snapshot(root) == before


def test_every_byte_of_the_manifest_counts(root: Path, backup: Path) -> None:
    SKILLS.apply(root, rewrite(root, {"SKILL.md": b"x"}), backup)
    before, path = snapshot(root), backup / "manifest.json"
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 2]) + data[at + 1 :])
        with pytest.raises(Corrupt):
            SKILLS.roll_back(root, backup)
    assert snapshot(root) == before


def test_a_forged_manifest_reaches_nothing_outside(root: Path, backup: Path, tmp_path: Path) -> None:
    SKILLS.apply(root, rewrite(root, {"SKILL.md": b"x"}), backup)
    (tmp_path / "victim.md").write_bytes(b"x")
    told = json.loads((backup / "manifest.json").read_bytes())
    told["change"] = told["change"].replace('"SKILL.md"', '"../victim.md"')
    told["digest"] = digest(told["change"].encode())
    (backup / "manifest.json").write_text(json.dumps(told))
    with pytest.raises(Corrupt):
        SKILLS.roll_back(root, backup)
    assert (tmp_path / "victim.md").read_bytes() == b"x"


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """As on a disk that is full, for files beyond that size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [0, 10, 1000])
def test_no_room_for_all_of_it(root: Path, backup: Path, size: int) -> None:
    """For nothing, for the backup, and for some of the new files."""
    before = snapshot(root)
    change = rewrite(root, {**CHANGES, "new/large.md": b"x" * 5000})
    with largest_file(size), pytest.raises(WorkspaceError, match="File too large"):
        SKILLS.apply(root, change, backup)
    assert snapshot(root) == before
    SKILLS.apply(root, change, backup)
    SKILLS.roll_back(root, backup)
    assert snapshot(root) == before


@pytest.mark.parametrize("call", ["rename", "unlink", "mkdir", "fsync"])
@pytest.mark.parametrize("failing", range(0, 14, 2))
def test_an_error_halfway_undoes_all(
    root: Path, backup: Path, monkeypatch: pytest.MonkeyPatch, call: str, failing: int
) -> None:
    before, real, left = snapshot(root), getattr(os, call), [failing]

    def faulty(*given: object, **named: object) -> object:
        left[0] -= 1
        if left[0] == -1:
            raise OSError(errno.EIO, os.strerror(errno.EIO), "a file")
        return real(*given, **named)

    change = rewrite(root)
    monkeypatch.setattr(os, call, faulty)
    if _fails(root, change, backup):
        assert snapshot(root) == before
    else:
        assert left[0] >= 0, "an error was swallowed"


def _fails(root: Path, change: Rewrite, backup: Path) -> bool:
    try:
        SKILLS.apply(root, change, backup)
    except WorkspaceError as error:
        return "Input/output error" in str(error)
    return False


def test_what_somebody_changes_while_we_do_stays(
    root: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    real, seen = os.rename, list[str]()

    def rename(source: str, target: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        real(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        if src_dir_fd is not None and not seen:
            seen.append(target)
            (root / "run.sh").write_bytes(b"mine")

    change = rewrite(root)
    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(Conflict, match=r"run\.sh was changed by another process"):
        SKILLS.apply(root, change, backup)
    assert contents(snapshot(root)) == {**FILES, "run.sh": b"mine"}


def test_the_backup_is_durable_before_the_first_file_changes(
    root: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is synced before it has its name, each folder after; the skill's come last."""
    done: list[tuple[str, str]] = []

    def note(call: str) -> None:
        real = getattr(os, call)

        def noted(first: object, *given: object, **named: int) -> object:
            path = os.readlink(f"/proc/self/fd/{first}") if isinstance(first, int) else str(first)
            folder = os.readlink(f"/proc/self/fd/{named['src_dir_fd']}") + "/" if named.get("src_dir_fd") else ""
            done.append((call, folder + path))
            return real(first, *given, **named)

        monkeypatch.setattr(os, call, noted)

    for call in ("fsync", "rename"):
        note(call)
    SKILLS.apply(root, rewrite(root), backup)
    monkeypatch.undo()
    touched = next(n for n, (_, path) in enumerate(done) if path.startswith(str(root)))
    kept = done[:touched]
    assert ("fsync", str(backup)) == kept[-1]
    assert kept[-2] == ("rename", str(backup / "manifest.json.new"))
    assert ("fsync", str(backup / "blobs")) in kept
    for n, (call, path) in enumerate(done):
        if call == "rename":
            assert ("fsync", path) in done[:n], f"{path} was not synced before it took its place"
    synced = {path for call, path in done[touched:] if call == "fsync"}
    assert {str(root), *(str(root / name) for name in ("phases", "new", "new/deep"))} <= synced
