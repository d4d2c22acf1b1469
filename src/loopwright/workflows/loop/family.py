"""Several attempts at one goal: which runs when, which is the best, and what is left of the others."""

import asyncio
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ValidationError

from loopwright.core.agent_names import read_choice
from loopwright.core.errors import Conflict, ExitCode, IllegalTransition, LoopwrightError, NotFound, WorkspaceError
from loopwright.core.ids import attempts_of
from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.pause import EXITS
from loopwright.core.ports import Store, Workspace
from loopwright.core.private_files import make_private_folder
from loopwright.core.record import JournalEvent, Record
from loopwright.core.run import NOT_BEGUN, SUPERSEDED, add_checkpoint
from loopwright.core.spending import add_spent, most_spent
from loopwright.core.state import Budget, Checkpoint, Family, Outcome
from loopwright.core.supervisor import LAUNCH_TIMEOUT
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from loopwright.workflows.loop.summary import diff_stat

LOOK_SECONDS = 0.3
"""How often the attempts are looked at."""

RESUMES = 3
"""How often one driver takes up an attempt whose runner has died."""


@dataclass(frozen=True)
class AttemptResult:
    """An attempt as it stands. `is_busy`: a runner is at it, or on its way.

    `score`: percent of mutants that its proof kills, where that was measured; `lines`: added and removed, None where
    that is not known here.
    """

    number: int
    id: str
    agent: str
    status: LoopStatus
    outcome: Outcome | None = None
    is_busy: bool = False
    score: float | None = None
    lines: int | None = 0
    reason: str = ""

    @property
    def is_proven(self) -> bool:
        return self.outcome == "succeeded"


def choose_attempt(found: Sequence[AttemptResult]) -> AttemptResult | None:
    """The best one: proven, then by mutation score (known before unknown), then by the smallest diff, then the first.

    None where none is proven.
    """
    proven = [one for one in found if one.is_proven]
    return min(proven, key=_rank, default=None)


def _rank(one: AttemptResult) -> tuple[bool, float, int, int]:
    return one.score is None, -(one.score or 0), one.lines or 0, one.number


def find_superseded(state: LoopState) -> tuple[str, ...]:
    """Ids of the attempts that nobody needs any more, now that this one has ended as it has."""
    family = state.engine.family
    if family is None or family.run_all or family.winner is not None or state.engine.outcome != "succeeded":
        return ()
    return tuple(id for id in family.ids if id != state.loop_id)


OUTCOMES: tuple[Outcome, ...] = (
    "succeeded",
    "unproven",
    "unverified",
    "exhausted",
    "stalled",
    "over_budget",
    "failed",
    "stopped",
)
"""The better ones first."""


def exit_for_family(found: Sequence[AttemptResult]) -> ExitCode:
    """Of the best outcome; a person is needed while one has none, and only a person brings it on."""
    if any(one.outcome is None for one in found):
        return ExitCode.NEEDS_PERSON
    return EXITS[min((one.outcome for one in found if one.outcome), key=OUTCOMES.index)]


@dataclass(frozen=True)
class FamilyMoves:
    """What is to be done now: ids to start and to resume, and to stop with the reason."""

    start: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    stop: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_none(self) -> bool:
        return not (self.start or self.resume or self.stop)


def plan_moves(
    family: Family, found: Sequence[AttemptResult], resumable: Collection[str] = (), *, is_used_up: bool = False
) -> FamilyMoves:
    """`resumable`: ids that may be taken up where nobody is at them. `is_used_up`: the budget of all together."""
    left = [one for one in found if one.status not in FINISHED]
    if not family.run_all and any(one.is_proven for one in found):
        return FamilyMoves(stop={one.id: SUPERSEDED for one in left})
    fresh = [one for one in left if one.status == "created" and not one.is_busy]
    if is_used_up and fresh:
        return FamilyMoves(stop={one.id: NOT_BEGUN for one in fresh})
    idle = [one for one in left if one.status != "created" and not one.is_busy and one.id in resumable]
    free = max(family.parallel - sum(one.is_busy for one in left), 0)
    chosen = [*idle, *fresh][:free]
    return FamilyMoves(
        start=tuple(one.id for one in chosen if one.status == "created"),
        resume=tuple(one.id for one in chosen if one.status != "created"),
    )


