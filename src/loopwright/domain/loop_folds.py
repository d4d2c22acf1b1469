"""How the beginning and the end of an action change the state. Pure; one fold per outcome."""

import hashlib
from typing import TypeVar, assert_never

from loopwright.domain import loop_commands as commands
from loopwright.domain.engine_state import (
    CHECKPOINTS_KEPT,
    SIGHTINGS_KEPT,
    Checkpoint,
    EngineState,
    LastValidation,
    LoopTask,
    Sighting,
    Waiting,
)
from loopwright.domain.ids import new_task_id
from loopwright.domain.loop import (
    ACTIONS_KEPT,
    ERRORS_KEPT,
    CurrentAction,
    ErrorEntry,
    Hypothesis,
    LoopState,
    SkillState,
    TaskStatus,
)
from loopwright.domain.loop_selector import ROUNDS, Next, normalise, with_tasks
from loopwright.domain.outcomes import (
    ActionFailed,
    Completed,
    Debugged,
    Developed,
    Initialised,
    Interrupted,
    NeedsInput,
    Step,
    Validated,
)

COUNTED = frozenset({"DEVELOP", "DEBUG", "VALIDATE"})
"""Actions that use up an iteration, failed ones too."""

N = TypeVar("N", int, float)
FAILURES_IN_A_ROW = 3
WORDS: dict[str, CurrentAction] = {
    "INIT": "init", "DEVELOP": "develop", "DEBUG": "debug", "VALIDATE": "validate", "COMPLETE": "complete",
}  # fmt: skip


def begin_action(state: LoopState, choice: Next) -> LoopState:
    """The commit that announces an action; for DEVELOP its task is in progress from here on."""
    state = normalise(state)
    skill = state.skill_state or SkillState(mode=state.engine.settings.mode)
    if choice.action == "DEVELOP" and choice.task:
        skill = _task_becomes(skill, choice.task, "in_progress", None)
        skill = skill.evolve(develop=skill.develop.evolve(current_task=choice.task))
    return state.evolve(skill_state=skill.evolve(current_action=WORDS[choice.action]))


def end_action(state: LoopState, step: Step, checkpoint: Checkpoint | None = None) -> LoopState:
    """Lands a step's result, whatever the status has become meanwhile. The checkpoint gets its number here."""
    state = _count(_spend(_checkpointed(state, checkpoint), step), step)
    outcome = step.outcome
    match outcome:
        case Initialised():
            return _succeeded(_initialised(state, outcome), step)
        case Developed():
            return _last_resort(_succeeded(_developed(state, outcome, step.at), step), step)
        case Validated():
            return _last_resort(_more_work(_succeeded(_validated(state, outcome, step.at), step), outcome, step), step)
        case Debugged():
            return _last_resort(_succeeded(_debugged(state, outcome, step.at), step), step)
        case Completed():
            return _completed(_succeeded(state, step), outcome, step.at)
        case NeedsInput():
            return _asked(state, outcome, step.at)
        case Interrupted():
            return _idle(state)
        case ActionFailed():
            return _failed(state, step, outcome.message)
        case _:
            assert_never(outcome)


def _skill(state: LoopState) -> SkillState:
    return state.skill_state or SkillState(mode=state.engine.settings.mode)


def _checkpointed(state: LoopState, checkpoint: Checkpoint | None) -> LoopState:
    if checkpoint is None:
        return state
    known = state.engine.checkpoints
    numbered = checkpoint.evolve(n=known[-1].n + 1 if known else 1, rev=state.engine.rev + 1)
    kept = (*known, numbered)[-CHECKPOINTS_KEPT:]
    return state.evolve(engine=state.engine.evolve(checkpoints=kept))


def _spend(state: LoopState, step: Step) -> LoopState:
    budget, usage = state.engine.budget, step.usage
    spent = budget.evolve(
        spent_seconds=round(budget.spent_seconds + step.elapsed, 3),
        tokens=_sum(budget.tokens, usage.tokens),
        cost=_sum(budget.cost, usage.cost),
    )
    return state.evolve(engine=state.engine.evolve(budget=spent))


def _sum(a: N | None, b: N | None) -> N | None:
    return a if b is None else b if a is None else a + b


def _count(state: LoopState, step: Step) -> LoopState:
    uncounted = isinstance(step.outcome, Interrupted) or (
        isinstance(step.outcome, Validated) and not step.outcome.counted
    )
    if step.action not in COUNTED or uncounted:
        return state
    return state.evolve(current_iteration=state.current_iteration + 1)


