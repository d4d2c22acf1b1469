"""Reading what the probes wrote: exact keys, torn lines, garbage, duplicates, and merged coverage."""

import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.validation.coverage import Report, combined, is_own_code
from loopwright.validation.probe import read, split_key
from loopwright.validation.runners.contract import Reading

PARTS = st.text(st.characters(exclude_characters="[:", exclude_categories=["Cs"]), min_size=1, max_size=6)


def reading(folder: Path, *lines: object, torn: str = "") -> Reading:
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    (folder / "1-1.jsonl").write_text(text + torn)
    return read(folder, folder)


def result(id: str, status: str = "passed") -> dict[str, object]:
    return {"kind": "result", "id": id, "status": status, "ms": 1.5, "message": "", "trace": ""}


BEGIN: dict[str, object] = {"kind": "begin"}
END: dict[str, object] = {"kind": "end", "status": 0}


@given(st.lists(PARTS, min_size=1, max_size=4), st.one_of(st.none(), st.text(max_size=12)))
def test_a_key_is_split_at_its_last_name_and_joined_again(parts: list[str], parameter: str | None) -> None:
    tail = "" if parameter is None or len(parts) == 1 else f"[{parameter}]"
    key = "::".join(parts) + tail
    suite, name = split_key(key)
    assert (f"{suite}::{name}" if suite else name) == key
    assert suite == "::".join(parts[:-1])


def test_a_whole_run(tmp_path: Path) -> None:
    done = reading(tmp_path, BEGIN, {"kind": "start", "id": "a::b"}, result("a::b"), END)
    assert (done.complete, done.damaged, done.running) == (True, False, ())
    assert [(r.suite, r.test_name, r.duration_ms, r.error_message) for r in done.results] == [("a", "b", 1.5, None)]


def test_a_torn_last_line_is_no_damage(tmp_path: Path) -> None:
    done = reading(tmp_path, BEGIN, result("a::b"), torn='{"kind": "resu')
    assert (done.complete, done.damaged, len(done.results)) == (False, False, 1)


@pytest.mark.parametrize("line", ["garbage\n", "\n", "[]\n", '{"kind": "other"}\n', '{"kind": "result"}\n', "\x00\n",
                                  '{"kind": "result", "id": "a", "status": "great"}\n'])  # fmt: skip
def test_a_line_that_makes_no_sense_is_damage(tmp_path: Path, line: str) -> None:
    assert reading(tmp_path, BEGIN, line, END).damaged


def test_a_test_that_began_is_running_until_it_has_a_result(tmp_path: Path) -> None:
    start = {"kind": "start", "id": "a::b"}
    assert reading(tmp_path, BEGIN, start).running == ("a::b",)
    assert reading(tmp_path, BEGIN, start, start, result("a::b")).running == ()
    assert reading(tmp_path, BEGIN, start, result("a::b"), start).running == ("a::b",)


@pytest.mark.parametrize(("status", "complete"), [(0, True), (1, True), (5, True), (2, False), (3, False), (4, False)])
def test_only_a_proper_end_is_an_end(tmp_path: Path, status: int, complete: bool) -> None:
    assert reading(tmp_path, BEGIN, {"kind": "end", "status": status}).complete is complete


def test_every_process_has_to_end(tmp_path: Path) -> None:
    (tmp_path / "0-1.jsonl").write_text(json.dumps(BEGIN) + "\n" + json.dumps(result("first")) + "\n")
    done = reading(tmp_path, BEGIN, result("second"), END)
    assert not done.complete
    assert [r.key for r in done.results] == ["first", "second"]


def test_nothing_at_all(tmp_path: Path) -> None:
    assert read(tmp_path, tmp_path) == Reading()


@given(st.lists(st.sampled_from(["a", "b", "s::a", "s::a#2"]), max_size=8))
def test_no_result_hides_another(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    done = reading(tmp_path_factory.mktemp("same"), *map(result, ids))
    assert len({r.key for r in done.results}) == len(ids)


class TestCoverage:
    def report(self, folder: Path, name: str, files: dict[str, tuple[list[int], list[int]]]) -> Report:
        document = {
            "files": {f: {"executed_lines": ran, "missing_lines": missed} for f, (ran, missed) in files.items()}
        }
        (folder / name).write_text(json.dumps(document))
        return Report(folder, folder / name)

    def test_lines_that_any_process_ran_count_once(self, tmp_path: Path) -> None:
        reports = [
            self.report(tmp_path, "1.json", {"a.py": ([1, 2], [3, 4]), "b.py": ([], [1, 2])}),
            self.report(tmp_path, "2.json", {"a.py": ([1, 3], [2, 4])}),
            Report(tmp_path, tmp_path / "never-written.json"),
        ]
        measured = combined(tmp_path, reports)
        assert measured is not None
        assert measured.files == {"a.py": 75.0, "b.py": 0.0}
        assert measured.percent == 50.0

    def test_nothing_measured_is_not_zero(self, tmp_path: Path) -> None:
        assert combined(tmp_path, []) is None
        assert combined(tmp_path, [self.report(tmp_path, "1.json", {"tests/test_a.py": ([1], [])})]) is None
        (tmp_path / "torn.json").write_text('{"files": {')
        assert combined(tmp_path, [Report(tmp_path, tmp_path / "torn.json")]) is None

    def test_paths_are_those_of_the_project(self, tmp_path: Path) -> None:
        (tmp_path / "back").mkdir()
        files: dict[str, tuple[list[int], list[int]]] = {
            "a.py": ([1], []),
            "../../outside.py": ([1], []),
            str(tmp_path / "b.py"): ([1], []),
            "/x/c.py": ([1], []),
        }
        report = self.report(tmp_path / "back", "1.json", files)
        measured = combined(tmp_path, [report])
        assert measured is not None
        assert set(measured.files) == {"back/a.py", "b.py"}

    @pytest.mark.parametrize(
        ("file", "own"),
        [
            ("shop.py", True), ("src/shop/test.py", True), ("contest.py", True), ("latest_news.py", True),
            ("tests/helper.py", False), ("src/test_a.py", False), ("a_test.py", False), ("conftest.py", False),
            ("venv/lib/x.py", False), ("lib/site-packages/x.py", False), ("setup.py", False), ("../x.py", False),
        ],
    )  # fmt: skip
    def test_own_code(self, file: str, own: bool) -> None:
        assert is_own_code(PurePosixPath(file)) is own
