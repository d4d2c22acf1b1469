"""Loops over HTTP: their shapes and words, right and wrong."""

import json
from pathlib import Path

import pytest

from loopwright.core.record import JournalEvent
from loopwright.core.state import MenuEntry, Waiting
from loopwright.workflows.loop.commands import open_menu
from tests.server.office import LOOPS, Office, Reply, opened_office
from tests.workspace.trees import git

AT = "2026-01-22T10:00:00+08:00"


def test_a_new_loop(office: Office) -> None:
    made = office.ask(
        "POST", LOOPS, {"title": " Fix  it ", "description": "All of it", "max_iterations": 3, "agent": "builtin"}
    )
    loop = made.data
    assert (made.status, loop["title"], loop["description"], loop["max_iterations"]) == (201, "Fix it", "All of it", 3)
    assert (loop["status"], loop["current_iteration"], made.body["project"]) == ("created", 0, "shop")
    assert made.headers["location"] == f"{LOOPS}/{loop['loop_id']}"
    read = office.ask("GET", f"{LOOPS}/{loop['loop_id']}")
    assert (read.data, read.body["live"], read.headers["etag"]) == (loop, False, '"1"')
    assert read.data == json.loads(
        (office.service().store.progress_path(loop["loop_id"]).with_suffix(".json")).read_bytes()
    )


def test_settings_of_a_new_loop_are_the_projects_where_it_names_none(shop: Path) -> None:
    (shop / "loopwright.toml").write_text("max_iterations = 7\nmax_minutes = 5\npark = false\n")
    with opened_office(shop) as office:
        loop = office.ask("POST", LOOPS, {"title": "x", "agent": "builtin"}).data
        assert (loop["max_iterations"], loop["engine"]["budget"]["max_minutes"]) == (7, 5)
        given = {
            "title": "x", "agent": "builtin", "mode": "interactive", "permissions": "ask", "test_command": "make test",
            "max_minutes": 2.5, "max_tokens": 1000, "max_cost": 1, "require": "no_new_failures", "min_coverage": 50,
            "allow_test_changes": True, "park": True, "max_iterations": 4,
        }  # fmt: skip
        engine = office.ask("POST", LOOPS, given).data["engine"]
        assert {**engine["budget"], **engine["settings"], **engine}.items() >= {
            name: value for name, value in given.items() if name not in ("title", "max_iterations")
        }.items()


WRONG_ATTEMPTS = (
    ({"parallel": 2}, "parallel: only with several attempts, as in attempts 4"),
    ({"attempts": 1}, "attempts: "),
    ({"attempts": 3, "parallel": 4}, "parallel: a number from 1 to 3, the number of attempts (got 4)"),
    ({"attempts": 2, "agents": ["builtin"] * 3}, "3 agents for 2 attempts: "),
    ({"attempts": 2, "mode": "interactive"}, "attempts needs auto: nobody can answer several at once"),
    ({"attempts": 2, "worktree": False}, "attempts have a worktree each: "),
    ({"attempts": 2}, "a worktree needs a git repository"),
)


@pytest.mark.parametrize(("given", "words"), WRONG_ATTEMPTS)
def test_attempts_that_cannot_be(office: Office, given: dict[str, object], words: str) -> None:
    refused = office.ask("POST", LOOPS, {"title": "x", "agent": "builtin", "mode": "auto", **given})
    assert (refused.status, words in refused.error) == (400, True), refused
    assert office.ask("GET", LOOPS).data == []


