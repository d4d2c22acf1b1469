"""What can be typed behind `loopwright tune`: paths, words, levels, dimensions; everything else is one clear error."""

import os
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid, NotFound
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.findings import DIMENSIONS
from loopwright.surfaces.cli.tune import add_level, dimensions_of, form_of, level_of
from loopwright.surfaces.cli.tune_targets import display_path, find_installed, find_named, find_owning

SKILL = "---\nname: x\ndescription: y\n---\n# X\n"
FOLDERS = SkillFolders()


def skill(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    return folder


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["a", "--fix"], ["a", "--fix=mechanical"]),
        (["--fix", "a"], ["--fix=mechanical", "a"]),
        (["--fix", "all", "a"], ["--fix=all", "a"]),
        (["--fix=all", "a"], ["--fix=all", "a"]),
        (["--fix", "--yes"], ["--fix=mechanical", "--yes"]),
        (["a", "--", "--fix"], ["a", "--", "--fix"]),
    ],
)
def test_a_level_may_be_left_out(typed: list[str], meant: list[str]) -> None:
    assert add_level(typed) == meant


def test_levels_by_what_is_typed() -> None:
    assert [level_of(fix) for fix in (None, "mechanical", "all")] == ["none", "mechanical", "template"]
    with pytest.raises(Invalid, match="got --fix=everything"):
        level_of("everything")


def test_dimensions_in_their_own_order() -> None:
    assert dimensions_of(None) == DIMENSIONS
    assert dimensions_of("agent, Context") == ("context", "agent")
    with pytest.raises(Invalid, match=r"context, memory, dataflow, agent \(got speed\)"):
        dimensions_of("context,speed")
    with pytest.raises(Invalid, match="one or more"):
        dimensions_of(" , ")


def test_forms() -> None:
    assert (form_of("text", False), form_of("text", True), form_of("sarif", False)) == ("text", "json", "sarif")
    for form, json in (("html", False), ("sarif", True)):
        with pytest.raises(Invalid):
            form_of(form, json)


def test_one_skill_by_its_folder_or_its_file(tmp_path: Path) -> None:
    home = skill(tmp_path / "skills" / "one")
    (home / "phases").mkdir()
    page = home / "phases" / "01.md"
    page.write_text("# One\n")
    for path in (home, home / "SKILL.md", page):
        assert find_named([str(path)], FOLDERS) == ((home.resolve(),), True, "")


def test_a_folder_of_skills_and_several_paths(tmp_path: Path) -> None:
    first, second = skill(tmp_path / "skills" / "a"), skill(tmp_path / "skills" / "b")
    assert find_named([str(tmp_path)], FOLDERS) == ((first.resolve(), second.resolve()), False, "")
    assert find_named([str(second), str(first), str(second)], FOLDERS).roots == (second.resolve(), first.resolve())


def test_a_skill_with_others_below_is_a_folder_of_skills(tmp_path: Path) -> None:
    outer, inner = skill(tmp_path / "outer"), skill(tmp_path / "outer" / "nested")
    assert find_named([str(outer)], FOLDERS) == ((outer.resolve(), inner.resolve()), False, "")


@pytest.mark.parametrize("words", ["it forgets the goal", "代理忘记目标", "reads a/b and c"])
def test_the_last_argument_may_say_what_is_wrong(tmp_path: Path, words: str) -> None:
    home = skill(tmp_path / "one")
    assert find_named([str(home), words], FOLDERS) == ((home.resolve(),), True, words)


def test_words_that_are_a_path_are_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    home, other = skill(tmp_path / "one"), skill(tmp_path / "my other skill")
    assert find_named(["one", "my other skill"], FOLDERS).roots == (home.resolve(), other.resolve())


@pytest.mark.parametrize(
    "given", [["nowhere"], ["nowhere", "it forgets"], ["one", "typo"], ["", "one"], ["a\0b", "one"]]
)
def test_what_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    skill(tmp_path / "one")
    with pytest.raises(NotFound, match="there is no file or folder"):
        find_named(given, FOLDERS)


def test_what_is_no_skill_is_told_what_one_is(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.md").write_text("x")
    with pytest.raises(NotFound, match=r"a skill is a folder with a SKILL\.md"):
        find_named([str(tmp_path / "empty")], FOLDERS)
    with pytest.raises(NotFound, match="belongs to no skill"):
        find_named([str(tmp_path / "empty" / "notes.md")], FOLDERS)
    with pytest.raises(Invalid, match="--installed"):
        find_named([], FOLDERS)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_no_empty_one(tmp_path: Path) -> None:
    home = skill(tmp_path / "one")
    home.chmod(0)
    try:
        with pytest.raises(Invalid, match="permissions"):
            find_named([str(home)], FOLDERS)
    finally:
        home.chmod(0o755)


def test_files_stand_for_their_skills(tmp_path: Path) -> None:
    one, two = skill(tmp_path / "skills" / "one"), skill(tmp_path / "skills" / "two")
    (tmp_path / "skills" / "README.md").write_text("x")
    given = [one / "SKILL.md", one / "gone" / "02.md", two / "SKILL.md", tmp_path / "skills" / "README.md"]
    assert find_owning([str(path) for path in given]).roots == (one.resolve(), two.resolve())
    assert find_owning([str(tmp_path / "skills" / "README.md")]).roots == ()
    with pytest.raises(NotFound, match=r"gone\.md"):
        find_owning([str(tmp_path / "skills" / "gone.md")])


def test_installed_skills_of_all_hosts(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    with pytest.raises(NotFound, match=r"\.claude/skills"):
        find_installed((project, home), FOLDERS)
    mine = skill(project / ".agents" / "skills" / "mine")
    plugin = skill(home / ".claude" / "plugins" / "kit" / "skills" / "deep")
    gemini = skill(home / ".gemini" / "skills" / "g")
    assert set(find_installed((project, home), FOLDERS).roots) == {mine.resolve(), plugin.resolve(), gemini.resolve()}


def test_paths_are_told_from_where_one_stands(tmp_path: Path) -> None:
    assert display_path(tmp_path / "a" / "b", tmp_path) == "a/b"
    assert display_path(tmp_path, tmp_path) == "."
    assert display_path(tmp_path, tmp_path / "a") == str(tmp_path)
