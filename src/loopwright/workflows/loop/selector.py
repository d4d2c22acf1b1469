"""What a loop does next: one table over the state and what was measured once for this step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import is_

from loopwright.core.names import ActionName
from loopwright.core.record import remember_last
from loopwright.core.state import DevelopTask, LoopTask, Outcome
from loopwright.evidence.goals import goal_kind, named_for_goal
from loopwright.evidence.objections import ORDERS
from loopwright.evidence.proof import ProofGoal, ProofKind, ProofPolicy
from loopwright.workflows.loop.model import LoopState, SkillState, count_tasks
from loopwright.workflows.loop.stall import find_stall

ROUNDS = 5
"""Fruitless DEBUG actions in a row before the loop looks for another way."""


CHOSEN = 0
"""The `row` of a step that a person chose, not the table."""


@dataclass(frozen=True)
class LoopFacts:
    """What the state cannot know. `tree`: hash of the work tree; `can_write`: the agent writes code and tests."""

    tree: str
    can_write: bool = False


@dataclass(frozen=True)
class NextAction:
    """An action to take, the table row that chose it, and for COMPLETE the outcome it would end with."""

    action: ActionName
    row: int
    outcome: Outcome | None = None
    task: str | None = None


def is_initialised(state: LoopState) -> bool:
    """INIT has been done: by us, or by whoever wrote this state before."""
    skill = state.skill_state
    # COMPLETE proves nothing: a spent budget can end a loop before INIT.
    return skill is not None and bool({skill.last_action, *skill.completed_actions} - {None, "COMPLETE"})


def is_validated(state: LoopState, tree: str) -> bool:
    """The last validation ran on this tree, or left it behind."""
    last = state.engine.last_validation
    return last is not None and tree in (last.tree, last.left)


def has_passed(state: LoopState) -> bool:
    last = state.engine.last_validation
    return last is not None and last.passed


def proof_known(state: LoopState) -> bool:
    """Whether it was computed if the tree that was validated last shows the goal; nothing is, while tests fail."""
    last, proof = state.engine.last_validation, state.engine.proof
    return last is not None and (not last.passed or (proof is not None and proof.tree == last.tree))


def completion(state: LoopState) -> Outcome:
    """How a loop ends whose validation has passed, with nothing left to do."""
    proof = state.engine.proof
    return "succeeded" if proof is not None and proof.shown else "unproven"


def has_stalled(state: LoopState) -> bool:
    """What the last validations saw is nothing new (see find_stall)."""
    return find_stall(state.engine.sightings) is not None


@remember_last
def dependencies(definitions: tuple[LoopTask, ...]) -> Mapping[str, tuple[str, ...]]:
    """What each task waits for, by id; tasks that wait for nothing are left out."""
    return {task.task_id: task.depends_on for task in definitions if task.depends_on}


def next_task(state: LoopState) -> DevelopTask | None:
    """The first pending task, in order, whose dependencies are all completed."""
    tasks, needs = _tasks(state), dependencies(state.engine.tasks)
    done = {task.id for task in tasks if task.status == "completed"} if needs else set[str]()
    pending = (task for task in tasks if task.status == "pending")
    return next((task for task in pending if done.issuperset(needs.get(task.id, ()))), None)


def open_tasks(state: LoopState) -> bool:
    """A task is pending or failed. What a reviewer asks for is open only while there is room for it."""
    asked = review_task(state) if exceeded_limit(state) else None
    return any(task.status in ("pending", "failed") and task.id != asked for task in _tasks(state))


def review_task(state: LoopState) -> str | None:
    """The task that answers the objections of a review, as long as it is not over."""
    return state.engine.review.task if state.engine.review else None


def is_reviewed(state: LoopState) -> bool:
    """Whether this run's work needs no review (any more): nobody is to review it, or the tree that was validated last
    has been, or all reviews have been."""
    last, review = state.engine.last_validation, state.engine.review
    if state.engine.settings.review is None or last is None:
        return True
    return review is not None and (review.tree == last.tree or review.round > ORDERS)


def may_order_answers(state: LoopState) -> bool:
    """Whether objections may become a task: twice in a run, while there is room to carry it out and validate it."""
    review = state.engine.review
    has_room = state.current_iteration + 2 <= state.max_iterations and exceeded_limit(state) is None
    return state.status == "running" and has_room and (review is None or review.orders < ORDERS)


def failed_task(state: LoopState) -> DevelopTask | None:
    """A failed task that debugging may help: no command, whose exit code is its result; none that was left undone, or
    has failed again after it was debugged.
    """
    spent = state.engine.spent
    hopeless = {*(spent.unchanged or ()), *spent.revived}
    failed = (task for task in _tasks(state) if task.status == "failed")
    return next((task for task in failed if task.tool != "bash" and task.id not in hopeless), None)


def needs_debugging(state: LoopState, *, can_write: bool = True) -> bool:
    """Tests fail; or a task has failed, and the agent that debugs can write: without tests others have no way in."""
    failing = state.skill_state.validate_.failed_tests if state.skill_state else ()
    return bool(failing) or (can_write and failed_task(state) is not None)


def exceeded_limit(state: LoopState) -> Outcome | None:
    """The limit that ends the loop, if one is reached."""
    if state.current_iteration >= state.max_iterations:
        return "exhausted"
    if state.engine.budget.reached:
        return "over_budget"
    return "stalled" if has_stalled(state) else None


def _tasks(state: LoopState) -> tuple[DevelopTask, ...]:
    return state.skill_state.develop.tasks if state.skill_state else ()


@dataclass(frozen=True)
class SelectorRow:
    """The first row that `holds` wins; None as action: the loop rests.

    The place in the table decides. `number` counts it for people and goes into the journal: number anew after a move.
    """

    number: int
    words: str
    holds: Callable[[LoopState, LoopFacts], bool]
    action: ActionName | None
    outcome: Callable[[LoopState], Outcome | None] = lambda state: None


def _is_done(state: LoopState, facts: LoopFacts) -> bool:
    return is_validated(state, facts.tree) and has_passed(state) and proof_known(state) and not open_tasks(state)


TABLE: tuple[SelectorRow, ...] = (
    SelectorRow(1, "status is not running", lambda s, f: s.status != "running", None),
    SelectorRow(
        2,
        "the work is done as row 3 says, and not reviewed",
        lambda s, f: _is_done(s, f) and not is_reviewed(s),
        "REVIEW",
    ),
    SelectorRow(
        3,
        "validated and passed, its proof known, no task pending or failed",
        lambda s, f: _is_done(s, f),
        "COMPLETE",
        completion,
    ),
    SelectorRow(
        4,
        "iteration limit, a budget spent, or stalled",
        lambda s, f: exceeded_limit(s) is not None,
        "COMPLETE",
        exceeded_limit,
    ),
    SelectorRow(5, "not initialised", lambda s, f: not is_initialised(s), "INIT"),
    SelectorRow(6, "a task is runnable", lambda s, f: next_task(s) is not None, "DEVELOP"),
    SelectorRow(
        7,
        "no tests, and no agent that could write them",
        lambda s, f: s.engine.tests_found is False and not f.can_write,
        "COMPLETE",
        lambda s: "unverified",
    ),
    SelectorRow(
        8,
        "this tree is not validated, or its proof is not known",
        lambda s, f: not (is_validated(s, f.tree) and proof_known(s)),
        "VALIDATE",
    ),
    SelectorRow(
        9,
        "failing tests or a failed task, rounds left",
        lambda s, f: needs_debugging(s, can_write=f.can_write) and s.engine.debug_rounds < ROUNDS,
        "DEBUG",
    ),
    SelectorRow(
        10, "anything else", lambda s, f: True, "COMPLETE", lambda s: "failed" if has_passed(s) else "exhausted"
    ),
)


def next_action(state: LoopState, facts: LoopFacts) -> NextAction | None:
    """The table's answer; None: the loop rests."""
    state = normalise_state(state)
    row = next(row for row in TABLE if row.holds(state, facts))
    if row.action is None:
        return None
    task = next_task(state) if row.action == "DEVELOP" else None
    return NextAction(row.action, row.number, row.outcome(state), task.id if task else None)


