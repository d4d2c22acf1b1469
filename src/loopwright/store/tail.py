"""A file that others append to, read as it grows."""

import os
from pathlib import Path


class Tail:
    """The lines that are appended to a file; a line without its end is left for the next look.

    A file that is not there yet, is put in the place of another one or begins anew is read from its beginning.
    """

    def __init__(self, path: Path, *, from_end: bool = False) -> None:
        self._path = path
        self._at = 0
        self._file: int | None = None
        if from_end and path.exists():
            known = path.stat()
            self._at, self._file = known.st_size, known.st_ino

    def lines(self) -> list[str]:
        try:
            with self._path.open("rb") as file:
                found = os.fstat(file.fileno())
                if found.st_size < self._at or self._file not in (None, found.st_ino):
                    self._at = 0
                self._file = found.st_ino
                file.seek(self._at)
                fresh = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return []
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self._at += len(whole)
        return whole.decode(errors="replace").split("\n")[:-1]
