"""Tuning sessions over HTTP: made, driven, chosen from, rolled back and looked at (see office)."""

import asyncio
import shutil
from pathlib import Path

import pytest

from loopwright.core.run_events import EventBus
from tests.server.office import Json, Office, Reply

TUNINGS = "/api/tunings"
SAMPLES = Path(__file__).parent.parent / "tune" / "samples"


@pytest.fixture
def skill(shop: Path) -> Path:
    """One with a prompt that takes in all of a growing list."""
    place = shop / "skills" / "review"
    shutil.copytree(SAMPLES / "deprecated-tool" / "sick", place)
    return place


def create(office: Office, **fields: Json) -> str:
    made = office.ask("POST", TUNINGS, {"path": "skills/review", **fields})
    assert made.status == 201, made
    return str(made.data["engine"]["id"])


def drive(office: Office, id: str) -> None:
    """What its runner would do."""
    runner = office.projects.named().engine.runners.tuning
    asyncio.run(runner.drive(id, take_up=lambda state: state, bus=EventBus()))


def of(office: Office, method: str, id: str, path: str = "", body: Json = None) -> Reply:
    return office.ask(method, f"{TUNINGS}/{id}{path}", body)


def test_a_new_session_has_what_was_asked_for(office: Office, skill: Path) -> None:
    made = office.ask(
        "POST", TUNINGS,
        {"path": str(skill), "description": "it gets slow", "dimensions": ["context"], "fix": "all", "choose": True,
         "max_iterations": 2},
    )  # fmt: skip
    id = made.data["engine"]["id"]
    assert (made.status, made.headers["location"]) == (201, f"{TUNINGS}/{id}")
    assert (made.data["status"], made.data["focus_areas"], made.data["max_iterations"]) == ("pending", ["context"], 2)
    engine = made.data["engine"]
    assert (engine["dimensions"], engine["level"], engine["choosing"]) == (["context"], "template", True)
    assert of(office, "POST", id, "/start", {"mode": "auto"}).error.startswith("mode: a tuning session has none")
    assert of(office, "POST", id, "/start").body["message"] == "Tuning started"
    assert office.launcher
    assert office.launcher.launched == [id]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400), ({"path": " "}, 400), ({"path": "nowhere"}, 404), ({"path": "skills"}, 400), ({"path": "/etc"}, 400),
        ({"path": "skills/review", "fix": "everything"}, 400), ({"path": "skills/review", "dimensions": ["x"]}, 400),
        ({"path": "skills/review", "dimensions": []}, 201), ({"path": "skills/review", "agent": "nobody"}, 400),
        ({"path": "skills/review", "agent": "builtin"}, 400), ({"path": "skills/review", "max_iterations": 0}, 400),
        ({"path": "skills/review", "title": "T"}, 400),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(office: Office, skill: Path, body: Json, status: int) -> None:
    reply = office.ask("POST", TUNINGS, body)
    assert reply.status == status, reply
    assert status == 201 or len(reply.error) > 5


def test_a_session_is_looked_at(office: Office, skill: Path) -> None:
    id = create(office)
    assert of(office, "GET", id, "/report").status == 404
    drive(office, id)
    read = of(office, "GET", id).data
    assert (read["status"], read["quality_gate"], read["issues_by_severity"]["medium"]) == ("completed", "pass", 1)
    (issue,) = (one for one in read["issues"] if one["severity"] == "medium")
    assert (issue["type"], issue["location"]["file"]) == ("agent_failure", "SKILL.md")
    (brief,) = office.ask("GET", f"{TUNINGS}?view=brief&search=review&status=completed").data
    assert (brief["tuning_id"], brief["issues"]["medium"], brief["needs"], brief["score"]) == (
        id, 1, None, read["quality_score"],
    )  # fmt: skip
    assert "wait_agent" in of(office, "GET", id, "/report").data["text"]
    assert [file["file"] for file in of(office, "GET", id, "/skill").data] == ["SKILL.md"]
    source = of(office, "GET", id, "/source?file=SKILL.md").data
    assert (source["text"], source["truncated"]) == ((skill / "SKILL.md").read_text(), False)
    graph = of(office, "GET", id, "/graph").data
    assert [node["name"] for node in graph["nodes"]][:1] == ["SKILL.md"]
    assert graph["worst"] == graph["course"][-1]["total"] > 0
    assert of(office, "GET", id, "/transcript").status == 200
    assert of(office, "GET", id, "/events").data[-1]["type"] == "step_finished"
    assert of(office, "GET", id, "/diff").data["diff"] == ""


@pytest.mark.parametrize("file", ["../../loopwright.toml", "/etc/passwd", "no.md", "..", "%2e%2e/x", "SKILL.md/"])
def test_only_files_of_the_skill_are_shown(office: Office, skill: Path, file: str) -> None:
    id = create(office)
    (skill.parent.parent / "loopwright.toml").write_text("[secret]\n")
    assert of(office, "GET", id, f"/source?file={file}").status in (400, 404)


def test_a_person_chooses_and_rolls_back(office: Office, skill: Path) -> None:
    before = (skill / "SKILL.md").read_bytes()
    id = create(office, fix="mechanical", choose=True)
    assert of(office, "POST", id, "/choose", {"fixes": []}).status in (400, 409)
    drive(office, id)
    assert office.ask("GET", f"{TUNINGS}?view=brief").data[0]["needs"] == "choice"
    shown = of(office, "GET", id, "/fixes/FIX-001").data
    assert (shown["applied"], "+const verdict = wait_agent(" in shown["diff"]) == (None, True)
    assert of(office, "GET", id, "/fixes/FIX-099").status == 404
    assert of(office, "POST", id, "/choose", {"fixes": ["FIX-099"]}).status == 400
    assert of(office, "POST", id, "/fixes/FIX-001/rollback").status == 400, "it is at work"
    assert of(office, "POST", id, "/choose", {"fixes": ["FIX-001"]}).body["message"] == "Tuning goes on"
    drive(office, id)
    applied = of(office, "GET", id, "/fixes/FIX-001").data["applied"]
    assert (applied["verification_result"], (skill / "SKILL.md").read_bytes() == before) == ("pass", False)
    assert "wait_agent" in of(office, "GET", id, "/diff").data["diff"]
    assert of(office, "POST", id, "/fixes/FIX-001/rollback").body["message"] == "FIX-001 rolled back"
    assert (skill / "SKILL.md").read_bytes() == before
    again = of(office, "POST", id, "/fixes/FIX-001/rollback")
    assert (again.status, "already" in again.error) == (409, True)


def test_commands_go_by_the_status(office: Office, skill: Path) -> None:
    id = create(office)
    assert "Cannot pause" in of(office, "POST", id, "/pause").error
    assert of(office, "PUT", id, body={"max_iterations": 2}).data["max_iterations"] == 2
    assert of(office, "PATCH", id, "/status", {"status": "completed"}).status == 400
    assert of(office, "POST", id, "/stop").data["status"] == "failed"
    assert of(office, "POST", id, "/start").status == 400
    assert of(office, "DELETE", id).body["message"] == "Tuning deleted"
    assert of(office, "GET", id).status == 404
    assert office.ask("GET", f"{TUNINGS}/%2e%2e").status in (400, 404)