def test_attempts_are_created_together_and_driven_by_one(shop: Path) -> None:
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x")):
        git(shop, *words)
    with opened_office(shop) as office:
        given = {"title": "x", "attempts": 3, "parallel": 1, "agents": ["builtin"], "run_all": True}
        loop = office.ask("POST", LOOPS, given).data
        place = f"{LOOPS}/{loop['loop_id']}"
        found = office.ask("GET", f"{place}/attempts").data
        assert [(one["number"], one["agent"], one["status"], one["chosen"]) for one in found] == [
            (number, "builtin", "created", False) for number in (1, 2, 3)
        ]
        assert found[0]["loop_id"] == loop["loop_id"]
        brief = office.ask("GET", f"{LOOPS}?view=brief").data
        assert {(one["attempt"]["number"], one["attempt"]["of"]) for one in brief} == {(1, 3), (2, 3), (3, 3)}
        assert office.ask("POST", f"{LOOPS}/{found[2]['loop_id']}/start").status == 200
        assert office.launcher is not None
        assert office.launcher.launched == [loop["loop_id"]], "what drives them is given the first"


def test_a_loop_that_is_alone_has_no_attempts(office: Office) -> None:
    assert office.ask("GET", f"{LOOPS}/{office.create('Alone')}/attempts").data == []


def test_pages_of_loops(office: Office) -> None:
    ids = [office.create(f"Loop {n}") for n in range(5)]
    office.ask("POST", f"{LOOPS}/{ids[0]}/start")
    page = office.ask("GET", f"{LOOPS}?limit=2&offset=1&status=all")
    assert [loop["loop_id"] for loop in page.data] == [ids[4], ids[3]]
    assert {name: page.body[name] for name in ("total", "limit", "offset", "hasMore", "damaged")} == {
        "total": 5, "limit": 2, "offset": 1, "hasMore": True, "damaged": [],
    }  # fmt: skip
    assert office.ask("GET", f"{LOOPS}?limit=2&offset=3").body["hasMore"] is False
    assert [loop["loop_id"] for loop in office.ask("GET", f"{LOOPS}?status=running").data] == [ids[0]]
    found = office.ask("GET", f"{LOOPS}?search=LOOP+3&view=brief").data
    assert [(loop["loop_id"], loop["project"], loop["needs"], loop["tests"]) for loop in found] == [
        (ids[3], "shop", None, None)
    ]


def test_damaged_loops_stand_beside_the_others(office: Office) -> None:
    good, bad = office.create(), office.create()
    state = office.service().store.progress_path(bad).with_suffix(".json")
    state.write_text("{")
    state.with_suffix(".events.ndjson").write_text("nothing\nof it\n")
    page = office.ask("GET", LOOPS)
    assert ([loop["loop_id"] for loop in page.data], [d["loop_id"] for d in page.body["damaged"]]) == ([good], [bad])
    assert office.ask("GET", f"{LOOPS}/{bad}").status == 503
    assert office.ask("POST", f"{LOOPS}/{bad}/recover").status == 503, "nothing is left of it"


def test_a_recovered_loop(office: Office) -> None:
    loop = office.create()
    journal = office.service().store.progress_path(loop).with_suffix(".events.ndjson")
    office.ask("PUT", f"{LOOPS}/{loop}", {"notes": "one"})
    journal.write_bytes(b"damage" + journal.read_bytes()[6:])
    done = office.ask("POST", f"{LOOPS}/{loop}/recover")
    assert (done.status, done.data["notes"]) == (200, "one")
    assert done.body["repairs"]
    assert all("/" not in name for name in done.body["kept"])


def test_edits(office: Office) -> None:
    loop = office.create()
    fields = {
        "title": "New",
        "description": "d",
        "max_iterations": 5,
        "tags": ["a", "b"],
        "priority": "high",
        "notes": "n",
    }
    edited = office.ask("PUT", f"{LOOPS}/{loop}", fields)
    assert edited.data.items() >= fields.items()
    office.ask("POST", f"{LOOPS}/{loop}/start")
    refused = office.ask("PUT", f"{LOOPS}/{loop}", {"title": "Newer"})
    assert (refused.status, refused.error[:40]) == (400, "Cannot edit loop with status: running (p")
    assert office.ask("PUT", f"{LOOPS}/{loop}", {"notes": None}).data.get("notes") is None


