"""The commands that every kind of run has: started, paused, ended, run on, answered, looked at, rebuilt, deleted."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self

from loopwright.core import pause as pausing
from loopwright.core.command_rules import CommandRules as CommandRules
from loopwright.core.cycle_names import Role
from loopwright.core.errors import Conflict, Corrupt, Forbidden, Invalid, NotFound, StaleVersion
from loopwright.core.fleet import FleetRun, Mirror
from loopwright.core.ids import check_id
from loopwright.core.names import Mode
from loopwright.core.person_messages import queue_message
from loopwright.core.ports import Clock, FileChange, Launcher, Page, Processes, Rule, RunBranches, Store, Workspace
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.run import R, Run, Waiver, apply_waiver, set_mode
from loopwright.core.state import Checkpoint, Limits, PermissionRequest, PersonMessage


@dataclass(frozen=True)
class RunAccess(Generic[R]):
    """`actor` names the surface in the journal: cli, api, mcp. `agents`: names that were configured here.

    `expected`: see `expecting`. `kind` is what people call such a run. `branches`: where a run can have a worktree.
    `mirror`: of those that are driven elsewhere; none where all are driven here.
    """

    store: Store[R]
    workspace: Workspace
    clock: Clock
    launcher: Launcher
    processes: Processes
    actor: str = "cli"
    agents: frozenset[str] = frozenset()
    expected: int | None = None
    branches: RunBranches | None = None
    mirror: Callable[[], Mirror | None] = lambda: None

    kind: ClassVar[str]

    def expecting(self, rev: int) -> Self:
        """The same commands for somebody who has seen the run at `rev`: Outdated where it has moved on since."""
        return replace(self, expected=rev)

    def read(self, id: str) -> R:
        return self.store.read(self._checked(id))

    def is_live(self, id: str) -> bool:
        """Whether a runner holds it, here or elsewhere in the fleet, or one there is about to."""
        found = self.in_fleet(id)
        return found.is_live if found else self.store.holder(self._checked(id)) is not None

    def in_fleet(self, id: str) -> FleetRun | None:
        """How a run that is driven elsewhere is there, as far as is known."""
        mirror = self.mirror()
        return mirror.find(id) if mirror else None

    def is_elsewhere(self, id: str) -> bool:
        """Whether it is in the fleet's hands: nothing is done about it here."""
        mirror = self.mirror()
        return mirror is not None and mirror.has(id)

    def list(self, *, status: str | None = None, limit: int = 50, offset: int = 0, search: str = "") -> Page[R]:
        """`search`: a text in what people know one by, such as its id, title and description."""
        return self.store.list(status=status, limit=limit, offset=offset, search=search)

    def events(self, id: str, after: int = 0) -> Sequence[JournalEntry]:
        return self.store.events(self._checked(id), after)

    def damaged(self) -> Mapping[str, str]:
        """Ids that cannot be read, with the reason."""
        return self.store.damaged()

    def workspace_of(self, state: R) -> Workspace:
        """The files that the run works on: its worktree's, where it has one."""
        branch = state.engine.branch
        if self.branches is None or branch is None or not state.engine.settings.worktree:
            return self.workspace
        return self.branches.workspace(branch)

    def commit(self, id: str, rule: Rule[R], type: str, **data: str) -> R:
        """One change, under the name of this surface."""
        event = JournalEvent(type=type, data=dict(data))
        return self.store.update(self._checked(id), lambda s: rule(self._unmoved(id, s)), actor=self.actor, event=event)

    def _checked(self, id: str) -> str:
        return check_id(id, self.kind)

    def _unmoved(self, id: str, state: R) -> R:
        if self.expected not in (None, state.engine.rev):
            raise StaleVersion(f"{id} has changed meanwhile: it is at version {state.engine.rev}, not {self.expected}")
        return state

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")


STOP_PATIENCE = 5.0
"""Seconds a stopped runner has to let go of its lease before it is ended."""

AS_THEY_ARE = Limits()
NOTHING_WAIVED = Waiver()

REPAIRS = frozenset({"recovered", "state_put_back", "journal_damaged", "journal_forged", "journal_started"})

Fields = Mapping[str, Any]  # Any: parsed JSON; the models check each value


