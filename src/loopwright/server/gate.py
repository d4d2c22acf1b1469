"""Who may come in, and with what: in front of everything else, one ASGI layer."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.server.answers import refused

COOKIE = "loopwright_token"
LONGEST_BODY = 1 << 20
"""Bytes."""

CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
HEADERS = tuple(
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": CSP,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }.items()
)
CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
OPEN_PATHS = ("/api/health", "/assets/", "/favicon")
"""Without a token: nothing there tells anything about a project."""


@dataclass(frozen=True)
class Rules:
    """`hosts`: what `Host` may say, and `Origin` behind its scheme, in lower case, with the port."""

    token: str
    hosts: frozenset[str]


class TooLong(Exception):
    """A body that goes on beyond what is taken."""


class Gate:
    """Refuses what is not from here, has no token, is no JSON or is too long; the rest goes on to `app`."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app, self._rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refused(*refusal)(scope, receive, guarded)
            return
        try:
            await self._app(scope, _limited(receive), guarded)
        except TooLong:
            await refused(*_TOO_LONG)(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[str, int] | None:
        """Words and status, or None for who may come in."""
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._rules.hosts:
            return "this server is not called that; open the URL that `loopwright serve` prints", 403
        if (origin := headers.get(b"origin")) is not None and not self._is_ours(origin.decode("latin-1")):
            return "requests from other pages are not taken", 403
        if headers.get(b"sec-fetch-site", b"") in (b"cross-site", b"same-site") and scope["method"] in CHANGING:
            return "requests from other pages are not taken", 403
        path = scope["path"]
        if not path.startswith(OPEN_PATHS) and not self._has_token(scope, headers):
            return "no valid token; open the URL that `loopwright serve` prints, or send it as a bearer token", 401
        return _body_problem(scope["method"], headers)

    def _is_ours(self, origin: str) -> bool:
        scheme, _, host = origin.lower().partition("://")
        return scheme in ("http", "https") and host in self._rules.hosts

    def _has_token(self, scope: Scope, headers: dict[bytes, bytes]) -> bool:
        return any(hmac.compare_digest(given.encode(), self._rules.token.encode()) for given in _tokens(scope, headers))


def _tokens(scope: Scope, headers: dict[bytes, bytes]) -> Iterable[str]:
    """Every place a token may stand in; in the address only where a page is opened."""
    scheme, _, bearer = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if scheme.lower() == "bearer":
        yield bearer.strip()
    try:
        cookie = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE)
    except CookieError:
        cookie = None
    if cookie is not None:
        yield cookie.value
    if scope["path"] == "/" and scope["method"] == "GET":
        yield from parse_qs(scope["query_string"].decode("latin-1")).get("token", ())


_TOO_LONG = (f"the body is too long; at most {LONGEST_BODY:,} bytes are taken", 413)


def _body_problem(method: str, headers: dict[bytes, bytes]) -> tuple[str, int] | None:
    if method not in CHANGING:
        return None
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > LONGEST_BODY:
        return _TOO_LONG
    has_body = length != b"0" or b"transfer-encoding" in headers
    kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if has_body and kind != b"application/json":
        return "a body has to be JSON, with content-type: application/json", 415
    return None


def _limited(receive: Receive) -> Receive:
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > LONGEST_BODY:
            raise TooLong
        return message

    return limited