def test_a_life_in_words(office: Office) -> None:
    loop = office.create()
    at = f"{LOOPS}/{loop}"
    for command, words, status in (
        ("start", "Loop started", "running"), ("pause", "Loop paused", "paused"), ("resume", "Loop resumed", "running"),
        ("stop", "Loop stopped", "failed"), ("reopen", "Loop reopened", "running"), ("stop", "Loop stopped", "failed"),
    ):  # fmt: skip
        done = office.ask("POST", f"{at}/{command}")
        assert (done.status, done.body["message"], done.data["status"]) == (200, words, status)
    assert office.launcher is not None
    assert office.launcher.launched == [loop] * 3
    assert office.ask("POST", f"{at}/pause").error.startswith("Cannot pause loop with status: failed")
    assert office.ask("DELETE", at).body == {"success": True, "message": "Loop deleted"}
    gone = office.ask("GET", at)
    assert (gone.status, gone.error[:14]) == (404, "Loop not found")


def test_advice_names_the_field_of_the_request_not_an_option(office: Office) -> None:
    loop = office.create()
    office.ask("PUT", f"{LOOPS}/{loop}", {"max_iterations": 1})
    office.ask("POST", f"{LOOPS}/{loop}/stop")
    at_limit = office.service().store
    at_limit.update(loop, lambda s: s.evolve(current_iteration=1), actor="test", event=JournalEvent(type="edited"))
    refused = office.ask("POST", f"{LOOPS}/{loop}/reopen")
    assert refused.status == 400
    assert refused.error.endswith("raise the limit, for example max_iterations: 11")
    assert "--" not in refused.error
    assert office.ask("POST", f"{LOOPS}/{loop}/reopen", {"max_iterations": 11}).status == 200


@pytest.mark.parametrize(
    ("status", "command", "words"),
    [
        (
            "created",
            "pause",
            "Cannot pause loop with status: created (possible now: start, stop, edit, rewind, delete)",
        ),
        ("created", "resume", "Cannot resume loop with status: created"),
        ("running", "start", "Cannot start loop with status: running"),
        ("running", "reopen", "Cannot reopen loop with status: running"),
        ("failed", "stop", "Cannot stop loop with status: failed"),
    ],
)
def test_commands_that_are_not_possible(office: Office, status: str, command: str, words: str) -> None:
    loop = office.create()
    for step in {"created": (), "running": ("start",), "failed": ("stop",)}[status]:
        office.ask("POST", f"{LOOPS}/{loop}/{step}")
    refused = office.ask("POST", f"{LOOPS}/{loop}/{command}")
    assert refused.status == 400
    assert refused.error.startswith(words)


def test_a_running_loop_is_not_deleted(office: Office) -> None:
    loop = office.create()
    office.ask("POST", f"{LOOPS}/{loop}/start")
    refused = office.ask("DELETE", f"{LOOPS}/{loop}")
    assert (refused.status, refused.error[:40]) == (400, "Cannot delete loop with status: running ")


def test_a_status_that_is_asked_for(office: Office) -> None:
    loop = office.create()

    def ask(status: str) -> Reply:
        return office.ask("PATCH", f"{LOOPS}/{loop}/status", {"status": status})

    assert ask("paused").error.startswith("Cannot set to paused a loop with status: created (possible now: running")
    assert (ask("running").data["status"], ask("paused").data["status"]) == ("running", "paused")
    assert ask("running").body["message"] == "Loop resumed"
    assert (ask("user_exit").status, ask("completed").status, ask("nonsense").status) == (400, 400, 400)
    assert ask("failed").data["failure_reason"] == "Manually stopped by user"


