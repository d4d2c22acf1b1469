"""A worker of the fleet: takes runs from the queue, drives each in a checkout of its own, and hands the result on."""

import fcntl
import getpass
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from loopwright.core.config import ACCOUNT_ENV, FLEET_URL, PASS_ENV, Config
from loopwright.core.delivery import commit_message, proof_words, task_text
from loopwright.core.errors import (
    Conflict,
    Fenced,
    LoopwrightError,
    NoSandbox,
    NotFound,
    StoreError,
    UncertainCommit,
    WorkspaceError,
)
from loopwright.core.fleet import Claim, Depot, FleetStatus, Job, Release
from loopwright.core.names import FINISHED
from loopwright.core.pause import is_due
from loopwright.core.private_files import make_private_folder
from loopwright.core.run import SUPERSEDED, Run
from loopwright.core.run_commands import RunService
from loopwright.core.state import PendingCommit, SandboxName
from loopwright.core.threads import in_thread
from loopwright.fleet.database import Database, Unreachable, check_tables
from loopwright.fleet.queue import DbosDispatcher, TakenJobs
from loopwright.fleet.signals import PostgresSignals
from loopwright.fleet.workers import Membership, make_executor
from loopwright.policy.secrets import SecretFilter, secret_values, withheld_names
from loopwright.processes.confinement import Sandbox, resolve_sandbox
from loopwright.processes.process_tree import ProcessMark
from loopwright.processes.runner_processes import OwnProcesses, start_apart
from loopwright.processes.user_git import UserGit
from loopwright.store.disk import Disk
from loopwright.wiring import Engine, open_engine, read_config
from loopwright.wiring.fleet.access import fleet_url, make_depot
from loopwright.wiring.fleet.log_sender import LogSender
from loopwright.wiring.fleet.marks import FleetMark, set_mark
from loopwright.wiring.fleet.runs import TO_RUN, file_store, services
from loopwright.wiring.fleet.setups import KeptSetups, setup_key
from loopwright.wiring.fleet.signal_applier import Envelope, SignalApplier
from loopwright.workflows.loop.family import find_superseded, keep_attempt
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from loopwright.workspace.branches import PREFIX
from loopwright.workspace.private_git import run_git

RETRY, LONGEST = timedelta(seconds=5), timedelta(minutes=5)
"""After which a run that could not be driven is tried again, perhaps elsewhere; each time in a row twice as long."""

MOST_FAILURES = 12
"""In a row, after which a person has to look at it: half an hour."""

REST_SECONDS, LONGEST_REST = 10.0, 300.0
"""For which a worker takes nothing that could not lay a run out, each time in a row twice as long: others may be better
off, and it must not take what they could do."""

LOOK_SECONDS = 0.2
WATCH_SECONDS = 1.0
"""Between two looks at which accounts are closed, and at whether a run waits for a person."""

SHORT = timedelta(seconds=10)
"""A limit that resets within it is waited for where the run is."""

PATIENCE = timedelta(seconds=5)
"""For which a person is waited for with a slot."""

WAIT_SECONDS = 2.0
"""Between two tries to reach the database."""

END_SECONDS = 10.0
"""Which a runner has to end what it has started."""

ENVIRONMENT = "loopwright.wiring.fleet.environment"
"""What looks at what a run's tests run with here."""

SAID = 600
"""Characters at the end of what a command has printed."""

Say = Callable[[str], None]


def release_of(state: Run, *, awaits: bool, ends: bool, went_on: bool, trouble: str) -> Release:
    """What becomes of a run whose runner has ended. `awaits`: only a person helps; `ends`: its worker does.

    `went_on`: it has done a step under this claim. `trouble`: how its runner ended.
    """
    if state.status in FINISHED:
        return Release("finished")
    if parked := state.engine.parked:
        return Release("queued", datetime.fromisoformat(parked.until), parked.reason)
    if state.status not in TO_RUN or awaits:
        return Release("resting")
    if ends:
        return Release("queued")
    return Release("queued", trouble=trouble, failed=not went_on)


