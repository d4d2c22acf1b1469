"""Every command on loops, as all surfaces call it."""

from dataclasses import dataclass
from typing import ClassVar

from loopwright.domain import loop_commands as commands
from loopwright.domain.documents import render_progress
from loopwright.domain.engine_state import Budget, EngineState, RunSettings
from loopwright.domain.errors import Conflict, Invalid
from loopwright.domain.events import Event
from loopwright.domain.ids import checked, new_loop_id
from loopwright.domain.loop import TITLE_LENGTH, LoopState
from loopwright.domain.summary import summed_up
from loopwright.engine.runs import Rules
from loopwright.engine.talking import Talk

RULES = Rules[LoopState](
    id_of=lambda state: state.loop_id,
    start=commands.start,
    pause=commands.pause,
    resume=commands.resume,
    stop=commands.stop,
    reopen=lambda state, at: commands.reopen(state),
    limited=commands.limited,
    edit=commands.edit,
    require_delete=lambda state: commands.require("delete", state),
)


@dataclass(frozen=True)
class LoopService(Talk):
    """Every command; see Access for what it is made of."""

    kind: ClassVar[str] = "loop"

    @property
    def rules(self) -> Rules[LoopState]:
        return RULES

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

    def answer(self, id: str, text: str) -> LoopState:
        return self.commit(id, lambda s: commands.answer(s, text), "answered")

    def rewind(self, loop_id: str, n: int) -> LoopState:
        """Tree and skill_state of checkpoint `n`; what is there now becomes a checkpoint first."""
        self._unmoved(loop_id, self.read(loop_id))  # before the lease, which is a change itself
        with self.store.lease(checked(loop_id)) as lease:
            state = self.store.read(loop_id)
            commands.require("rewind", state)
            target = self._checkpoint(state.engine.checkpoints, n)
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
        return self.whole_diff(loop_id) if n is None else self.checkpoint_diff(loop_id, n)

    def _concluded(self, state: LoopState) -> LoopState:
        """With its summary."""
        if summed_up(state) is state:
            return state
        try:
            with self.store.lease(state.loop_id) as lease:
                ended = self.store.update(
                    state.loop_id, summed_up,
                    actor=self.actor, event=Event(type="summarised"), epoch=lease.epoch,
                )  # fmt: skip
                self.store.write_progress(state.loop_id, render_progress(ended))
                return ended
        except Conflict:  # a runner again, and so a summary at its end
            return state