def blocked_because(state: LoopState, action: ActionName) -> str | None:
    """Why a person cannot choose this action now (its precondition fails), or None."""
    state = normalise_state(state)
    if action == "INIT":
        return "already initialised" if is_initialised(state) else None
    if action == "DEVELOP" and next_task(state) is None:
        return "no task is ready; add one"
    if action == "DEBUG" and not needs_debugging(state):
        return "no failing test and no failed task"
    if action == "REVIEW" and not (has_passed(state) and proof_known(state)):
        return "the last validation has not passed"
    return None


def still_holds(state: LoopState, choice: NextAction, facts: LoopFacts) -> bool:
    """Whether the latest state would still choose this; a person's choice holds while nothing blocks it."""
    state = normalise_state(state)
    if choice.row != CHOSEN:
        return next_action(state, facts) == choice
    task = next_task(state)
    same_task = choice.task is None or (task is not None and task.id == choice.task)
    return same_task and blocked_because(state, choice.action) is None


def normalise_state(state: LoopState) -> LoopState:
    """Folds the API's tasks in, takes back what no live action holds and what is to be retried, fails what is lost."""
    skill = state.skill_state
    if skill is None:
        return state
    again = state.engine.retry
    tasks = _settle_tasks(state.engine.tasks, skill.develop.tasks, again)
    if again:
        state = state.evolve(engine=state.engine.evolve(retry=()))
    if len(tasks) == len(skill.develop.tasks) and all(map(is_, tasks, skill.develop.tasks)):
        return state
    return state.evolve(skill_state=with_tasks(skill, tasks))


