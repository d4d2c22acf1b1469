"""The fleet, where runs are driven on many machines: its ports, and the records that they speak in."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, get_args

from pydantic import JsonValue

from loopwright.core.errors import Advice
from loopwright.core.notices import IdName

FleetStatus = Literal["queued", "running", "resting", "finished"]
"""Of a run in the fleet: waits for a slot, has one, rests until somebody resumes it, or has ended."""

STATUSES: tuple[FleetStatus, ...] = get_args(FleetStatus)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the files of a run come from: a git `remote`, the commit `base` there, and on top of that a snapshot.

    That is the checkpoint `start`, with what was not committed; none where all was. `author` of the result's commits,
    as in `Ada <ada@example.org>`.
    """

    remote: str
    base: str
    start: str | None = None
    author: str = ""


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A run that is handed to the fleet, with its `journal` so far; `kind` names the id of such a run.

    `account` is the agent's that works on it, `user` who submitted it; of a user's runs, those with a lower `priority`
    come first.
    """

    id: str
    kind: IdName
    title: str
    account: str
    user: str
    source: Source
    journal: bytes
    priority: int = 0


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The right to drive a run. A higher `token` ends it: whoever holds a lower one commits nothing more.

    `result`: the commit that the run came to, where a machine before this one got so far. `failures`: times in a row
    that it could not be driven. `status`: what the run is meanwhile; only one that is driven is running, and not one
    that commands are applied to.
    """

    id: str
    kind: IdName
    token: int
    account: str
    user: str
    source: Source
    journal: bytes
    result: str | None = None
    failures: int = 0
    status: FleetStatus = "running"


@dataclass(frozen=True)
class Release:
    """How a claim ends; queued, from the time `at` on. `trouble`: what people should know of that.

    `failed`: it could not be driven.
    """

    status: FleetStatus
    at: datetime | None = None
    trouble: str = ""
    failed: bool = False


class FleetRun(NamedTuple):
    """How a run is in the fleet.

    `holder`: the machine that drives it; `before`: how many are queued for its account ahead of it; `branch` with its
    result; `trouble`: why it could not be driven last.
    """

    id: str
    kind: IdName
    status: FleetStatus
    account: str
    user: str
    holder: str | None
    before: int
    branch: str | None
    trouble: str

    @property
    def fields(self) -> dict[str, str | int | None]:
        """As JSON says where a run is."""
        named = ("status", "holder", "before", "account", "user", "trouble")
        return {name: getattr(self, name) for name in named}

    @property
    def is_live(self) -> bool:
        """Whether a machine drives it, or is about to."""
        return self.status in ("queued", "running")

    @property
    def words(self) -> str:
        """In half a sentence."""
        where = {"running": f"on {self.holder}", "queued": f"{self.before} before it on {self.account}"}
        told = f"{self.status}, {where[self.status]}" if self.status in where else self.status
        return f"{told}: {self.trouble}" if self.trouble else told


class Job(NamedTuple):
    """A place in the queue: a run, and how often that was queued before. One that is not the run's latest is void."""

    id: str
    n: int


class JobQueue(Protocol):
    """The jobs of this machine, and what is done about those of machines that are gone."""

    @property
    def taken(self) -> Collection[str]:
        """The names of those that it has."""
        ...

    def return_job(self, name: str, executor: str) -> None:
        """Makes a job wait again, if that machine still has it."""

    def close(self) -> None:
        """No job is taken here any more."""


class Dispatcher(Protocol):
    """Hands runs to machines: a queue with limits, and who holds what. Calls block; safe from any thread.

    StoreError where it cannot be reached; then nothing is known to have happened.
    """

    def submit(self, runs: Sequence[Submission]) -> None:
        """Queues all of them in one transaction. Conflict for an id that is known, Invalid for an unknown account."""

    def serving(
        self,
        slots: int,
        work: Callable[[Job], None],
        may_take: Callable[[str], bool],
        control: Callable[[str], None],
    ) -> AbstractContextManager[JobQueue]:
        """While this lasts, `work` is called in threads for jobs as they come, for `slots` at a time.

        No account's limit is exceeded, nor that of a user of it; `may_take` says of an account whether its jobs are
        taken here now. `control` is called with runs that have commands waiting and that nobody holds, whatever is
        driven here. A job whose machine dies comes again elsewhere.
        """

    def claim(self, job: Job) -> Claim | None:
        """None where another living machine drives the run, or the job is void.

        Conflict: commands are being applied to it just now; claim it again.
        """

    def claim_control(self, id: str) -> Claim | None:
        """To apply what commands wait for the run, whatever its status; its job stays as it is.

        None where a living machine holds it, or there is nothing to do.
        """

    def note_result(self, claim: Claim, branch: str, commit: str) -> None:
        """What the run came to, before it is put on that branch. Fenced."""

    def release(self, claim: Claim, release: Release) -> bool:
        """Ends a claim in one transaction: one that is queued has a new job, see Release.

        A run that was queued meanwhile keeps its job, unless that comes later than the new one would. Commands that
        still wait are applied at once, wherever. False where the claim had ended already.
        """

    def waiting(self, accounts: Sequence[str]) -> int:
        """How many runs of these accounts, or of all where none is named, a worker may be needed for: queued, with
        commands that wait, or with a machine that is silent."""

    def closed(self) -> frozenset[str]:
        """Accounts of which no run is begun now."""

    def find(self, id: str) -> FleetRun:
        """NotFound."""

    def enqueue(self, id: str) -> None:
        """A new job for a run that rests. NotFound; Conflict for one that is queued, running or finished."""

    def set_account(self, name: str, slots: int, user_slots: int | None = None) -> None:
        """An account of an agent: how many of its runs, and of those of one user, are driven at a time. Invalid."""

    def close_account(self, name: str, until: datetime, why: str) -> None:
        """None of its runs is begun before that time, on any machine."""


