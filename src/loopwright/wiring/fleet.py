"""A project's runs in the fleet: which are there, how they get there, and what their commits go to."""

import getpass
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import TypeAdapter, ValidationError

from loopwright.core.config import Config
from loopwright.core.errors import Conflict, Corrupt, Fenced, Invalid, NotFound, StoreError, WorkspaceError
from loopwright.core.fleet import Depot, FleetRun, Source, Submission
from loopwright.core.notices import IdName
from loopwright.core.ports import Snapshot
from loopwright.core.record import Record
from loopwright.core.run import Run
from loopwright.core.state import RunBranch
from loopwright.processes.user_git import UserGit
from loopwright.store.disk import Disk
from loopwright.store.files import FileStore
from loopwright.store.lease import Flock
from loopwright.wiring.places import FLEET_MARKS, checkpoints_folder, state_folder
from loopwright.workspace.checkpoints import GitWorkspace

if TYPE_CHECKING:
    from loopwright.core.run_commands import RunService
    from loopwright.fleet.database import Database
    from loopwright.fleet.queue import DbosDispatcher
    from loopwright.fleet.replica import PostgresReplica
    from loopwright.wiring import Engine

DEFAULT_ACCOUNT, DEFAULT_SLOTS = "default", 4

FETCH_SECONDS = 60.0
"""In which all of a run's journal and logs can be fetched."""

LOG_SUFFIXES = (".ndjson", ".log")
"""Of progress files that only grow, line by line: these travel. The others follow from the state, or are no news."""

TO_RUN = ("created", "pending", "running")
"""Statuses of what a runner takes up."""


class FleetMark(Record):
    """A run that is in the fleet. With a `token` it is driven here, else somewhere.

    `edition`: of the journal, where that is a copy; see fleet.logs.
    """

    kind: IdName = "loop_id"
    token: int | None = None
    edition: int = 0
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
    path.parent.mkdir(parents=True, exist_ok=True)
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


def make_depot(project: Path, remote: str, private: Path) -> Depot:
    """`private`: the folder of the private repositories. Mirrors of remotes are kept for this user."""
    from loopwright.fleet.depot import GitDepot
    from loopwright.workspace.checkpoints import private_directory

    mirrors = state_folder() / "mirrors"
    return GitDepot(project, remote, private_directory(private.resolve(), project.resolve()), mirrors)


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


def choose_account(config: Config, given: str | None) -> str:
    """The account that a run is submitted for. Invalid names those there are; StoreError."""
    name = given or config.fleet.account or DEFAULT_ACCOUNT
    known = [account["name"] for account in open_dispatcher(config).accounts()]
    if name not in known:
        raise Invalid(f"the fleet has no account {name}; it has: {', '.join(known) or 'none'}")
    return name


def submit_run(engine: "Engine", kind: IdName, id: str, account: str, priority: int = 0) -> None:
    """Hands a run that nobody drives to the fleet. Conflict, Invalid, WorkspaceError, StoreError: it stays here.

    Unreachable: it may be in the fleet or not, and nobody drives it here, until it is submitted once more.
    """
    from loopwright.fleet.database import Unreachable

    service, dispatcher = services(engine)[kind], open_dispatcher(engine.config)
    state = _require_submittable(engine, service, id, dispatcher)
    if state.engine.settings.worktree:
        alone = {"worktree": False, "commit": False}
        rule = lambda s: s.evolve(engine=s.engine.evolve(settings=s.engine.settings.evolve(**alone)))  # noqa: E731
        state = service.commit(id, rule, "edited", fields="worktree")
    source = _hand_over(engine, service, id)
    set_mark(engine.project, id, FleetMark(kind=kind, remote=source.remote, base=source.base))
    try:
        submission = Submission(
            id=id,
            kind=kind,
            title=state.title,
            account=account,
            user=fleet_user(engine.config),
            source=source,
            journal=file_store(service).journal(id),
            priority=priority,
        )
        dispatcher.submit([submission])
    except Unreachable as error:
        raise Unreachable(f"{error}; whether it has {id} now is not known: submit it once more") from error
    except BaseException:
        set_mark(engine.project, id, None)
        raise


