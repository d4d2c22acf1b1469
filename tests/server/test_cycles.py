"""Cycles over HTTP: made, steered and looked at; every answer is checked against the description (see office)."""

from pathlib import Path

import pytest

from loopwright.core.record import JournalEvent
from loopwright.core.state import PermissionRequest
from loopwright.surfaces.server.app import RunKeeper
from loopwright.workflows.cycle.commands import take_up
from loopwright.workflows.cycle.model import Blocker, CycleState, Decision
from loopwright.workflows.cycle.service import CycleService
from tests.server.office import CYCLES, LOOPS, TOKEN, Json, Office, Reply, opened_office

AT = "2026-01-22T10:00:00+08:00"


@pytest.fixture
def cycle(office: Office) -> str:
    return office.create_cycle()


def of(office: Office, method: str, id: str, path: str = "", body: Json = None, **headers: str) -> Reply:
    return office.ask(method, f"{CYCLES}/{id}{path}", body, **headers)


def cycles(office: Office) -> CycleService:
    return office.projects.named().engine.cycles


def running(office: Office, id: str) -> CycleState:
    """As its runner would have it after a while."""
    request = PermissionRequest(id="p1", agent="codex", action="cd.implement", title="rm", since=AT)

    def rule(state: CycleState) -> CycleState:
        state = take_up(state, AT)
        coordination = state.coordination.evolve(
            pending_decisions=(Decision(id="DEC-001", description="Which?", options=("one", "other")),),
            blockers=(Blocker(id="BLK-001", description="no schema", reported_by="cd"),),
        )
        return state.evolve(coordination=coordination, engine=state.engine.evolve(asked=(request,)))

    return cycles(office).store.update(id, rule, actor="runner", event=JournalEvent(type="running"))


def test_a_new_cycle_has_what_was_asked_for(office: Office) -> None:
    made = office.ask(
        "POST", CYCLES,
        {"title": "T", "description": "D", "agent": "builtin", "roles": {"cd": "builtin"}, "parallel": 3,
         "max_iterations": 2, "mode": "interactive", "max_cost": 1.5, "park": False},
    )  # fmt: skip
    assert (made.status, made.headers["location"]) == (201, f"{CYCLES}/{made.data['cycle_id']}")
    engine = made.data["engine"]
    assert (made.data["title"], made.data["description"], made.data["status"]) == ("T", "D", "created")
    assert (engine["parallel"], engine["roles"], made.data["max_iterations"]) == (3, {"cd": "builtin"}, 2)
    assert (engine["settings"]["mode"], engine["settings"]["park"], engine["budget"]["max_cost"]) == (
        "interactive", False, 1.5,
    )  # fmt: skip
    assert office.create_cycle("only a title")


