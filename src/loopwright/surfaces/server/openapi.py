"""/openapi.json: made by FastAPI, without what cannot occur here, and with the ways to show the token."""

from typing import Any

from fastapi import FastAPI

from loopwright.surfaces.server.documentation import ANYWHERE, LOOKING, REFUSALS
from loopwright.surfaces.server.gate import COOKIE

Schema = dict[str, Any]  # Any: OpenAPI is open

COOKIE_NAME = f"{COOKIE}_8765"
"""With the usual port at its end."""
SECURITY: Schema = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "The token that `serve` prints"},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE_NAME,
        "description": "Set by the URL that `serve` prints",
    },
}
OPEN = frozenset({"/api/health"})

DESCRIPTION = """Coding agents in loops that end when the tests pass: create, start, control and watch them.

Every answer is `{"success": true, "data": …}` or `{"success": false, "error": "…"}`. See docs/http-api.md."""

NEVER = ("HTTPValidationError", "ValidationError")
"""Bad input is answered with 400, in a sentence."""


NO_JSON: Schema = {
    "/api/loops/v2/{loop_id}/stream": (
        "Watch one loop", "Events `entry`, `note` and `gone`, see the section Live of docs/http-api.md.",
        "text/event-stream", 'event: entry\nid: 7\ndata: {"seq": 7, "type": "action_started"}\n\n',
        (*LOOKING, 429),
    ),
    "/api/cycles/{cycle_id}/stream": (
        "Watch one cycle", "Events `entry`, `note` and `gone`, see the section Live of docs/http-api.md.",
        "text/event-stream", 'event: entry\nid: 7\ndata: {"seq": 7, "type": "step_started"}\n\n',
        (*LOOKING, 429),
    ),
    "/api/tunings/{tuning_id}/stream": (
        "Watch one tuning session", "Events `entry`, `note` and `gone`, see the section Live of docs/http-api.md.",
        "text/event-stream", 'event: entry\nid: 7\ndata: {"seq": 7, "type": "step_started"}\n\n',
        (*LOOKING, 429),
    ),
    "/api/stream": (
        "Watch all runs", "Events `entry`, `cycle_entry`, `tuning_entry` and `reset`.", "text/event-stream",
        'event: entry\nid: 7\ndata: {"loop_id": "loop-v2-20260122T100000-0123abcd", "seq": 7}\n\n',
        (*ANYWHERE, 404, 429),
    ),
    "/metrics": (
        "Prometheus metrics", "Requests, loops, the fleet, and the process itself.", "text/plain",
        'loopwright_loops{project="shop",status="running"} 1.0\n', (401, 403),
    ),
}  # fmt: skip
"""Path → summary, description, and what is answered: of what kind, an example, and the refusals."""


def install_openapi(app: FastAPI) -> None:
    """Makes `app` describe itself that way."""
    made = app.openapi
    known: Schema = {}

    def described() -> Schema:
        if not known:
            known.update(_completed(made()))
        return known

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI documents it


def _completed(schema: Schema) -> Schema:
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            operation["responses"].pop("422", None)
            if path in NO_JSON:
                operation.update(_not_json(*NO_JSON[path]))
            operation["security"] = [] if path in OPEN else [{"bearer": []}, {"cookie": []}]
    components = schema["components"]
    components["schemas"] = {name: part for name, part in components["schemas"].items() if name not in NEVER}
    components["securitySchemes"] = SECURITY
    return schema


def _not_json(summary: str, description: str, kind: str, example: str, refusals: tuple[int, ...]) -> Schema:
    content = {kind: {"schema": {"type": "string"}, "example": example}}
    refused = {
        str(code): {
            "description": REFUSALS[code][0],
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/Refusal"},
                    "example": {"success": False, "error": REFUSALS[code][1]},
                }
            },
        }
        for code in refusals
    }
    responses = {"200": {"description": "OK", "content": content}, **refused}
    return {"summary": summary, "description": description, "responses": responses}