def _succeeded(state: LoopState, step: Step) -> LoopState:
    """The bookkeeping every action with an outcome shares."""
    skill = _skill(state)
    action = "VALIDATE" if isinstance(step.outcome, Validated) else step.action
    done = (*skill.completed_actions, action)[-ACTIONS_KEPT:]
    current: CurrentAction | None = "complete" if isinstance(step.outcome, Completed) else None
    engine = state.engine
    if engine.spent.failures_in_a_row:
        engine = engine.evolve(spent=engine.spent.evolve(failures_in_a_row=0))
    return state.evolve(
        skill_state=skill.evolve(current_action=current, last_action=action, completed_actions=done), engine=engine
    )


def _initialised(state: LoopState, outcome: Initialised) -> LoopState:
    last = max((task.order for task in state.engine.tasks), default=-1)
    new = (task.evolve(order=last + n) for n, task in enumerate(outcome.tasks, 1))
    engine = state.engine.evolve(
        tasks=(*state.engine.tasks, *new),
        tests_found=outcome.tests_found,
        baseline=outcome.baseline,
        settings=state.engine.settings.evolve(test_command=outcome.test_command),
        run_writes=_merged(state.engine.run_writes, outcome.run_writes),
    )
    return normalise(state.evolve(engine=engine, skill_state=_skill(state)))


def _developed(state: LoopState, outcome: Developed, at: str) -> LoopState:
    skill = _task_becomes(_skill(state), outcome.task_id, "completed" if outcome.ok else "failed", at)
    files = tuple(change.file for change in outcome.changes)
    tasks = tuple(
        t.evolve(files_changed=_merged(t.files_changed, files)) if t.id == outcome.task_id and files else t
        for t in skill.develop.tasks
    )
    skill = with_tasks(skill, tasks)
    state = state.evolve(skill_state=skill.evolve(develop=skill.develop.evolve(last_progress_at=at)))
    return state if outcome.ok else _on_error(state, outcome, at)


def _on_error(state: LoopState, outcome: Developed, at: str) -> LoopState:
    """What the failed task itself asked for: go on (the default), pause, or end the loop."""
    definition = state.engine.task(outcome.task_id)
    wish = (definition.on_error if definition else None) or "continue"
    if wish == "continue" or state.status != "running":
        return state
    if wish == "pause":
        return commands.pause(state)
    return commands.fail(state, "failed", f"task {outcome.task_id} failed: {outcome.message}", at)


def _validated(state: LoopState, outcome: Validated, at: str) -> LoopState:
    skill = _skill(state)
    counted = [r for r in outcome.results if r.status != "skipped"]
    green = sum(r.status == "passed" for r in counted)
    section = skill.validate_.evolve(
        pass_rate=round(100 * green / len(counted), 2) if counted else 0.0,
        coverage=outcome.coverage,
        test_results=outcome.results,
        passed=outcome.passed,
        failed_tests=outcome.failing,
        last_run_at=at,
    )
    skill = _judged(skill.evolve(validate_=section), outcome)
    return state.evolve(skill_state=skill, engine=_remember(state.engine, outcome, at))


def _remember(engine: EngineState, outcome: Validated, at: str) -> EngineState:
    """What the next selections need to know of this validation."""
    failing = outcome.failing
    sighting = Sighting(failing=_digest(failing), tree=outcome.tree)
    fewest = engine.spent.fewest_failing
    shrank = fewest is not None and len(failing) < fewest
    fewest = len(failing) if fewest is None else min(fewest, len(failing))
    return engine.evolve(
        tests_found=outcome.tests_found,
        last_validation=LastValidation(
            tree=outcome.tree, left=outcome.left, passed=outcome.passed, at=at, tests=len(outcome.results)
        ),
        sightings=(*engine.sightings, sighting)[-SIGHTINGS_KEPT:],
        run_writes=_merged(engine.run_writes, outcome.run_writes),
        baseline=engine.baseline or outcome.baseline,
        debug_rounds=0 if shrank else engine.debug_rounds,
        spent=engine.spent.evolve(fewest_failing=fewest),
    )


def _judged(skill: SkillState, outcome: Validated) -> SkillState:
    """A failing validation takes the confirmed cause back, unless every test it set out to fix passes now."""
    id = skill.debug.confirmed_hypothesis
    if id is None or outcome.passed:
        return skill
    green = {r.key for r in outcome.results if r.status == "passed"}

    def judged_one(hypothesis: Hypothesis) -> Hypothesis:
        if hypothesis.id != id:
            return hypothesis
        fixes = (hypothesis.evidence or {}).get("fixes")
        if isinstance(fixes, list) and fixes and green.issuperset(map(str, fixes)):
            return hypothesis
        reason = f"the fix was applied, but validation still failed: {'; '.join(outcome.reasons) or 'tests fail'}"
        return hypothesis.evolve(status="inconclusive", verdict_reason=reason)

    hypotheses = tuple(judged_one(h) for h in skill.debug.hypotheses)
    return skill.evolve(debug=skill.debug.evolve(confirmed_hypothesis=None, hypotheses=hypotheses))


