"""Real workers that drive real loops, and what happens when they die, stand still or are cut off."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.fleet.database import connect
from loopwright.wiring import open_engine
from tests.fleet.postgres import Server
from tests.fleet.real_fleet import RealFleet, open_fleet, until
from tests.tune.session.stage import MENDED, SICK
from tests.validation.projects import lay_out

STEPS = ["echo one >> notes.txt", "sleep 2; echo two >> notes.txt", "echo three >> more.txt"]
DONE = "begun\none\ntwo\n"


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


def show(fleet: RealFleet, branch: str, file: str) -> str:
    return fleet.git("--git-dir", str(fleet.remote), "show", f"{branch}:{file}") + "\n"


def test_a_loop_goes_there_and_comes_back(fleet: RealFleet) -> None:
    (fleet.project.root / "draft.txt").write_text("not committed\n")
    (fleet.project.root / "notes.txt").write_text("begun, and changed\n")
    fleet.make_loop("loop-1", STEPS)
    fleet.command("submit", "loop-1")
    assert fleet.status()["loop-1"]["status"] == "queued"
    fleet.command("rewind", "loop-1", "--to", "1", code=5)
    machine = fleet.machine().start()
    until(lambda: fleet.status()["loop-1"]["status"] == "finished")
    fleet.command("reopen", "loop-1")
    until(lambda: machine.output.count("loop-1 finished") == 2)
    watched = fleet.text("watch", "loop-1")
    assert "more.txt" in watched
    assert "loopwright fetch loop-1" in watched
    assert machine.end() == 0, machine.output
    assert machine.left() == []
    assert "out of reach" not in machine.output
    fetched = fleet.command("fetch", "loop-1")
    assert fetched["status"] == "completed"
    branch = "loopwright/loop-1"
    assert show(fleet, branch, "notes.txt") == "begun, and changed\none\ntwo\n"
    assert show(fleet, branch, "draft.txt") == "not committed\n"
    assert fleet.git("log", "--format=%an %s", f"main..{branch}").splitlines() == [
        "Ada Do loop-1", "Ada Uncommitted changes, as loop-1 found them",
    ]  # fmt: skip
    assert fleet.command("branch", "loop-1")["engine"]["branch"]["tip"] == fleet.git("rev-parse", branch)
    assert "+three" in fleet.command("diff", "loop-1")["diff"]
    assert not (fleet.project.root / "more.txt").exists()
    fleet.command("apply", "loop-1")
    assert (fleet.project.root / "more.txt").read_text() == "three\n"
    assert (fleet.project.root / "notes.txt").read_text() == "begun, and changed\none\ntwo\n"
    fleet.command("fetch", "loop-1", code=5)
    fleet.command("reopen", "loop-1")
    assert fleet.command("watch", "loop-1")["status"] == "completed"
    assert fleet.command("show", "loop-1")["engine"]["incidents"] == []


def test_what_a_dead_machine_left_is_done_by_another(fleet: RealFleet) -> None:
    fleet.make_loop("loop-1", STEPS)
    fleet.command("submit", "loop-1")
    first = fleet.machine().start()
    until(lambda: any((first.home / "place" / "runs").glob("*/project/notes.txt")))
    until(lambda: "one" in next((first.home / "place" / "runs").glob("*/project/notes.txt")).read_text())
    first.kill()
    until(lambda: first.left() == [], 5)  # the runner has noticed that its worker is gone
    with connect(fleet.url) as database:
        database.execute("UPDATE fleet_worker SET beat = beat - interval '10 s'")
    assert fleet.command("fleet", "status")["workers"] == []
    assert fleet.machine().start("--drain").wait() == 0
    assert fleet.status()["loop-1"]["status"] == "finished"
    assert show(fleet, "loopwright/loop-1", "notes.txt") == DONE
    fetched = fleet.command("fetch", "loop-1")
    assert (fetched["status"], fetched["engine"]["outcome"]) == ("completed", "succeeded")


def test_one_that_stood_still_comes_too_late(fleet: RealFleet) -> None:
    fleet.make_loop("loop-1", STEPS)
    fleet.command("submit", "loop-1")
    first = fleet.machine().start()
    until(lambda: any((first.home / "place" / "runs").glob("*/project/notes.txt")))
    first.signal(signal.SIGSTOP)
    fleet.machine().start()
    until(lambda: fleet.status()["loop-1"]["status"] == "finished")
    tip = fleet.tree("loopwright/loop-1")
    first.signal(signal.SIGCONT)
    until(lambda: "go on elsewhere" in first.output)
    until(lambda: first.output.count("takes runs") == 2)
    assert fleet.tree("loopwright/loop-1") == tip
    assert first.end() == 0


def test_a_worker_that_is_ended_hands_its_runs_on_at_once(fleet: RealFleet) -> None:
    fleet.make_loop("loop-1", STEPS)
    fleet.command("submit", "loop-1")
    first = fleet.machine().start()
    until(lambda: any((first.home / "place" / "runs").glob("*/project/notes.txt")))
    assert first.end() == 0
    assert first.left() == []
    assert fleet.status()["loop-1"]["status"] == "queued"
    second = fleet.machine().start("--drain")
    assert second.wait() == 0, second.output
    assert show(fleet, "loopwright/loop-1", "notes.txt") == DONE


def test_a_database_and_a_remote_that_are_away_for_a_while(fleet: RealFleet, postgres: Server) -> None:
    for n in range(2):
        fleet.make_loop(f"loop-{n}", STEPS)
        fleet.command("submit", f"loop-{n}")
    machine = fleet.machine().start()
    until(lambda: any((machine.home / "place" / "runs").glob("*/project/notes.txt")))
    postgres.stop()
    until(lambda: "out of reach" in machine.output, 30)
    until(lambda: "waiting: the fleet's database cannot be reached" in machine.output)
    fleet.remote.rename(fleet.remote.with_suffix(".away"))
    postgres.start()
    until(lambda: "cannot be driven on" in machine.output)
    fleet.remote.with_suffix(".away").rename(fleet.remote)
    until(lambda: all(run["status"] == "finished" for run in fleet.status().values()), 120)
    assert [show(fleet, f"loopwright/loop-{n}", "notes.txt") for n in range(2)] == [DONE] * 2
    assert machine.end() == 0


def test_a_run_is_set_up_once_and_sees_its_account_and_nothing_of_the_fleet(fleet: RealFleet) -> None:
    setup = f"echo x >> {fleet.folder}/count; env > setup.env; echo set up"
    (fleet.project.root / "loopwright.toml").write_text(f'[fleet]\nsetup = "{setup}"\n')
    (fleet.project.root / ".gitignore").write_text("__pycache__/\nsetup.env\n")
    for id in ("loop-1", "loop-2"):
        fleet.make_loop(
            id,
            ["cat /proc/*/environ | tr '\\0' '\\n' > task.txt; cp setup.env setup.txt; echo > setup.env"],
        )
        fleet.command("submit", id)
    machine = fleet.machine(slots=1)
    (machine.home / "loopwright.toml").write_text(
        '[fleet.accounts.default]\nREGION = "of-the-account"\nAPI_KEY = "of-its-agents-alone"\n'
    )
    assert machine.start("--drain").wait() == 0
    assert "go on elsewhere" not in machine.output, "it left, and was not lost"
    assert (fleet.folder / "count").read_text() == "x\n"
    assert "set up" in fleet.text("logs", "loop-1", "setup.log")
    for file in ("setup.txt", "task.txt"):
        for id in ("loop-1", "loop-2"):
            seen = show(fleet, f"loopwright/{id}", file)
            assert "REGION=of-the-account" in seen
            assert file == "task.txt" or "of-its-agents-alone" not in seen
            assert "FLEET_URL" not in seen


def test_a_run_that_cannot_be_set_up_says_why(fleet: RealFleet) -> None:
    (fleet.project.root / "loopwright.toml").write_text('[fleet]\nsetup = "echo no such tool; exit 3"\n')
    fleet.git("add", "--all")
    fleet.git("commit", "--quiet", "--message=set up")
    fleet.make_loop("loop-1", STEPS)
    fleet.command("submit", "loop-1")
    machine = fleet.machine().start()
    until(lambda: "failed with exit code 3: no such tool" in fleet.status()["loop-1"]["trouble"])
    assert machine.end() == 0


def test_a_loop_at_its_menu_holds_no_slot(fleet: RealFleet) -> None:
    fleet.make_loop("loop-1", STEPS[:1], mode="interactive")
    fleet.command("submit", "loop-1")
    machine = fleet.machine(slots=1).start()
    until(lambda: fleet.status()["loop-1"]["status"] == "resting")
    assert "develop" in [entry["name"] for entry in fleet.command("show", "loop-1")["engine"]["menu"]["entries"]]
    fleet.command("choose", "loop-1", "exit")
    until(lambda: fleet.command("show", "loop-1")["status"] == "user_exit")
    assert machine.end() == 0


def test_what_a_run_needs_is_looked_for_where_it_is_driven(fleet: RealFleet) -> None:
    with pytest.raises(AssertionError, match="no agent is named 'nobody'"):
        fleet.command("submit", "Say hello", "--agent", "nobody")
    (fleet.project.root / "loopwright.toml").write_text('[agents.far]\ncommand = "no-such-agent"\n')
    id = fleet.command("submit", "Say hello", "--agent", "far", "--test-command", ".venv/bin/pytest")["loop_id"]
    machine = fleet.machine().start()
    until(
        lambda: "its runner ended with exit code 7: loopwright: far is not installed" in fleet.status()[id]["trouble"]
    )
    time.sleep(2)
    assert machine.output.count(f"{id} begins") == 1, "it is tried again at once"
    assert machine.end() == 0


def test_workers_take_runs_of_their_accounts_alone(fleet: RealFleet) -> None:
    fleet.command("fleet", "accounts", "other", "--slots", "2")
    fleet.make_loop("loop-1", STEPS[:1])
    fleet.make_loop("loop-2", STEPS[:1])
    fleet.command("submit", "loop-1", "--account", "other")
    fleet.command("submit", "loop-2")
    machine = fleet.machine()
    (machine.home / "loopwright.toml").write_text("[fleet.accounts.other]\n")
    assert machine.start("--drain").wait() == 0
    assert {id: run["status"] for id, run in fleet.status().items()} == {"loop-1": "finished", "loop-2": "queued"}


def test_a_skill_is_mended_there(fleet: RealFleet) -> None:
    """Its session knows the skill by a folder that no other machine has."""
    skill = fleet.project.root / "skills/notes"
    lay_out(skill, SICK)
    with open_engine(fleet.project.root, {}) as engine:
        id = engine.tunings.create("skills/notes", skill, level="mechanical").tuning_id
        outside = engine.tunings.create("notes", lay_out(fleet.folder / "notes", SICK)).tuning_id
    assert "outside of the project" in fleet.text("submit", outside, code=2)
    fleet.command("submit", id)
    machine = fleet.machine().start("--drain")
    assert machine.wait() == 0, machine.output
    state = fleet.command("fetch", id)
    assert [fix["verification_result"] for fix in state["applied_fixes"]] == ["pass", "pass"]
    assert show(fleet, f"loopwright/{id}", "skills/notes/SKILL.md") == MENDED["SKILL.md"]
    assert (skill / "SKILL.md").read_text() == SICK["SKILL.md"]
