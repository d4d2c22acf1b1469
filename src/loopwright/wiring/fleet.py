"""A project's runs in the fleet: which are there, how they get there, and what their commits go to."""

import getpass
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from pydantic import TypeAdapter, ValidationError

from loopwright.core.config import Config
from loopwright.core.errors import Corrupt, Fenced, Invalid
from loopwright.core.record import Record

if TYPE_CHECKING:
    from loopwright.core.fleet import Replica
    from loopwright.fleet.database import Database

MARKS = Path(".workflow") / "fleet.json"


class FleetMark(Record):
    """A run that is in the fleet. With a `token` it is driven here, else somewhere."""

    token: int | None = None
    remote: str
    base: str


_MARKS = TypeAdapter(dict[str, FleetMark])


def read_marks(root: Path) -> Mapping[str, FleetMark]:
    """By id. Corrupt."""
    try:
        return _MARKS.validate_json((root / MARKS).read_bytes())
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        raise Corrupt(
            f"{root / MARKS} says of no run how it is in the fleet; submit them again, or fetch them"
        ) from error


def set_mark(root: Path, id: str, mark: FleetMark | None) -> None:
    """None takes it away: the run is this project's alone again."""
    marks = {**read_marks(root), id: mark}
    known = {name: one.model_dump() for name, one in marks.items() if one is not None}
    path = root / MARKS
    if not known:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(exist_ok=True)
    beside = path.with_suffix(".part")
    with beside.open("wb") as file:
        file.write(orjson.dumps(known))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


class MarkedReplica:
    """Implements core.fleet.Replica for all runs of a project, of which some are in the fleet."""

    def __init__(self, root: Path, config: Config) -> None:
        self._root, self._config = root, config
        self._held: Replica | None = None

    def append(self, id: str, at: int, data: bytes) -> None:
        if replica := self._of(id):
            replica.append(id, at, data)

    def rewrite(self, id: str, data: bytes) -> None:
        if replica := self._of(id):
            replica.rewrite(id, data)

    def read(self, id: str, start: int = 0) -> bytes:
        replica = self._of(id)
        assert replica, "only a run of the fleet has one"
        return replica.read(id, start)

    def _of(self, id: str) -> "Replica | None":
        mark = read_marks(self._root).get(id)
        if mark is None:
            return None
        if mark.token is None:
            raise Fenced(f"{id} is in the fleet: it changes where it is driven, and not here")
        if self._held is None:
            from loopwright.fleet.replica import PostgresReplica

            self._held = PostgresReplica(fleet_url(self._config), self._token)
        return self._held

    def _token(self, id: str) -> int:
        mark = read_marks(self._root).get(id)
        if mark is None or mark.token is None:
            raise Fenced(f"{id} is not driven here any more")
        return mark.token


def fleet_url(config: Config) -> str:
    """Where the fleet's database is. Invalid."""
    if config.fleet.url is None:
        raise Invalid(
            "no fleet is named: set LOOPWRIGHT_FLEET_URL, or url in [fleet] of your settings, to the address of its "
            "database, as in postgresql://USER@HOST/DATABASE"
        )
    return config.fleet.url.get_secret_value()


def open_database(config: Config) -> "Database":
    """Invalid: no fleet is named, or what it needs is not installed."""
    url = fleet_url(config)
    try:
        from loopwright.fleet.database import Database
    except ModuleNotFoundError as error:
        raise Invalid(f"the fleet needs {error.name}; install it: pip install 'loopwright[fleet]'") from error
    return Database(url)


def fleet_user(config: Config) -> str:
    """Who submits."""
    return config.fleet.user or getpass.getuser()