SPENDING = "spending.json"
"""Among an attempt's progress files, what it has spent with its turns under way."""


class FamilySpending:
    """Implements SharedSpending: each attempt has a file for the others. It is written whole, or not at all."""

    def __init__(self, store: Store[LoopState], ids: Sequence[str], own: str = "") -> None:
        self._store, self._own = store, own
        self._others = [id for id in ids if id != own]
        self._told = Budget()

    def others(self) -> Budget:
        total = Budget()
        for id in self._others:
            try:
                account = self._store.read(id).engine.budget
            except LoopwrightError:  # deleted, or damaged: what is not known cannot be counted
                continue
            total = add_spent(total, most_spent(account, self._read(id)))
        return total

    def tell(self, spent: Budget) -> None:
        told = self._told
        is_known = (spent.tokens, spent.cost) == (told.tokens, told.cost)
        if is_known and abs(spent.spent_seconds - told.spent_seconds) < 1:
            return
        path = self._path(self._own)
        text = json.dumps({"spent_seconds": spent.spent_seconds, "tokens": spent.tokens, "cost": spent.cost})
        draft = path.with_name(f".{SPENDING}.{os.getpid()}")
        try:
            make_private_folder(path.parent)
            draft.write_text(text)
            draft.replace(path)
        except OSError:  # no room: the accounts still tell, a step later
            return
        self._told = spent

    def _read(self, id: str) -> Budget:
        try:
            return Budget.model_validate_json(self._path(id).read_bytes())
        except (OSError, ValidationError):
            return Budget()

    def _path(self, id: str) -> Path:
        return self._store.progress_path(id) / SPENDING


class AttemptGlance(Record):
    """An attempt, as surfaces show it; see AttemptResult. `mutation_score` in percent."""

    number: int
    loop_id: str
    agent: str
    status: LoopStatus
    outcome: Outcome | None = None
    reason: str | None = None
    mutation_score: float | None = None
    changed_lines: int
    chosen: bool


def list_attempts(service: LoopService, id: str) -> list[AttemptGlance]:
    """All that the loop is one of, in order; empty for one that is alone. NotFound, Invalid."""
    if service.read(id).engine.family is None:
        return []
    family, states = read_family(service, id)
    return glance_attempts(list_results(service, family, states), find_winner(states))


def glance_attempts(found: Sequence[AttemptResult], winner: str | None) -> list[AttemptGlance]:
    return [
        AttemptGlance(
            number=one.number,
            loop_id=one.id,
            agent=one.agent,
            status=one.status,
            outcome=one.outcome,
            reason=one.reason or None,
            mutation_score=one.score,
            changed_lines=one.lines or 0,
            chosen=one.id == winner,
        )
        for one in found
    ]


def find_winner(states: Sequence[LoopState]) -> str | None:
    """Its id, empty where none was chosen; None where that is not settled."""
    known = (state.engine.family.winner for state in states if state.engine.family)
    return next((winner for winner in known if winner is not None), None)


def read_family(service: LoopService, id: str) -> tuple[Family, tuple[LoopState, ...]]:
    """The family of that attempt, and the states there are of it, in order. Invalid, NotFound."""
    family = service.read(id).engine.family
    if family is None:
        raise NotFound(f"{id} is no attempt of several")
    return family, tuple(_states(service, family))


def _states(service: LoopService, family: Family) -> Iterator[LoopState]:
    for id in family.ids:
        try:
            yield service.read(id)
        except NotFound:
            continue


