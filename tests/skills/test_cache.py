"""What was found before: the same to the byte, never what is torn or of other code, and never too much of it."""

import os
from pathlib import Path

import pytest

from loopwright.skills.disk.cache import FindingsCache, code_digest
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.findings import DIMENSIONS
from loopwright.workflows.tuning.report.sarif import render_sarif
from loopwright.workflows.tuning.report.skill_check import check_with_cache, findings_document, key_of

SAMPLES = Path(__file__).parent.parent / "tune" / "samples"
SICK = sorted(path for path in SAMPLES.glob("*/sick") if (path / "SKILL.md").is_file())


def test_warm_is_cold_to_the_byte(tmp_path: Path) -> None:
    assert len(SICK) > 5
    cache, folders = FindingsCache(tmp_path, "code"), SkillFolders()

    def told() -> tuple[str, bytes]:
        found = [check_with_cache(folders.read(root), str(root), DIMENSIONS, (), cache) for root in SICK]
        return str(findings_document(found)), render_sarif(found)

    cold = told()
    assert len([*tmp_path.rglob("*")]) > len(SICK), "nothing was kept"
    assert told() == cold


def test_a_skill_is_not_diagnosed_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, files = FindingsCache(tmp_path, "code"), SkillFolders().read(SICK[0])
    first = check_with_cache(files, "here", DIMENSIONS, (), cache)
    monkeypatch.delattr("loopwright.workflows.tuning.report.skill_check.check_skill")
    again = check_with_cache(files, "there", DIMENSIONS, (), cache)
    assert (again.findings, again.path) == (first.findings, "there")


def test_whatever_the_findings_depend_on_is_in_the_key(tmp_path: Path) -> None:
    from dataclasses import replace

    files = SkillFolders().read(SICK[0])
    others = [
        replace(files, name="other"), replace(files, digests={**files.digests, "x.md": "0"}),
        replace(files, unread={"big.bin": 1}), replace(files, catalogues=(("a", "b"),)),
    ]  # fmt: skip
    keys = [key_of(files, DIMENSIONS, ()), *(key_of(one, DIMENSIONS, ()) for one in others)]
    keys += [key_of(files, DIMENSIONS[:1], ()), key_of(files, DIMENSIONS, ("0123456789abcdef",))]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("damage", [b"", b"x", b"0" * 32, None])
def test_what_is_torn_is_worked_out_again(tmp_path: Path, damage: bytes | None) -> None:
    cache = FindingsCache(tmp_path, "code")
    cache.put("key", b"what was found")
    assert cache.get("key") == b"what was found"
    (entry,) = (path for path in tmp_path.rglob("*") if path.is_file())
    entry.write_bytes(entry.read_bytes()[:-1] if damage is None else damage)
    assert cache.get("key") is None
    cache.put("key", b"what was found")
    assert cache.get("key") == b"what was found"


def test_an_entry_that_says_something_else_is_not_believed(tmp_path: Path) -> None:
    cache, files = FindingsCache(tmp_path, "code"), SkillFolders().read(SICK[0])
    right = check_with_cache(files, "p", DIMENSIONS, (), cache)
    cache.put(key_of(files, DIMENSIONS, ()), b'{"findings": "many"}')
    assert check_with_cache(files, "p", DIMENSIONS, (), cache) == right


def test_other_code_has_other_entries(tmp_path: Path) -> None:
    FindingsCache(tmp_path, "one").put("key", b"x")
    assert FindingsCache(tmp_path, "two").get("key") is None
    source = tmp_path / "source"
    source.mkdir()
    (source / "rule.py").write_text("a = 1")
    before = code_digest(source)
    (source / "rule.py").write_text("a = 22")
    assert code_digest(source) != before


def test_a_folder_that_can_not_be_written_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = FindingsCache(tmp_path / "file", "code")
    cache.put("key", b"x")
    cache.tidy()
    assert cache.get("key") is None


def test_the_oldest_go_when_there_is_too_much(tmp_path: Path) -> None:
    cache = FindingsCache(tmp_path, "code", most=1_000, kept=500)
    for number in range(20):
        cache.put(f"{number}", b"x" * 67)
        newest = max((path for path in tmp_path.rglob("*") if path.is_file()), key=os.path.getmtime)
        os.utime(newest, (number, number))  # the latest write is the only one with the time of today
    cache.tidy()
    left = [number for number in range(20) if cache.get(f"{number}")]
    assert left == [15, 16, 17, 18, 19]