def test_versions(office: Office) -> None:
    loop = office.create()
    at = f"{LOOPS}/{loop}"
    first = office.ask("GET", at).headers["etag"]
    assert office.ask("GET", at, if_none_match=f'"9", {first}').status == 304
    assert office.ask("PUT", at, {"notes": "mine"}, if_match=first).headers["etag"] == '"2"'
    for refused in (
        office.ask("PUT", at, {"notes": "theirs"}, if_match=first),
        office.ask("POST", f"{at}/start", if_match=first),
        office.ask("POST", f"{at}/tasks", {"description": "x"}, if_match=first),
        office.ask("POST", f"{at}/rewind", {"to": 1}, if_match=first),
        office.ask("POST", f"{at}/generate", {}, if_match=first),
        office.ask("DELETE", at, if_match=first),
    ):
        assert (refused.status, "has changed meanwhile: it is at version 2, not 1" in refused.error) == (412, True)
    assert office.ask("GET", at, if_none_match=first).status == 200
    assert office.ask("PUT", at, {"notes": "any"}, if_match="*").status == 200
    assert office.ask("PUT", at, {"notes": "live"}, if_match='"3-live"').status == 200
    assert office.ask("PUT", at, {"notes": "x"}, if_match="soon").error.startswith(
        "If-Match: an ETag of this loop is a number"
    )
    assert office.ask("GET", at).data["notes"] == "live"


def test_the_mode_is_changed_with_the_command(office: Office) -> None:
    at = f"{LOOPS}/{office.create(mode='interactive')}"
    assert office.ask("POST", f"{at}/start", {"mode": "soon"}).status == 400
    started = office.ask("POST", f"{at}/start", {"mode": "auto"}).data
    assert (started["status"], started["engine"]["settings"]["mode"]) == ("running", "auto")
    office.ask("POST", f"{at}/pause")
    assert office.ask("POST", f"{at}/resume").data["engine"]["settings"]["mode"] == "auto"
    office.ask("POST", f"{at}/pause")
    assert (
        office.ask("POST", f"{at}/resume", {"mode": "interactive"}).data["engine"]["settings"]["mode"] == "interactive"
    )


def test_a_question_is_answered(office: Office) -> None:
    loop = office.create()
    at = f"{LOOPS}/{loop}"
    assert office.ask("POST", f"{at}/answer", {"text": "yes"}).error == "this loop has no open question"
    office.ask("POST", f"{at}/start")
    office.ask("POST", f"{at}/pause")
    waiting = Waiting(question="Which?", since=AT)
    office.service().commit(loop, lambda s: s.evolve(engine=s.engine.evolve(waiting=waiting)), "test")
    assert office.ask("GET", f"{LOOPS}?view=brief").data[0]["needs"] == "answer"
    assert office.ask("POST", f"{at}/answer", {"text": " "}).status == 400
    assert office.ask("POST", f"{at}/answer", {"text": "the second"}).data["engine"]["answer"] == "the second"


def test_a_menu_needs_no_runner(office: Office) -> None:
    loop = office.create(mode="interactive")
    at = f"{LOOPS}/{loop}"
    assert office.ask("POST", f"{at}/choose", {"choice": "validate"}).error.startswith(
        "Cannot choose the next step of a loop"
    )
    office.ask("POST", f"{at}/start")
    entries = (MenuEntry(name="validate", words="run the tests", preselected=True),)
    office.service().commit(loop, lambda s: open_menu(s, entries, AT), "menu_opened")
    assert office.ask("GET", f"{at}/menu").data == [entries[0].model_dump()]
    with office.service().store.lease(loop):
        live = office.ask("GET", at)
        assert (live.body["live"], live.headers["etag"][-6:]) == (True, '-live"')
        assert office.ask("POST", f"{at}/choose", {"choice": "dance"}).status == 400
    assert office.ask("POST", f"{at}/choose", {"choice": "validate"}).data["engine"]["menu"]["choice"] == "validate"
    assert office.ask("GET", f"{at}/menu").data == []
    refused = office.ask("POST", f"{at}/choose", {"choice": "validate"})
    assert (refused.status, refused.error[:28]) == (409, "nothing is waiting for a cho")


