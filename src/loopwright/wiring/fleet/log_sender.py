"""What a worker's runs write into their logs, brought to the fleet as it comes, and back to where they go on."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from loopwright.core.errors import Fenced, StoreError
from loopwright.core.fleet import Claim
from loopwright.core.run_commands import RunService
from loopwright.core.text import json_line
from loopwright.fleet.database import Database
from loopwright.fleet.logs import LogPart, PostgresLogs
from loopwright.policy.secrets import SecretFilter
from loopwright.store.paths import OWN
from loopwright.store.progress import DEEPEST
from loopwright.store.tail import lines_from
from loopwright.wiring.fleet.marks import LOG_SUFFIXES

LOOK_SECONDS = 0.5

MOST = 20_000_000
"""Bytes of all logs of a run that are kept in the fleet."""

FULL = f"the fleet keeps {MOST // 1_000_000} MB of a run's logs: what follows here is only where it is written"


@dataclass(frozen=True)
class SentLog:
    """Up to the byte `at` the `file`, an inode, is in the fleet, where that makes `end` bytes.

    `is_full`: nothing more of it is sent.
    """

    at: int = 0
    file: int | None = None
    end: int = 0
    is_full: bool = False


@dataclass
class SentRun:
    """A run that is driven here, whose progress files lie in the `folder`."""

    claim: Claim
    folder: Path
    secrets: SecretFilter
    logs: dict[str, SentLog] = field(default_factory=dict)

    def find_new(self) -> Iterator[tuple[LogPart, SentLog]]:
        """What was not sent yet, in whole lines and without secrets; with what will have been then."""
        room = MOST - sum(log.end for log in self.logs.values())
        for name in find_logs(self.folder):
            log = self.logs.get(name, SentLog())
            found = lines_from(self.folder / name, log.at, log.file)
            if log.is_full or not found.lines:
                continue
            data = self._masked(b"".join(line.text for line in found.lines))
            is_full = len(data) > room
            data = _last_line(name) if is_full else data
            room -= len(data)
            sent = SentLog(found.lines[-1].end, found.file, log.end + len(data), is_full)
            yield LogPart(self.claim.id, name, log.end, data), sent

    def _masked(self, data: bytes) -> bytes:
        """Most is masked already, but neither what a runner prints nor what a program under test has in its hands."""
        return self.secrets.masked(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")


class LogSender:
    """One thread and one connection for all runs of a worker."""

    def __init__(self, database: Database) -> None:
        self._logs = PostgresLogs(database)
        self._runs: dict[str, SentRun] = {}
        self._turn = threading.Lock()

    @contextmanager
    def sending(self, claim: Claim, service: RunService[Any], secrets: SecretFilter) -> Iterator[Callable[[], None]]:
        """Lays out what there was before, and sends what comes; what this gives sends all there is.

        StoreError; Fenced once another machine has claimed the run.
        """
        run = SentRun(claim, service.store.progress_path(claim.id), secrets)
        for part in self._logs.read(claim.id):
            service.store.append_progress(claim.id, part.name, part.data.split(b"\n")[:-1])
            run.logs[part.name] = replace(SentLog(), end=part.at + len(part.data))
        for name, log in run.logs.items():
            known = (run.folder / name).stat()
            run.logs[name] = replace(log, at=known.st_size, file=known.st_ino)
        self._runs[claim.id] = run

        def finish() -> None:
            with self._turn:
                while self._send(run):
                    pass

        try:
            yield finish
        finally:
            del self._runs[claim.id]

    def serve(self, ended: threading.Event) -> None:
        """Until then, sends what is new."""
        while not ended.wait(LOOK_SECONDS):
            for run in tuple(self._runs.values()):
                with self._turn, suppress(StoreError, OSError, Fenced):  # told when the run is handed on
                    self._send(run)

    def _send(self, run: SentRun) -> bool:
        """Whether there was anything."""
        found = list(run.find_new())
        if found:
            self._logs.append(run.claim.id, run.claim.token, [part for part, _ in found])
            run.logs |= {part.name: log for part, log in found}
        return bool(found)


def find_logs(folder: Path) -> list[str]:
    """Their names below the folder of a run's progress files, where a kind's own files may lie, too."""
    found = list[str]()
    for place, folders, files in os.walk(folder):
        above = os.path.relpath(place, folder)
        depth = 0 if above == "." else above.count("/") + 1
        if depth + 1 >= DEEPEST:
            folders.clear()
        names = (name for name in files if name.endswith(LOG_SUFFIXES) and not os.path.islink(f"{place}/{name}"))
        found += [f"{above}/{name}" for name in names] if depth else [n for n in names if not n.startswith(f"{OWN}.")]
    return sorted(found)


def _last_line(name: str) -> bytes:
    if not name.endswith(".ndjson"):
        return f"{FULL}\n".encode()
    at = datetime.now().astimezone().isoformat(timespec="milliseconds")
    return f"{json_line({'ts': at, 'after': 0, 'kind': 'trouble', 'text': FULL})}\n".encode()
