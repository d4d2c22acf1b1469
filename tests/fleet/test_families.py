"""Attempts at one goal in the fleet, each a job of its own: the others end with the first success, whatever dies."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.core.errors import Conflict, ExitCode, Invalid, NotFound
from loopwright.core.record import JournalEvent
from loopwright.core.state import Outcome
from loopwright.fleet.database import connect
from loopwright.surfaces.cli.attempts import await_attempts
from loopwright.wiring import Engine, open_engine
from loopwright.wiring.fleet.marks import read_marks
from loopwright.wiring.fleet.runs import fetch_runs, submit_run
from loopwright.workflows.loop.family import find_undriven, hold_family, read_family, settle_family
from tests.fleet.real_fleet import RealFleet, open_fleet, until

ENDLESS = "echo mine >> draft.txt; sleep 600"


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


@pytest.fixture
def engine(fleet: RealFleet) -> Iterator[Engine]:
    flags: dict[str, object] = {"fleet": {"url": fleet.url}, "checkpoints": str(fleet.folder / "private")}
    with open_engine(fleet.project.root, flags) as made:
        yield made


def end(engine: Engine, id: str, outcome: Outcome) -> None:
    ended = {"status": "completed"} if outcome == "succeeded" else {"status": "failed", "failure_reason": "because"}
    engine.service.store.update(
        id,
        lambda s: s.evolve(**ended, completed_at=s.updated_at, engine=s.engine.evolve(outcome=outcome)),
        actor="test",
        event=JournalEvent(type="ended"),
    )


def statuses(fleet: RealFleet) -> list[str]:
    return [run["status"] for _, run in sorted(fleet.status().items())]


def test_a_machine_dies_between_a_success_and_the_end_of_the_others(fleet: RealFleet, tmp_path: Path) -> None:
    go = tmp_path / "go"
    wins = f"while [ ! -e {shlex.quote(str(go))} ]; do sleep 0.1; done; echo won >> notes.txt"
    ids = fleet.make_family([wins], [ENDLESS], [ENDLESS])
    (fleet.project.root / "notes.txt").write_text("begun, and changed\n")
    assert fleet.command("submit", ids[1])["loop_id"] == ids[1]
    first = fleet.machine(slots=3).start("--no-sandbox")
    until(lambda: len(list((first.home / "place" / "runs").glob("*/project/draft.txt"))) == 2)
    until(lambda: statuses(fleet) == ["running"] * 3)
    with connect(fleet.url) as database, database.transaction():
        database.execute("LOCK TABLE fleet_signal IN SHARE MODE")  # nobody can be stopped
        go.touch()
        with connect(fleet.url) as other:
            until(lambda: other.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone())
        first.kill()
    with connect(fleet.url) as database:
        assert database.execute("SELECT count(*) FROM fleet_signal").fetchone() == (0,)
        database.execute("UPDATE fleet_worker SET beat = beat - interval '10 s'")
    shown = fleet.answer("show", ids[2])
    assert shown["attempts"][0]["outcome"] == "succeeded"
    assert "they are in the fleet" in fleet.text("show", ids[2])
    second = fleet.machine().start()
    until(lambda: statuses(fleet) == ["finished"] * 3)
    assert second.end() == 0
    fleet.git(
        "fetch", "--quiet", "origin", "loopwright/loop-1:loopwright/loop-1"
    )  # as a fetch that was killed leaves it
    fetched = fleet.answer("fetch", ids[2])
    assert [one["outcome"] for one in fetched["attempts"]] == ["succeeded", "stopped", "stopped"]
    assert [one["chosen"] for one in fetched["attempts"]] == [True, False, False]
    assert "another attempt has succeeded" in fetched["attempts"][1]["reason"]
    assert fleet.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split() == ["loopwright/loop-1", "main"]
    assert fleet.git("ls-remote", "origin", "refs/heads/*", "refs/loopwright/*").split()[1::2] == [
        "refs/heads/loopwright/loop-1", "refs/heads/main",
    ]  # fmt: skip
    fleet.command("fetch", ids[0], code=5)
    assert (fleet.project.root / "notes.txt").read_text() == "begun, and changed\n"
    fleet.command("apply", ids[0])
    assert (fleet.project.root / "notes.txt").read_text() == "begun, and changed\nwon\n"
    fleet.command("branch", ids[0])
    fleet.command("delete", ids[1], "--yes")
    assert len(fleet.answer("show", ids[0])["attempts"]) == 2


def test_all_that_have_not_ended_go_there_or_none(
    fleet: RealFleet, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    ids, service = fleet.make_family(["true"], ["true"], ["true"], ["true"], run_all=True), engine.service

    def refused(error: type[Exception], words: str, account: str = "default") -> None:
        with pytest.raises(error, match=words):
            submit_run(engine, "loop_id", ids[1], account)
        assert (read_marks(engine.project), fleet.status()) == ({}, {})
        assert all(service.read(id).engine.settings.worktree for id in service.store.revs())

    with hold_family(service, read_family(service, ids[0])[0]):
        refused(Conflict, "another process drives these attempts")
    with service.store.lease(ids[2]):
        refused(Conflict, f"{ids[2]} is being driven here")
    refused(Invalid, "no account nobody", "nobody")
    end(engine, ids[0], "succeeded")
    service.delete(ids[3])
    assert submit_run(engine, "loop_id", ids[1], "default") == (ids[1], ids[2])
    assert sorted(fleet.status()) == [ids[1], ids[2]]
    assert find_undriven(service, ids[0]) is None, "it is driven in the fleet"
    with pytest.raises(Conflict, match="in the fleet already"):
        submit_run(engine, "loop_id", ids[2], "default")
    assert sorted(fetch_runs(engine, ids[0])) == [ids[1], ids[2]]
    assert settle_family(service, ids[0]) is None
    with connect(fleet.url) as database:
        database.execute("UPDATE fleet_loop SET status = 'resting' WHERE id = %s", [ids[1]])
        database.execute("UPDATE fleet_loop SET status = 'finished' WHERE id = %s", [ids[2]])
    assert await_attempts(engine, ids[0], json=False, at="") == ExitCode.NEEDS_PERSON
    told = capsys.readouterr().out
    assert f"help  loopwright show {ids[1]}\n  then  loopwright fetch {ids[0]}" in told
    assert sorted(read_marks(engine.project)) == [ids[1]], "the other one was fetched"


def test_attempts_that_need_no_machine_are_not_submitted(fleet: RealFleet, engine: Engine) -> None:
    ids = fleet.make_family(["true"], ["true"])
    end(engine, ids[0], "succeeded")
    with pytest.raises(Conflict, match=f"has succeeded already; choose the best: loopwright resume {ids[1]} --wait"):
        submit_run(engine, "loop_id", ids[1], "default")
    end(engine, ids[1], "failed")
    with pytest.raises(Conflict, match="all attempts have ended already"):
        submit_run(engine, "loop_id", ids[1], "default")
    assert fetch_runs(engine, ids[1]) == {}, "it only chooses"
    with pytest.raises(NotFound, match="the fleet has no run"):
        fetch_runs(engine, ids[0])