def complete_family(service: LoopService, id: str) -> None:
    """Creates what is missing of a family that was only begun to be created. A deleted attempt stays deleted."""
    family, states = read_family(service, id)
    if any(state.status != "created" for state in states):
        return
    known, first = {state.loop_id for state in states}, states[0]
    engine = first.engine
    limits = {name: getattr(engine.budget, name) for name in ("max_minutes", "max_tokens", "max_cost")}
    for member in family.members:
        if member.id in known:
            continue
        choice = read_choice(member.agent)
        by = {"agent": choice.name, "model": choice.model, "effort": choice.effort}
        service.create(
            first.description,
            title=first.title,
            max_iterations=first.max_iterations,
            settings=engine.settings.evolve(**by),
            budget=Budget(**limits),
            allow_test_changes=engine.allow_test_changes,
            sources=engine.sources,
            id=member.id,
            family=family,
        )


def list_results(service: LoopService, family: Family, states: Sequence[LoopState]) -> list[AttemptResult]:
    """How they stand, with the sizes of their diffs."""
    found = list_standing(service, family, states)
    return [replace(one, lines=_changed_lines(service, one.id)) for one in found]


def list_standing(service: LoopService, family: Family, states: Sequence[LoopState]) -> list[AttemptResult]:
    """The same without the sizes, which take longer."""
    return [_result(service, family, state) for state in states]


def _changed_lines(service: LoopService, id: str) -> int | None:
    try:
        diff = service.whole_diff(id)
    except (NotFound, WorkspaceError):  # its checkpoints are not here
        if not service.is_elsewhere(id):
            raise
        return None
    return sum(added + removed for _, added, removed in diff_stat(diff))


def _result(service: LoopService, family: Family, state: LoopState, launched: Collection[str] = ()) -> AttemptResult:
    """Without the size of its diff; `launched`: those whose runner may be on its way."""
    engine, id = state.engine, state.loop_id
    number = family.number(id)
    is_coming = id in launched and state.status == "running"
    mutants = engine.proof.mutants if engine.proof else None
    return AttemptResult(
        number=number,
        id=id,
        agent=family.members[number - 1].agent,
        status=state.status,
        outcome=engine.outcome,
        is_busy=is_coming or service.is_live(id),
        score=mutants.percent if mutants else None,
        reason=state.failure_reason or "",
    )


def hold_family(service: LoopService, family: Family) -> AbstractContextManager[None]:
    """Held by the one process that drives its attempts. Conflict."""
    first = family.ids[0]
    busy = f"another process drives these attempts; see how they stand with: loopwright show {first}"
    return service.processes.alone(attempts_of(first), busy)


def find_unsettled(service: LoopService, id: str) -> Family | None:
    """The family of that attempt, if not all know yet which was chosen. NotFound, Invalid."""
    if service.read(id).engine.family is None:
        return None
    family, states = read_family(service, id)
    is_settled = all(state.engine.family and state.engine.family.winner is not None for state in states)
    return None if is_settled else family


def find_undriven(service: LoopService, id: str) -> Family | None:
    """An unsettled family that nobody drives, and that is not in the fleet."""
    family = find_unsettled(service, id)
    if family is None or any(service.is_elsewhere(one) for one in family.ids):
        return None
    try:
        with hold_family(service, family):
            return family
    except Conflict:
        return None


