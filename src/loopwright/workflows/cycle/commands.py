"""Every command on a cycle, as a pure function over the status table."""

from collections.abc import Iterable
from typing import Any, Literal

from loopwright.core.command_rules import CommandRules, require_budget, require_iterations, require_place, run_on
from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.core.names import CycleStatus
from loopwright.core.state import Limits, Outcome
from loopwright.core.status_table import StatusRow, StatusTable
from loopwright.evidence.rivals import new_rival_ids, rival_of, swap_rival
from loopwright.workflows.cycle.boundary import (
    close_iteration,
    collect_feedback,
    issues_found,
    next_iteration,
    open_iteration,
)
from loopwright.workflows.cycle.model import FINISHED, Coordination, CycleState
from loopwright.workflows.cycle.standing import derive_standing

Command = Literal[
    "begin", "start", "pause", "resume", "stop", "complete", "fail", "reopen", "extend", "decide", "resolve",
    "edit text", "edit", "delete",
]  # fmt: skip

ALL: frozenset[CycleStatus] = frozenset({"created", "running", "paused", "completed", "failed"})
UNFINISHED = ALL - FINISHED
AT_REST = ALL - {"running"}


STATUS_COMMANDS: dict[Command, StatusRow[CycleStatus]] = {
    "begin": StatusRow(frozenset({"created"}), "running"),
    "start": StatusRow(frozenset({"created", "paused"}), "running"),
    "pause": StatusRow(frozenset({"running"}), "paused"),
    "resume": StatusRow(frozenset({"paused"}), "running", orphaned=frozenset({"running"})),
    "stop": StatusRow(UNFINISHED, "failed"),
    "complete": StatusRow(frozenset({"running"}), "completed"),
    "fail": StatusRow(frozenset({"running"}), "failed"),
    "reopen": StatusRow(FINISHED, "running"),
    "extend": StatusRow(ALL - {"created"}, "running"),
    "decide": StatusRow(UNFINISHED, None),
    "resolve": StatusRow(ALL - {"completed"}, None),
    "edit text": StatusRow(AT_REST, None),
    "edit": StatusRow(ALL, None),
    "delete": StatusRow(AT_REST, None),
}

PERSONS: tuple[Command, ...] = (
    "start",
    "pause",
    "resume",
    "stop",
    "reopen",
    "extend",
    "decide",
    "resolve",
    "edit",
    "delete",
)
"""What an error offers as possible: the commands that people give."""

STATUS_REQUESTS: dict[tuple[CycleStatus, CycleStatus], Command] = {
    ("created", "running"): "start",
    ("paused", "running"): "resume",
    ("running", "paused"): "pause",
    ("created", "failed"): "stop",
    ("running", "failed"): "stop",
    ("paused", "failed"): "stop",
}
"""(is, wanted) → the command that a request for a bare status stands for."""

TABLE: StatusTable[Command, CycleStatus] = StatusTable("cycle", STATUS_COMMANDS, PERSONS, STATUS_REQUESTS)
is_allowed, require_command, command_for = TABLE.is_allowed, TABLE.require, TABLE.command_for


TEXT_FIELDS = frozenset({"title"})
OTHER_FIELDS = frozenset({"max_iterations"})


class CycleRules(CommandRules[CycleState]):
    """What commands make of a cycle. The task is edited by `extend`."""

    table = TABLE
    texts, others = TEXT_FIELDS, OTHER_FIELDS

    def id_of(self, state: CycleState) -> str:
        return state.cycle_id

    def end(self, state: CycleState, status: str, outcome: Outcome, reason: str | None, at: str) -> CycleState:
        """Where an iteration was under way, it ends here with what is still wrong."""
        if state.iteration is not None:
            issues = issues_found(state, _tree(state)) if status == "failed" else ()
            state = close_iteration(state, at, issues)
        engine = state.engine.evolve(outcome=outcome, waiting=None, parked=None, asked=(), under_way=())
        return derive_standing(state.evolve(status=status, completed_at=at, failure_reason=reason, engine=engine))

    def reopen(self, state: CycleState, at: str) -> CycleState:
        """Runs on with another iteration."""
        require_command("reopen", state)
        require_iterations(state, more=5, advice="raise the limit, for example {setting}, or extend the cycle")
        return _went_on(state, at, None)

    def count_limit(self, state: CycleState) -> tuple[CycleState, int]:
        row = state.engine.limits_in_a_row + 1
        return state.evolve(engine=state.engine.evolve(limits_in_a_row=row)), row


RULES = CycleRules()
start, pause, resume, stop, reopen = RULES.start, RULES.pause, RULES.resume, RULES.stop, RULES.reopen
complete, fail, park, wait_for_person = RULES.complete, RULES.fail, RULES.park, RULES.wait_for_person
set_limits, edit = RULES.limited, RULES.edit


def take_up(state: CycleState, at: str) -> CycleState:
    """Start, resume or reopen, by status: what a runner with the lease in its hand does with a cycle."""
    if state.status == "created":
        require_command("begin", state)
        state = state.evolve(status="running")
    elif state.status in FINISHED:
        state = reopen(state, at)
    else:
        state = resume(state, live=False)
    return begin_cycle(state, at)


def begin_cycle(state: CycleState, at: str) -> CycleState:
    """With its first iteration, where it has none yet."""
    return state if state.current_iteration else open_iteration(state, at)