def test_permissions_are_answered_by_whoever_watches(office: Office) -> None:
    loop = office.create()
    at = f"{LOOPS}/{loop}/approve"
    assert office.ask("POST", at, {"answer": "allow"}).error == "there is no open permission request"
    assert office.ask("POST", at, {"answer": "maybe"}).status == 400
    assert office.ask("POST", at, {"answer": "deny", "request": "p1", "every": True}).error.startswith(
        "name one request"
    )
    assert office.ask("POST", at, {"answer": "deny", "request": "p1"}).status == 404


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "the body is not JSON: "),
        (b"", "body: is required"),
        (b"[1]", "body: "),
        (b"null", "body: "),
        (b'"text"', "body: "),
        (b"{}", "title: is required"),
        (b'{"title": "  "}', "title: must not be blank"),
        (b'{"title": 5}', "title: Input should be a valid string (got 5)"),
        (b'{"title": "x", "titel": "y"}', "titel: is unknown"),
        (b'{"title": "x", "max_iterations": 0}', "max_iterations: must be from 1 to 1,000,000"),
        (b'{"title": "x", "max_iterations": 1.5}', "max_iterations: "),
        (b'{"title": "x", "max_iterations": true}', "max_iterations: "),
        (b'{"title": "x", "max_iterations": 1' + b"0" * 5000 + b"}", "the body is not JSON: number is inf"),
        (b'{"title": "x", "max_minutes": NaN}', "the body is not JSON: "),
        (b'{"title": "x", "max_minutes": 1e999}', ""),
        (b'{"title": "x", "max_minutes": -1}', "max_minutes: "),
        (b'{"title": "\\ud800"}', "the body is not JSON: "),
        (b'{"title": "\xff"}', "the body is not JSON: "),
        (b'\xef\xbb\xbf{"title": "x"}', "the body is not JSON: "),
        (b'{"title": ' + b"[" * 100_000 + b"}", "the body is not JSON: "),
        (b'{"title": "x", "agent": "nobody"}', "no agent is named 'nobody'"),
        (b'{"title": "x", "agent": ""}', "agent: "),
    ],
)
def test_bodies_that_are_refused(refusing: Office, body: bytes, words: str) -> None:
    refused = refusing.send("POST", LOOPS, body)
    assert refused.status == 400
    assert refused.error.startswith(words)
    assert len(refused.error) < 500
    assert refusing.ask("GET", LOOPS).body["total"] == 0


def test_an_agent_that_is_not_here(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    refused = office.ask("POST", LOOPS, {"title": "x", "agent": "codex"})
    assert (refused.status, "codex is not installed" in refused.error) == (503, True)
    agents = {agent["name"]: agent for agent in office.ask("GET", "/api/agents").data}
    assert agents["builtin"] == {"name": "builtin", "available": True, "problem": None}
    assert (agents["codex"]["available"], agents["codex"]["problem"][:22]) == (False, "codex is not installed")


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", f"{LOOPS}/a.b", 400, "Invalid loop ID format"),
        ("GET", f"{LOOPS}/-x", 400, "Invalid loop ID format"),
        ("GET", f"{LOOPS}/{'x' * 200}", 400, "Invalid loop ID format"),
        ("GET", f"{LOOPS}/unknown", 404, "Loop not found: unknown"),
        ("POST", f"{LOOPS}/unknown/start", 404, "Loop not found"),
        ("DELETE", f"{LOOPS}/unknown", 404, "Loop not found"),
        ("GET", f"{LOOPS}/unknown/events", 404, "Loop not found"),
        ("GET", f"{LOOPS}/unknown/transcript", 404, "Loop not found"),
        ("GET", f"{LOOPS}/unknown/progress", 404, "Loop not found"),
        ("GET", f"{LOOPS}?limit=0", 400, "limit: "),
        ("GET", f"{LOOPS}?limit=501", 400, "limit: "),
        ("GET", f"{LOOPS}?limit=many", 400, "limit: "),
        ("GET", f"{LOOPS}?offset=-1", 400, "offset: "),
        ("GET", f"{LOOPS}?offset={'9' * 5000}", 400, "offset: "),
        ("GET", f"{LOOPS}?status=lost", 400, "status: Input should be 'all', 'created'"),
        ("GET", f"{LOOPS}?view=none", 400, "view: "),
        ("GET", f"{LOOPS}?project=none", 404, "Project not found: none (available: shop)"),
        ("GET", f"{LOOPS}/", 404, "there is nothing at /api/loops/v2/"),
        ("GET", "/api", 404, "there is nothing at /api"),
        ("GET", f"{LOOPS}/x/nothing", 404, "there is nothing at"),
        ("PUT", LOOPS, 405, "PUT is not allowed here; allowed: GET, POST"),
        ("POST", f"{LOOPS}/x", 405, "POST is not allowed here; allowed: DELETE, GET, PUT"),
        ("PATCH", "/api/health", 405, "PATCH is not allowed here; allowed: GET"),
    ],
)
def test_paths_and_queries_that_are_refused(refusing: Office, method: str, path: str, status: int, words: str) -> None:
    refused = refusing.ask(method, path)
    assert (refused.status, refused.error[: len(words)]) == (status, words)
    assert ("allow" in refused.headers) == (status == 405)


