"""The token that lets somebody in: made once, kept for its owner alone."""

import os
import secrets
from pathlib import Path

from loopwright.domain.errors import Invalid

BYTES = 32
SHORTEST = 16
"""Characters of a token that somebody chose."""


def kept_token(folder: Path) -> str:
    """The token in that folder; made at the first start, mode 0600. Invalid for a file that others could read."""
    path = folder / "server-token"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _read(path)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        token = secrets.token_urlsafe(BYTES)
        file.write(token)
    return token


def checked_token(token: str) -> str:
    """One that was given. Invalid where it could be guessed, or not be sent."""
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise Invalid(f"--token: needs {SHORTEST} or more printable ASCII characters without spaces")
    return token


def _read(path: Path) -> str:
    found = path.stat(follow_symlinks=False)
    if found.st_mode & 0o077 or found.st_uid != os.geteuid():
        raise Invalid(f"{path}: others could read this token; remove the file, and a new one is made")
    token = path.read_text(encoding="ascii").strip()
    if len(token) < SHORTEST:
        raise Invalid(f"{path}: holds no token; remove the file, and a new one is made")
    return token
