"""Line coverage out of every format: what counts as the project's own code, and what counts as run."""

import json
from pathlib import Path, PurePosixPath

import pytest

from loopwright.validation.coverage import coveragepy
from loopwright.validation.coverage.lines import FileLines, combined, is_own_code


def covered(folder: Path, name: str, files: dict[str, tuple[list[int], list[int]]]) -> list[FileLines]:
    document = {"files": {f: {"executed_lines": ran, "missing_lines": missed} for f, (ran, missed) in files.items()}}
    (folder / name).write_text(json.dumps(document))
    return list(coveragepy.read(folder / name, folder))


def test_lines_that_any_process_ran_count_once(tmp_path: Path) -> None:
    reports = [
        *covered(tmp_path, "1.json", {"a.py": ([1, 2], [3, 4]), "b.py": ([], [1, 2])}),
        *covered(tmp_path, "2.json", {"a.py": ([1, 3], [2, 4])}),
        *coveragepy.read(tmp_path / "never-written.json", tmp_path),
    ]
    measured = combined(tmp_path, reports)
    assert measured is not None
    assert measured.files == {"a.py": 75.0, "b.py": 0.0}
    assert measured.percent == 50.0


def test_nothing_measured_is_not_zero(tmp_path: Path) -> None:
    assert combined(tmp_path, []) is None
    assert combined(tmp_path, covered(tmp_path, "1.json", {"tests/test_a.py": ([1], [])})) is None
    (tmp_path / "torn.json").write_text('{"files": {')
    assert combined(tmp_path, coveragepy.read(tmp_path / "torn.json", tmp_path)) is None


def test_paths_are_those_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "back").mkdir()
    files: dict[str, tuple[list[int], list[int]]] = {
        "a.py": ([1], []),
        "../../outside.py": ([1], []),
        str(tmp_path / "b.py"): ([1], []),
        "/x/c.py": ([1], []),
    }
    report = covered(tmp_path / "back", "1.json", files)
    measured = combined(tmp_path, report)
    assert measured is not None
    assert set(measured.files) == {"back/a.py", "b.py"}


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("shop.py", True), ("src/shop/test.py", True), ("contest.py", True), ("latest_news.py", True),
        ("tests/helper.py", False), ("src/test_a.py", False), ("a_test.py", False), ("conftest.py", False),
        ("venv/lib/x.py", False), ("lib/site-packages/x.py", False), ("setup.py", False), ("../x.py", False),
        ("src/cart.js", True), ("src/contest.ts", True), ("src/cart.test.js", False), ("src/cart_spec.mts", False),
        ("__tests__/cart.js", False), ("src/__mocks__/cart.js", False),
    ],
)  # fmt: skip
def test_own_code(file: str, own: bool) -> None:
    assert is_own_code(PurePosixPath(file)) is own