def tried_again(release: Release, failures: int, now: datetime) -> Release:
    """The same after so many failures in a row before it: later each time, and in the end not by itself."""
    if not release.failed:
        return release
    if failures + 1 >= MOST_FAILURES:
        return Release("resting", trouble=f"given up after {failures + 1} tries: {release.trouble}", failed=True)
    return replace(release, at=now + min(RETRY * 2**failures, LONGEST))


def release_of_control(state: Run, was: FleetStatus, *, awaits: bool) -> Release:
    """What a run becomes that commands were applied to while nobody drove it; `was`: its status then."""
    if state.status in ("created", "pending"):
        return Release(was)
    never_begun = state.engine.outcome == "stopped" and state.engine.start is None
    if was != "finished" and state.status in FINISHED and not never_begun:
        return Release("queued")  # what it has come to was not handed on yet
    return release_of(state, awaits=awaits, ends=True, went_on=True, trouble="")


class FleetWorker:
    """One for each `place`, the folder that it works in. `say` gets a line about all that happens.

    `sandbox`: whether runs that name none are put into one; None where it works. NoSandbox.
    """

    def __init__(self, config: Config, place: Path, slots: int, say: Say, sandbox: bool | None = None) -> None:
        self._config, self._place, self._slots, self._say = config, place, slots, say
        self._sandbox = choose_sandbox(sandbox, place, say)
        self._executor = make_executor()
        self._database = Database(fleet_url(config))
        self._dispatcher = DbosDispatcher(self._database, self._executor)
        background = Database(self._database.url)
        self._signals = PostgresSignals(background, self._executor)
        self._applier = SignalApplier(self._signals, say)
        self._logs = LogSender(background)
        self._setups = KeptSetups(place / "setups")
        self._numbers = set[int]()
        """Of the folders in which runs lie."""
        self._turn = threading.Lock()
        self._programs: dict[str, subprocess.Popen[bytes]] = {}
        self._busy = set[int]()
        """Threads that have a job."""
        self._closed = frozenset[str]()
        self._rests_until, self._stumbles = 0.0, 0
        self._ending, self._lost = threading.Event(), threading.Event()
        self._asked = False

    def serve(self, *, drain: bool) -> bool:
        """Until `end`, or with `drain` until no job is left. False: it was cut off, and has to begin anew."""
        beats = Database(self._database.url)
        with ExitStack() as kept, suppress(Unreachable):
            kept.enter_context(self._alone())
            for one in (self._database, self._signals, beats):
                kept.callback(one.close)
            if not self._await_database():
                return True
            member = Membership(beats, self._executor, self._slots, self._give_up)
            served = self._dispatcher.serving(
                self._slots,
                lambda job: self._unless_lost(lambda: self._work(job)),
                self._may_take,
                lambda id: self._unless_lost(lambda: self._control(id)),
            )
            with member, in_thread(self._applier.serve), in_thread(self._logs.serve), served as jobs:
                member.jobs = jobs
                self._say(f"{self._executor} takes runs, {self._slots} at a time")
                self._wait(jobs, drain=drain)
                jobs.close()
                while self._busy or (jobs.taken and not self._lost.is_set()):
                    time.sleep(LOOK_SECONDS)
                if not self._lost.is_set():
                    member.leave()
                    return True
        return self._asked

    def end(self) -> None:
        """Its runs are handed to others. For a signal's handler, which must not touch a lock."""
        self._asked = True

    def _wait(self, jobs: TakenJobs, *, drain: bool) -> None:
        looked = 0.0
        while not (self._asked or self._lost.is_set()):
            time.sleep(LOOK_SECONDS)
            if time.monotonic() - looked < WATCH_SECONDS:
                continue
            looked = time.monotonic()
            with suppress(Unreachable):
                self._closed = self._dispatcher.closed()
                if drain and not jobs.taken and not self._dispatcher.waiting(tuple(self._config.fleet.accounts)):
                    break
        self._ending.set()

    def _may_take(self, account: str) -> bool:
        known = self._config.fleet.accounts
        rests = self._ending.is_set() or time.monotonic() < self._rests_until
        return not rests and account not in self._closed and (not known or account in known)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Conflict where another worker has the place; what a killed one left there is ended and removed."""
        make_private_folder(self._place)
        with (self._place / "lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(f"another worker works in {self._place}; give this one another folder") from None
            for folder in (self._place / "runs").glob("*"):
                self._clear(folder)
            self._setups.clear()
            yield

    def _await_database(self) -> bool:
        """False where it was asked to end meanwhile."""
        told = ""
        while not self._asked:
            try:
                with self._database.transaction() as connection:
                    check_tables(connection)
                    return True
            except Unreachable as error:
                if told != str(error):
                    told = str(error)
                    self._say(f"waiting: {told}")
                time.sleep(WAIT_SECONDS)
        return False

    def _give_up(self) -> None:
        """Others may take this worker for dead: whatever it drives ends before they take over."""
        if not self._lost.is_set():
            more = "; the runs of this worker go on elsewhere" if self._busy else ""
            self._say(f"the fleet's database was out of reach for too long{more}")
        self._lost.set()
        for process in tuple(self._programs.values()):
            process.kill()

    def _unless_lost(self, work: Callable[[], None]) -> None:
        """A job of a lost worker never ends: the queue would take it for done, and give it to nobody else."""
        self._busy.add(threading.get_ident())
        try:
            work()
        except Fenced:
            self._give_up()
        finally:
            self._busy.discard(threading.get_ident())
            if self._lost.is_set():
                threading.Event().wait()

    def _work(self, job: Job) -> None:
        claim = self._claimed(job)
        if claim is not None:
            self._say(f"{claim.id} begins, for {claim.user} on {claim.account}")
            self._release(claim, tried_again(self._release_of(claim), claim.failures, datetime.now().astimezone()))

    def _release(self, claim: Claim, release: Release) -> None:
        self._surely(lambda: self._dispatcher.release(claim, release))
        self._say(f"{claim.id} {release.status}{f': {release.trouble}' if release.trouble else ''}")

    def _claimed(self, job: Job) -> Claim | None:
        """Once commands that are being applied to the run have been."""
        while True:
            try:
                claim: Claim | None = self._surely(lambda: self._dispatcher.claim(job))
                return claim
            except Fenced:
                raise
            except Conflict:
                self._lost.wait(LOOK_SECONDS)

    def _control(self, id: str) -> None:
        """Applies commands to a run that nobody drives, and has it driven where they say so."""
        claim = self._surely(lambda: self._dispatcher.claim_control(id))
        if claim is not None:
            self._release(claim, self._controlled(claim))

    def _controlled(self, claim: Claim) -> Release:
        try:
            with self._folder(claim) as folder:
                return self._commanded(claim, folder)
        except (Fenced, UncertainCommit, Unreachable):  # what was not answered is looked at again
            return Release(claim.status)
        except (LoopwrightError, OSError) as error:
            told = StoreError(f"{claim.id} cannot be laid out: {error}")
            self._surely(lambda: self._applier.refuse(claim.id, told))
            return Release(claim.status, trouble=str(error))

    def _commanded(self, claim: Claim, folder: Path) -> Release:
        (folder / "project").mkdir()
        run_git("init", "--quiet", cwd=folder / "project")  # else it would be part of a project around it
        with self._opened(claim, folder) as (_, service):
            file_store(service).replace_journal(claim.id, claim.journal)
            with self._applier.open(claim.id, service) as run:
                run.apply()
            state = service.read(claim.id)
            return release_of_control(state, claim.status, awaits=service.awaits(state))

    @contextmanager
    def _folder(self, claim: Claim) -> Iterator[Path]:
        """One with the lowest number that is free, so that the next run of a project is likely to lie where it lay."""
        runs = self._place / "runs"
        with self._turn:
            number = next(n for n in count(1) if n not in self._numbers and not (runs / str(n)).exists())
            self._numbers.add(number)
        folder = runs / str(number)
        try:
            folder.mkdir(parents=True)
            Disk().replace(str(folder / "id"), claim.id.encode(), durable=False)
            yield folder
        finally:
            self._clear(folder)
            with self._turn:
                self._numbers.discard(number)

    @contextmanager
    def _opened(self, claim: Claim, folder: Path) -> Iterator[tuple[Engine, RunService[Any]]]:
        """The engine of a claimed run's project, as it lies there."""
        project, source = folder / "project", claim.source
        mark = FleetMark(
            kind=claim.kind, token=claim.token, sandbox=self._sandbox, remote=source.remote, base=source.base
        )
        set_mark(project, claim.id, mark)
        flags: dict[str, object] = {"checkpoints": str(folder / "private"), "fleet": {"url": self._database.url}}
        with open_engine(project, flags, actor="fleet") as engine:
            yield engine, services(engine)[claim.kind]

    def _surely(self, work: Callable[[], Any]) -> Any:  # Any: what it gives
        """Tries until the database answers. Fenced where this worker is lost meanwhile."""
        while not self._lost.is_set():
            try:
                return work()
            except Unreachable:
                self._lost.wait(WAIT_SECONDS)
        raise Fenced("this worker is lost")

    def _release_of(self, claim: Claim) -> Release:
        try:
            with self._folder(claim) as folder:
                release = self._driven(claim, folder)
            self._stumbles = 0
            return release
        except Fenced as error:
            return Release("queued", trouble=str(error))
        except (LoopwrightError, OSError) as error:
            is_news = time.monotonic() > self._rests_until
            if is_news and not isinstance(error, SetupError):
                self._rests_until = time.monotonic() + min(REST_SECONDS * 2**self._stumbles, LONGEST_REST)
                self._stumbles += 1
            return Release("queued", trouble=f"cannot be driven on {socket.gethostname()}: {error}", failed=True)
        except BaseException as error:  # nobody else would ever take it
            self._release(
                claim, Release("resting", trouble=f"internal error, please report it: {error!r}", failed=True)
            )
            raise

    def _driven(self, claim: Claim, folder: Path) -> Release:
        """Lays the run out, runs it until it rests, and puts what it came to on its branch."""
        depot = make_depot(folder / "project", claim.source.remote, folder / "private")
        depot.check_out(claim.id, claim.source.base)
        with self._opened(claim, folder) as (engine, service):
            kept, secrets = self._restore(engine, service, claim, depot), self._secrets(engine, claim)
            with (
                self._applier.open(claim.id, service) as run,
                self._logs.sending(claim, service, secrets) as send_rest,
            ):
                self._surely(run.apply)
                before, trouble = service.read(claim.id), ""
                if before.status in TO_RUN:
                    self._prepare(engine, service, claim, kept, secrets)
                elif kept is not None:
                    service.workspace.restore(kept)
                if service.read(claim.id).status in TO_RUN:
                    trouble = self._drive(service, claim, folder, secrets)
                self._surely(send_rest)
            state = service.read(claim.id)
            release = release_of(
                state,
                awaits=service.awaits(state),
                ends=self._ending.is_set(),
                went_on=state.engine.budget.spent_seconds > before.engine.budget.spent_seconds,
                trouble=trouble,
            )
            if release.status == "finished":
                return self._hand_on(engine, service, claim, depot)
            if until := release.at if state.engine.parked else None:
                self._surely(lambda: self._dispatcher.close_account(claim.account, until, release.trouble))
                self._lost.wait(2 * WATCH_SECONDS)  # no slot of it is free before all workers know
            return release

    def _restore(self, engine: Engine, service: RunService[Any], claim: Claim, depot: Depot) -> str | None:
        """State as it was committed last, and files as they were submitted, what was not committed then included.

        The snapshot of the files as they were committed last.
        """
        source = claim.source
        state: Run = file_store(service).replace_journal(claim.id, claim.journal)
        kept = state.engine.checkpoints[-1].commit if state.engine.checkpoints else source.start
        if kept is not None:
            depot.fetch_checkpoints(claim.id, kept)
        if source.start is not None:
            service.workspace.restore(source.start)
            commit_all(engine.project, claim, f"Uncommitted changes, as {claim.id} found them\n", None)
        if state.engine.settings.worktree:
            service.commit(claim.id, lambda state: in_worktree(state, False), "edited", fields="worktree")
        if is_due(state, service.clock.now()):
            rule = lambda state: service.rules.resume(state, live=False)  # noqa: E731
            service.commit(claim.id, rule, "resumed", why="the limit has reset")
        return kept

    def _secrets(self, engine: Engine, claim: Claim) -> SecretFilter:
        """What no log may tell."""
        return SecretFilter((*engine.runners.known_secrets(), *secret_values(self._of(claim))))

    def _drive(self, service: RunService[Any], claim: Claim, folder: Path, secrets: SecretFilter) -> str:
        """How the run's runner ended, once all that it started has."""
        log = service.store.progress_path(claim.id) / "runner.log"
        make_private_folder(log.parent)
        own = {FLEET_URL: self._database.url, "LOOPWRIGHT_CHECKPOINTS": str(folder / "private")}
        passed = shlex.join(self._config.settings.pass_env) or "none"  # ours to say, and not the project's
        own |= {PASS_ENV: passed, ACCOUNT_ENV: ",".join(self._of(claim))}
        environ = {**os.environ, **self._of(claim), **own}
        programs = [service.launcher.argv(claim.id)]
        if service.read(claim.id).engine.start is not None:
            programs.insert(0, (sys.executable, "-P", "-m", ENVIRONMENT, claim.id))
        is_idle = partial(self._is_idle, service, claim.id)
        try:
            codes = (self._run(claim.id, folder / "project", argv, log, environ, is_idle) for argv in programs)
            code = next(filter(None, codes), 0)
        finally:
            service.processes.sweep(claim.id)
        said = secrets.masked(last_words(log)).splitlines()[-1]
        return f"its runner ended with exit code {code}: {said}" if code else ""

    def _prepare(
        self, engine: Engine, service: RunService[Any], claim: Claim, kept: str | None, secrets: SecretFilter
    ) -> None:
        """Sets the files up as they were submitted, by the command that stands there, and lays out those of the run.

        What the run has changed has it set up again only where that needs something else. SetupError.
        """
        project = engine.project
        command = read_config(project, {}).fleet.setup
        words = (command or "", claim.source.remote, claim.account)
        key = setup_key(project, *words)
        if command is not None:
            tree = service.workspace.tree()
            if self._setups.lay_out(key, project) != tree and self._set_up(service, claim, project, command, secrets):
                self._keep_setup(key, tree, service, project)
        if kept is not None:
            service.workspace.restore(kept)
        if command is not None and setup_key(project, *words) != key:
            self._set_up(service, claim, project, command, secrets)

    def _set_up(
        self, service: RunService[Any], claim: Claim, project: Path, command: str, secrets: SecretFilter
    ) -> bool:
        """The project's own command, see [fleet] setup. SetupError with what it printed last; False: it was cut off."""
        log = service.store.progress_path(claim.id) / "setup.log"
        make_private_folder(log.parent)
        account = self._of(claim)
        withheld = {FLEET_URL, *withheld_names({**os.environ, **account}, self._config.settings.pass_env)}
        given = {name: value for name, value in account.items() if name not in withheld}
        environ = ProcessMark(claim.id, str(project)).environment(given, withheld)
        code = self._run(claim.id, project, ("sh", "-c", command), log, environ)
        if self._ending.is_set() or service.read(claim.id).status not in TO_RUN:
            return False
        if code:
            raise SetupError(f"`{command}` failed with exit code {code}: {secrets.masked(last_words(log))}")
        return True

    def _keep_setup(self, key: str, tree: str, service: RunService[Any], project: Path) -> None:
        """Unless it has made more than files that git ignores."""
        if service.workspace.tree() != tree or (project / ".gitmodules").exists():
            return
        try:
            self._setups.keep(key, tree, project)
        except (WorkspaceError, OSError) as error:
            self._say(f"what a set-up has made is not kept: {error}")

    def _of(self, claim: Claim) -> Mapping[str, str]:
        """The environment of its account here."""
        return self._config.fleet.accounts.get(claim.account, {})

    def _is_idle(self, service: RunService[Any], id: str) -> bool:
        """Whether nothing goes on for a while, until a person or a limit of its agent lets it: no slot is needed."""
        state: Run = service.read(id)
        if state.engine.parked is not None:
            return not is_due(state, service.clock.now() + SHORT)
        quiet = service.clock.now() - datetime.fromisoformat(state.updated_at or "")
        return service.awaits(state) and quiet > PATIENCE

    def _run(
        self,
        id: str,
        project: Path,
        argv: Sequence[str],
        log: Path,
        environ: Mapping[str, str],
        is_idle: Callable[[], bool] = lambda: False,
    ) -> int:
        """The exit code of a program in the run's checkout, which ends with this worker, its claim, and when idle."""
        process = self._programs[id] = start_apart(argv, project, log, subprocess.PIPE, environ)
        try:
            return self._awaited(process, is_idle)
        finally:
            del self._programs[id]

    def _awaited(self, process: "subprocess.Popen[bytes]", is_idle: Callable[[], bool]) -> int:
        with process:
            try:
                while process.poll() is None and not (self._ending.is_set() or self._lost.is_set() or is_idle()):
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_SECONDS)
                if process.poll() is None and not self._lost.is_set():
                    process.terminate()
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(END_SECONDS)
            finally:
                process.kill()
        return process.wait()

    def _hand_on(self, engine: Engine, service: RunService[Any], claim: Claim, depot: Depot) -> Release:
        """Puts what a finished run has changed on its branch of the remote; from now on it has worked in a worktree."""
        state: Run = service.read(claim.id)
        if self._is_kept_back(service, state):
            commit, trouble = None, ""
        else:
            words = (PendingCommit(words=task_text(state)),)
            message = commit_message(claim.id, words, proof_words(state.engine))
            commit = commit_all(engine.project, claim, message, state.completed_at or state.updated_at or "")
            trouble = "it has changed nothing" if commit is None else self._push_result(claim, commit, depot)
        if isinstance(state, LoopState):
            self._stop(find_superseded(state))
        if branch := state.engine.branch:
            source, tip = claim.source, None if trouble else commit
            result = branch.evolve(base=source.base, start=source.start, tip=tip, is_ready=tip is not None)
            rule = lambda state: in_worktree(state, True, branch=result, environment=None)  # noqa: E731
            event, data = ("branched", {"branch": result.name}) if tip else ("edited", {"fields": "worktree"})
            service.commit(claim.id, rule, event, **data)
        return Release("finished", trouble=trouble)

    def _is_kept_back(self, service: RunService[Any], state: Run) -> bool:
        """Whether it is an attempt that has not succeeded, which has no branch."""
        if not isinstance(service, LoopService) or not isinstance(state, LoopState) or state.engine.family is None:
            return False
        if state.engine.outcome == "succeeded":
            return False
        if state.engine.checkpoints:
            keep_attempt(service, state.loop_id, service.workspace)
        return True

    def _push_result(self, claim: Claim, commit: str, depot: Depot) -> str:
        """What was in the way, in words."""
        name = f"{PREFIX}/{claim.id}"
        try:
            depot.push_result(claim.id, commit, name, claim.result)
        except Conflict as error:
            return str(error)
        self._surely(lambda: self._dispatcher.note_result(claim, name, commit))
        return ""

    def _stop(self, ids: Sequence[str]) -> None:
        """Asks whoever holds them; it may be done again."""
        args = Envelope(seen=0, given={"why": SUPERSEDED}).model_dump()
        for id in ids:
            with suppress(NotFound):  # it is not in the fleet
                if self._surely(partial(self._dispatcher.find, id)).status != "finished":
                    self._surely(partial(self._signals.send, id, "stop", args, "fleet"))

    def _clear(self, folder: Path) -> None:
        """Ends what still runs there, and removes it."""
        from loopwright.workspace.checkpoints import private_directory

        project = folder / "project"
        home = private_directory(folder / "private", project.resolve()).with_suffix(".processes")
        if (folder / "id").exists():
            OwnProcesses(project, home).sweep((folder / "id").read_text())
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():  # what is read-only there
            subprocess.run(("chmod", "-R", "u+rwX", str(folder)), capture_output=True, check=False)
            shutil.rmtree(folder, ignore_errors=True)


