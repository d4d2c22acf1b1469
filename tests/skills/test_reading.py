"""What is read of a skill's folder, what is only listed, and what is no part of it."""

import os
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid, NotFound
from loopwright.skills.disk import folders
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.files import SkillFiles, digest

SKILL = b"---\nname: x\n---\n# X\n"


def put(root: Path, name: str, data: bytes = b"x") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def read(root: Path) -> SkillFiles:
    return SkillFolders().read(root)


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    root = tmp_path / "made-skill"
    put(root, "SKILL.md", SKILL)
    return root


def test_all_files_to_the_byte(skill: Path) -> None:
    contents = {
        "phases/01 a.md": b"\xef\xbb\xbf a\r\nb",
        "阶段/一.md": b"\xff\x00",
        "scripts/run.py": b"",
        ".hidden": b"h",
    }
    for name, data in contents.items():
        put(skill, name, data)
    found = read(skill)
    assert found.name == "made-skill"
    assert found.files == {"SKILL.md": SKILL, **contents}
    assert found.digests == {name: digest(data) for name, data in found.files.items()}
    assert found.unread == {}


@pytest.mark.parametrize("folder", [".git", ".claude-plugin", "node_modules", "__pycache__", "a/.venv", "a/venv"])
def test_folders_that_are_no_part_of_it(skill: Path, folder: str) -> None:
    put(skill, f"{folder}/x.md")
    found = read(skill)
    assert [*found.files, *found.unread] == ["SKILL.md"]


@pytest.mark.parametrize("main", ["SKILL.md", "skill.md", "Skill.MD"])
def test_the_main_file_in_any_case(tmp_path: Path, main: str) -> None:
    put(tmp_path / "s", main, SKILL)
    assert read(tmp_path / "s").files == {main: SKILL}


def test_a_nested_skill_is_only_listed(skill: Path) -> None:
    put(skill, "sub/inner/SKILL.md", SKILL)
    put(skill, "sub/inner/phases/01.md", b"12345")
    put(skill, "sub/other.md")
    found = read(skill)
    assert sorted(found.files) == ["SKILL.md", "sub/other.md"]
    assert found.unread == {"sub/inner/SKILL.md": len(SKILL), "sub/inner/phases/01.md": 5}
    before = found.tree
    put(skill, "sub/inner/phases/01.md", b"changed")
    assert read(skill).tree == before, "it is no part of this skill"


def test_what_is_too_large_is_only_listed(skill: Path) -> None:
    put(skill, "data.bin", b"x" * (folders.LARGEST + 1))
    put(skill, "fits.bin", b"x" * folders.LARGEST)
    found = read(skill)
    assert found.unread == {"data.bin": folders.LARGEST + 1}
    assert "fits.bin" in found.files
    before = found.tree
    put(skill, "data.bin", b"y" * (folders.LARGEST + 1))
    assert read(skill).tree != before


