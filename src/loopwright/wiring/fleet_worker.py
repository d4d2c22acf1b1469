"""A worker of the fleet: takes runs from the queue, drives each in a checkout of its own, and hands the result on."""

import fcntl
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from loopwright.core.config import Config
from loopwright.core.delivery import commit_message, proof_words, task_text
from loopwright.core.errors import Conflict, Fenced, LoopwrightError, WorkspaceError
from loopwright.core.fleet import Claim, Depot, FleetStatus, Job
from loopwright.core.names import FINISHED
from loopwright.core.pause import is_due
from loopwright.core.run import Run
from loopwright.core.run_commands import RunService
from loopwright.core.state import PendingCommit
from loopwright.fleet.database import Database, Unreachable, check_tables
from loopwright.fleet.queue import DbosDispatcher, TakenJobs
from loopwright.fleet.workers import Membership, make_executor
from loopwright.policy.secrets import SecretFilter, secret_values
from loopwright.processes.user_git import UserGit
from loopwright.wiring import Engine, open_engine
from loopwright.wiring.fleet import TO_RUN, FleetMark, file_store, fleet_url, make_depot, set_mark
from loopwright.wiring.fleet_logs import LogSender
from loopwright.workspace.branches import PREFIX

RETRY = timedelta(seconds=30)
"""After which a run that could not be driven is tried again, perhaps elsewhere; that long this worker takes nothing."""

LOOK_SECONDS = 0.2
WAIT_SECONDS = 2.0
"""Between two tries to reach the database."""

