"""Every command on loops, as all surfaces call it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from loopwright.domain import loop_commands as commands
from loopwright.domain.documents import render_progress
from loopwright.domain.engine_state import (
    Budget,
    Checkpoint,
    EngineState,
    Limits,
    RunSettings,
)
from loopwright.domain.errors import Conflict, Corrupt, Invalid, NotFound
from loopwright.domain.events import Entry, Event
from loopwright.domain.ids import checked, new_loop_id
from loopwright.domain.loop import TITLE_LENGTH, LoopState, LoopStatus
from loopwright.domain.summary import summed_up
from loopwright.engine.talking import Talk
from loopwright.engine.tasks import Fields
from loopwright.ports import Page

STOP_PATIENCE = 5.0
"""Seconds a stopped runner has to let go of its lease before it is ended."""

AS_THEY_ARE = Limits()


@dataclass(frozen=True)
class Recovered:
    """What came of a recovery: nothing was damaged where there are no `repairs`; `kept` are files put aside."""

    state: LoopState
    repairs: tuple[Entry, ...]
    kept: tuple[Path, ...]


REPAIRS = frozenset({"recovered", "state_put_back", "journal_damaged", "journal_forged", "journal_started"})


@dataclass(frozen=True)
class LoopService(Talk):
    """Every command; see Access for what it is made of."""

    def create(
        self,
        description: str,
        *,
        title: str | None = None,
        max_iterations: int = 10,
        settings: RunSettings | None = None,
        budget: Budget | None = None,
        allow_test_changes: bool = False,
    ) -> LoopState:
        """A new loop, status created. Invalid for a blank text or a limit below 1."""
        text = description.strip()
        name = (title or text).strip()
        if not name:
            raise Invalid("a loop needs a task: say in a sentence what shall be done")
        now = self.clock.now()
        state = LoopState(
            loop_id=new_loop_id(now, self.clock.token()),
            title=" ".join(name.split())[:TITLE_LENGTH],
            description=text,
            created_at=now.isoformat(timespec="milliseconds"),
            updated_at=now.isoformat(timespec="milliseconds"),
            engine=EngineState(
                settings=settings or RunSettings(), budget=budget or Budget(), allow_test_changes=allow_test_changes
            ),
        )
        return self.store.create(state.evolve(max_iterations=max_iterations), actor=self.actor)

    def list(
        self, *, status: LoopStatus | None = None, limit: int = 50, offset: int = 0, search: str = ""
    ) -> Page[LoopState]:
        """`search`: a text in id, title, description or a tag."""
        return self.store.list(status=status, limit=limit, offset=offset, search=search)

    def events(self, loop_id: str, after: int = 0) -> Sequence[Entry]:
        return self.store.events(checked(loop_id), after)

    def damaged(self) -> Mapping[str, str]:
        """Ids that can not be read, with the reason."""
        return self.store.damaged()

    def start(self, loop_id: str) -> LoopState:
        return self._launched(self.commit(loop_id, commands.start, "started"))

    def resume(self, loop_id: str) -> LoopState:
        live = self.is_live(loop_id)
        return self._launched(self.commit(loop_id, lambda s: commands.resume(s, live=live), "resumed"))

    def reopen(self, loop_id: str, limits: Limits = AS_THEY_ARE) -> LoopState:
        """Runs a finished loop on, with limits that are raised in the same commit."""
        return self._launched(self.commit(loop_id, lambda s: commands.reopen(commands.limited(s, limits)), "reopened"))

    def limit(self, loop_id: str, limits: Limits) -> LoopState:
        """Changes limits at any time; a loop that has ended stays so, see `reopen`."""
        given = ", ".join(name for name, value in asdict(limits).items() if value is not None)
        return self.commit(loop_id, lambda s: commands.limited(s, limits), "edited", fields=given)

    def pause(self, loop_id: str, *, now: bool = False) -> LoopState:
        return self.commit(loop_id, lambda s: commands.pause(s, now=now), "paused")

    async def stop(self, loop_id: str) -> LoopState:
        """Ends the loop, and its runner with everything that runner started."""
        at = self._now()
        self.commit(loop_id, lambda s: commands.stop(s, at), "stopped")
        deadline = self.clock.monotonic() + STOP_PATIENCE
        while (pid := self.store.holder(loop_id)) is not None and self.clock.monotonic() < deadline:
            await self.clock.sleep(0.05)
        if pid is not None:
            self.processes.end_runner(pid)
        self.processes.sweep(loop_id)
        return self._summed_up(self.store.read(loop_id))

    def edit(self, loop_id: str, changes: Fields) -> LoopState:
        given = dict(changes)
        return self.commit(loop_id, lambda s: commands.edit(s, given), "edited", fields=", ".join(given))

    def rewind(self, loop_id: str, n: int) -> LoopState:
        """Tree and skill_state of checkpoint `n`; what is there now becomes a checkpoint first."""
        self._unmoved(self.read(loop_id))  # before the lease, which is a change itself
        with self.store.lease(checked(loop_id)) as lease:
            state = self.store.read(loop_id)
            commands.require("rewind", state)
            target = self._checkpoint(state, n)
            self.processes.sweep(loop_id)
            then = self.store.read_at(loop_id, target.rev)
            here = self.workspace.snapshot(loop_id, f"before rewind to {n}")
            self.workspace.restore(target.commit)
            at = self._now()
            return self.store.update(
                loop_id, lambda s: commands.rewind(s, then, (here.commit, here.tree), n, at),
                actor=self.actor, event=Event(type="rewound", data={"to": n}), epoch=lease.epoch,
            )  # fmt: skip

    def diff(self, loop_id: str, n: int | None = None) -> str:
        """Unified diff: of one checkpoint against the one before, or of the whole loop so far."""
        state = self.read(loop_id)
        known = state.engine.checkpoints
        if n is None:
            return self.workspace.diff(known[0].commit, known[-1].commit) if known else ""
        target = self._checkpoint(state, n)
        before = next((c for c in reversed(known) if c.n < n), target)
        return self.workspace.diff(before.commit, target.commit)

    def recover(self, loop_id: str) -> Recovered:
        """Rebuilds what is damaged; Corrupt when nothing is left of the loop."""
        before = self._last_readable(checked(loop_id))
        state = self.store.recover(loop_id, actor=self.actor)
        repairs = tuple(e for e in self.store.events(loop_id, before) if e.event.type in REPAIRS)
        return Recovered(state, repairs, tuple(self.store.kept(loop_id)))

    def delete(self, loop_id: str) -> None:
        state = self._unmoved(self.read(loop_id))
        commands.require("delete", state)
        self.store.delete(loop_id, actor=self.actor)
        self.processes.sweep(loop_id)
        self.workspace.forget(loop_id)
        self.processes.forget(loop_id)

    def _last_readable(self, loop_id: str) -> int:
        """The commit the loop stands at, or 0 where that can not be read."""
        try:
            return self.store.read(loop_id).engine.rev
        except Corrupt:
            return 0

    def _summed_up(self, state: LoopState) -> LoopState:
        """Writes the summary of a loop that ended while no runner could."""
        at = self._now()
        if summed_up(state, at) is state:
            return state
        try:
            with self.store.lease(state.loop_id) as lease:
                ended = self.store.update(
                    state.loop_id, lambda s: summed_up(s, at),
                    actor=self.actor, event=Event(type="summarised"), epoch=lease.epoch,
                )  # fmt: skip
                self.store.write_progress(state.loop_id, render_progress(ended))
                return ended
        except Conflict:  # a runner again, and so a summary at its end
            return state

    def _launched(self, state: LoopState) -> LoopState:
        """A runner for the loop, unless one is at it already."""
        if self.store.holder(state.loop_id) is None:
            self.launcher.launch(state.loop_id)
        return state

    def _checkpoint(self, state: LoopState, n: int) -> Checkpoint:
        found = next((c for c in state.engine.checkpoints if c.n == n), None)
        if found is None:
            known = ", ".join(str(c.n) for c in state.engine.checkpoints) or "none"
            raise NotFound(f"Checkpoint {n} not found (the loop has: {known})")
        return found
