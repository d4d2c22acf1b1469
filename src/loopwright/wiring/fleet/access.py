"""The ways to the fleet: its database, its queue, and the remotes that files travel by."""

import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from loopwright.core.config import Config
from loopwright.core.errors import Invalid
from loopwright.core.fleet import Depot
from loopwright.wiring.places import state_folder

if TYPE_CHECKING:
    from loopwright.fleet.database import Database
    from loopwright.fleet.queue import DbosDispatcher

DEFAULT_ACCOUNT, DEFAULT_SLOTS = "default", 4


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


def open_dispatcher(config: Config) -> "DbosDispatcher":
    """For whoever submits and looks. Errors as those of `open_database`."""
    database = open_database(config)
    from loopwright.fleet.queue import DbosDispatcher

    return DbosDispatcher(database)


def make_fleet(config: Config) -> list[str]:
    """Makes the tables, and an account where there is none; the names of all accounts."""
    dispatcher = open_dispatcher(config)
    dispatcher.make_tables()
    if not dispatcher.accounts():
        dispatcher.set_account(DEFAULT_ACCOUNT, DEFAULT_SLOTS)
    return [row["name"] for row in dispatcher.accounts()]


def worker_place() -> Path:
    """Where a worker of this user works."""
    return state_folder() / "worker"


def fleet_user(config: Config) -> str:
    """Who submits."""
    return config.fleet.user or getpass.getuser()


def choose_account(config: Config, given: str | None) -> str:
    """The account that a run is submitted for. Invalid names those there are; StoreError."""
    name = given or config.fleet.account or DEFAULT_ACCOUNT
    known = [account["name"] for account in open_dispatcher(config).accounts()]
    if name not in known:
        raise Invalid(f"the fleet has no account {name}; it has: {', '.join(known) or 'none'}")
    return name


def make_depot(project: Path, remote: str, private: Path) -> Depot:
    """`private`: the folder of the private repositories. Mirrors of remotes are kept for this user."""
    from loopwright.fleet.depot import GitDepot
    from loopwright.workspace.checkpoints import private_directory

    mirrors = state_folder() / "mirrors"
    return GitDepot(project, remote, private_directory(private.resolve(), project.resolve()), mirrors)
