"""Who may come in, and with what: in front of everything else, one ASGI layer.

Not by Starlette's TrustedHostMiddleware: it looks at no port, so that a page of another server on this machine may ask.
"""

import asyncio
import hmac
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.core.errors import Invalid
from loopwright.core.names import ServerRole
from loopwright.core.private_files import make_private_folder
from loopwright.surfaces.server.api_response import ApiResponse, make_refusal
from loopwright.surfaces.server.tokens import ROLES, AuditLog, NamedTokens, needed_role

COOKIE = "loopwright_token"
"""Its name goes on with the port: cookies do not tell the servers of a machine apart."""
YEAR = 365 * 24 * 3600
LONGEST_BODY = 1 << 20
"""Bytes."""
PATIENCE = 10.0
"""Seconds until a body has to be there."""

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
OPEN_PATHS = frozenset({"/", "/api/health"})
OPEN_FOLDERS = ("/assets/", "/favicon")
"""Without a token: nothing there tells anything about a project. The page says how to get in."""
ONCE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"content-length"})
"""What must not be said twice: whoever looks later might take the other."""
ADDRESS = re.compile(r"(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?")


@dataclass(frozen=True)
class GateRules:
    """`hosts`: what `Host` may say, in lower case, with the port. `any_address`: an IP address at `port` will do.
    `token` may do everything, those of `named` what their roles say; `audit` is the log of what they did.

    A page that lures a browser here by a name of its own has that name in `Host`, never an address.
    """

    token: str
    hosts: frozenset[str]
    port: int
    any_address: bool = False
    named: NamedTokens | None = None
    audit: AuditLog | None = None

    @property
    def cookie(self) -> str:
        return f"{COOKIE}_{self.port}"

    def knows(self, host: str) -> bool:
        return host in self.hosts or (self.any_address and self._is_address(host))

    def find(self, token: str) -> tuple[str, ServerRole] | None:
        """Whose it is, and what that may do; in a time that tells nothing of how much of it is right."""
        if hmac.compare_digest(token.encode(), self.token.encode()):
            return "owner", "admin"
        return self.named.find(token) if self.named else None

    def _is_address(self, host: str) -> bool:
        found = ADDRESS.fullmatch(host)
        if found is None or int(found[3] or 80) != self.port:
            return False
        try:
            return bool(ip_address(found[1] or found[2]))
        except ValueError:
            return False


