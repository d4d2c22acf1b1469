"""A `.gitignore` in a skill from elsewhere made a pattern that took minutes to say no."""

from pathlib import Path

import pytest

from loopwright.skills.disk.folders import read_folder


@pytest.mark.timeout(20)
@pytest.mark.parametrize("rule", ["**/a/" * 8 + "b", "*a" * 12 + "*b", "a/" + "**/" * 30 + "b"])
def test_reading_takes_no_longer_than_without_it(rule: str, tmp_path: Path) -> None:
    skill = tmp_path / "skill"
    deep = skill.joinpath(*["a"] * 60)
    deep.mkdir(parents=True)
    (deep / ("a" * 60)).write_text("found")
    (skill / "SKILL.md").write_text("---\nname: skill\ndescription: Reads.\n---\n")
    (skill / ".gitignore").write_text(rule)
    assert "/".join([*["a"] * 60, "a" * 60]) in read_folder(skill).files
