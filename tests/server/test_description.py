"""/openapi.json: complete, with examples that are what they stand for."""

from typing import Any

from tests.server.office import TOKEN, Office

Json = Any  # Any: parsed JSON

METHODS = frozenset({"get", "post", "put", "patch", "delete"})


def operations(office: Office) -> list[tuple[str, Json]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in office.description["paths"].items()
        for method, operation in methods.items()
    ]


def test_it_needs_the_token(refusing: Office) -> None:
    assert refusing.client.get("/openapi.json").status_code == 401
    assert refusing.client.get("/openapi.json", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200


def test_every_route_says_what_it_is(refusing: Office) -> None:
    for name, operation in operations(refusing):
        assert operation["summary"], name
        assert operation["description"], name
        assert operation["security"] == ([] if name == "GET /api/health" else [{"bearer": []}, {"cookie": []}]), name
        assert "422" not in operation["responses"], name
        assert "403" in operation["responses"], name


def test_every_example_is_what_it_stands_for(refusing: Office) -> None:
    count = 0
    for name, operation in operations(refusing):
        for status, response in operation["responses"].items():
            for kind, content in response.get("content", {}).items():
                assert "example" in content, (name, status)
                if kind == "application/json":
                    refusing.validate(content["schema"], content["example"])
                    assert content["example"]["success"] is (int(status) < 400), (name, status)
                count += 1
        body = operation.get("requestBody")
        if body:
            schema = body["content"]["application/json"]["schema"]
            for example in examples_of(refusing, schema):
                refusing.validate(schema, example)
                count += 1
    assert count > 250


def examples_of(office: Office, schema: Json) -> list[Json]:
    """Those of the body's model; every body has one."""
    named = [part["$ref"] for part in (schema, *schema.get("anyOf", ())) if "$ref" in part]
    assert named, schema
    model = office.description["components"]["schemas"][named[0].rpartition("/")[2]]
    assert model["examples"], named
    return list(model["examples"])


def test_the_state_is_a_component_and_nothing_is_left_over(refusing: Office) -> None:
    schemas = refusing.description["components"]["schemas"]
    assert {
        "LoopState",
        "Glance",
        "CycleState",
        "CycleGlance",
        "CycleCourseStep",
        "LoopTask",
        "CourseStep",
        "Check",
        "Refusal",
    } <= schemas.keys()
    assert not {"HTTPValidationError", "ValidationError"} & schemas.keys()
    assert refusing.description["components"]["securitySchemes"].keys() == {"bearer", "cookie"}


def test_every_path_of_the_documentation_is_there(refusing: Office) -> None:
    known = {
        f"{method.upper()} {path}" for path, methods in refusing.description["paths"].items() for method in methods
    }
    one = "/api/loops/v2/{loop_id}"
    looking = (
        "events", "transcript", "plan", "timeline", "checkpoints", "diff", "checkpoints/{n}/diff", "history", "tests",
        "hypotheses", "progress", "progress/{file}", "menu", "tasks", "stream",
    )  # fmt: skip
    steering = (
        "start", "pause", "resume", "stop", "reopen", "answer", "choose", "approve", "rewind", "recover", "tasks",
        "import", "generate",
    )  # fmt: skip
    cycle = "/api/cycles/{cycle_id}"
    looking_at_cycles = (
        "events", "transcript", "timeline", "checkpoints", "diff", "checkpoints/{n}/diff", "history", "documents",
        "documents/{folder}/{file}", "discoveries", "progress", "progress/{file}", "stream",
    )  # fmt: skip
    steering_cycles = (
        "start", "pause", "resume", "stop", "extend", "reopen", "answer", "approve", "recover",
        "decisions/{decision_id}", "blockers/{blocker_id}",
    )  # fmt: skip
    tuning = "/api/tunings/{tuning_id}"
    looking_at_tunings = (
        "events", "transcript", "diff", "fixes/{fix_id}", "report", "skill", "source", "progress", "progress/{file}",
        "stream",
    )  # fmt: skip
    steering_tunings = ("start", "stop", "resume", "choose", "answer", "approve", "recover", "fixes/{fix_id}/rollback")
    assert known >= {
        "POST /api/loops/v2", "GET /api/loops/v2", f"GET {one}", f"PUT {one}", f"DELETE {one}", f"PATCH {one}/status",
        *(f"GET {one}/{path}" for path in looking), *(f"POST {one}/{path}" for path in steering),
        f"PUT {one}/tasks/reorder",
        *(f"{method} /api/loops/v2/tasks/{{task_id}}" for method in ("GET", "PUT", "DELETE")),
        *(f"GET {cycle}/{path}" for path in looking_at_cycles), *(f"POST {cycle}/{path}" for path in steering_cycles),
        "POST /api/cycles", "GET /api/cycles", f"GET {cycle}", f"PUT {cycle}", f"DELETE {cycle}",
        f"PATCH {cycle}/status",
        *(f"GET {tuning}/{path}" for path in looking_at_tunings),
        *(f"POST {tuning}/{path}" for path in steering_tunings),
        "POST /api/tunings", "GET /api/tunings", f"GET {tuning}", f"PUT {tuning}", f"DELETE {tuning}",
        f"PATCH {tuning}/status",
        "GET /api/projects", "GET /api/agents", "GET /api/health", "GET /api/stream", "GET /metrics",
    }  # fmt: skip
