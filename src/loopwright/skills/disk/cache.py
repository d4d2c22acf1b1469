"""What was worked out about skills, kept in the user's cache folder, so that a folder of skills is looked at at once.

A file an entry, written beside it and renamed, with the digest of its content in front: what is torn, of another
version, or not to be read counts as not there. Whoever writes at the same time writes the same.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from loopwright.skills.files import digest

MOST_BYTES = 100_000_000
"""Of all entries; when there are more the oldest go, down to `KEPT_BYTES`."""
KEPT_BYTES = 60_000_000
NAME = 32
"""Hex digits of a key, and of a content's digest."""


class FindingsCache:
    """Implements ports.FoundBefore. `code`: digest of all that works the entries out; another one has other entries."""

    def __init__(self, folder: Path, code: str, most: int = MOST_BYTES, kept: int = KEPT_BYTES) -> None:
        self._folder, self._code = str(folder), code
        self._most, self._kept = most, kept
        self._written = False

    def get(self, key: str) -> bytes | None:
        try:
            with open(self._path(key), "rb") as file:
                data = file.read()
        except OSError:
            return None
        content = data[NAME + 1 :]
        return content if data[:NAME] == digest(content).encode() else None

    def put(self, key: str, data: bytes) -> None:
        """A cache that cannot be written is none: nobody needs it."""
        path = self._path(key)
        with suppress(OSError):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            fd, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".")
            try:
                with open(fd, "wb") as file:
                    file.write(digest(data).encode() + b"\n" + data)
                os.replace(beside, path)
                self._written = True
            except BaseException:
                with suppress(OSError):
                    os.unlink(beside)
                raise

    def tidy(self) -> None:
        """Lets the oldest go where there is too much; called once at the end."""
        if not self._written:
            return
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        if total <= self._most:
            return
        for _, size, path in entries:
            if total <= self._kept:
                return
            with suppress(OSError):
                os.unlink(path)
            total -= size

    def _path(self, key: str) -> str:
        name = digest(f"{self._code}\0{key}".encode())
        return os.path.join(self._folder, name[:2], name)

    def _entries(self) -> Iterator[tuple[float, int, str]]:
        """Time of writing, size and path of each."""
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.join(folder, name)
                with suppress(OSError):
                    found = os.stat(path)
                    yield found.st_mtime, found.st_size, path


def code_digest(*folders: Path) -> str:
    """Of everything below these folders, by name, size and time of change."""
    sum = hashlib.blake2b(digest_size=16)
    for folder in folders:
        for path in sorted(path for ending in ("*.py", "*.toml", "*.json") for path in folder.rglob(ending)):
            found = path.stat()
            sum.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return sum.hexdigest()
