"""How a project's runs get to the fleet, and back."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.core.errors import Conflict, Invalid, LoopwrightError, NotFound, StoreError, WorkspaceError
from loopwright.core.fleet import FleetRun, Source, Submission
from loopwright.core.names import FINISHED
from loopwright.core.notices import IdName
from loopwright.core.run import Run
from loopwright.processes.user_git import UserGit
from loopwright.store.files import FileStore
from loopwright.wiring.fleet.access import fleet_user, make_depot, open_dispatcher
from loopwright.wiring.fleet.marks import FleetMark, change_marks, read_marks, set_mark
from loopwright.wiring.places import checkpoints_folder
from loopwright.workflows.tuning.model import TuningState

if TYPE_CHECKING:
    from loopwright.core.run_commands import RunService
    from loopwright.core.state import Family
    from loopwright.fleet.queue import DbosDispatcher
    from loopwright.wiring import Engine

FETCH_SECONDS = 60.0
"""In which all of a run's journal and logs can be fetched."""

TO_RUN = ("created", "pending", "running")
"""Statuses of what a runner takes up."""


def submit_run(engine: "Engine", kind: IdName, id: str, account: str, priority: int = 0) -> tuple[str, ...]:
    """Hands a run that nobody drives to the fleet; of attempts that are not settled, all that have not ended.

    The ids of what is there now. Conflict, Invalid, WorkspaceError, StoreError: all stay here. Unreachable: they may be
    in the fleet or not, and nobody drives them here, until they are submitted once more.
    """
    from loopwright.fleet.database import Unreachable

    service = services(engine)[kind]
    with closing(open_dispatcher(engine.config)) as dispatcher, _together(engine, id) as ids:
        states = {one: _require_submittable(engine, service, one, dispatcher) for one in ids}
        states = {one: _plan_place(engine, service, one, state) for one, state in states.items()}
        sources = {one: _hand_over(engine, service, one) for one in ids}
        with change_marks(engine.project) as marks:
            marks |= {one: FleetMark(kind=kind, remote=s.remote, base=s.base) for one, s in sources.items()}
        try:
            submissions = [
                Submission(
                    id=one,
                    kind=kind,
                    title=states[one].title,
                    account=account,
                    user=fleet_user(engine.config),
                    source=source,
                    journal=file_store(service).journal(one),
                    priority=priority,
                )
                for one, source in sources.items()
            ]
            dispatcher.submit(submissions)
        except Unreachable as error:
            raise Unreachable(f"{error}; whether it has {id} now is not known: submit it once more") from error
        except BaseException:
            with change_marks(engine.project) as marks:
                for one in ids:
                    marks.pop(one, None)
            raise
    return ids


def find_unsettled(engine: "Engine", id: str) -> "Family | None":
    """The attempts that a run of any kind is one of, until the best of them was chosen."""
    if find_kind(engine, id) != "loop_id" or engine.service.read(id).engine.family is None:
        return None
    from loopwright.workflows.loop import family  # most loops are alone

    return family.find_unsettled(engine.service, id)


@contextmanager
def _together(engine: "Engine", id: str) -> Iterator[tuple[str, ...]]:
    """What goes to the fleet with a run, itself included; nobody here drives the attempts meanwhile. Conflict."""
    family = find_unsettled(engine, id)
    if family is None:
        yield (id,)
        return
    from loopwright.workflows.loop.family import complete_family, find_superseded, hold_family, read_family

    with hold_family(engine.service, family):
        if not any(map(engine.service.is_elsewhere, family.ids)):
            complete_family(engine.service, id)
        _, states = read_family(engine.service, id)
        left = tuple(state.loop_id for state in states if state.status not in FINISHED)
        if not left or any(map(find_superseded, states)):
            ended = "an attempt has succeeded" if left else "all attempts have ended"
            raise Conflict(f"{ended} already; choose the best: loopwright resume {id} --wait")
        yield left


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


def _plan_place(engine: "Engine", service: "RunService[Any]", id: str, state: Run) -> Run:
    """Where its worktree is to be here, once what it has come to is fetched; and a skill, wherever the project lies."""
    if isinstance(state, TuningState):
        root, settings = _below_project(state, engine.project), state.engine.settings
        there = tuple(path for path in settings.sandbox_paths if path != state.engine.root)
        changed = {"root": root, "settings": settings.evolve(sandbox_paths=there)}
        rule = lambda s: s.evolve(engine=s.engine.evolve(**changed))  # noqa: E731
        return service.commit(id, rule, "edited", fields="root")  # type: ignore[no-any-return]
    if service.branches is None:
        return state
    branch, _ = service.branches.plan(id)
    rule = lambda s: s.evolve(engine=s.engine.evolve(branch=branch))  # noqa: E731
    planned: Run = service.commit(id, rule, "worktree_planned", branch=branch.name, path=branch.path)
    return planned


def _below_project(state: TuningState, project: Path) -> str:
    """The skill's folder as it is found wherever the project lies. Invalid: it does not travel with that."""
    root = (project / state.engine.root).resolve()
    if not root.is_relative_to(project.resolve()):
        raise Invalid(f"{root} lies outside of the project, and does not travel with it; tune that skill here")
    return str(root.relative_to(project.resolve()))


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


def fetch_runs(engine: "Engine", id: str) -> dict[str, FleetRun]:
    """As `fetch_run`, with all that it went to the fleet with; of attempts that have all ended, the best is chosen.

    How they were in the fleet, by id.
    """
    if mirror := engine.mirror():
        mirror.look(FETCH_SECONDS, only=id)  # whatever has become of the copy here
    family = find_unsettled(engine, id)
    if family is None:
        return {id: fetch_run(engine, id)[0]}
    from loopwright.workflows.loop.family import hold_family, settle_family

    found: dict[str, FleetRun] = {}
    troubles: list[LoopwrightError] = []
    with hold_family(engine.service, family):
        for one in filter(engine.service.is_elsewhere, family.ids):
            try:
                found[one] = fetch_run(engine, one)[0]
            except LoopwrightError as error:  # what is wrong with one does not keep the others
                troubles.append(error)
        if troubles:
            raise troubles[0]
        if settle_family(engine.service, id) is None and not found:
            raise Conflict(f"none of the attempts is in the fleet; go on with them: loopwright resume {id} --wait")
    return found


def fetch_run(engine: "Engine", id: str) -> tuple[FleetRun, Run]:
    """Brings the run's state and checkpoints here; one that has ended there is this project's alone again.

    NotFound, Conflict, WorkspaceError, StoreError.
    """
    from loopwright.fleet.depot import find_url

    with closing(open_dispatcher(engine.config)) as dispatcher:
        found = dispatcher.find(id)
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
        file_store(service).adopt(id)
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