def _require_submittable(engine: "Engine", service: "RunService[Any]", id: str, dispatcher: "DbosDispatcher") -> Run:
    state: Run = service.read(id)
    if id in read_marks(engine.project):
        with suppress(NotFound):  # a command that was killed, or cut off, came no further
            dispatcher.find(id)
            raise Conflict(f"{id} is in the fleet already; bring what it has done here: loopwright fetch {id}")
        set_mark(engine.project, id, None)
    if service.is_live(id):
        raise Conflict(f"{id} is being driven here; pause it first")
    if state.status not in TO_RUN:
        raise Conflict(
            f"{id} is {state.status}: the fleet takes what is to run; resume or reopen it, and pause it again"
        )
    if state.engine.branch is not None:
        raise Conflict(f"{id} works in a worktree already; in the fleet it has a checkout of its own")
    return state


def _hand_over(engine: "Engine", service: "RunService[Any]", id: str) -> Source:
    """Brings the files of a run to where other machines find them."""
    from loopwright.fleet.depot import find_url, public_url

    git, remote = UserGit(engine.project, id, engine.project), find_url(engine.project)
    head = git.run("rev-parse", "--verify", "HEAD^{commit}")
    if not head.is_good:
        raise Invalid("the fleet begins at a commit, and this repository has none; commit once")
    start = service.workspace.snapshot(id, "as it was submitted").commit
    depot = make_depot(engine.project, remote, checkpoints_folder(engine.config.settings))
    depot.push_base(id, head.output)
    depot.push_checkpoint(id, 0, head.output, start)
    name, address = (git.run("config", key).output for key in ("user.name", "user.email"))
    author = f"{name or fleet_user(engine.config)} <{address or 'loopwright@localhost'}>"
    return Source(remote=public_url(remote), base=head.output, start=start, author=author)


def fetch_run(engine: "Engine", id: str) -> tuple[FleetRun, Run]:
    """Brings the run's state and checkpoints here; one that has ended there is this project's alone again.

    NotFound, Conflict, WorkspaceError, StoreError.
    """
    from loopwright.fleet.depot import find_url

    found = open_dispatcher(engine.config).find(id)
    mirror = engine.mirror()
    if mirror is None or id not in read_marks(engine.project):
        raise Conflict(f"{id} was not submitted from here, or was fetched when it had ended")
    service, remote = services(engine)[found.kind], find_url(engine.project)
    mirror.look(FETCH_SECONDS, only=id)
    if trouble := mirror.troubles.get(id):
        raise StoreError(trouble)
    state: Run = service.read(id)
    fetch_checkpoints(engine, service, id)
    if found.status == "finished":
        branch = _fetch_branch(engine, service, state, remote) if found.branch else None
        set_mark(engine.project, id, None)
        if branch is not None:
            rule = lambda s: s.evolve(engine=s.engine.evolve(branch=branch))  # noqa: E731
            state = service.commit(id, rule, "branched", branch=branch.name)
        with suppress(WorkspaceError):  # what stays there does no harm
            make_depot(engine.project, remote, checkpoints_folder(engine.config.settings)).drop(id)
    return found, state


def fetch_checkpoints(engine: "Engine", service: "RunService[Any]", id: str) -> None:
    """Brings those here that its state names. Errors as above."""
    from loopwright.fleet.depot import find_url

    if checkpoints := service.read(id).engine.checkpoints:
        folder = checkpoints_folder(engine.config.settings)
        make_depot(engine.project, find_url(engine.project), folder).fetch_checkpoints(id, checkpoints[-1].commit)


def _fetch_branch(engine: "Engine", service: "RunService[Any]", state: Run, remote: str) -> RunBranch:
    """The branch with the result is the run's own here, as if it had been made here."""
    id, branches = service.rules.id_of(state), service.branches
    assert branches is not None
    branch, _ = branches.plan(id)
    git, ref = UserGit(engine.project, id, engine.project), f"refs/heads/{branch.name}"
    done = git.run("fetch", "--no-tags", remote, f"{ref}:{ref}")
    if not done.is_good:
        raise WorkspaceError(f"the branch {branch.name} could not be fetched: {done.words}")
    brought, tip = state.engine.checkpoints[-1].commit, git.run("rev-parse", ref).output
    return branch.evolve(is_ready=True, tip=tip, brought=brought)


def services(engine: "Engine") -> "Mapping[IdName, RunService[Any]]":  # Any: of states of its kind
    """The commands on runs of each kind."""
    return {"loop_id": engine.service, "cycle_id": engine.cycles, "tuning_id": engine.tunings}


def find_kind(engine: "Engine", id: str) -> "IdName | None":
    """Of what kind a run of this project is; None where there is none of that id."""
    return next((kind for kind, service in services(engine).items() if id in service.store.revs()), None)


def file_store(service: "RunService[Any]") -> FileStore[Any]:
    """The store of a run's files, which knows of journals."""
    assert isinstance(service.store, FileStore)
    return service.store
