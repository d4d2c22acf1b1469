"""Named tokens of the server, each with a role; and the log of what was done with them."""

import hashlib
import hmac
import os
import re
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import orjson
from pydantic import TypeAdapter, ValidationError

from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.core.names import ServerRole
from loopwright.core.private_files import FILE_MODE, make_private_folder, open_private
from loopwright.core.record import Record
from loopwright.store.lease import Flock

ROLES: tuple[ServerRole, ...] = get_args(ServerRole)

_RUN = r"/api/(?:loops/v2|cycles|tunings)/[^/]+/"
NEEDED: Mapping[ServerRole, re.Pattern[str]] = {
    "steer": re.compile(rf"{_RUN}(?:start|pause|resume|stop|status|tell)"),
    "approve": re.compile(
        rf"{_RUN}(?:approve|answer|choose|recover|decisions/[^/]+|blockers/[^/]+|fixes/[^/]+/rollback)"
    ),
}
"""What of POST and PATCH does not need the last role: nothing of it names a command, or loosens what is checked."""


def needed_role(method: str, path: str) -> ServerRole:
    """The first of the roles that may send such a request."""
    if method in ("GET", "HEAD") and path != "/mcp":
        return "view"
    roles = (role for role, pattern in NEEDED.items() if method in ("POST", "PATCH") and pattern.fullmatch(path))
    return next(roles, "admin")


class TokenEntry(Record):
    """`digest`: the SHA-256 of the token, which is told once and kept nowhere."""

    role: ServerRole
    digest: str
    made: str


class NamedTokens:
    """Those in the file `tokens.json` of the folder `folder`; a change there counts with the next request."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "tokens.json"
        self._stamp: tuple[int, int] | None = None
        self._entries: Mapping[str, TokenEntry] = {}

    def find(self, token: str) -> tuple[str, ServerRole] | None:
        """Whose it is, and what that may do."""
        digest = _digest(token)
        with suppress(Invalid):  # a file that is no good lets nobody in
            self.entries()
        found = [name for name, entry in self._entries.items() if hmac.compare_digest(entry.digest, digest)]
        return (found[0], self._entries[found[0]].role) if found else None

    def entries(self) -> Mapping[str, TokenEntry]:
        """By name. Invalid for a file that says something else, or that others could change: then there are none."""
        try:
            found = os.lstat(self._path)
        except FileNotFoundError:
            self._entries, self._stamp = {}, None
            return self._entries
        stamp = found.st_mtime_ns, found.st_ctime_ns
        if stamp != self._stamp:
            self._entries, self._stamp = {}, None
            if found.st_mode & 0o077 or found.st_uid != os.geteuid():
                raise Invalid(f"{self._path}: others could read or change it; remove it, and make the tokens anew")
            try:
                self._entries = _ENTRIES.validate_json(self._path.read_bytes())
            except ValidationError as error:
                raise Invalid(f"{self._path} holds no tokens; remove it, and make them anew") from error
            self._stamp = stamp
        return self._entries

    def add(self, name: str, role: ServerRole) -> str:
        """The token, which nobody can be told again. Conflict where the name is taken."""
        if not re.fullmatch(r"[\w.@-]{1,64}", name):
            raise Invalid(f"{name!r}: a token's name is up to 64 letters, digits and . _ @ -")
        token = secrets.token_urlsafe(32)
        with self._changed() as entries:
            if name in entries:
                raise Conflict(f"there is a token {name} already; remove it first")
            made = datetime.now(UTC).isoformat(timespec="seconds")
            entries[name] = TokenEntry(role=role, digest=_digest(token), made=made)
        return token

    def remove(self, name: str) -> None:
        """NotFound where there is none of that name."""
        with self._changed() as entries:
            if entries.pop(name, None) is None:
                raise NotFound(f"there is no token {name}; there are: {', '.join(entries) or 'none'}")

    @contextmanager
    def _changed(self) -> Iterator[dict[str, TokenEntry]]:
        make_private_folder(self._path.parent)
        lock = Flock.ensure(str(self._path.with_suffix(".lock")))
        try:
            entries = dict(self.entries())
            yield entries
            fresh = self._path.with_suffix(".new")
            with open(fresh, "wb", opener=open_private) as file:
                file.write(_ENTRIES.dump_json(entries, indent=2))
            os.replace(fresh, self._path)
        finally:
            lock.release()


_ENTRIES = TypeAdapter(dict[str, TokenEntry])


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


LONGEST_LOG = 10_000_000
"""Bytes, after which the log is put aside as `audit.ndjson.1`."""


class AuditLog:
    """One line for each request that could change something: when, whose token, what, and the answer's status."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "audit.ndjson"
        self._turn = threading.Lock()

    def note(self, who: str, method: str, path: str, status: int) -> None:
        """A log that cannot be written keeps nobody from working."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = orjson.dumps({"at": at, "who": who, "method": method, "path": path[:500], "status": status}) + b"\n"
        with self._turn, suppress(OSError):
            with suppress(FileNotFoundError):
                if os.lstat(self._path).st_size > LONGEST_LOG:
                    os.replace(self._path, f"{self._path}.1")
            make_private_folder(self._path.parent)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self._path, flags, FILE_MODE)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