def test_head_is_no_way_to_ask(office: Office) -> None:
    answer = office.client.head("/api/health")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_a_body_without_end_is_refused(office: Office) -> None:
    parts = (b" " * 65536 for _ in range(20))
    answer = office.client.post(
        LOOPS,
        content=parts,
        headers={"authorization": "Bearer a-token-for-tests-only", "content-type": "application/json"},
    )
    assert (answer.status_code, answer.json()["error"][:24]) == (413, "the body is too long; at")


def test_prompts_that_can_not_be_used_are_told_before_a_runner_starts(office: Office, shop: Path) -> None:
    loop = office.create()
    folder = shop / ".loopwright" / "prompts"
    folder.mkdir(parents=True)
    (folder / "nonsense.md").write_text("x")
    refused = office.ask("POST", f"{LOOPS}/{loop}/start")
    assert (refused.status, office.ask("GET", f"{LOOPS}/{loop}").data["status"]) == (400, "created")


def test_several_projects(tmp_path: Path, shop: Path) -> None:
    other = tmp_path / "more" / "shop"
    other.mkdir(parents=True)
    with opened_office(shop, other) as office:
        assert [p["name"] for p in office.ask("GET", "/api/projects").data] == ["shop", "shop-2"]
        here, there = office.create(), office.create(project="shop-2")
        assert office.ask("GET", f"{LOOPS}/{there}").body["project"] == "shop-2"
        assert [loop["loop_id"] for loop in office.ask("GET", LOOPS).data] == [here]
        assert [loop["loop_id"] for loop in office.ask("GET", f"{LOOPS}?project=shop-2").data] == [there]
        assert office.ask("GET", f"{LOOPS}/{there}?project=shop").status == 404
        state = office.service().read(here)
        office.service("shop-2").store.create(state, actor="test")
        twice = office.ask("GET", f"{LOOPS}/{here}")
        assert twice.status == 409
        assert "name the project" in twice.error
        assert office.ask("GET", f"{LOOPS}/{here}?project=shop-2").body["project"] == "shop-2"


def test_a_project_that_goes_away_leaves_the_others(tmp_path: Path, shop: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with opened_office(shop, other) as office:
        loop = office.create(project="other")
        other.rename(tmp_path / "gone")
        assert office.ask("GET", f"{LOOPS}/{loop}").status in (404, 503)
        assert office.ask("GET", f"{LOOPS}?project=other").data == []
        assert office.ask("POST", f"{LOOPS}?project=other", {"title": "x", "agent": "builtin"}).status in (201, 503)
        assert office.create()