def extend(state: CycleState, text: str, at: str) -> CycleState:
    """What a user adds to the task. A cycle at rest runs again with it; a running one takes it at its next border.

    One that is paused while its runner has not put everything down yet only goes on, and takes it there too.
    """
    require_command("extend", state)
    words = text.strip()
    if not words:
        raise Invalid("an extension needs text: say in a sentence what to add or change")
    if state.status == "running" or state.engine.under_way or not state.current_iteration:
        queued = state.evolve(engine=state.engine.evolve(queue=(*state.engine.queue, words)))
        return queued if state.status == "running" else run_on(queued)
    require_budget(state)
    first, *later = (*state.engine.queue, words)
    return _went_on(state.evolve(engine=state.engine.evolve(queue=tuple(later))), at, first)


def add_iteration(state: CycleState) -> CycleState:
    """One more iteration where all are used up: what a user adds has to have one."""
    if state.current_iteration < state.max_iterations:
        return state
    return state.evolve(max_iterations=state.current_iteration + 1)


def decide(state: CycleState, id: str, option: str, by: str) -> CycleState:
    """Makes a pending decision. NotFound, Conflict; Invalid for an option that it does not have."""
    require_command("decide", state)
    coordination = state.coordination
    found = next((d for d in coordination.pending_decisions if d.id == id), None)
    if found is None:
        raise NotFound(f"no decision {id} ({_known(d.id for d in coordination.pending_decisions)})")
    if found.status != "pending":
        raise Conflict(f"decision {id} is already made: {found.chosen_option} (by {found.made_by})")
    words = option.strip()
    if not words or (found.options and words not in found.options):
        raise Invalid(f"{id} can be decided as {' | '.join(found.options) or 'any text'} (got {option!r})")
    made = found.evolve(status="made", chosen_option=words, made_by=by)
    decisions = tuple(made if d.id == id else d for d in coordination.pending_decisions)
    return _coordinated(state, coordination.evolve(pending_decisions=decisions))


def resolve(state: CycleState, id: str, resolution: str, *, workaround: bool = False) -> CycleState:
    """Closes an open blocker with what was done about it; what it held can go on. NotFound, Conflict, Invalid."""
    require_command("resolve", state)
    coordination = state.coordination
    found = next((b for b in coordination.blockers if b.id == id), None)
    if found is None:
        raise NotFound(f"no blocker {id} ({_known(b.id for b in coordination.blockers)})")
    if found.status != "open":
        raise Conflict(f"blocker {id} is already resolved ({found.status}): {found.resolution}")
    if not resolution.strip():
        raise Invalid("a resolution needs text: say how it was resolved")
    settled = found.evolve(status="workaround" if workaround else "resolved", resolution=resolution.strip())
    blockers = tuple(settled if b.id == id else b for b in coordination.blockers)
    held = set(state.engine.holds.get(id, ()))
    tries = {key: count for key, count in state.engine.tries.items() if key not in held}
    state = state.evolve(engine=state.engine.evolve(tries=tries))
    return _coordinated(state, coordination.evolve(blockers=blockers))


def take_rival(state: CycleState, id: str, by: str, at: str) -> CycleState:
    """The rival of that id in the place of the patch; a finished cycle runs on, to validate it. NotFound."""
    patches = state.engine.patches or ()
    patch, rival = rival_of(patches, id)
    (former,) = new_rival_ids(patches, 1)
    new = swap_rival(patch, rival, former, by)
    state = state.evolve(engine=state.engine.evolve(patches=tuple(new if one == patch else one for one in patches)))
    return reopen(add_iteration(state), at) if state.status in FINISHED else state


def answer(state: CycleState, text: str, by: str) -> CycleState:
    """Makes the one decision that is pending; where there are several, each has to be named (see `decide`)."""
    undecided = state.coordination.undecided
    if len(undecided) == 1:
        return decide(state, undecided[0].id, text, by)
    if undecided:
        raise Invalid(f"several decisions are pending; decide each by its id: {', '.join(d.id for d in undecided)}")
    if state.engine.waiting is not None:
        raise Invalid("this cycle waits for a problem to be fixed, not for an answer; then resume the cycle")
    raise Invalid("this cycle has no open question")


def configure(
    state: CycleState,
    settings: dict[str, Any],  # Any: parsed by the caller; the model checks each value
    *,
    limits: Limits,
    roles: dict[str, str],
    parallel: int | None,
    allow_test_changes: bool | None,
) -> CycleState:
    """What the next run of the cycle works with; what is not given stays as it is."""
    engine = state.engine
    allow = engine.allow_test_changes if allow_test_changes is None else allow_test_changes
    changed = engine.evolve(
        settings=engine.settings.evolve(**settings),
        allow_test_changes=allow,
        roles={**engine.roles, **roles},
        parallel=engine.parallel if parallel is None else parallel,
    )
    configured = state if changed == engine else state.evolve(engine=changed)
    require_place(state, configured)
    return set_limits(configured, limits)


def _went_on(state: CycleState, at: str, extension: str | None) -> CycleState:
    """Another iteration of a cycle at rest, whose last one is over or is cut short here."""
    if state.iteration is not None:
        state = close_iteration(state, at, ("the iteration was cut short by an extension",))
    engine = state.engine.evolve(
        outcome=None,
        waiting=None,
        answer=None,
        parked=None,
        interrupt=False,
        last_border=None,
        under_way=(),
    )
    state = state.evolve(status="running", completed_at=None, failure_reason=None, engine=engine)
    if extension is not None:
        state = add_iteration(state)
    return next_iteration(state, at, extension=extension, feedback=collect_feedback(state, at))


def _tree(state: CycleState) -> str:
    """The last tree that is known of."""
    last = state.engine.last_validation
    return state.engine.checkpoints[-1].tree if state.engine.checkpoints else last.tree if last else ""


def _coordinated(state: CycleState, coordination: Coordination) -> CycleState:
    return derive_standing(state.evolve(coordination=coordination))


def _known(ids: Iterable[str]) -> str:
    return f"the cycle has: {', '.join(ids) or 'none'}"
