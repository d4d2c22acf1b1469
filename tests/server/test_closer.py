"""One real loop, carried out by the builtin agent in a process of its own, looked at from every side."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.server.office import LOOPS, Office, Reply, opened_office
from tests.waiting import until

A_WHOLE_LOOP = 240.0
"""Seconds, on a machine that is busy; on one that is not it takes five."""

LEDGER = """def positive(amounts):
    return [amount for amount in amounts if amount >= 0]
"""
TESTS = """from ledger import positive


def test_nothing_is_not_positive():
    assert positive([0, 1]) == [1]


def test_debts_are_not_positive():
    assert positive([2, -1]) == [2]
"""


@dataclass(frozen=True)
class Mended:
    office: Office
    folder: Path
    loop: str

    def get(self, path: str) -> Reply:
        return self.office.ask("GET", f"{LOOPS}/{self.loop}/{path}")


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mended]:
    base = tmp_path_factory.mktemp("mended")
    folder = base / "shop"
    folder.mkdir()
    (folder / "ledger.py").write_text(LEDGER)
    (folder / "test_ledger.py").write_text(TESTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(base / "state"))
        with opened_office(folder, real=True) as office:
            loop = office.create("Make the failing tests pass")
            assert office.ask("POST", f"{LOOPS}/{loop}/start").body["message"] == "Loop started"
            until(lambda: office.ask("GET", f"{LOOPS}/{loop}").data["status"] == "completed", A_WHOLE_LOOP)
            until(lambda: not office.ask("GET", f"{LOOPS}/{loop}").body["live"])
            yield Mended(office, folder, loop)


def test_events(mended: Mended) -> None:
    found = mended.get("events")
    assert [entry["seq"] for entry in found.data] == list(range(1, len(found.data) + 1))
    assert found.body["hasMore"] is False
    assert (found.data[0]["type"], found.data[0]["actor"], found.data[0]["words"]) == (
        "created",
        "api",
        "created, over the API",
    )
    part = mended.get("events?after=2&limit=3")
    assert ([entry["seq"] for entry in part.data], part.body["hasMore"]) == ([3, 4, 5], True)
    assert mended.get("events?after=9999").data == []


def test_transcript(mended: Mended) -> None:
    found = mended.get("transcript?limit=2")
    assert [note["kind"] for note in found.data] == ["activity", "result"]
    path = mended.office.service().store.progress_path(mended.loop) / "transcript.ndjson"
    assert found.body["position"] == path.stat().st_size
    assert len(mended.get("transcript").data) == len(path.read_text().splitlines())


def test_plan_timeline_and_history(mended: Mended) -> None:
    plan = mended.get("plan").data
    assert (plan[0]["content"], plan[0]["status"]) == ("Phase 1: Session Initialization", "completed")
    assert plan[-1]["content"] == "Phase 2: COMPLETE (succeeded)"
    steps = mended.get("timeline")
    assert [step["action"] for step in steps.data] == ["INIT", "VALIDATE", "DEBUG", "VALIDATE", "COMPLETE"]
    assert [step["iteration"] for step in steps.data] == [0, 1, 2, 3, 3]
    assert steps.data[2]["files"] == [{"file": "ledger.py", "action": "modify"}]
    assert all(step["ended_at"] >= step["started_at"] for step in steps.data)
    last = mended.get("timeline?limit=1")
    assert ([step["action"] for step in last.data], last.body["total"]) == (["COMPLETE"], 5)
    history = mended.get("history").data
    assert [(check["passed"], check["total"], check["failed"], check["iteration"]) for check in history] == [
        (False, 2, 1, 1), (True, 2, 0, 3),
    ]  # fmt: skip
    assert (history[0]["pass_rate"], history[1]["coverage"] > 50, len(history[0]["reasons"])) == (50.0, True, 2)


def test_checkpoints_and_diffs(mended: Mended) -> None:
    points = mended.get("checkpoints").data
    assert [(point["n"], point["action"]) for point in points] == [(1, "INIT"), (2, "DEBUG")]
    assert [point["files"] for point in points] == [[], [{"file": "ledger.py", "action": "modify"}]]
    diff = mended.get("diff").data
    assert ("+++ b/ledger.py" in diff["diff"], diff["truncated"]) == (True, False)
    assert mended.get("checkpoints/2/diff").data == diff
    assert mended.get("checkpoints/1/diff").data["diff"] == ""
    missing = mended.get("checkpoints/9/diff")
    assert (missing.status, missing.error) == (404, "Checkpoint 9 not found (the loop has: 1, 2)")
    assert [mended.get(f"checkpoints/{n}/diff").status for n in ("0", "x", "-1", "9" * 400)] == [400] * 4


def test_tests_and_hypotheses(mended: Mended) -> None:
    tests = mended.get("tests").data
    assert (len(tests), {test["status"] for test in tests}) == (2, {"passed"})
    assert "confirmed" in {hypothesis["status"] for hypothesis in mended.get("hypotheses").data}


def test_failing_tests_come_first(mended: Mended) -> None:
    service = mended.office.service()
    results = [
        {"test_name": "a", "status": "skipped"},
        {"test_name": "b", "status": "passed"},
        {"test_name": "c", "status": "failed"},
    ]
    loop = mended.office.create()
    state = service.read(mended.loop)
    assert state.skill_state is not None
    checked = state.skill_state.validate_.model_validate({"test_results": results, "last_run_at": state.created_at})
    skill = state.skill_state.evolve(validate_=checked)
    service.commit(loop, lambda s: s.evolve(skill_state=skill), "test")
    found = mended.office.ask("GET", f"{LOOPS}/{loop}/tests").data
    assert [test["test_name"] for test in found] == ["c", "b", "a"]
    brief = {b["loop_id"]: b for b in mended.office.ask("GET", f"{LOOPS}?view=brief").data}
    assert brief[loop]["tests"].items() >= {"total": 3, "failed": 1, "skipped": 1}.items()


def test_files(mended: Mended) -> None:
    names = {file["name"] for file in mended.get("progress").data}
    assert {"develop.md", "validate.md", "summary.md", "transcript.ndjson", "runner.log"} <= names
    assert mended.get("progress/summary.md").data["text"].startswith("#")
    folder = mended.office.service().store.progress_path(mended.loop)
    (folder / "way.md").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe.md")
    for name in ("..%2f..%2fledger.py", "%2e%2e%2fx", "way.md", "pipe.md", "none.md", "%00", "a%0ab"):
        assert mended.get(f"progress/{name}").status in (400, 404), name
    assert names.isdisjoint({"way.md", "pipe.md"})
    assert not {file["name"] for file in mended.get("progress").data} & {"way.md", "pipe.md"}


def test_a_loop_that_has_done_nothing_shows_nothing(mended: Mended) -> None:
    loop = mended.office.create()
    for path in ("transcript", "timeline", "checkpoints", "history", "tests", "hypotheses", "progress", "menu"):
        assert mended.office.ask("GET", f"{LOOPS}/{loop}/{path}").data == [], path
    assert mended.office.ask("GET", f"{LOOPS}/{loop}/diff").data == {"diff": "", "truncated": False}
    assert [line["status"] for line in mended.office.ask("GET", f"{LOOPS}/{loop}/plan").data] == [
        "in_progress",
        "pending",
    ]


def test_a_rewind_brings_the_files_back(mended: Mended) -> None:
    office, loop = mended.office, mended.loop
    good = (mended.folder / "ledger.py").read_text()
    back = office.ask("POST", f"{LOOPS}/{loop}/rewind", {"to": 1})
    assert (back.status, back.data["status"]) == (200, "paused")
    assert (mended.folder / "ledger.py").read_text() == LEDGER
    office.ask("POST", f"{LOOPS}/{loop}/rewind", {"to": 2})
    assert (mended.folder / "ledger.py").read_text() == good
    assert office.ask("POST", f"{LOOPS}/{loop}/rewind", {"to": 99}).status == 404
    assert office.ask("POST", f"{LOOPS}/{loop}/rewind", {"to": "1"}).status == 400


def test_a_loop_is_paused_resumed_and_stopped_while_it_runs(mended: Mended) -> None:
    office = mended.office
    loop = office.create("Wait", test_command="sleep 60")
    at = f"{LOOPS}/{loop}"
    office.ask("POST", f"{at}/start")
    until(lambda: office.ask("GET", at).body["live"])
    assert office.ask("DELETE", at).status == 400
    assert office.ask("POST", f"{at}/pause", {"now": True}).data["engine"]["interrupt"] is True
    until(lambda: not office.ask("GET", at).body["live"])
    assert office.ask("POST", f"{at}/resume").status == 200
    until(lambda: office.ask("GET", at).body["live"])
    stopped = office.ask("POST", f"{at}/stop")
    assert (stopped.data["status"], stopped.data["engine"]["outcome"]) == ("failed", "stopped")
    assert office.ask("GET", at).body["live"] is False