class SetupError(WorkspaceError):
    """A project's own command failed; its worker may be as good as any other."""


def in_worktree(state: Run, value: bool, **changes: Any) -> Run:  # Any: checked by the model
    """With that setting, without commits of its own, and with these facts."""
    engine = state.engine
    return state.evolve(engine=engine.evolve(settings=engine.settings.evolve(worktree=value, commit=False), **changes))


def choose_sandbox(wanted: bool | None, place: Path, say: Say) -> SandboxName:
    """What runs are put into that name no sandbox. NoSandbox: one is wanted, and does not work here."""
    if wanted is False:
        return "none"
    make_private_folder(place)
    try:
        with tempfile.TemporaryDirectory(dir=place) as project:
            name = resolve_sandbox("required", Path(project))
            Sandbox(name, Path(project), place, place).check()
    except NoSandbox as error:
        if wanted:
            raise
        say(f"runs can read what {getpass.getuser()} can: {error}")
        return "none"
    return name


def last_words(log: Path) -> str:
    """The end of what a program has printed."""
    return log.read_text(errors="replace").strip()[-SAID:] or "it has printed nothing"


def commit_all(project: Path, claim: Claim, message: str, at: str | None) -> str | None:
    """Commits all files to the detached HEAD there: the same commit on whichever machine. None: nothing has changed.

    `at`: its time, or that of HEAD. WorkspaceError.
    """
    name, _, address = claim.source.author.partition(" <")
    at = at or _asked(UserGit(project, claim.id, project), "show", "-s", "--format=%cI", "HEAD")
    who = {"NAME": name, "EMAIL": address.removesuffix(">"), "DATE": at}
    variables = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    git = UserGit(project, claim.id, project, variables=variables)
    _asked(git, "add", "--all")
    tree = _asked(git, "write-tree")
    if tree == _asked(git, "rev-parse", "HEAD^{tree}"):
        return None
    commit = _asked(git, "commit-tree", tree, "-p", "HEAD", "-F", "-", stdin=message)
    _asked(git, "update-ref", "--no-deref", "HEAD", commit)
    return commit


def _asked(git: UserGit, *words: str, stdin: str = "") -> str:
    done = git.run(*words, stdin=stdin, settings=("commit.gpgSign=false", "core.hooksPath=/dev/null"))
    if not done.is_good:
        raise WorkspaceError(f"git {words[0]} failed: {done.words}")
    return done.output
