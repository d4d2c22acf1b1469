"""Which folders are skills."""

from pathlib import Path

import pytest

from loopwright.core.errors import NotFound
from loopwright.skills.disk.folders import SkillFolders


def skill(root: Path, main: str = "SKILL.md") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / main).write_text("---\nname: x\n---\n# X\n")
    return root


def test_all_of_them_nested_and_hidden_ones_too(tmp_path: Path) -> None:
    wanted = [
        skill(tmp_path / ".claude/skills/a"), skill(tmp_path / ".claude/skills/a/inner"),
        skill(tmp_path / "b", "skill.md"), skill(tmp_path / "plugins/x/skills/c"),
    ]  # fmt: skip
    for folder in ("node_modules/x", ".git/x", ".venv/x", ".workflow/x"):
        skill(tmp_path / folder)
    (tmp_path / "no/SKILL.md").mkdir(parents=True)
    assert SkillFolders().find(tmp_path) == tuple(sorted(wanted))
    assert SkillFolders().find(wanted[0]) == (wanted[0], wanted[1])


def test_what_a_skill_has_as_material_is_none(tmp_path: Path) -> None:
    skill(tmp_path / "maker")
    skill(tmp_path / "maker/references/examples/one")
    skill(tmp_path / "maker/skills/other")
    assert SkillFolders().find(tmp_path) == (tmp_path / "maker", tmp_path / "maker/skills/other")


@pytest.mark.parametrize("front", ["", "---\ntags: [learning]\n---\n\nname: a name\n"])
def test_a_page_that_happens_to_be_called_skill_is_none(tmp_path: Path, front: str) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki/skill.md").write_text(f"{front}A skill is what one has learned.\n")
    assert SkillFolders().find(tmp_path) == ()


def test_a_link_to_a_skill_counts_where_the_skill_itself_is_not_found(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    skill(here / "real")
    skill(there / "far/inner")
    skill(there / "far")
    (here / "a-link").symlink_to("real")
    (here / "b-link").symlink_to(there / "far")
    (here / "c-link").symlink_to(there / "far")
    (here / "up").symlink_to("..")
    (here / "dead").symlink_to("nowhere")
    assert SkillFolders().find(here) == (here / "b-link", here / "real")


def test_no_folder_and_no_skills(tmp_path: Path) -> None:
    assert SkillFolders().find(tmp_path) == ()
    with pytest.raises(NotFound, match="no folder"):
        SkillFolders().find(tmp_path / "nowhere")


def test_hundreds_of_folders(tmp_path: Path) -> None:
    wanted = [skill(tmp_path / f"group-{n % 30:02}/skill-{n:04}") for n in range(400)]
    for n in range(0, 400, 3):
        (wanted[n] / "phases/deep").mkdir(parents=True)
    assert SkillFolders().find(tmp_path) == tuple(sorted(wanted))


def test_a_marketplace_of_60_plugins_is_found_and_read_with_nothing_of_its_neighbours(tmp_path: Path) -> None:
    for n in range(60):
        skill = tmp_path / f"plugins/p{n}/skills/s{n}"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(f"---\nname: s{n}\ndescription: Does {n}.\n---\n")
        (tmp_path / f"plugins/p{n}/.claude-plugin").mkdir()
        (tmp_path / f"plugins/p{n}/.claude-plugin/plugin.json").write_text(f'{{"name": "p{n}"}}')
    folders = SkillFolders()
    found = folders.find(tmp_path)
    assert len(found) == 60
    assert all([*folders.read(one).files] == ["SKILL.md"] for one in found)


def test_what_stands_above_a_skill_in_folders_of_its_kind(tmp_path: Path) -> None:
    shop = skill(tmp_path / "project/plugins/shop/skills/till")
    for name in ("references/terms.md", "plugins/shop/references/deep/prices.md", "plugins/shop/docs/not.md"):
        (tmp_path / "project" / name).parent.mkdir(parents=True)
        (tmp_path / "project" / name).touch()
    (tmp_path / "references").mkdir()
    (tmp_path / "references/foreign.md").touch()
    (tmp_path / "project/.git").mkdir()
    assert SkillFolders().read(shop).above == {"references/terms.md", "references/deep/prices.md"}
    (shop / ".git").mkdir()
    assert SkillFolders().read(shop).above == frozenset()