@remember_last
def _settle_tasks(
    definitions: tuple[LoopTask, ...], tasks: tuple[DevelopTask, ...], again: tuple[str, ...]
) -> tuple[DevelopTask, ...]:
    if again or "in_progress" in [t.status for t in tasks]:
        tasks = tuple(
            t.evolve(status="pending", completed_at=None)
            if t.status == "in_progress" or (t.status == "failed" and t.id in again)
            else t
            for t in tasks
        )
    return _fail_orphans(definitions, _fold_definitions(definitions, tasks))


def with_tasks(skill: SkillState, tasks: tuple[DevelopTask, ...]) -> SkillState:
    """The skill state with other tasks and their counts."""
    completed, _ = count_tasks(tasks)
    return skill.evolve(develop=skill.develop.evolve(tasks=tasks, total=len(tasks), completed=completed))


def _fold_definitions(definitions: tuple[LoopTask, ...], tasks: tuple[DevelopTask, ...]) -> tuple[DevelopTask, ...]:
    """The tasks in the API's order; a pending one that the API no longer knows was removed."""
    ordered, words = _put_in_order(definitions)
    if words == [(t.id, t.description, t.tool, t.mode) for t in tasks]:
        return tasks
    known = {task.id: task for task in tasks}
    folded = [
        task if (task := known.get(d.task_id)) and task.status != "pending" else _folded(task, d) for d in ordered
    ]
    defined = {d.task_id for d in definitions}
    kept = [t for t in tasks if t.id not in defined and t.status != "pending"]
    return tuple(kept + folded)


@remember_last
def _put_in_order(definitions: tuple[LoopTask, ...]) -> tuple[list[LoopTask], list[tuple[str, str, str, str]]]:
    """The tasks in the API's order, and what each says of the task that it becomes."""
    ordered = sorted(definitions, key=lambda d: d.order)
    return ordered, [(d.task_id, d.description, d.tool, d.mode) for d in ordered]


def _folded(task: DevelopTask | None, definition: LoopTask) -> DevelopTask:
    """A task that has not begun."""
    if task is None:
        return DevelopTask(
            id=definition.task_id,
            description=definition.description,
            tool=definition.tool,
            mode=definition.mode,
            created_at=definition.created_at,
        )
    if (task.description, task.tool, task.mode) == (definition.description, definition.tool, definition.mode):
        return task
    return task.evolve(description=definition.description, tool=definition.tool, mode=definition.mode)


def _fail_orphans(definitions: tuple[LoopTask, ...], tasks: tuple[DevelopTask, ...]) -> tuple[DevelopTask, ...]:
    """Failure spreads along dependencies until nothing changes."""
    needs = dependencies(definitions)
    while needs:
        alive = {task.id for task in tasks if task.status != "failed"}
        after = tuple(
            task.evolve(status="failed")
            if task.status == "pending" and not alive.issuperset(needs.get(task.id, ()))
            else task
            for task in tasks
        )
        if all(a is b for a, b in zip(after, tasks, strict=True)):
            break
        tasks = after
    return tasks


READING_MODES = frozenset({"analysis", "review"})


def loop_goal(state: LoopState) -> ProofGoal:
    """Every kind that the goal or a task of the loop has. Tasks that failed have none: they keep it from succeeding.

    What an agent planned for itself serves the loop's own goal, whatever its tool or mode.
    """
    own = goal_kind(state.description or state.title, state.engine.settings.proof)
    kinds = _task_kinds(state.engine.tasks, _tasks(state), own)
    return ProofGoal(kinds or frozenset({own}), named_for_goal(state.description, state.engine))


@remember_last
def _task_kinds(
    definitions: tuple[LoopTask, ...], tasks: tuple[DevelopTask, ...], of_goal: ProofKind
) -> frozenset[ProofKind]:
    known = {d.task_id: (d.proof, d.planned) for d in definitions if d.proof or d.planned}
    told = {(known.get(t.id, (None, None)), t.tool, t.mode) for t in tasks if t.status == "completed"}
    return frozenset(_task_kind(*one, of_goal) for one in told)


def _task_kind(defined: tuple[ProofPolicy | None, bool | None], tool: str, mode: str, of_goal: ProofKind) -> ProofKind:
    own, planned = defined
    if own is not None and own != "auto":
        return own
    if planned:
        return of_goal
    if tool == "bash":
        return "commands"
    return "reading" if mode in READING_MODES else of_goal