def test_too_many_files_are_listed_the_deepest_first(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MOST_FILES", 3)
    for name in ("a/deep/1.md", "a/2.md", "z.md"):
        put(skill, name)
    found = read(skill)
    assert sorted(found.files) == ["SKILL.md", "a/2.md", "z.md"]
    assert [*found.unread] == ["a/deep/1.md"]


def test_links_are_listed_and_never_followed_for_their_content(skill: Path, tmp_path: Path) -> None:
    put(tmp_path, "secret.md", b"secret")
    put(tmp_path, "shared/style.md", b"style")
    put(skill, "real.md", b"real")
    put(skill, "folder/in.md", b"in")
    (skill / "out.md").symlink_to(tmp_path / "secret.md")
    (skill / "same.md").symlink_to("real.md")
    (skill / "shared").symlink_to(tmp_path / "shared")
    (skill / "again").symlink_to("folder")
    (skill / "dead.md").symlink_to("nowhere")
    found = read(skill)
    assert sorted(found.files) == ["SKILL.md", "folder/in.md", "real.md"]
    assert found.unread == {"out.md": 6, "same.md": 4, "shared/style.md": 5, "again/in.md": 2}
    before = found.tree
    put(skill, "real.md", b"changed")
    (skill / "same.md").unlink()
    (skill / "same.md").symlink_to("SKILL.md")
    changed = read(skill)
    assert changed.digests["same.md"] != found.digests["same.md"]
    assert changed.tree != before


def test_links_in_a_circle_end(skill: Path) -> None:
    put(skill, "a/x.md")
    (skill / "a/up").symlink_to("..")
    (skill / "a/b").symlink_to("c")
    (skill / "a/c").symlink_to("b")
    (skill / "self").symlink_to(".")
    assert sorted(read(skill).files) == ["SKILL.md", "a/x.md"]


def test_a_skill_that_is_a_link_is_read(skill: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(skill)
    assert read(tmp_path / "linked") == read(skill)


def test_a_main_file_that_is_a_link(skill: Path, tmp_path: Path) -> None:
    (skill / "SKILL.md").rename(skill / "README.md")
    (skill / "SKILL.md").symlink_to("README.md")
    found = read(skill)
    assert found.files == {"SKILL.md": SKILL}
    assert found.unread == {"README.md": len(SKILL)}, "nothing is read twice"
    (skill / "README.md").rename(tmp_path / "out.md")
    (skill / "SKILL.md").unlink()
    (skill / "SKILL.md").symlink_to(tmp_path / "out.md")
    with pytest.raises(Invalid, match="is not a skill"):
        read(skill)


def test_what_is_no_file_is_not_waited_for(skill: Path) -> None:
    os.mkfifo(skill / "pipe.md")
    assert [*read(skill).files] == ["SKILL.md"]


def test_a_name_that_is_no_utf8_is_listed_by_a_name_that_is(skill: Path) -> None:
    (Path(os.fsdecode(os.fsencode(skill) + b"/\xff.md"))).write_bytes(b"x")
    assert read(skill).unread == {"\\xff.md": 1}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_listed(skill: Path) -> None:
    put(skill, "closed.md", b"123")
    (skill / "closed.md").chmod(0)
    assert read(skill).unread == {"closed.md": 3}


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        (b"*.log\n", {"a.md", "sub/b.md", "sub/build/c.md"}),
        (b"build/\n", {"a.log", "a.md", "sub/b.md", "sub/x.log"}),
        (b"/build\n*.log\n!sub/x.log\n", {"a.md", "sub/b.md", "sub/build/c.md", "sub/x.log"}),
        (b"sub/*\n!sub/b.md\n", {"a.log", "a.md", "sub/b.md"}),
        (b"**/build/\n# comment\n\n", {"a.log", "a.md", "sub/b.md", "sub/x.log"}),
        (b"sub/**\n", {"a.log", "a.md"}),
        (b"[ab].md\n?.log\n", {"sub/build/c.md"}),
        (b"[\n\\#\n", {"a.log", "a.md", "sub/b.md", "sub/build/c.md", "sub/x.log"}),
        (b"*\n", set()),
    ],
)
def test_what_its_own_gitignore_says(skill: Path, rules: bytes, left: set[str]) -> None:
    """As git has it; SKILL.md is read all the same."""
    for name in ("a.md", "a.log", "sub/b.md", "sub/x.log", "sub/build/c.md"):
        put(skill, name)
    put(skill, ".gitignore", rules)
    assert {*read(skill).files} - {".gitignore", "SKILL.md"} == left


def test_a_gitignore_below_counts_for_its_folder(skill: Path) -> None:
    for name in ("a.md", "sub/a.md", "sub/deep/a.md"):
        put(skill, name)
    put(skill, "sub/.gitignore", b"/a.md\n")
    assert {*read(skill).files} == {"SKILL.md", "a.md", "sub/.gitignore", "sub/deep/a.md"}


def test_a_gitignore_above_is_not_heeded(skill: Path) -> None:
    put(skill.parent, ".gitignore", b"*\n")
    put(skill, "a.md")
    assert {*read(skill).files} == {"SKILL.md", "a.md"}


def test_no_folder_and_no_skill(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no folder"):
        read(tmp_path / "nowhere")
    with pytest.raises(Invalid, match=r"contains a file SKILL\.md"):
        read(tmp_path)
    put(tmp_path, "a.md")
    with pytest.raises(NotFound):
        read(tmp_path / "a.md")
    put(tmp_path / "large", "SKILL.md", b"x" * (folders.LARGEST + 1))
    with pytest.raises(Invalid, match="larger than"):
        read(tmp_path / "large")
    (tmp_path / "folder/SKILL.md").mkdir(parents=True)
    with pytest.raises(Invalid, match="is not a skill"):
        read(tmp_path / "folder")