class Sent(NamedTuple):
    """A command on its way: its number, whether a living machine holds the run, and whether there is any."""

    n: int
    held: bool
    served: bool


@dataclass(frozen=True)
class Signal:
    """A command on a run, for whoever holds that; `args` as JSON has them. `actor`: who gave it, see RunAccess."""

    n: int
    id: str
    command: str
    args: Mapping[str, JsonValue]
    actor: str


@dataclass(frozen=True)
class SignalAnswer:
    """What came of a command: a `value`, as JSON has it, or an error. `rev`: what the run had come to afterwards.

    `error` names the class in core.errors, `words` and `advice` are its own.
    """

    rev: int = 0
    value: JsonValue = None
    error: str | None = None
    words: str = ""
    advice: Advice | None = None


class Signals(Protocol):
    """Takes commands on runs to the machines that hold these, and answers back. Calls block; safe from any thread.

    StoreError where it cannot be reached; then nothing is known to have happened.
    """

    def send(self, id: str, command: str, args: Mapping[str, JsonValue], actor: str) -> Sent:
        """Keeps the command for whoever holds the run; where nobody does, some machine is asked to. NotFound."""
        ...

    def await_answer(self, n: int, seconds: float) -> SignalAnswer | None:
        """None where there is none yet after so many seconds."""

    def await_signals(self, seconds: float) -> None:
        """Returns when there may be more for this machine than at the call before, and after `seconds` anyway.

        For one thread alone.
        """

    def open_signals(self) -> Sequence[Signal]:
        """Those without an answer of runs that this machine holds, in the order in which they were sent."""
        ...

    def answer(self, n: int, answer: SignalAnswer) -> bool:
        """False, and it stays open, where this machine does not hold the run any more; or it has its answer already."""
        ...


class Mirror(Protocol):
    """The runs of a project that other machines drive."""

    def has(self, id: str) -> bool:
        """Whether it is one of them."""
        ...

    def find(self, id: str) -> FleetRun | None:
        """How it is in the fleet, as far as that is known; None also for one that is this project's alone."""


class Replica(Protocol):
    """The journals' authoritative copies, which a run's lines are part of before they count as committed.

    Calls block; safe from any thread.
    """

    def append(self, id: str, at: int, data: bytes) -> None:
        """Adds whole lines behind the first `at` bytes. What is there of them is not added again.

        Fenced, and nothing was added: another machine has claimed the run, or other lines stand there.
        UncertainCommit: they may have been added or not.
        """

    def rewrite(self, id: str, data: bytes) -> None:
        """Puts other bytes in the place of all there are. Errors as those of `append`."""

    def read(self, id: str, start: int = 0) -> bytes:
        """What there is, from the byte `start` on. NotFound, StoreError."""


class Depot(Protocol):
    """Where the files of a project's runs travel between machines: its git remote. Made for a project's folder here.

    WorkspaceError, with git's words, where it cannot be reached or refuses; Invalid for what is no id, commit or
    branch. Calls block, and may be repeated.
    """

    def push_base(self, id: str, base: str) -> None:
        """Makes a commit of the project's own history, and what leads to it, available under the run's name.

        Conflict where another one that does not lead to it is there.
        """

    def push_checkpoint(self, id: str, token: int, base: str, commit: str) -> None:
        """Makes a checkpoint, and all before it, available; only what `base` does not have is sent.

        Conflict where checkpoints that neither lead to it nor follow it are there under the same token.
        """

    def check_out(self, id: str, base: str) -> None:
        """Lays out the project at `base` in its folder, as a git repository with that remote.

        NotFound; WorkspaceError where the folder is not empty.
        """

    def fetch_checkpoints(self, id: str, last: str) -> None:
        """Brings every checkpoint of the run into the private repository of the project, whose next follows `last`.

        NotFound where that was never pushed.
        """

    def push_result(self, id: str, commit: str, branch: str, expected: str | None) -> None:
        """Makes a commit the tip of a branch of the remote, where that stands at `expected` (None: is not there).

        Conflict where it stands elsewhere, but for `commit` itself.
        """

    def drop(self, id: str) -> None:
        """Removes what was pushed under the run's name, but for its result."""
