"""/openapi.json: made by FastAPI, without what can not occur here, and with the ways to show the token."""

from typing import Any

from fastapi import FastAPI

from loopwright.server.gate import COOKIE

Schema = dict[str, Any]  # Any: OpenAPI is open

SECURITY: Schema = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "The token that `serve` prints"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "Set by the URL that `serve` prints"},
}
OPEN = frozenset({"/api/health"})

DESCRIPTION = """Coding agents in loops that end when the tests pass: created, started, steered and watched.

Every answer is `{"success": true, "data": …}` or `{"success": false, "error": "…"}`. See docs/http-api.md."""

NEVER = ("HTTPValidationError", "ValidationError")
"""Bad input is answered with 400, in a sentence."""


def describe(app: FastAPI) -> None:
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
            operation["security"] = [] if path in OPEN else [{"bearer": []}, {"cookie": []}]
    components = schema["components"]
    components["schemas"] = {name: part for name, part in components["schemas"].items() if name not in NEVER}
    components["securitySchemes"] = SECURITY
    return schema