END_SECONDS = 10.0
"""Which a runner has to end what it has started."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """How a claim ends; `trouble` says why, where that is not what anybody wanted."""

    status: FleetStatus
    at: datetime | None = None
    trouble: str = ""


def outcome_of(state: Run, *, awaits: bool, exit_code: int, ends: bool, now: datetime) -> Outcome:
    """What becomes of a run whose runner has ended; `ends`: because its worker does. `awaits`: only a person helps."""
    if state.status in FINISHED:
        return Outcome("finished")
    if parked := state.engine.parked:
        return Outcome("queued", datetime.fromisoformat(parked.until), parked.reason)
    if state.status not in TO_RUN or awaits:
        return Outcome("resting")
    if ends:
        return Outcome("queued")
    return Outcome("queued", now + RETRY, f"its runner ended with exit code {exit_code}")


class FleetWorker:
    """One for each `place`, the folder that it works in. `say` gets a line about all that happens."""

    def __init__(self, config: Config, place: Path, slots: int, say: Say) -> None:
        self._config, self._place, self._slots, self._say = config, place, slots, say
        self._executor = make_executor()
        self._database = Database(fleet_url(config))
        self._dispatcher = DbosDispatcher(self._database, self._executor)
        self._logs = LogSender(Database(self._database.url))
        self._runners: dict[str, subprocess.Popen[bytes]] = {}
        self._closed = frozenset[str]()
        self._rests_until = 0.0
        self._ending, self._lost = threading.Event(), threading.Event()

    def serve(self, *, drain: bool) -> bool:
        """Until `end`, or with `drain` until no job is left. False: it was taken for dead, and has to begin anew."""
        with self._alone():
            self._await_database()
            member = Membership(Database(self._database.url), self._executor, self._slots, self._give_up)
            with (
                member,
                self._logs.serving(),
                self._dispatcher.serving(self._slots, self._work, self._may_take) as jobs,
            ):
                member.jobs = jobs
                self._say(f"{self._executor} takes runs, {self._slots} at a time")
                self._wait(jobs, drain=drain)
                self._end_runners(signal.SIGTERM)
                while jobs.taken:
                    time.sleep(LOOK_SECONDS)
                if not self._lost.is_set():
                    member.leave()
        return not self._lost.is_set()

    def end(self) -> None:
        """Its runs are handed to others. May be called by a signal's handler."""
        self._ending.set()

    def _wait(self, jobs: TakenJobs, *, drain: bool) -> None:
        while not (self._ending.wait(LOOK_SECONDS) or self._lost.is_set()):
            with suppress(Unreachable):
                self._closed = self._dispatcher.closed()
                if drain and not jobs.taken and not self._dispatcher.waiting(tuple(self._config.fleet.accounts)):
                    self._ending.set()

    def _may_take(self, account: str) -> bool:
        known = self._config.fleet.accounts
        rests = self._ending.is_set() or time.monotonic() < self._rests_until
        return not rests and account not in self._closed and (not known or account in known)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Conflict where another worker has the place; what a killed one left there is ended and removed."""
        self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._place / "lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(f"another worker works in {self._place}; give this one another folder") from None
            for folder in (self._place / "runs").glob("*"):
                self._clear(folder)
            yield

    def _await_database(self) -> None:
        told = ""
        while not self._ending.is_set():
            try:
                with self._database.transaction() as open:
                    return check_tables(open)
            except Unreachable as error:
                if told != str(error):
                    told = str(error)
                    self._say(f"waiting: {told}")
                self._ending.wait(WAIT_SECONDS)
        return None

    def _give_up(self) -> None:
        """Others may take this worker for dead: whatever it drives ends before they take over."""
        if not self._lost.is_set():
            self._say("the fleet's database was out of reach for too long; the runs of this worker go on elsewhere")
        self._lost.set()
        self._end_runners(signal.SIGKILL)

    def _end_runners(self, number: int) -> None:
        for process in tuple(self._runners.values()):
            process.send_signal(number)

    def _work(self, job: Job) -> None:
        try:
            claim = self._surely(lambda: self._dispatcher.claim(job))
            if claim is None:
                return
            self._say(f"{claim.id} begins, for {claim.user} on {claim.account}")
            outcome = self._outcome(claim)
            self._surely(
                lambda: self._dispatcher.release(claim, outcome.status, at=outcome.at, trouble=outcome.trouble)
            )
            self._say(f"{claim.id} {outcome.status}{f': {outcome.trouble}' if outcome.trouble else ''}")
        except Fenced:
            self._give_up()

    def _surely(self, work: Callable[[], Any]) -> Any:  # Any: what it gives
        """Tries until the database answers. Fenced where this worker is lost meanwhile."""
        while not self._lost.is_set():
            try:
                return work()
            except Unreachable:
                self._lost.wait(WAIT_SECONDS)
        raise Fenced("this worker is lost")

    def _outcome(self, claim: Claim) -> Outcome:
        folder = self._place / "runs" / claim.id
        try:
            return self._driven(claim, folder)
        except Fenced as error:
            return Outcome("queued", trouble=str(error))
        except (LoopwrightError, OSError) as error:
            self._rests_until = time.monotonic() + RETRY.total_seconds()
            return Outcome("queued", datetime.now().astimezone() + RETRY, f"cannot be driven here: {error}")
        finally:
            self._clear(folder)

    def _driven(self, claim: Claim, folder: Path) -> Outcome:
        """Lays the run out, runs it until it rests, and puts what it came to on its branch."""
        project, source = folder / "project", claim.source
        depot = make_depot(project, source.remote, folder / "private")
        depot.check_out(claim.id, source.base)
        set_mark(project, claim.id, FleetMark(token=claim.token, remote=source.remote, base=source.base))
        with open_engine(project, {"checkpoints": str(folder / "private")}, actor="fleet") as engine:
            service = service_of(engine, claim)
            self._restore(engine, service, claim, depot)
            code = 0
            with self._logs.sending(claim, service, self._secrets(engine, claim)) as send_rest:
                if service.read(claim.id).status in TO_RUN:
                    self._set_up(engine)
                    code = self._run(service, claim, folder)
                self._surely(send_rest)
            state, now = service.read(claim.id), service.clock.now()
            ends, awaits = self._ending.is_set(), service.awaits(state)
            outcome = outcome_of(state, awaits=awaits, exit_code=code, ends=ends, now=now)
            if outcome.status == "finished":
                return self._hand_on(engine, state, claim, depot)
            if until := outcome.at if state.engine.parked else None:
                self._surely(lambda: self._dispatcher.close_account(claim.account, until, outcome.trouble))
            return outcome

    def _restore(self, engine: Engine, service: RunService[Any], claim: Claim, depot: Depot) -> None:
        """State and files as they were committed last. What was not committed when it was submitted is, then."""
        source = claim.source
        state: Run = file_store(service).replace_journal(claim.id, claim.journal)
        kept = state.engine.checkpoints[-1].commit if state.engine.checkpoints else source.start
        if kept is not None:
            depot.fetch_checkpoints(claim.id, kept)
        if source.start is not None:
            service.workspace.restore(source.start)
            commit_all(engine.project, claim, f"Uncommitted changes, as {claim.id} found them\n", None)
        if kept is not None:
            service.workspace.restore(kept)
        if is_due(state, service.clock.now()):
            rule = lambda state: service.rules.resume(state, live=False)  # noqa: E731
            service.commit(claim.id, rule, "resumed", why="the limit has reset")

    def _secrets(self, engine: Engine, claim: Claim) -> SecretFilter:
        """What no log may tell."""
        account = self._config.fleet.accounts.get(claim.account, {})
        return SecretFilter((*engine.runners.known_secrets(), *secret_values(account)))

    def _set_up(self, engine: Engine) -> None:
        """The project's own command, see [fleet] setup. WorkspaceError with what it printed last."""
        command = engine.config.fleet.setup
        if command is None:
            return
        done = subprocess.run(command, shell=True, cwd=engine.project, capture_output=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()[-600:]
            raise WorkspaceError(f"`{command}` failed with exit code {done.returncode}: {said}")

    def _run(self, service: RunService[Any], claim: Claim, folder: Path) -> int:
        """The runner's exit code, once it and all that it started have ended."""
        log = service.store.progress_path(claim.id) / "runner.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        environ = {
            **os.environ,
            **self._config.fleet.accounts.get(claim.account, {}),
            "LOOPWRIGHT_FLEET_URL": self._database.url,
            "LOOPWRIGHT_CHECKPOINTS": str(folder / "private"),
        }
        with log.open("ab") as output:
            process = subprocess.Popen(
                service.launcher.argv(claim.id),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                cwd=folder / "project",
                env=environ,
                start_new_session=True,
            )
        self._runners[claim.id] = process
        try:
            return self._awaited(process)
        finally:
            del self._runners[claim.id]
            service.processes.sweep(claim.id)

    def _awaited(self, process: "subprocess.Popen[bytes]") -> int:
        while process.poll() is None and not (self._ending.is_set() or self._lost.is_set()):
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_SECONDS)
        if process.poll() is None and not self._lost.is_set():
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
        process.kill()
        assert process.stdin
        process.stdin.close()
        return process.wait()

    def _hand_on(self, engine: Engine, state: Run, claim: Claim, depot: Depot) -> Outcome:
        """Puts what a finished run has changed on its branch of the remote."""
        words = (PendingCommit(words=task_text(state)),)
        message = commit_message(claim.id, words, proof_words(state.engine))
        commit = commit_all(engine.project, claim, message, state.completed_at or state.updated_at or "")
        if commit is None:
            return Outcome("finished", trouble="it has changed nothing")
        name = f"{PREFIX}/{claim.id}"
        try:
            depot.push_result(claim.id, commit, name, claim.result)
        except Conflict as error:
            return Outcome("finished", trouble=str(error))
        self._surely(lambda: self._dispatcher.note_result(claim, name, commit))
        return Outcome("finished")

    def _clear(self, folder: Path) -> None:
        """Ends what still runs there, and removes it."""
        from loopwright.processes.runner_processes import OwnProcesses
        from loopwright.workspace.checkpoints import private_directory

        project = folder / "project"
        home = private_directory(folder / "private", project.resolve()).with_suffix(".processes")
        OwnProcesses(project, home).sweep(folder.name)
        shutil.rmtree(folder, ignore_errors=True)


def service_of(engine: Engine, claim: Claim) -> RunService[Any]:  # Any: states of its kind
    """The commands on runs of its kind."""
    kinds: dict[str, RunService[Any]] = {
        "loop_id": engine.service,
        "cycle_id": engine.cycles,
        "tuning_id": engine.tunings,
    }
    return kinds[claim.kind]


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
