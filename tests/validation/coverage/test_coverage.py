"""Line coverage out of every format: what counts as the project's own code, and what counts as run."""

import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.evidence import coverage
from loopwright.evidence.coverage import FileLines, combine_coverage, is_own_code


def covered(folder: Path, name: str, files: dict[str, tuple[list[int], list[int]]]) -> list[FileLines]:
    document = {"files": {f: {"executed_lines": ran, "missing_lines": missed} for f, (ran, missed) in files.items()}}
    (folder / name).write_text(json.dumps(document))
    return list(coverage.read_coverage_py(folder / name, folder))


def test_lines_that_any_process_ran_count_once(tmp_path: Path) -> None:
    reports = [
        *covered(tmp_path, "1.json", {"a.py": ([1, 2], [3, 4]), "b.py": ([], [1, 2])}),
        *covered(tmp_path, "2.json", {"a.py": ([1, 3], [2, 4])}),
        *coverage.read_coverage_py(tmp_path / "never-written.json", tmp_path),
    ]
    measured = combine_coverage(tmp_path, reports)
    assert measured is not None
    assert measured.files == {"a.py": 75.0, "b.py": 0.0}
    assert measured.percent == 50.0


def test_nothing_measured_is_not_zero(tmp_path: Path) -> None:
    assert combine_coverage(tmp_path, []) is None
    assert combine_coverage(tmp_path, covered(tmp_path, "1.json", {"tests/test_a.py": ([1], [])})) is None
    (tmp_path / "torn.json").write_text('{"files": {')
    assert combine_coverage(tmp_path, coverage.read_coverage_py(tmp_path / "torn.json", tmp_path)) is None


def test_paths_are_those_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "back").mkdir()
    files: dict[str, tuple[list[int], list[int]]] = {
        "a.py": ([1], []),
        "../../outside.py": ([1], []),
        str(tmp_path / "b.py"): ([1], []),
        "/x/c.py": ([1], []),
    }
    report = covered(tmp_path / "back", "1.json", files)
    measured = combine_coverage(tmp_path, report)
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


class TestLcov:
    def test_counts_of_lines(self, tmp_path: Path) -> None:
        text = (
            "TN:\nSF:src/a.js\nFN:1,f\nDA:1,3\nDA:2,0\nDA:3,1,abc\nBRDA:1,0,0,-\nend_of_record\n"
            f"SF:{tmp_path}/b.js\r\nDA:1,0\r\nDA:1,2\r\nend_of_record\r\nSF:torn.js\nDA:1,1\n"
        )
        measured = combine_coverage(tmp_path, coverage.read_lcov(text, tmp_path))
        assert measured is not None
        assert measured.files == {"b.js": 100.0, "src/a.js": 66.67}

    @given(st.text())
    def test_anything_can_be_read(self, text: str) -> None:
        list(coverage.read_lcov(text, Path("/")))


class TestIstanbul:
    def test_a_line_ran_when_a_statement_that_begins_on_it_did(self, tmp_path: Path) -> None:
        at = [{"start": {"line": line, "column": 0}, "end": {"line": 9, "column": 1}} for line in (1, 1, 2, 4)]
        statements = {str(number): place for number, place in enumerate(at)}
        file = {"path": "/x", "statementMap": statements, "s": {"0": 0, "1": 2, "2": 0, "3": 5}}
        (tmp_path / "report.json").write_text(json.dumps({str(tmp_path / "a.js"): file}))
        assert list(coverage.read_istanbul(tmp_path / "report.json")) == [FileLines(tmp_path / "a.js", {1, 4}, {2})]

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', '{"a": {"statementMap": {"0": {}}, "s": {}}}'])
    def test_what_is_no_report_measures_nothing(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "report.json").write_text(text)
        assert list(coverage.read_istanbul(tmp_path / "report.json")) == []
        assert list(coverage.read_istanbul(tmp_path / "missing.json")) == []


class TestV8:
    SOURCE = f"const a = '{'😀' * 12}'\n\n" + "function f(x) {\n  if (x) {\n    return 1\n  }\n  return 2\n}\nf(0)\n"

    def report(self, folder: Path, *ranges: tuple[str, str, int], **more: object) -> Path:
        """A report whose ranges go from the first to the second text."""
        (folder / "a b.js").write_text(self.SOURCE, encoding="utf-8")

        def offset(text: str, *, end: bool = False) -> int:
            before = self.SOURCE[: self.SOURCE.index(text) + (len(text) if end else 0)]
            return len(before.encode("utf-16-le")) // 2

        parts = [
            {"startOffset": offset(first), "endOffset": offset(last, end=True), "count": count}
            for first, last, count in ranges
        ]
        script = {"url": (folder / "a b.js").as_uri(), "functions": [{"ranges": parts}]}
        others = [{"url": "node:fs", "functions": []}, {"url": "file:///elsewhere.js", "functions": []}]
        (folder / "report.json").write_text(json.dumps({"result": [script, *others], **more}))
        return folder / "report.json"

    def test_the_innermost_range_decides(self, tmp_path: Path) -> None:
        report = self.report(tmp_path, ("const", "f(0)", 1), ("function", "2\n}", 1), ("{\n    return 1", "1\n  }", 0))
        assert list(coverage.read_v8([report], tmp_path)) == [
            FileLines(tmp_path / "a b.js", {1, 3, 4, 7, 8, 9}, {5, 6})
        ]

    def test_what_was_translated_is_left_out(self, tmp_path: Path) -> None:
        url = (tmp_path / "a b.js").as_uri()
        report = self.report(tmp_path, ("const", "f(0)", 1), **{"source-map-cache": {url: {}}})
        assert list(coverage.read_v8([report], tmp_path)) == []

    def test_what_is_no_report_measures_nothing(self, tmp_path: Path) -> None:
        for text in ("", "{", "{}", '{"result": [{"url": 7}]}'):
            (tmp_path / "torn.json").write_text(text)
            assert list(coverage.read_v8([tmp_path / "torn.json"], tmp_path)) == []
