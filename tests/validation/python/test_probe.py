"""Reading what the probes wrote: exact keys, torn lines, garbage, duplicates, and merged coverage."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.evidence.python.probe import read_probes
from loopwright.evidence.results import RunnerReport, split_key

PARTS = st.text(st.characters(exclude_characters="[:", exclude_categories=["Cs"]), min_size=1, max_size=6)


def reading(folder: Path, *lines: object, torn: str = "") -> RunnerReport:
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    (folder / "1-1.jsonl").write_text(text + torn)
    return read_probes(folder, folder)


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
    assert read_probes(tmp_path, tmp_path) == RunnerReport()


@given(st.lists(st.sampled_from(["a", "b", "s::a", "s::a#2"]), max_size=8))
def test_no_result_hides_another(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    done = reading(tmp_path_factory.mktemp("same"), *map(result, ids))
    assert len({r.key for r in done.results}) == len(ids)