@dataclass(frozen=True)
class RecoveryResult(Generic[R]):
    """What came of a recovery: nothing was damaged where there are no `repairs`; `kept` are files put aside."""

    state: R
    repairs: tuple[JournalEntry, ...]
    kept: tuple[Path, ...]


@dataclass(frozen=True)
class RunService(RunAccess[R]):
    """See RunAccess for what it is made of."""

    @property
    @abstractmethod
    def rules(self) -> CommandRules[R]: ...

    @abstractmethod
    def answer(self, id: str, text: str) -> R:
        """The answer to what it asks; a paused run takes it once it is resumed."""

    @abstractmethod
    def conclude(self, state: R, epoch: int) -> R:
        """Writes down, under the lease, how a run has ended, where no runner could."""

    def awaits(self, state: R) -> bool:
        """Whether it says running, and only a person can bring it on: nobody has left it behind."""
        return False

    def start(self, id: str, mode: Mode | None = None) -> R:
        """`mode`: the one that it goes on in, here and in `resume`; None leaves it as it is."""
        return self._launched(id, self.commit(id, lambda s: self.in_mode(self.rules.start(s), mode), "started"))

    def resume(self, id: str, mode: Mode | None = None) -> R:
        live = self.is_live(id)
        rule = lambda s: self.in_mode(self.rules.resume(s, live=live), mode)  # noqa: E731
        return self._launched(id, self.commit(id, rule, "resumed"))

    def in_mode(self, state: R, mode: Mode | None) -> R:
        return set_mode(state, mode)

    def reopen(self, id: str, limits: Limits = AS_THEY_ARE, waiver: Waiver = NOTHING_WAIVED) -> R:
        """Runs a finished one on, with limits that are raised in the same commit.

        Forbidden where what runs would choose by itself how it is judged.
        """
        at, rules = self._now(), self.rules
        if waiver != NOTHING_WAIVED and self.processes.within(id):
            raise Forbidden(f"A {self.kind} cannot choose how its own work is judged; only whoever started it can")

        def rule(state: R) -> R:
            state = rules.limited(state, limits)
            return rules.reopen(apply_waiver(state, waiver), at)

        return self._launched(id, self.commit(id, rule, "reopened"))

    def limit(self, id: str, limits: Limits) -> R:
        """Changes limits at any time; what has ended stays so, see `reopen`."""
        given = ", ".join(name for name, value in asdict(limits).items() if value is not None)
        return self.commit(id, lambda s: self.rules.limited(s, limits), "edited", fields=given)

    def pause(self, id: str, *, now: bool = False) -> R:
        return self.commit(id, lambda s: self.rules.pause(s, now=now), "paused")

    async def stop(self, id: str, why: str | None = None) -> R:
        """Ends it, and its runner with everything that runner started. `why`: if that is not a person's word."""
        at = self._now()

        def rule(state: R) -> R:
            stopped = self.rules.stop(state, at)
            return stopped.evolve(failure_reason=why) if why else stopped

        self.commit(id, rule, "stopped", **({"why": why} if why else {}))
        deadline = self.clock.monotonic() + STOP_PATIENCE
        while (pid := self.store.holder(id)) is not None and self.clock.monotonic() < deadline:
            await self.clock.sleep(0.05)
        if pid is not None:
            self.processes.end_runner(pid)
        self.processes.sweep(id)
        return self._concluded(self.store.read(id))

    def edit(self, id: str, changes: Fields) -> R:
        given = dict(changes)
        return self.commit(id, lambda s: self.rules.edit(s, given), "edited", fields=", ".join(given))

    def approve(
        self, id: str, request_id: str | None = None, *, answer: Literal["allow", "deny"], every: bool = False
    ) -> tuple[PermissionRequest, ...]:
        """Answers what an agent asks to be permitted: that request, the only one that is open, or `every` open one."""
        asked = self.read(id).engine.asked
        if self.processes.within(id):
            raise Forbidden(f"a {self.kind} cannot grant its own requests; only whoever started it can")
        if asked and not self.is_live(id):
            raise Conflict(f"nothing is waiting for an answer: the runner of {id} is gone; resume the {self.kind}")
        ids = pausing.chosen_requests(asked, request_id, every=every)
        state = self.commit(
            id,
            lambda s: pausing.answer_permission(s, ids, answer),
            "permission_answered",
            request=", ".join(ids),
            answer=answer,
        )
        return tuple(request for request in state.engine.asked if request.id in ids)

    def tell(self, id: str, text: str, *, now: bool = False, role: Role | None = None) -> R:
        """Queues a message for the agent at work, or the next one that is. Invalid, Conflict, Forbidden."""
        if role is not None and self.kind != "cycle":
            raise Invalid(f"role: a {self.kind} has one agent and no roles")
        if self.processes.within(id):
            raise Forbidden(f"what a {self.kind} has started cannot speak for the person it works for")
        name = f"msg-{self.clock.token()[:8]}"
        message = PersonMessage(id=name, text=text, at=self._now(), now=now, role=role)
        return self.commit(id, lambda state: queue_message(state, message), "told", message=name, text=text)

    def whole_diff(self, id: str) -> str:
        """Unified diff of all that was changed so far."""
        known = self.read(id).engine.checkpoints
        return self.workspace.diff(known[0].commit, known[-1].commit) if known else ""

    def checkpoint_diff(self, id: str, n: int) -> str:
        """Unified diff of one checkpoint against the one before."""
        known = self.read(id).engine.checkpoints
        target = self._checkpoint(known, n)
        before = next((c for c in reversed(known) if c.n < n), target)
        return self.workspace.diff(before.commit, target.commit)

    def recover(self, id: str) -> RecoveryResult[R]:
        """Rebuilds what is damaged; Corrupt when nothing is left of it."""
        before = self._last_readable(self._checked(id))
        state = self.store.recover(id, actor=self.actor)
        repairs = tuple(e for e in self.store.events(id, before) if e.event.type in REPAIRS)
        return RecoveryResult(state, repairs, tuple(self.store.kept(id)))

    def apply(self, id: str) -> R:
        """Brings what a run did in its worktree into the user's tree. Conflict, and the tree is as before."""
        from loopwright.core.delivery import apply_work

        return apply_work(self, id)

    def branch(self, id: str, name: str | None = None) -> R:
        """Commits what the run did on its branch, and gives the result another `name`. Conflict, Invalid."""
        from loopwright.core.delivery import branch_work

        return branch_work(self, id, name)

    def note_pull_request(self, id: str, url: str) -> R:
        """Remembers where its branch was proposed."""
        from loopwright.core.delivery import with_branch

        return self.commit(id, lambda s: with_branch(s, pull_request=url), "pull_request", url=url)

    def delete(self, id: str) -> str:
        """What is kept of it all the same, in words; empty where nothing is."""
        state = self._unmoved(id, self.read(id))
        self.rules.require_delete(state)
        kept, branch = "", state.engine.branch
        if branch is not None and self.branches is not None:
            with self.store.lease(id):
                self.processes.sweep(id)
                kept = self.branches.remove(id, branch)
        self._erase(id)
        return kept

    def _erase(self, id: str) -> None:
        self.store.delete(id, actor=self.actor)
        self.processes.sweep(id)
        self.workspace.forget(id)
        self.processes.forget(id)

    def _concluded(self, state: R) -> R:
        try:
            with self.store.lease(self.rules.id_of(state)) as lease:
                return self.conclude(state, lease.epoch)
        except Conflict:  # a runner again, which does it
            return state

    def _last_readable(self, id: str) -> int:
        """The commit it stands at, or 0 where that cannot be read."""
        try:
            return self.store.read(id).engine.rev
        except Corrupt:
            return 0

    def _launched(self, id: str, state: R) -> R:
        """A runner for it, unless one is at it already."""
        if self.store.holder(id) is None:
            self.launcher.launch(id)
        return state

    def _checkpoint(self, known: tuple[Checkpoint, ...], n: int) -> Checkpoint:
        found = next((c for c in known if c.n == n), None)
        if found is None:
            there = ", ".join(str(c.n) for c in known) or "none"
            raise NotFound(f"Checkpoint {n} not found (the {self.kind} has: {there})")
        return found


Changes = Callable[[str, str], tuple[FileChange, ...]]
"""See Workspace.changes. What is between two commits never changes, so that it can be remembered."""


def with_files(state: Run, changes: Changes) -> tuple[tuple[Checkpoint, tuple[FileChange, ...]], ...]:
    """In order. The first has none: it is what the loop found."""
    known = state.engine.checkpoints
    return (
        *((first, ()) for first in known[:1]),
        *((after, changes(before.commit, after.commit)) for before, after in pairwise(known)),
    )