class UnreadableBody(Exception):
    """A body that goes on beyond what is taken, or does not come."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.words, self.status = words, status


class RequestGate:
    """Refuses what is not from here, has no token, is no JSON or is too long; the rest goes on to `app`."""

    def __init__(self, app: ASGIApp, rules: GateRules) -> None:
        self._app, self._rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        headers = dict(scope["headers"])
        holder = next(filter(None, map(self._rules.find, _tokens(headers, self._rules.cookie))), None)
        scope["role"] = holder and holder[1]
        if self._rules.audit and holder and scope["method"] in CHANGING:
            answering = _noted(guarded, self._rules.audit, holder[0], scope)
        else:
            answering = guarded
        if (answer := self._stopped(scope, headers, holder)) is not None:
            await answer(scope, receive, answering)
        elif scope["method"] in CHANGING:
            await self._with_body(scope, receive, answering)
        else:
            await self._app(scope, receive, answering)

    async def _with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, _limited(receive), send)
        except UnreadableBody as problem:
            await make_refusal(problem.words, problem.status)(scope, receive, send)

    def _stopped(
        self, scope: Scope, headers: dict[bytes, bytes], holder: tuple[str, ServerRole] | None
    ) -> ApiResponse | None:
        """The answer for who may not come in, or is let in by a token in the address; None for everybody else."""
        refusal = self._foreign(scope, headers)
        if refusal is None and scope["path"] == "/" and b"token=" in scope["query_string"]:
            return self._let_in(scope)
        if refusal is None and not self._is_open(scope["path"]):
            if holder is None:
                words = "no valid token; open the URL that `loopwright serve` prints, or send it as a bearer token"
                return make_refusal(words, 401, {"www-authenticate": "Bearer"})
            refusal = _role_problem(scope, *holder)
        refusal = refusal or _body_problem(scope["method"], headers)
        return None if refusal is None else make_refusal(*refusal, {"connection": "close"})

    def _foreign(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[str, int] | None:
        if len(headers) != len(scope["headers"]) and (twice := _said_twice(scope["headers"])):
            return f"the header {twice} was sent twice", 400
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self._rules.knows(host):
            return ("not a name of this server; open the URL that `loopwright serve` prints (see --allow-host)", 403)
        if (origin := headers.get(b"origin")) is not None and not self._is_ours(origin.decode("latin-1"), host):
            return "requests from other pages are refused", 403
        if headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site") and (
            scope["method"] in CHANGING or headers.get(b"sec-fetch-mode") != b"navigate"
        ):
            return "requests from other pages are refused", 403
        return None

    def _is_ours(self, origin: str, host: str) -> bool:
        scheme, _, name = origin.lower().partition("://")
        return scheme in ("http", "https") and (name == host or name in self._rules.hosts)

    def _is_open(self, path: str) -> bool:
        return path in OPEN_PATHS or path.startswith(OPEN_FOLDERS)

    def _let_in(self, scope: Scope) -> ApiResponse:
        """Keeps a token in the address as a cookie, and leads to the address without it; a wrong one just goes."""
        query = scope["query_string"].decode("latin-1")
        rest = urlencode([(name, value) for name, value in parse_qsl(query) if name != "token"])
        answer = ApiResponse(b"", 303, {"location": f"/?{rest}" if rest else "/", "cache-control": "no-store"})
        given = next((token for token in parse_qs(query).get("token", ()) if self._rules.find(token)), None)
        if given is not None and scope["method"] == "GET":
            answer.set_cookie(
                self._rules.cookie,
                quote(given, safe=""),
                max_age=YEAR,
                path="/",
                httponly=True,
                samesite="strict",
                secure=scope["scheme"] == "https",
            )
        return answer


def _noted(send: Send, audit: AuditLog, who: str, scope: Scope) -> Send:
    async def noted(message: Message) -> None:
        if message["type"] == "http.response.start":
            audit.note(who, scope["method"], scope["path"], message["status"])
        await send(message)

    return noted


def _role_problem(scope: Scope, name: str, role: ServerRole) -> tuple[str, int] | None:
    needed = needed_role(scope["method"], scope["path"])
    if ROLES.index(role) >= ROLES.index(needed):
        return None
    return f"this needs a token with the role {needed}; {name} has the role {role} (see `loopwright tokens`)", 403


def _tokens(headers: dict[bytes, bytes], cookie: str) -> Iterable[str]:
    """Every place a token may stand in. What else is among the cookies is somebody else's, and may be anything."""
    scheme, _, bearer = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if scheme.lower() == "bearer":
        yield bearer.strip()
    for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
        name, _, value = part.strip().partition("=")
        if name == cookie:
            yield unquote(value)


def _said_twice(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    names = [name for name, _ in headers if name in ONCE]
    return next((name.decode() for name in names if names.count(name) > 1), None)


_TOO_LONG = (f"the body is too long; at most {LONGEST_BODY:,} bytes are accepted", 413)
_TOO_SLOW = (f"the body did not arrive within {PATIENCE:.0f} seconds", 408)


def _body_problem(method: str, headers: dict[bytes, bytes]) -> tuple[str, int] | None:
    if method not in CHANGING:
        return None
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or len(length) > 20 or int(length) > LONGEST_BODY:
        return _TOO_LONG
    has_body = int(length) > 0 or b"transfer-encoding" in headers
    kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if has_body and kind != b"application/json":
        return "a body must be JSON, with content-type: application/json", 415
    return None


def _limited(receive: Receive) -> Receive:
    taken, is_whole, until = 0, False, asyncio.get_running_loop().time() + PATIENCE

    async def limited() -> Message:
        nonlocal taken, is_whole
        if is_whole:
            return await receive()
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError as error:
            raise UnreadableBody(*_TOO_SLOW) from error
        is_whole = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        if taken > LONGEST_BODY:
            raise UnreadableBody(*_TOO_LONG)
        return message

    return limited


BYTES = 32
SHORTEST = 16
"""Characters of a token that somebody chose."""


def load_token(folder: Path) -> str:
    """The token in that folder; made at the first start, mode 0600. Invalid for a file that others could read."""
    path = folder / "server-token"
    make_private_folder(folder)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _read(path)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        token = secrets.token_urlsafe(BYTES)
        file.write(token)
    return token


def check_token(token: str) -> str:
    """One that was given. Invalid where it could be guessed, or not be sent."""
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise Invalid(f"--token: needs {SHORTEST} or more printable ASCII characters without spaces")
    return token


def _read(path: Path) -> str:
    found = path.stat(follow_symlinks=False)
    if found.st_mode & 0o077 or found.st_uid != os.geteuid():
        raise Invalid(f"{path}: others could read this token; remove the file to get a new one")
    token = path.read_text(encoding="ascii").strip()
    if len(token) < SHORTEST:
        raise Invalid(f"{path}: contains no token; remove the file to get a new one")
    return token
