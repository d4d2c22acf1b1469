"""The weak readers of `bench/prompts` do what their message lets them do, and no more."""

from collections import Counter
from pathlib import Path

import pytest

from bench.prompts.projects import PROJECTS, Project
from bench.prompts.reader import Reader

VAT = PROJECTS[0]
FAILURE = "```text\n>       assert m.gross(200) == 210\nE       AssertionError: assert 214 == 210\nprices.py:5\n```"
RANKED = "| 1 | H1: rates.py:1 in rate | `RATES` |"
TRIED = "```diff\n--- a/rates.py\n+++ b/rates.py\n-{}\n+{}\n```"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    VAT.write(tmp_path, "pytest")
    return tmp_path


def reader(policy: str, root: Path, project: Project = VAT) -> Reader:
    file, right, wrong = project.fault
    return Reader({"policy": policy, "file": file, "right": right, "wrong": wrong, "guess": project.guess}, root)


def is_mended(root: Path) -> bool:
    return VAT.fault[1] in (root / "rates.py").read_text()


def test_there_are_thirty_of_which_each_has_one_fault(tmp_path: Path) -> None:
    assert set(Counter(one.kind for one in PROJECTS).values()) == {5}
    assert len({one.name for one in PROJECTS}) == 30
    for one in PROJECTS:
        for framework in ("pytest", "unittest"):
            folder = tmp_path / one.name / framework
            folder.mkdir(parents=True)
            one.write(folder, framework)
            broken = (folder / one.fault[0]).read_text()
            assert one.fault[2] in broken
            assert one.fault[1] not in broken.replace(one.fault[2], "")
            assert len({one.guess, *one.fault[1:]}) == 3


@pytest.mark.parametrize("policy", ["line", "assertion", "forgetful", "evidence"])
def test_who_is_told_nothing_does_nothing(root: Path, policy: str) -> None:
    assert reader(policy, root).play("- test_prices.py::test_book\n/elsewhere/rates.py:1") == ""
    assert not is_mended(root)


def test_a_line_is_mended_at_once_by_who_sees_values_and_by_guessing_else(root: Path) -> None:
    one = reader("line", root)
    assert one.play(f"{FAILURE}\n{RANKED}") == "looked at prices.py:5"
    one.play(f"{FAILURE}\n{RANKED}")
    assert is_mended(root)
    VAT.write(root, "pytest")
    blind = reader("line", root)
    blind.play(RANKED)
    assert not is_mended(root)
    blind.play(RANKED)
    assert is_mended(root)


def test_who_needs_the_assertion_needs_the_file_too(root: Path) -> None:
    one = reader("assertion", root)
    assert (one.play(FAILURE), one.play(RANKED)) == ("", "")
    one.play(f"{FAILURE}\n{RANKED}")
    assert is_mended(root)


def test_who_forgets_repeats_what_it_is_not_told(root: Path) -> None:
    one = reader("forgetful", root)
    shown = f"Edits that made these tests pass on a copy:\n{TRIED.format(VAT.guess, VAT.fault[1])}"
    assert one.play(RANKED) == one.play(f"{RANKED}\n{shown}") == f"put {VAT.guess} into rates.py"
    one.play(f"{RANKED}\n{TRIED.format(VAT.fault[2], VAT.guess)}")
    assert is_mended(root)


def test_an_edit_that_is_shown_is_taken(root: Path) -> None:
    text = (root / "rates.py").read_text().splitlines()[0]
    edit = f"```diff\n--- a/rates.py\n+++ b/rates.py\n@@ -1 +1 @@\n-{text}\n+{text.replace('7', '5')}\n```"
    one = reader("evidence", root)
    assert one.play(f"The last attempt:\n{edit}") == ""
    one.play(f"The last attempt:\n{edit}\nEdits that made these tests pass on a copy:\n{edit}")
    assert is_mended(root)
