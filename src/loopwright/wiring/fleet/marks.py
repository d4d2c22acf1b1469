"""Which runs of a project are in the fleet, and what their commits and snapshots are part of first."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from pydantic import TypeAdapter, ValidationError

from loopwright.core.config import Config
from loopwright.core.errors import Corrupt, Fenced
from loopwright.core.notices import IdName
from loopwright.core.ports import Snapshot
from loopwright.core.private_files import make_private_folder
from loopwright.core.record import Record
from loopwright.core.state import SandboxName
from loopwright.store.disk import Disk
from loopwright.store.lease import Flock
from loopwright.wiring.fleet.access import fleet_url, make_depot
from loopwright.wiring.places import FLEET_MARKS
from loopwright.workspace.checkpoints import GitWorkspace

if TYPE_CHECKING:
    from loopwright.fleet.replica import PostgresReplica

LOG_SUFFIXES = (".ndjson", ".log")
"""Of progress files that only grow, line by line: these travel. The others follow from the state, or are no news."""


class FleetMark(Record):
    """A run that is in the fleet. With a `token` it is driven here, else somewhere.

    `edition`: of the journal, where that is a copy; see fleet.logs. `sandbox`: of the worker, for runs that name none.
    """

    kind: IdName = "loop_id"
    token: int | None = None
    edition: int = 0
    sandbox: SandboxName = "none"
    remote: str
    base: str


_MARKS = TypeAdapter(dict[str, FleetMark])


def read_marks(root: Path) -> Mapping[str, FleetMark]:
    """By id. Corrupt."""
    try:
        return _MARKS.validate_json((root / FLEET_MARKS).read_bytes())
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        raise Corrupt(
            f"{root / FLEET_MARKS} says of no run how it is in the fleet; submit them again, or fetch them"
        ) from error


def set_mark(root: Path, id: str, mark: FleetMark | None) -> None:
    """None takes it away: the run is this project's alone again."""
    with change_marks(root) as marks:
        if mark is None:
            marks.pop(id, None)
        else:
            marks[id] = mark


@contextmanager
def change_marks(root: Path) -> Iterator[dict[str, FleetMark]]:
    """All of them, by id; what is changed in there is kept. Nobody else changes any meanwhile. Corrupt."""
    path = root / FLEET_MARKS
    make_private_folder(path.parent)
    with _locked(path.with_suffix(".lock")):
        before = read_marks(root)
        marks = dict(before)
        yield marks
        if marks == before:
            return
        if marks:
            known = {name: one.model_dump() for name, one in marks.items()}
            Disk().replace(str(path), orjson.dumps(known), durable=True)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = Flock.ensure(str(path))
    try:
        yield
    finally:
        lock.release()


def open_replica(root: Path, config: Config) -> "PostgresReplica":
    """What the commits of those runs of this project are part of first that are in the fleet."""
    from loopwright.fleet.replica import PostgresReplica

    def token_of(id: str) -> int:
        mark = read_marks(root).get(id)
        if mark is None or mark.token is None:
            raise Fenced(f"{id} is in the fleet, where it is driven and changed; bring it here: loopwright fetch {id}")
        return mark.token

    return PostgresReplica(fleet_url(config), token_of)


class PushingWorkspace(GitWorkspace):
    """Snapshots of a run of the fleet: they are where others find them before anybody hears of them."""

    def __init__(self, root: Path, home: Path) -> None:
        super().__init__(root, home)
        self._home_of_all = home

    def snapshot(self, loop_id: str, label: str) -> Snapshot:
        found = super().snapshot(loop_id, label)
        mark = read_marks(self.root).get(loop_id)
        if mark and mark.token is not None:
            depot = make_depot(self.root, mark.remote, self._home_of_all)
            depot.push_checkpoint(loop_id, mark.token, mark.base, found.commit)
        return found
