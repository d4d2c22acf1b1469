"""How a project's runs get to the fleet, and back."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loopwright.core.errors import Conflict, Invalid, NotFound, StoreError, WorkspaceError
from loopwright.core.fleet import FleetRun, Source, Submission
from loopwright.core.notices import IdName
from loopwright.core.run import Run
from loopwright.processes.user_git import UserGit
from loopwright.store.files import FileStore
from loopwright.wiring.fleet.access import fleet_user, make_depot, open_dispatcher
from loopwright.wiring.fleet.marks import FleetMark, read_marks, set_mark
from loopwright.wiring.places import checkpoints_folder

if TYPE_CHECKING:
    from loopwright.core.run_commands import RunService
    from loopwright.fleet.queue import DbosDispatcher
    from loopwright.wiring import Engine

FETCH_SECONDS = 60.0
"""In which all of a run's journal and logs can be fetched."""

TO_RUN = ("created", "pending", "running")
"""Statuses of what a runner takes up."""


def submit_run(engine: "Engine", kind: IdName, id: str, account: str, priority: int = 0) -> None:
    """Hands a run that nobody drives to the fleet. Conflict, Invalid, WorkspaceError, StoreError: it stays here.

    Unreachable: it may be in the fleet or not, and nobody drives it here, until it is submitted once more.
    """
    from loopwright.fleet.database import Unreachable

    service, dispatcher = services(engine)[kind], open_dispatcher(engine.config)
    state = _require_submittable(engine, service, id, dispatcher)
    state = _plan_branch(service, id, state)
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
    if state.engine.branch is not None and state.engine.branch.is_ready:
        raise Conflict(f"{id} works in a worktree already; in the fleet it has a checkout of its own")
    return state


def _plan_branch(service: "RunService[Any]", id: str, state: Run) -> Run:
    """Where its worktree is to be here, once what it has come to is fetched."""
    if service.branches is None:
        return state
    branch, _ = service.branches.plan(id)
    rule = lambda s: s.evolve(engine=s.engine.evolve(branch=branch))  # noqa: E731
    planned: Run = service.commit(id, rule, "worktree_planned", branch=branch.name, path=branch.path)
    return planned


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
        if found.branch is not None:
            ref, git = f"refs/heads/{found.branch}", UserGit(engine.project, id, engine.project)
            done = git.run("fetch", "--no-tags", remote, f"{ref}:{ref}")
            if not done.is_good:
                raise WorkspaceError(f"the branch {found.branch} could not be fetched: {done.words}")
        set_mark(engine.project, id, None)
        with suppress(WorkspaceError):  # what stays there does no harm
            make_depot(engine.project, remote, checkpoints_folder(engine.config.settings)).drop(id)
    return found, state


def fetch_checkpoints(engine: "Engine", service: "RunService[Any]", id: str) -> None:
    """Brings those here that its state names. Errors as above."""
    from loopwright.fleet.depot import find_url

    if checkpoints := service.read(id).engine.checkpoints:
        folder = checkpoints_folder(engine.config.settings)
        make_depot(engine.project, find_url(engine.project), folder).fetch_checkpoints(id, checkpoints[-1].commit)


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