def _more_work(state: LoopState, outcome: Validated, step: Step) -> LoopState:
    """Once in a loop's life: a task for tests that are missing or a threshold that is."""
    missing = not outcome.tests_found
    if not (missing or outcome.below_threshold) or state.engine.spent.threshold_task or not step.can_write:
        return state
    words = (
        "Write automated tests for this project, so that the work can be verified"
        if missing
        else f"All tests pass, but a threshold is missed: {'; '.join(outcome.reasons)}. Close the gap"
    )
    state = _with_task(state, words, step)
    return state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(threshold_task=True)))


def _last_resort(state: LoopState, step: Step) -> LoopState:
    """Once in a loop's life: when debugging has been fruitless for all its rounds, a task made from the failures."""
    failing = _skill(state).validate_.failed_tests
    used_up = state.engine.debug_rounds >= ROUNDS and failing
    if not used_up or state.engine.spent.fruitless_task or not step.can_write:
        return state
    listed = ", ".join(failing[:10]) + (f" and {len(failing) - 10} more" if len(failing) > 10 else "")
    state = _with_task(state, f"Debugging has not found the cause. Make these tests pass: {listed}", step)
    return state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(fruitless_task=True)))


def _with_task(state: LoopState, description: str, step: Step) -> LoopState:
    order = max((task.order for task in state.engine.tasks), default=-1) + 1
    task = LoopTask(
        task_id=new_task_id(step.token), description=description, tool=state.engine.settings.agent, order=order,
        created_at=step.at, updated_at=step.at,
    )  # fmt: skip
    return normalise(state.evolve(engine=state.engine.evolve(tasks=(*state.engine.tasks, task))))


def _debugged(state: LoopState, outcome: Debugged, at: str) -> LoopState:
    skill = _skill(state)
    debug = skill.debug.evolve(
        active_bug=outcome.active_bug,
        hypotheses=outcome.hypotheses,
        hypotheses_count=len(outcome.hypotheses),
        confirmed_hypothesis=outcome.confirmed,
        iteration=skill.debug.iteration + 1,
        last_analysis_at=at,
    )
    skill, engine = skill.evolve(debug=debug), state.engine.evolve(debug_rounds=state.engine.debug_rounds + 1)
    if outcome.revives and outcome.revives not in engine.spent.revived:
        skill = _task_becomes(skill, outcome.revives, "pending", None)
        engine = engine.evolve(spent=engine.spent.evolve(revived=(*engine.spent.revived, outcome.revives)))
    return state.evolve(skill_state=skill, engine=engine)


def _completed(state: LoopState, outcome: Completed, at: str) -> LoopState:
    """The summary always lands; the end itself follows the status table."""
    state = state.evolve(skill_state=_skill(state).evolve(summary=outcome.summary))
    if state.status != "running":
        return state
    if outcome.reason is None:
        return commands.complete(state, outcome.outcome, at)
    return commands.fail(state, outcome.outcome, outcome.reason, at)


def _asked(state: LoopState, outcome: NeedsInput, at: str) -> LoopState:
    state = _idle(state)
    if state.status != "running":
        return state
    return commands.wait_for_person(state, Waiting(question=outcome.question, options=outcome.options, since=at))


def _idle(state: LoopState) -> LoopState:
    """No action under way; what it had taken up is pending again."""
    return normalise(state.evolve(skill_state=_skill(state).evolve(current_action=None)))


def _failed(state: LoopState, step: Step, message: str) -> LoopState:
    """Recorded and tried once more; a task that fails twice is a failed task, three failures end the loop."""
    skill = _skill(state)
    entry = ErrorEntry(action=step.action, message=message, timestamp=step.at)
    skill = skill.evolve(errors=(*skill.errors, entry)[-ERRORS_KEPT:])
    row = state.engine.spent.failures_in_a_row + 1
    task = skill.develop.current_task
    if step.action == "DEVELOP" and task and row == 2:
        skill = _task_becomes(skill, task, "failed", step.at)
    engine = state.engine.evolve(spent=state.engine.spent.evolve(failures_in_a_row=row))
    state = _idle(state.evolve(skill_state=skill, engine=engine))
    if row < FAILURES_IN_A_ROW or state.status != "running":
        return state
    reason = f"{row} actions in a row gave no result; the last one, {step.action}: {message}"
    return commands.fail(state, "failed", reason, step.at)


def _task_becomes(skill: SkillState, id: str, status: TaskStatus, at: str | None) -> SkillState:
    done = at if status in ("completed", "failed") else None
    tasks = (t.evolve(status=status, completed_at=done) if t.id == id else t for t in skill.develop.tasks)
    return with_tasks(skill, tuple(tasks))


def _merged(known: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Both, in order, each once; the very same tuple when nothing is new."""
    new = tuple(item for item in more if item not in known)
    return (*known, *new) if new else known


def _digest(failing: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(sorted(failing)).encode()).hexdigest()[:16] if failing else ""
