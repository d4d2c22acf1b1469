"""Every command on cycles, as all surfaces call it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from loopwright.core.cycle_names import Role
from loopwright.core.errors import Forbidden, Invalid, NotFound
from loopwright.core.ids import new_cycle_id
from loopwright.core.ports import Store, Worktrees
from loopwright.core.progress_files import read_bytes
from loopwright.core.run_commands import CommandRules, RecoveryResult, RunService
from loopwright.core.state import MAX_ITERATIONS, Budget, Checkpoint, RunSettings
from loopwright.core.text import heading_of
from loopwright.core.wording import ACTORS, surface_of
from loopwright.evidence.patch_exchange import take_rival
from loopwright.workflows.cycle import commands, files
from loopwright.workflows.cycle.documents import KEPT, MAIN, archives, render
from loopwright.workflows.cycle.files import Discovery, Document, DocumentText
from loopwright.workflows.cycle.logs import LOGS, additions
from loopwright.workflows.cycle.model import FINISHED, TITLE_LENGTH, CycleEngine, CycleState, IterationRecord


def write_down(store: Store[CycleState], state: CycleState) -> None:
    """All that follows from the state, with what it replaces put aside. For who holds the lease."""
    id = state.cycle_id
    new = render(state, None, _texts(store, id, KEPT))
    old = archives(_there(store, id, MAIN), new)
    there = _there(store, id, old)
    store.write_progress(id, {name: data for name, data in old.items() if name not in there} | new)
    for name, lines in additions(state, _texts(store, id, LOGS)).items():
        store.append_progress(id, name, lines)


def _texts(store: Store[CycleState], id: str, names: Iterable[str]) -> dict[str, str]:
    return {name: data.decode(errors="replace") for name, data in _there(store, id, names).items()}


def _there(store: Store[CycleState], id: str, names: Iterable[str]) -> dict[str, bytes]:
    """Those of the files that there are."""
    found: dict[str, bytes] = {}
    for name in names:
        try:
            found[name] = read_bytes(store.progress_path(id), name)
        except NotFound:
            continue
    return found


USER = "user"
"""Who has decided, where it was no agent that called."""


@dataclass(frozen=True)
class CycleService(RunService[CycleState]):
    """Every command; see RunAccess for what it is made of. `worktrees`: where its tasks are worked on side by side."""

    worktrees: Worktrees | None = None

    kind: ClassVar[str] = "cycle"

    @property
    def rules(self) -> CommandRules[CycleState]:
        return commands.RULES

    def create(
        self,
        task: str,
        *,
        title: str | None = None,
        max_iterations: int = MAX_ITERATIONS,
        settings: RunSettings | None = None,
        budget: Budget | None = None,
        roles: Mapping[Role, str] | None = None,
        parallel: int = 2,
        allow_test_changes: bool = False,
        sources: Sequence[str] = (),
    ) -> CycleState:
        """A new cycle, status created. `roles`: who plays which, where it is not the agent of the settings. Invalid."""
        text = task.strip()
        name = (title or heading_of(text)).strip()
        if not name:
            raise Invalid("a cycle needs a task: say in a sentence what to do")
        now = self.clock.now()
        at = now.isoformat(timespec="milliseconds")
        state = CycleState(
            cycle_id=new_cycle_id(now, self.clock.token()),
            title=" ".join(name.split())[:TITLE_LENGTH],
            description=text,
            task_history=(name,),
            created_at=at,
            updated_at=at,
            engine=CycleEngine(
                settings=settings or RunSettings(),
                budget=budget or Budget(),
                allow_test_changes=allow_test_changes,
                sources=tuple(sources),
            ),
        )
        engine = state.engine.evolve(roles=dict(roles or {}), parallel=parallel)
        state = state.evolve(max_iterations=max_iterations, engine=engine)
        return self.store.create(state, actor=self.actor)

    def extend(self, id: str, text: str) -> CycleState:
        """Adds to the task: a cycle at rest runs on with it, a running one takes it at the border of its iteration."""
        at = self._now()
        return self._launched(id, self.commit(id, lambda s: commands.extend(s, text, at), "extended", text=text))

    def decide(self, id: str, decision_id: str, option: str) -> CycleState:
        """Makes a decision that is pending; a paused cycle is resumed by its own command."""
        self._not_from_within(id)
        return self.commit(
            id,
            lambda s: commands.decide(s, decision_id, option, self._by),
            "decided",
            decision=decision_id,
            option=option,
        )

    def choose(self, id: str, rival: str) -> CycleState:
        """A rival in the place of a patch, while it rests; one that is finished runs on, to have that validated."""
        self._unmoved(id, self.read(id))  # before the lease, which is a change itself
        at, by = self._now(), f"a person {ACTORS[self.actor]}" if self.actor in ACTORS else self.actor
        state = take_rival(
            self,
            id,
            rival,
            patches=lambda s: s.engine.patches or (),
            landed=lambda s, taken: commands.take_rival(s, taken.id, by, at),
        )
        return self._launched(id, state) if state.status == "running" else state

    def answer(self, id: str, text: str) -> CycleState:
        """Makes the only decision that is pending."""
        self._not_from_within(id)
        return self.commit(id, lambda s: commands.answer(s, text, self._by), "answered")

    def resolve(self, id: str, blocker_id: str, resolution: str, *, workaround: bool = False) -> CycleState:
        """Settles a blocker that is open, with what was done about it."""
        self._not_from_within(id)
        return self.commit(
            id,
            lambda s: commands.resolve(s, blocker_id, resolution, workaround=workaround),
            "resolved",
            blocker=blocker_id,
            resolution=resolution,
        )

    def diff(self, id: str, iteration: int | None = None) -> str:
        """Unified diff: of one iteration, or of all of them so far."""
        if iteration is None:
            return self.whole_diff(id)
        state = self.read(id)
        record = next((one for one in state.iterations if one.number == iteration), None)
        if record is None:
            raise NotFound(f"Iteration {iteration} not found (the cycle has: {state.current_iteration})")
        before, after = _border(state.engine.checkpoints, record)
        return self.workspace.diff(before.commit, after.commit) if before and after else ""

    def documents(self, id: str) -> tuple[Document, ...]:
        """What the roles have written, by name."""
        self.read(id)
        return files.list_documents(self.store.progress_path(id), self.clock.now().tzinfo)

    def document(self, id: str, name: str, version: str | None = None) -> DocumentText:
        """One of these, as it is now or as it was in that version. NotFound, Invalid."""
        self.read(id)
        return files.read_document(self.store.progress_path(id), name, version)

    def discoveries(self, id: str) -> tuple[Discovery, ...]:
        """What the roles have found out about the project, oldest first."""
        self.read(id)
        return files.read_discoveries(self.store.progress_path(id))

    def recover(self, id: str) -> RecoveryResult[CycleState]:
        """What ended while its runner died gets the documents of its end, too."""
        found = super().recover(id)
        if found.state.status not in FINISHED:
            return found
        return replace(found, state=self._concluded(found.state))

    def delete(self, id: str) -> str:
        kept = super().delete(id)
        self._without_lanes(id)
        return kept

    @property
    def _by(self) -> str:
        return "mcp" if surface_of(self.actor) == "mcp" else USER

    def conclude(self, state: CycleState, epoch: int) -> CycleState:
        """With its documents, and without what was worked in."""
        ended = self.store.read(state.cycle_id)
        write_down(self.store, ended)
        self._without_lanes(ended.cycle_id)
        return ended

    def _without_lanes(self, id: str) -> None:
        if self.worktrees is not None:
            self.worktrees.close(id)

    def _not_from_within(self, id: str) -> None:
        if self.processes.within(self._checked(id)):
            raise Forbidden("a cycle's own agents cannot answer its own requests; only whoever started it can")


def _border(known: tuple[Checkpoint, ...], record: IterationRecord) -> tuple[Checkpoint | None, Checkpoint | None]:
    """The last checkpoints before the iteration began and before it ended; the very first where there was none."""
    begun = _last_until(known, record.started_at) or (known[0] if known else None)
    ended = _last_until(known, record.completed_at) if record.completed_at else (known[-1] if known else None)
    return begun, ended


def _last_until(known: tuple[Checkpoint, ...], at: str) -> Checkpoint | None:
    moment = datetime.fromisoformat(at)
    return next((one for one in reversed(known) if datetime.fromisoformat(one.at) <= moment), None)