@dataclass(frozen=True)
class FamilyDriver:
    """Brings a family to its end. Whatever kills it, another one goes on from the attempts' own states."""

    service: LoopService

    async def drive(self, id: str, look: Callable[[Sequence[AttemptResult]], None]) -> list[AttemptResult]:
        """Until nothing is left to do; `look` sees how they stand meanwhile."""
        service = self.service
        complete_family(service, id)
        family, states = read_family(service, id)
        chances = {s.loop_id: 1 if s.status in ("paused", "user_exit") else RESUMES for s in states}
        launched: dict[str, float] = {}
        while True:
            states = tuple(_states(service, family))
            now = service.clock.monotonic()
            coming = {id for id, at in launched.items() if now - at < LAUNCH_TIMEOUT.total_seconds()}
            found = [_result(service, family, state, coming) for state in states]
            look(found)
            paused = {s.loop_id for s in states if s.status != "running"}
            resumable = {id for id, left in chances.items() if left and not (id in paused and id in launched)}
            moves = plan_moves(family, found, resumable, is_used_up=self._is_used_up(family, states))
            if moves.is_none and not any(one.is_busy for one in found):
                return list_results(service, family, states)
            for one in (*moves.start, *moves.resume):
                if one in moves.resume:
                    chances[one] -= 1
                self._launch(one, is_new=one in moves.start)
                launched[one] = now
            if moves.stop:
                await asyncio.gather(*(self._stop(one, why) for one, why in moves.stop.items()))
            if moves.is_none:
                await service.clock.sleep(LOOK_SECONDS)

    def _is_used_up(self, family: Family, states: Sequence[LoopState]) -> bool:
        spent = FamilySpending(self.service.store, family.ids).others()
        limits = states[0].engine.budget
        total = limits.evolve(spent_seconds=spent.spent_seconds, tokens=spent.tokens, cost=spent.cost)
        return total.reached is not None

    def _launch(self, id: str, *, is_new: bool) -> None:
        """That one alone. Somebody else may have been faster, or ended it."""
        alone = replace(self.service, driver=None)
        with suppress(IllegalTransition, Conflict):
            if is_new:
                alone.start(id)
            else:
                alone.resume(id)

    async def _stop(self, id: str, why: str) -> None:
        with suppress(IllegalTransition, Conflict):  # it has come to its end meanwhile
            await self.service.stop(id, why)

    def pause(self, id: str) -> None:
        """Whatever is under way, at once."""
        for state in read_family(self.service, id)[1]:
            with suppress(IllegalTransition, Conflict):
                self.service.pause(state.loop_id, now=True)


def settle_family(service: LoopService, id: str) -> str | None:
    """The id of the winner, empty where there is none; None while one of them has no outcome, or is in the fleet.

    What the others have changed is kept as their last checkpoint; their worktrees and branches are removed. It can be
    broken off anywhere, and done again.
    """
    family, states = read_family(service, id)
    if any(state.status not in FINISHED or service.is_elsewhere(state.loop_id) for state in states):
        return None
    settled = find_winner(states)
    if settled is None:
        best = choose_attempt(list_results(service, family, states))
        settled = best.id if best else ""
    for state in states:
        if state.engine.family and state.engine.family.winner is None:
            _settle(service, state.loop_id, settled)
    return settled


def keep_attempt(service: LoopService, id: str, workspace: Workspace, epoch: int | None = None) -> None:
    """What it has come to, as its last checkpoint."""
    snapshot = workspace.snapshot(id, "what the attempt has come to")
    at = service.clock.now().isoformat(timespec="milliseconds")
    kept = Checkpoint(n=0, rev=0, commit=snapshot.commit, tree=snapshot.tree, action="settled", at=at)
    event = JournalEvent(type="attempt_kept")
    service.store.update(id, lambda s: add_checkpoint(s, kept), actor=service.actor, event=event, epoch=epoch)


def _settle(service: LoopService, id: str, winner: str) -> None:
    with service.store.lease(id) as lease:
        state, branches = service.read(id), service.branches
        branch = state.engine.branch
        if id != winner and branch is not None and branches is not None:
            if branch.is_ready and branches.is_there(branch):
                keep_attempt(service, id, branches.workspace(branch), lease.epoch)
            branches.discard(id, branch)

        def rule(latest: LoopState) -> LoopState:
            family = latest.engine.family
            assert family is not None
            return latest.evolve(engine=latest.engine.evolve(family=family.evolve(winner=winner)))

        event = JournalEvent(type="attempts_settled", data={"winner": winner})
        service.store.update(id, rule, actor=service.actor, event=event, epoch=lease.epoch)