@pytest.mark.parametrize(
    "body",
    [
        {}, {"title": " "}, {"title": "T", "roles": {"boss": "builtin"}}, {"title": "T", "roles": {"cd": ""}},
        {"title": "T", "parallel": 5}, {"title": "T", "parallel": 0}, {"title": "T", "parallel": True},
        {"title": "T", "max_iterations": 0}, {"title": "T", "steps": 1}, {"title": "T", "roles": ["cd"]},
        {"title": "T", "agent": "nobody"}, {"title": "T", "roles": {"ra": "nobody"}},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(refusing: Office, body: Json) -> None:
    reply = refusing.ask("POST", CYCLES, body)
    assert reply.status in (400, 503), reply
    assert len(reply.error) > 5


def test_a_list_is_whole_or_brief(office: Office, cycle: str) -> None:
    other = office.create_cycle("Another")
    page = office.ask("GET", f"{CYCLES}?limit=1")
    assert (page.data[0]["cycle_id"], page.body["total"], page.body["hasMore"]) == (other, 2, True)
    (brief,) = office.ask("GET", f"{CYCLES}?view=brief&search=balance&status=created").data
    assert (brief["cycle_id"], brief["needs"], brief["tests"], brief["phase"]) == (cycle, None, None, "init")
    assert [role["role"] for role in brief["roles"]] == ["ra", "ep", "cd", "vas"]
    assert office.ask("GET", f"{CYCLES}?status=user_exit").status == 400
    assert office.ask("GET", f"{LOOPS}?view=brief").data == [], "loops are others"


def test_a_damaged_one_is_named(office: Office, cycle: str, shop: Path) -> None:
    place = shop / ".workflow" / ".cycle"
    for file in place.glob(f"{cycle}*"):
        if file.is_file():
            file.write_text("{nonsense")
    assert [damaged["cycle_id"] for damaged in office.ask("GET", CYCLES).body["damaged"]] == [cycle]
    assert of(office, "GET", cycle).status == 503


def test_one_is_read_with_its_version(office: Office, cycle: str) -> None:
    read = of(office, "GET", cycle)
    assert (read.body["project"], read.body["live"], read.headers["etag"]) == ("shop", False, '"1"')
    assert of(office, "GET", cycle, if_none_match='"1"').status == 304
    edited = of(office, "PUT", cycle, body={"title": "B", "max_iterations": 9}, if_match='"1"')
    assert (edited.data["title"], edited.data["max_iterations"]) == ("B", 9)
    late = of(office, "POST", cycle, "/start", if_match='"1"')
    assert (late.status, "version 2, not 1" in late.error) == (412, True)
    assert "of this cycle" in of(office, "PUT", cycle, body={"title": "C"}, if_match="x").error
    assert of(office, "PUT", cycle, body={"description": "other"}).status == 400


def test_commands_go_by_the_status(office: Office, cycle: str) -> None:
    assert "Cannot pause cycle with status: created" in of(office, "POST", cycle, "/pause").error
    assert of(office, "POST", cycle, "/start").body["message"] == "Cycle started"
    assert office.launcher
    assert office.launcher.launched == [cycle]
    assert of(office, "POST", cycle, "/pause", {"now": True}).data["engine"]["interrupt"] is True
    assert of(office, "POST", cycle, "/resume").body["message"] == "Cycle resumed"
    assert of(office, "DELETE", cycle).status == 400
    assert of(office, "PATCH", cycle, "/status", {"status": "paused"}).data["status"] == "paused"
    assert of(office, "PATCH", cycle, "/status", {"status": "completed"}).status == 400
    stopped = of(office, "POST", cycle, "/stop")
    assert (stopped.data["status"], stopped.body["message"]) == ("failed", "Cycle stopped")
    again = of(office, "POST", cycle, "/reopen", {"max_iterations": 9})
    assert (again.data["status"], again.body["message"]) == ("running", "Cycle reopened")
    of(office, "POST", cycle, "/pause")
    assert of(office, "DELETE", cycle).body["message"] == "Cycle deleted"
    assert of(office, "GET", cycle).error.startswith("Cycle not found")


def test_an_extension_runs_on(office: Office, cycle: str) -> None:
    assert "created" in of(office, "POST", cycle, "/extend", {"text": "more"}).error
    running(office, cycle)
    assert of(office, "POST", cycle, "/extend", {"text": "queued"}).data["engine"]["queue"] == ["queued"]
    of(office, "POST", cycle, "/pause")
    extended = of(office, "POST", cycle, "/extend", {"text": "more"})
    assert (extended.data["status"], extended.body["message"]) == ("running", "Cycle extended")
    assert extended.data["iterations"][-1]["extension"] == "queued"  # what was added first comes first
    assert extended.data["engine"]["queue"] == ["more"]
    assert of(office, "POST", cycle, "/extend", {"text": "  "}).status == 400


def test_what_it_asks_is_settled(office: Office, cycle: str) -> None:
    running(office, cycle)
    with cycles(office).store.lease(cycle):
        (answered,) = of(office, "POST", cycle, "/approve", {"answer": "allow", "request": "p1"}).data
    assert answered["answer"] == "allow"
    assert of(office, "POST", cycle, "/approve", {"answer": "allow", "request": "p1", "every": True}).status == 400
    decided = of(office, "POST", cycle, "/decisions/DEC-001", {"option": "one"})
    assert decided.data["coordination"]["pending_decisions"][0]["made_by"] == "user"
    assert of(office, "POST", cycle, "/decisions/DEC-001", {"option": "other"}).status == 409
    assert of(office, "POST", cycle, "/decisions/DEC-9", {"option": "other"}).status == 404
    assert of(office, "POST", cycle, "/answer", {"text": "one"}).status == 400
    resolved = of(office, "POST", cycle, "/blockers/BLK-001", {"resolution": "see docs", "workaround": True})
    assert resolved.data["coordination"]["blockers"][0]["status"] == "workaround"
    assert of(office, "POST", cycle, "/blockers/none", {"resolution": "see docs"}).status == 404


def note(ts: str, text: str, after: int = 1) -> bytes:
    return f'{{"ts": "{ts}", "after": {after}, "kind": "said", "text": "{text}"}}'.encode()


def test_it_is_looked_at_from_every_side(office: Office, cycle: str) -> None:
    store = cycles(office).store
    store.write_progress(
        cycle,
        {
            "ra/requirements.md": b"<!-- version 1.1.0 \xc2\xb7 iteration 2 -->\n\nnew\n",
            "ra/history/requirements-v1.0.0.md": b"old\n",
            "coordination/discoveries.ndjson": b'{"ts": "t", "agent": "ep", "type": "x", "data": {}}\n',
        },
    )
    store.append_progress(cycle, "ra/transcript.ndjson", [note("2", "b"), b'{"torn', note("1", "d", 2)])
    store.append_progress(cycle, "cd/transcript.ndjson", [note("1", "a")])
    store.append_progress(cycle, "transcript.ndjson", [note("3", "c"), note("4", "e", 3)[:-1] + b', "role": "ra"}'])
    said = of(office, "GET", cycle, "/transcript")
    assert [(line["role"], line["text"]) for line in said.data] == [
        ("cd", "a"), ("ra", "b"), (None, "c"), ("ra", "d"), ("ra", "e"),
    ]  # fmt: skip
    assert said.body["position"].count(".") == 4
    assert [line["text"] for line in of(office, "GET", cycle, "/transcript?role=ra").data] == ["b", "d", "e"]
    assert of(office, "GET", cycle, "/transcript?role=boss").status == 400
    versions = {one["name"]: one["versions"] for one in of(office, "GET", cycle, "/documents").data}
    assert versions["ra/requirements.md"] == ["1.0.0", "1.1.0"]
    old = of(office, "GET", cycle, "/documents/ra/requirements.md?version=1.0.0").data
    assert (old["version"], old["text"]) == ("1.0.0", "old\n")
    assert of(office, "GET", cycle, "/documents/ra/requirements.md?version=1.2.0").status == 404
    assert of(office, "GET", cycle, "/documents/ra/..%2f..%2fx").status in (400, 404)
    assert [one["type"] for one in of(office, "GET", cycle, "/discoveries").data] == ["x"]
    assert [entry["words"] for entry in of(office, "GET", cycle, "/events").data] == ["created, over the API"]
    assert [file["name"] for file in of(office, "GET", cycle, "/progress").data] == ["transcript.ndjson"]
    assert of(office, "GET", cycle, "/progress/transcript.ndjson").data["text"]
    assert of(office, "GET", cycle, "/diff").data == {"diff": "", "truncated": False}
    assert of(office, "GET", cycle, "/diff?iteration=1").status == 404
    assert of(office, "GET", cycle, "/checkpoints").data == []
    assert of(office, "GET", cycle, "/checkpoints/1/diff").status == 404
    assert of(office, "GET", cycle, "/history").data == []


def test_steps_that_overlap_are_told(office: Office, cycle: str) -> None:
    store = cycles(office).store
    steps = (
        ("step_started", {"step": "ra.analyse", "task": None, "role": "ra"}),
        ("step_started", {"step": "ep.explore", "task": None, "role": "ep"}),
        ("step_finished", {"step": "ra.analyse", "task": None, "iteration": 1, "result": "done", "tokens": 5}),
        ("step_finished", {"step": "ep.explore", "task": None, "iteration": 1, "result": "explored"}),
        ("step_started", {"step": "cd.implement", "task": "TASK-001", "role": "cd"}),
        ("taken_over", {"steps": ["cd.implement TASK-001"]}),
        ("step_started", {"step": "vas.validate", "task": None, "role": "vas"}),
        ("step_finished", {"step": "vas.validate", "iteration": 1, "result": "fail", "reasons": ["1 failed"],
                           "tests": {"passed": False, "total": 4, "failed": 1}}),
        ("step_started", {"step": "no.such"}),
        ("step_started", {"step": "cd.implement", "task": "TASK-002", "role": "cd"}),
    )  # fmt: skip
    for n, (type, data) in enumerate(steps):
        event = JournalEvent.model_validate({"type": type, "data": data})
        store.update(cycle, lambda s, n=n: s.evolve(title=f"T{n}"), actor="runner", event=event)  # type: ignore[misc]  # a lambda's default
    told = of(office, "GET", cycle, "/timeline").data
    assert [(one["action"], one["task"], one["role"], one["result"]) for one in told] == [
        ("ra.analyse", None, "ra", "done"), ("ep.explore", None, "ep", "explored"),
        ("cd.implement", "TASK-001", "cd", "interrupted: its runner died"), ("vas.validate", None, "vas", "fail"),
        ("cd.implement", "TASK-002", "cd", None),
    ]  # fmt: skip
    assert told[0]["ended_at"] >= told[1]["started_at"]
    (check,) = of(office, "GET", cycle, "/history").data
    assert (check["total"], check["failed"], check["reasons"], check["iteration"]) == (4, 1, ["1 failed"], 1)


def test_it_is_found_in_whichever_project_has_it(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "yard").mkdir()
    with opened_office(shop, tmp_path / "yard") as office:
        there = office.create_cycle(project="yard")
        assert of(office, "GET", there).body["project"] == "yard"
        assert of(office, "GET", there, "?project=shop").status == 404
        assert of(office, "GET", "cycle-v1-none").error.startswith("Cycle not found")
        assert of(office, "GET", office.create()).status == 404, "a loop is no cycle"
        assert "Invalid cycle ID format" in of(office, "GET", "a%00b").error


def test_one_that_was_left_behind_is_taken_up(office: Office, cycle: str) -> None:
    of(office, "POST", cycle, "/start")
    loop = office.create()
    office.ask("POST", f"{LOOPS}/{loop}/start")
    assert office.launcher
    office.launcher.launched.clear()
    keeper = RunKeeper(office.projects)
    assert {taken.id for taken in keeper.look(first=True)} == {cycle, loop}
    assert set(office.launcher.launched) == {cycle, loop}
    keeper.look()
    keeper.look()
    assert keeper.look() == (), "three times without getting any further"


def test_figures_tell_of_both_kinds(office: Office, cycle: str) -> None:
    text = office.client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    assert 'loopwright_cycles{project="shop",status="created"} 1.0' in text
    assert 'loopwright_loops{project="shop",status="created"} 0.0' in text
