"""A dispatcher in memory, of which several machines may share the runs."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import JsonValue

from loopwright.core.errors import Conflict, Fenced, Invalid, NotFound
from loopwright.core.fleet import Claim, FleetRun, FleetStatus, Job, Release, Sent, Signal, SignalAnswer, Submission


@dataclass
class _Run:
    given: Submission
    status: FleetStatus = "queued"
    jobs: int = 1
    token: int = 0
    holder: str | None = None
    branch: str | None = None
    result: str | None = None
    trouble: str = ""
    failures: int = 0
    at: datetime | None = None


@dataclass
class MemoryFleet:
    """What all machines see; those in `living` count as such."""

    runs: dict[str, _Run] = field(default_factory=dict)
    accounts: dict[str, datetime | None] = field(default_factory=dict)
    living: set[str] = field(default_factory=set)
    signals: list[Signal] = field(default_factory=list)
    answers: dict[int, SignalAnswer] = field(default_factory=dict)
    control: list[str] = field(default_factory=list)
    told: threading.Condition = field(default_factory=threading.Condition)

    def open_signals(self, id: str) -> list[Signal]:
        return [one for one in self.signals if one.id == id and one.n not in self.answers]


class Taken:
    """The jobs that a machine has."""

    def __init__(self) -> None:
        self.jobs, self.controls, self.closed = set[Job](), list[str](), False

    @property
    def taken(self) -> frozenset[str]:
        return frozenset((*(f"{id}/{n}" for id, n in tuple(self.jobs)), *self.controls))

    def close(self) -> None:
        self.closed = True

    def return_job(self, name: str, executor: str) -> None:
        raise AssertionError("nobody dies here")


class MemoryDispatcher:
    """Implements core.fleet.Dispatcher."""

    def __init__(self, fleet: MemoryFleet, executor: str = "") -> None:
        self._fleet, self._executor = fleet, executor

    def submit(self, runs: Sequence[Submission]) -> None:
        for run in runs:
            if run.account not in self._fleet.accounts:
                raise Invalid(f"the fleet has no account {run.account}")
            if run.id in self._fleet.runs or sum(other.id == run.id for other in runs) > 1:
                raise Conflict(f"the fleet has a run {run.id} already")
        self._fleet.runs |= {run.id: _Run(run) for run in runs}

    def claim(self, job: Job) -> Claim | None:
        if self._executor not in self._fleet.living:
            raise Fenced("this worker was taken for dead")
        run = self._fleet.runs.get(job.id)
        if run is None or job.n != run.jobs or run.status not in ("queued", "running"):
            return None
        if run.holder in self._fleet.living and run.status == "queued":
            raise Conflict(f"commands are being applied to {job.id}")
        if run.holder in self._fleet.living:
            return None
        run.status = "running"
        return self._claimed(run)

    def claim_control(self, id: str) -> Claim | None:
        if self._executor not in self._fleet.living:
            raise Fenced("this worker was taken for dead")
        run = self._fleet.runs.get(id)
        if run is None or run.holder in self._fleet.living or not (run.holder or self._fleet.open_signals(id)):
            return None
        run.status = "queued" if run.status == "running" else run.status
        return self._claimed(run)

    def _claimed(self, run: _Run) -> Claim:
        run.token, run.holder, given = run.token + 1, self._executor, run.given
        return Claim(
            id=given.id,
            kind=given.kind,
            token=run.token,
            account=given.account,
            user=given.user,
            source=given.source,
            journal=given.journal,
            result=run.result,
            failures=run.failures,
            status=run.status,
        )

    def note_result(self, claim: Claim, branch: str, commit: str) -> None:
        run = self._fleet.runs[claim.id]
        if run.token != claim.token:
            raise Fenced(f"another machine has claimed {claim.id}")
        run.branch, run.result = branch, commit

    def release(self, claim: Claim, release: Release) -> bool:
        run = self._fleet.runs[claim.id]
        if (run.token, run.holder) != (claim.token, self._executor):
            return False
        later = run.at is not None and (release.at is None or release.at < run.at)
        if release.status == "queued" and (claim.status != "queued" or later):
            run.jobs, run.at = run.jobs + 1, release.at
        run.status, run.holder, run.trouble = release.status, None, release.trouble
        run.failures = run.failures + 1 if release.failed else 0
        if self._fleet.open_signals(claim.id):
            self._fleet.control.append(claim.id)
        return True

    @contextmanager
    def serving(
        self,
        slots: int,
        work: Callable[[Job], None],
        may_take: Callable[[str], bool],
        control: Callable[[str], None],
    ) -> Iterator["Taken"]:
        """Limits of accounts and users are not held here."""
        taken, ends = Taken(), threading.Event()

        def drive(job: Job) -> None:
            try:
                work(job)
            finally:
                taken.jobs.discard(job)

        def apply(id: str) -> None:
            try:
                control(id)
            finally:
                taken.controls.remove(id)

        def look(pool: ThreadPoolExecutor) -> None:
            while not (ends.wait(0.01) or taken.closed):
                while self._fleet.control:
                    taken.controls.append(self._fleet.control.pop())
                    pool.submit(apply, taken.controls[-1])
                for id, run in tuple(self._fleet.runs.items()):
                    job = Job(id, run.jobs)
                    free = len(taken.jobs) < slots and job not in taken.jobs
                    if run.status == "queued" and free and may_take(run.given.account):
                        taken.jobs.add(job)
                        pool.submit(drive, job)

        with ThreadPoolExecutor(slots + 1) as pool:
            pool.submit(look, pool)
            try:
                yield taken
            finally:
                ends.set()

    def find(self, id: str) -> FleetRun:
        run = self._fleet.runs.get(id)
        if run is None:
            raise NotFound(f"the fleet has no run {id}")
        of_account = [o for o in self._fleet.runs.values() if o.given.account == run.given.account]
        before = [o for o in of_account[: of_account.index(run)] if o.status == "queued"]
        given = run.given
        return FleetRun(
            id, given.kind, run.status, given.account, given.user, run.holder, len(before), run.branch, run.trouble
        )

    def enqueue(self, id: str) -> None:
        run = self._fleet.runs.get(id)
        if run is None:
            raise NotFound(f"the fleet has no run {id}")
        if run.status != "resting":
            raise Conflict(f"{id} is {run.status} in the fleet")
        run.status, run.jobs = "queued", run.jobs + 1

    def waiting(self, accounts: Sequence[str]) -> int:
        of_all, fleet = self._fleet.runs.values(), self._fleet
        left = (r for r in of_all if r.status == "running" and r.holder not in fleet.living)
        queued = (r for r in of_all if r.status == "queued" or (not r.holder and fleet.open_signals(r.given.id)))
        return sum(not accounts or run.given.account in accounts for run in (*queued, *left))

    def closed(self) -> frozenset[str]:
        now = datetime.now(UTC)
        return frozenset(name for name, until in self._fleet.accounts.items() if until and until > now)

    def set_account(self, name: str, slots: int, user_slots: int | None = None) -> None:
        if slots < 1 or (user_slots is not None and not 1 <= user_slots <= slots):
            raise Invalid("slots: an account has at least one")
        self._fleet.accounts.setdefault(name, None)

    def close_account(self, name: str, until: datetime, why: str) -> None:
        if name not in self._fleet.accounts:
            raise NotFound(f"the fleet has no account {name}")
        self._fleet.accounts[name] = until


class MemorySignals:
    """Implements core.fleet.Signals for the same machines."""

    def __init__(self, fleet: MemoryFleet, executor: str = "") -> None:
        self._fleet, self._executor, self._seen = fleet, executor, 0

    def send(self, id: str, command: str, args: Mapping[str, JsonValue], actor: str) -> Sent:
        run = self._fleet.runs.get(id)
        if run is None:
            raise NotFound(f"the fleet has no run {id}")
        with self._fleet.told:
            n, held = len(self._fleet.signals) + 1, run.holder in self._fleet.living
            self._fleet.signals.append(Signal(n, id, command, args, actor))
            if not held:
                self._fleet.control.append(id)
            self._fleet.told.notify_all()
        return Sent(n, held, bool(self._fleet.living))

    def await_answer(self, n: int, seconds: float) -> SignalAnswer | None:
        deadline = time.monotonic() + seconds
        with self._fleet.told:
            self._fleet.told.wait_for(lambda: n in self._fleet.answers, max(0.0, deadline - time.monotonic()))
        return self._fleet.answers.get(n)

    def await_signals(self, seconds: float) -> None:
        with self._fleet.told:
            self._fleet.told.wait_for(lambda: len(self._fleet.signals) > self._seen, seconds)
            self._seen = len(self._fleet.signals)

    def open_signals(self) -> Sequence[Signal]:
        held = [id for id, run in self._fleet.runs.items() if run.holder == self._executor]
        return [one for one in self._fleet.signals if one.id in held and one.n not in self._fleet.answers]

    def answer(self, n: int, answer: SignalAnswer) -> bool:
        with self._fleet.told:
            if all(one.n != n for one in self.open_signals()):
                return False
            self._fleet.answers[n] = answer
            self._fleet.told.notify_all()
        return True
