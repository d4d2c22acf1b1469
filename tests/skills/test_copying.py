"""A copy of a skill can be changed in any way, and nothing but the copy changes."""

from pathlib import Path

import pytest

from bench.soaks.skill_kills import snapshot
from loopwright.core.errors import NotFound
from loopwright.skills.disk.folders import SkillFolders

SKILLS = SkillFolders()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "my skill"
    for name in ("SKILL.md", "phases/01.md", ".git/HEAD", "nested/SKILL.md", "large.bin"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * (1_000_001 if name == "large.bin" else 5))
    (root / "phases/01.md").chmod(0o555)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/style.md").write_bytes(b"style")
    (root / "shared").symlink_to(tmp_path / "shared")
    (root / "same.md").symlink_to("SKILL.md")
    return root


def test_it_reads_as_the_skill(root: Path) -> None:
    with SKILLS.copied(root) as folder:
        assert folder.name == root.name
        copy, original = SKILLS.read(folder), SKILLS.read(root)
        assert copy.files == original.files
        assert copy.unread == original.unread
        assert (folder / "shared/style.md").read_bytes() == b"style"
        assert not (folder / ".git").exists()
    assert not folder.exists()


def test_whatever_is_done_to_it_reaches_nothing_else(root: Path, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    with SKILLS.copied(root) as folder:
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            path.write_bytes(b"changed")
        (folder / "new.md").write_bytes(b"new")
        assert {*SKILLS.read(folder).files.values()} == {b"changed", b"new"}
    assert snapshot(tmp_path) == before


def test_it_goes_away_after_an_error(root: Path) -> None:
    with pytest.raises(ZeroDivisionError), SKILLS.copied(root) as folder:
        raise ZeroDivisionError
    assert not folder.parent.exists()


def test_no_skill(tmp_path: Path) -> None:
    with pytest.raises(NotFound), SKILLS.copied(tmp_path / "nowhere"):
        raise AssertionError("there is nothing to copy")
