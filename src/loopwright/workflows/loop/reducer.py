"""How the beginning and the end of an action change the state. Pure; one fold per outcome."""

from typing import assert_never

from loopwright.core.agent_names import complete_name
from loopwright.core.errors import Conflict
from loopwright.core.handover import FRUITLESS, Handover, hand_over, trouble_words
from loopwright.core.ids import new_task_id
from loopwright.core.names import COUNTED, ActionName
from loopwright.core.outcomes import ActionFailed, Interrupted, LimitReached, NeedsInput, ValidationOutcome
from loopwright.core.person_messages import LONGEST_ANSWER, as_task, mark_messages, queued_messages
from loopwright.core.record import merge_unique
from loopwright.core.run import add_checkpoint, add_incidents, charge_budget
from loopwright.core.state import Checkpoint, EngineState, LoopTask, TaskStatus
from loopwright.core.text import clean_line, clip_text
from loopwright.evidence.failures import Attempt, remember_failures, select_failures
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.objections import (
    RunReview,
    answer_objections,
    merge_objections,
    reopen_answered,
    task_words,
)
from loopwright.evidence.proof import Proof, proof_order
from loopwright.evidence.rivals import awaits_verdict
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.model import ACTIONS_KEPT, ERRORS_KEPT, CurrentAction, ErrorEntry, LoopState, SkillState
from loopwright.workflows.loop.outcomes import (
    ActionStep,
    CompleteOutcome,
    DebugOutcome,
    DevelopOutcome,
    InitOutcome,
    ReviewOutcome,
)
from loopwright.workflows.loop.selector import (
    ROUNDS,
    NextAction,
    failed_task,
    is_reviewed,
    may_order_answers,
    needs_debugging,
    normalise_state,
    open_tasks,
    review_task,
    with_tasks,
)
from loopwright.workflows.loop.stall import find_stall, fruitless_sighting, keep_sightings, sighting
from loopwright.workflows.loop.summary import measure_work

WORDS: dict[ActionName, CurrentAction] = {
    "INIT": "init",
    "DEVELOP": "develop",
    "DEBUG": "debug",
    "VALIDATE": "validate",
    "REVIEW": "review",
    "COMPLETE": "complete",
}
ACTION_OF: dict[CurrentAction, ActionName] = {word: action for action, word in WORDS.items()}


FAILURES_IN_A_ROW = 3


def skill_of(state: LoopState) -> SkillState:
    """The runner's part of the state; a fresh one before INIT."""
    return state.skill_state or SkillState(mode=state.engine.settings.mode)


def count_iteration(state: LoopState, step: ActionStep) -> LoopState:
    """Uses up an iteration where the action does; one that was only put off does not."""
    uncounted = isinstance(step.outcome, (Interrupted, LimitReached)) or (
        isinstance(step.outcome, ValidationOutcome) and not step.outcome.counted
    )
    if step.action not in COUNTED or uncounted:
        return state
    return state.evolve(current_iteration=state.current_iteration + 1)


def drop_answer(state: LoopState, step: ActionStep) -> LoopState:
    """Without the answer that an agent was told in this step; one that has to be done again tells it again."""
    again = isinstance(step.outcome, (Interrupted, LimitReached, ActionFailed, NeedsInput))
    if again or step.told is None or state.engine.answer != step.told:
        return state
    return state.evolve(engine=state.engine.evolve(answer=None))


def record_success(state: LoopState, step: ActionStep) -> LoopState:
    """The traces of an action that had an outcome."""
    skill = skill_of(state)
    action = "VALIDATE" if isinstance(step.outcome, ValidationOutcome) else step.action
    done = (*skill.completed_actions, action)[-ACTIONS_KEPT:]
    current: CurrentAction | None = "complete" if isinstance(step.outcome, CompleteOutcome) else None
    engine = state.engine if state.engine.relieved is None else state.engine.evolve(relieved=None)
    if engine.spent.failures_in_a_row or engine.spent.limits_in_a_row:
        engine = engine.evolve(spent=engine.spent.evolve(failures_in_a_row=0, limits_in_a_row=0))
    return state.evolve(
        skill_state=skill.evolve(current_action=current, last_action=action, completed_actions=done), engine=engine
    )


def record_failure(state: LoopState, step: ActionStep, message: str) -> LoopState:
    """Recorded and tried once more; a task that fails twice is a failed task, three failures end the loop."""
    skill = skill_of(state)
    entry = ErrorEntry(action=step.action, message=message, timestamp=step.at)
    skill = skill.evolve(errors=(*skill.errors, entry)[-ERRORS_KEPT:])
    row = state.engine.spent.failures_in_a_row + 1
    task = skill.develop.current_task
    if step.action == "DEVELOP" and task and row == 2:
        if task == review_task(state):
            state = drop_answers(state)
            skill = skill_of(state).evolve(errors=skill.errors)
        else:
            skill = set_task_status(skill, task, "failed", step.at)
    engine = state.engine.evolve(spent=state.engine.spent.evolve(failures_in_a_row=row))
    state = clear_action(state.evolve(skill_state=skill, engine=engine))
    if row < FAILURES_IN_A_ROW or state.status != "running":
        return state
    reason = f"{row} actions in a row gave no result; the last one, {step.action}: {message}"
    return commands.fail(state, "failed", reason, step.at)


def clear_action(state: LoopState) -> LoopState:
    """No action under way; what it had taken up is pending again."""
    return normalise_state(state.evolve(skill_state=skill_of(state).evolve(current_action=None)))


def set_task_status(skill: SkillState, id: str, status: TaskStatus, at: str | None) -> SkillState:
    """One task with another status; `at` is kept as the time of its end."""
    done = at if status in ("completed", "failed") else None
    tasks = skill.develop.tasks
    at_place = next((n for n, task in enumerate(tasks) if task.id == id), len(tasks))
    changed = (task.evolve(status=status, completed_at=done) for task in tasks[at_place : at_place + 1])
    return with_tasks(skill, (*tasks[:at_place], *changed, *tasks[at_place + 1 :]))


def append_task(state: LoopState, description: str, step: ActionStep) -> LoopState:
    """A task of the engine's own, after all others."""
    order = max((task.order for task in state.engine.tasks), default=-1) + 1
    task = LoopTask(
        task_id=new_task_id(step.token),
        description=description,
        tool=state.engine.settings.agent,
        order=order,
        created_at=step.at,
        updated_at=step.at,
    )
    return normalise_state(state.evolve(engine=state.engine.evolve(tasks=(*state.engine.tasks, task))))


def begin_action(state: LoopState, choice: NextAction) -> LoopState:
    """The commit that announces an action; for DEVELOP its task is in progress from here on.

    Conflict when the task is gone or no longer pending: choose again.
    """
    state = normalise_state(state)
    skill = skill_of(state)
    if choice.action == "DEVELOP" and choice.task:
        if not any(task.id == choice.task and task.status == "pending" for task in skill.develop.tasks):
            raise Conflict(f"Task {choice.task} was removed or is no longer pending; nothing was begun")
        skill = set_task_status(skill, choice.task, "in_progress", None)
        skill = skill.evolve(develop=skill.develop.evolve(current_task=choice.task))
    engine = state.engine.evolve(menu=None) if state.engine.menu else state.engine
    return state.evolve(skill_state=skill.evolve(current_action=WORDS[choice.action]), engine=engine)


def end_action(state: LoopState, step: ActionStep, checkpoint: Checkpoint | None = None) -> LoopState:
    """Lands a step's result, whatever the status has become meanwhile. The checkpoint gets its number here."""
    state = _attempted(_worked(state, step, checkpoint), step, checkpoint)
    state = charge_budget(add_checkpoint(state, checkpoint), step.elapsed, step.usage)
    state = drop_answer(add_incidents(count_iteration(state, step), step.incidents), step)
    outcome = step.outcome
    if step.handover is not None and isinstance(outcome, (NeedsInput, LimitReached, ActionFailed)):
        state = hand_over_loop(clear_action(state), step.handover)
        back = step.handover.back
        return commands.RULES.park_at_limit(state, back, step.at) if back else state
    match outcome:
        case InitOutcome():
            return record_success(_initialised(state, outcome), step)
        case DevelopOutcome():
            return _last_resort(record_success(_developed(state, outcome, step), step), step)
        case ValidationOutcome():
            return _last_resort(
                _more_work(record_success(_validated(state, outcome, step.at), step), outcome, step), step
            )
        case DebugOutcome():
            state = record_success(_debugged(state, outcome, step.at), step)
            # Whether a change was fruitless is for the validation that follows it to say.
            return state if outcome.changes else _last_resort(state, step)
        case ReviewOutcome():
            return record_success(_reviewed(state, outcome, step), step)
        case CompleteOutcome():
            return _completed(state, outcome, step)
        case NeedsInput():
            return commands.RULES.wait_for_input(clear_action(state), outcome, step.at)
        case LimitReached():
            return commands.RULES.park_at_limit(clear_action(state), outcome, step.at)
        case Interrupted():
            return clear_action(state)
        case ActionFailed():
            return record_failure(state, step, outcome.message)
        case _:
            assert_never(outcome)


def _worked(state: LoopState, step: ActionStep, checkpoint: Checkpoint | None) -> LoopState:
    """Keeps in mind that a task was worked on: whoever is ordered to go on with it may find nothing left to change."""
    task = None
    if isinstance(step.outcome, DebugOutcome):
        task = failed_task(state) if step.outcome.changes else None
    elif step.action == "DEVELOP" and not isinstance(step.outcome, DevelopOutcome):
        known = state.engine.checkpoints
        is_changed = checkpoint is not None and bool(known) and known[-1].tree != checkpoint.tree
        tasks = skill_of(state).develop.tasks if is_changed else ()
        task = next((task for task in tasks if task.status == "in_progress"), None)
    if task is None:
        return state
    spent = state.engine.spent.evolve(worked=merge_unique(state.engine.spent.worked or (), (task.id,)))
    return state.evolve(engine=state.engine.evolve(spent=spent))


def _attempted(state: LoopState, step: ActionStep, checkpoint: Checkpoint | None) -> LoopState:
    """Keeps in mind what a turn has changed, for whoever is to try after it."""
    outcome, known, skill = step.outcome, state.engine.checkpoints, skill_of(state)
    if (
        checkpoint is None
        or not known
        or not isinstance(outcome, (DevelopOutcome, DebugOutcome))
        or not outcome.changes
    ):
        return state
    tools = {task.id: task.tool for task in skill.develop.tasks}
    agent = tools.get(outcome.task_id) if isinstance(outcome, DevelopOutcome) else None
    failed = select_failures(skill.validate_.test_results, skill.validate_.failed_tests)
    attempt = Attempt(
        agent=agent or state.engine.settings.agent,
        action=step.action,
        before=known[-1].commit,
        after=checkpoint.commit,
        said=outcome.message,
        failures=remember_failures(failed),
    )
    return state.evolve(engine=state.engine.evolve(attempt=attempt))


def _initialised(state: LoopState, outcome: InitOutcome) -> LoopState:
    last = max((task.order for task in state.engine.tasks), default=-1)
    new = (task.evolve(order=last + n) for n, task in enumerate(outcome.tasks, 1))
    engine = state.engine.evolve(
        tasks=(*state.engine.tasks, *new),
        tests_found=outcome.tests_found,
        baseline=outcome.baseline,
        settings=state.engine.settings.evolve(test_command=outcome.test_command),
        run_writes=merge_unique(state.engine.run_writes, outcome.run_writes),
        start=state.engine.start or outcome.start,
        environment=state.engine.environment or outcome.environment,
    )
    return normalise_state(state.evolve(engine=engine, skill_state=skill_of(state)))


def _developed(state: LoopState, outcome: DevelopOutcome, step: ActionStep) -> LoopState:
    at = step.at
    if outcome.named or outcome.proposed_proof:
        named = (*(state.engine.named or ()), *outcome.named)
        engine = state.engine.evolve(
            named=tuple(dict.fromkeys(named)) or None,
            proposed_proof=outcome.proposed_proof or state.engine.proposed_proof,
        )
        state = state.evolve(engine=engine)
    state = _heard(state, outcome)
    is_proof = outcome.task_id == state.engine.spent.proof_task
    if is_proof and (outcome.undone or not outcome.ok):
        return _dropped(state, outcome.task_id)  # asked once: what is missing is for the outcome to say
    if outcome.task_id == review_task(state):
        return _answered(state, outcome, step)
    if outcome.undone:
        return _undone(state, outcome, step)
    if state.engine.review and not is_proof:  # what is done now is more than a review has asked for
        state = state.evolve(engine=state.engine.evolve(review=state.engine.review.evolve(good=None)))
    skill = set_task_status(skill_of(state), outcome.task_id, "completed" if outcome.ok else "failed", at)
    files = tuple(change.file for change in outcome.changes)
    if files:
        tasks = (
            t.evolve(files_changed=merge_unique(t.files_changed, files)) if t.id == outcome.task_id else t
            for t in skill.develop.tasks
        )
        skill = with_tasks(skill, tuple(tasks))
    state = state.evolve(skill_state=skill.evolve(develop=skill.develop.evolve(last_progress_at=at)))
    return state if outcome.ok else _on_error(state, outcome, at)


def _undone(state: LoopState, outcome: DevelopOutcome, step: ActionStep) -> LoopState:
    """Ordered once more; then it is another agent's, or has failed, or is dropped where it was a plan or a message."""
    at = step.at
    known = state.engine.spent.unchanged or ()
    spent = state.engine.spent.evolve(unchanged=merge_unique(known, (outcome.task_id,)))
    state = state.evolve(engine=state.engine.evolve(spent=spent))
    skill = skill_of(state)
    if outcome.task_id not in known or step.handover is not None:
        return state.evolve(skill_state=set_task_status(skill, outcome.task_id, "pending", None))
    definition = state.engine.task(outcome.task_id)
    is_told = bool(told_messages(state, outcome.task_id))  # not every message asks for a change
    if definition is None or not (definition.planned or is_told):
        state = state.evolve(skill_state=set_task_status(skill, outcome.task_id, "failed", at))
        return _on_error(state, outcome, at)
    return _dropped(state, outcome.task_id)


def _answered(state: LoopState, outcome: DevelopOutcome, step: ActionStep) -> LoopState:
    """What was done about objections; they keep nothing from succeeding. Ordered once more where nothing was done."""
    review = state.engine.review
    assert review is not None, outcome
    if outcome.undone and outcome.task_id not in (state.engine.spent.unchanged or ()):
        return _undone(state, outcome, step)
    answered = answer_objections(
        review, outcome.message, outcome.disputes, changed=bool(outcome.changes), ok=outcome.ok
    )
    state = state.evolve(engine=state.engine.evolve(review=answered))
    if not outcome.ok:
        return _dropped(state, outcome.task_id)
    skill = set_task_status(skill_of(state), outcome.task_id, "completed", step.at)
    files = tuple(change.file for change in outcome.changes)
    tasks = tuple(t.evolve(files_changed=files) if t.id == outcome.task_id else t for t in skill.develop.tasks)
    return state.evolve(skill_state=with_tasks(skill, tasks))


def drop_answers(state: LoopState) -> LoopState:
    """Without the task that answers objections, which stay open."""
    review = state.engine.review
    if review is None or review.task is None:
        return state
    state = _dropped(state, review.task)
    return state.evolve(engine=state.engine.evolve(review=review.evolve(task=None)))


def _reviewed(state: LoopState, outcome: ReviewOutcome, step: ActionStep) -> LoopState:
    """Keeps what was objected to; and makes it a task, where it may."""
    known = state.engine.review
    review = RunReview(
        by=outcome.by,
        tree=outcome.tree,
        at=step.at,
        round=(known.round if known else 0) + 1,
        orders=known.orders if known else 0,
        missing=outcome.missing,
        objections=known.objections if known else (),
    )
    if outcome.missing is None:
        review = review.evolve(objections=merge_objections(review.objections, outcome.objections))
    is_ordered = bool(outcome.objections) and step.can_write and may_order_answers(state)
    if is_ordered:
        state = append_task(state, task_words(review.having("open"), outcome.by), step)
        task = state.engine.tasks[-1].task_id
        review = review.evolve(orders=review.orders + 1, task=task, good=outcome.commit)
    return state.evolve(engine=state.engine.evolve(review=review))


def _dropped(state: LoopState, id: str) -> LoopState:
    """Without that task; nothing waits for it any more."""
    skill = skill_of(state)
    left = tuple(task for task in skill.develop.tasks if task.id != id)
    tasks = tuple(_without_need(task, id) for task in state.engine.tasks if task.task_id != id)
    return state.evolve(skill_state=with_tasks(skill, left), engine=state.engine.evolve(tasks=tasks))


def _without_need(task: LoopTask, id: str) -> LoopTask:
    needs = task.depends_on or ()
    return task.evolve(depends_on=tuple(need for need in needs if need != id) or None) if id in needs else task


def _on_error(state: LoopState, outcome: DevelopOutcome, at: str) -> LoopState:
    """What the failed task itself asked for: go on (the default), pause and try it again once resumed, or end."""
    definition = state.engine.task(outcome.task_id)
    wish = (definition.on_error if definition else None) or "continue"
    if wish == "continue" or state.status != "running":
        return state
    if wish == "pause":
        paused = commands.pause(state)
        return paused.evolve(engine=paused.engine.evolve(retry=(outcome.task_id,)))
    skill, entry = skill_of(state), ErrorEntry(action="DEVELOP", message=outcome.message, timestamp=at)
    state = state.evolve(skill_state=skill.evolve(errors=(*skill.errors, entry)[-ERRORS_KEPT:]))
    return commands.fail(state, "failed", f"task {outcome.task_id} failed: {outcome.message}", at)


def _validated(state: LoopState, outcome: ValidationOutcome, at: str) -> LoopState:
    skill = skill_of(state)
    section = skill.validate_.evolve(
        pass_rate=outcome.counts.pass_rate or 0.0,
        coverage=outcome.coverage,
        test_results=outcome.results,
        passed=outcome.passed,
        failed_tests=_to_repair(outcome),
        last_run_at=at,
    )
    skill = _judged(skill.evolve(validate_=section), outcome)
    return state.evolve(skill_state=skill, engine=_remember(state.engine, skill, outcome, at))


def _to_repair(outcome: ValidationOutcome) -> tuple[str, ...]:
    """Failing tests that have to be repaired: none when the validation passed in spite of old failures."""
    return () if outcome.passed else outcome.failing


def _remember(engine: EngineState, skill: SkillState, outcome: ValidationOutcome, at: str) -> EngineState:
    """What the next selections need to know of this validation."""
    failing = _to_repair(outcome)
    fewest = engine.spent.fewest_failing
    shrank = fewest is not None and len(failing) < fewest
    # None once all are green: whatever breaks next is a new set.
    fewest = min(len(failing), fewest or len(failing)) or None
    attempt = engine.attempt
    if attempt is not None and outcome.refused:
        attempt = attempt.evolve(refused="; ".join(outcome.refused))
    return engine.evolve(
        attempt=None if outcome.passed else attempt,
        tests_found=outcome.tests_found,
        proof=outcome.proof,
        last_validation=outcome.as_last(at),
        sightings=keep_sightings(engine.sightings, sighting(outcome, failing, skill)),
        run_writes=merge_unique(engine.run_writes, outcome.run_writes),
        baseline=engine.baseline or outcome.baseline,
        environment=engine.environment or outcome.environment,
        debug_rounds=0 if shrank else engine.debug_rounds,
        spent=engine.spent.evolve(fewest_failing=fewest),
    )


def _judged(skill: SkillState, outcome: ValidationOutcome) -> SkillState:
    """Each fix that was applied since the last validation: it stands, or not every test it set out to fix passes now.

    A failing validation takes the confirmed cause back in any case: something is left to be found.
    """
    all_pass = outcome.passed or outcome.below_threshold
    green = {r.key for r in outcome.results if r.status == "passed"}
    id = skill.debug.confirmed_hypothesis

    def judged_one(hypothesis: Hypothesis) -> Hypothesis:
        if not awaits_verdict(hypothesis, id):
            return hypothesis
        evidence = hypothesis.evidence or {}
        fixes = evidence.get("fixes")
        holds = all_pass or (isinstance(fixes, list) and bool(fixes) and green.issuperset(map(str, fixes)))
        if "validated" in evidence:
            evidence = {**evidence, "validated": holds}
        if holds:
            return hypothesis.evolve(evidence=evidence) if hypothesis.evidence else hypothesis
        reason = f"the fix was applied, but validation still failed: {'; '.join(outcome.reasons) or 'tests fail'}"
        return hypothesis.evolve(status="inconclusive", evidence=evidence, verdict_reason=reason)

    hypotheses = tuple(judged_one(h) for h in skill.debug.hypotheses)
    if all_pass and hypotheses == skill.debug.hypotheses:
        return skill
    confirmed = id if all_pass else None
    return skill.evolve(debug=skill.debug.evolve(confirmed_hypothesis=confirmed, hypotheses=hypotheses))


def _more_work(state: LoopState, outcome: ValidationOutcome, step: ActionStep) -> LoopState:
    """Once in a loop's life: a task for tests that are missing or a threshold that is; and one for a proof that is."""
    if outcome.proof is not None and not outcome.proof.shown:
        return _more_proof(state, outcome.proof, step)
    if outcome.disturbed:
        return _put_back(state, outcome, step)
    missing = not outcome.tests_found
    if not (missing or outcome.below_threshold) or state.engine.spent.threshold_task or not step.can_write:
        return state
    if _has_passed_before(state):
        return state
    words = (
        "Write automated tests for this project, so that the work can be verified"
        if missing
        else f"All tests pass, but a threshold is missed: {'; '.join(outcome.reasons)}. Close the gap"
    )
    state = append_task(state, words, step)
    return state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(threshold_task=True)))


def _put_back(state: LoopState, outcome: ValidationOutcome, step: ActionStep) -> LoopState:
    if state.engine.spent.environment_task or not step.can_write:
        return state
    words = (
        f"The tests pass, and that is not believed: {'; '.join(outcome.reasons)}. Put it back as it was. Where the "
        "project needs another package, declare it in its manifest or lock file, and install it from there"
    )
    state = append_task(state, words, step)
    return state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(environment_task=True)))


def _more_proof(state: LoopState, proof: Proof, step: ActionStep) -> LoopState:
    if state.engine.spent.proof_task or open_tasks(state) or not step.can_write or state.status != "running":
        return state
    state = append_task(state, proof_order(proof), step)
    task = state.engine.tasks[-1].task_id
    return state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(proof_task=task)))


def _has_passed_before(state: LoopState) -> bool:
    """Whether there is something to go back to that was good before a review asked for more."""
    return state.engine.review is not None and state.engine.review.good is not None


def _last_resort(state: LoopState, step: ActionStep) -> LoopState:
    """Another agent, where one takes over. Else, once in a loop's life: when debugging has been fruitless for all its
    rounds, a task made from the failures.
    """
    if step.handover is not None:
        return hand_over_loop(state, step.handover)
    failing = skill_of(state).validate_.failed_tests
    used_up = state.engine.debug_rounds >= ROUNDS and failing
    if not used_up or state.engine.spent.fruitless_task or not step.can_write or _has_passed_before(state):
        return state
    listed = ", ".join(failing[:10]) + (f" and {len(failing) - 10} more" if len(failing) > 10 else "")
    state = append_task(state, f"Debugging has not found the cause. Make these tests pass: {listed}", step)
    return state.evolve(engine=state.engine.evolve(spent=state.engine.spent.evolve(fruitless_task=True)))


def _debugged(state: LoopState, outcome: DebugOutcome, at: str) -> LoopState:
    skill = skill_of(state)
    debug = skill.debug.evolve(
        active_bug=outcome.active_bug,
        hypotheses=outcome.hypotheses,
        hypotheses_count=len(outcome.hypotheses),
        confirmed_hypothesis=outcome.confirmed,
        iteration=skill.debug.iteration + 1,
        last_analysis_at=at,
    )
    rounds = ROUNDS if outcome.nothing_left else state.engine.debug_rounds + 1
    named = tuple(dict.fromkeys((*(state.engine.named or ()), *outcome.named))) or None
    skill, engine = skill.evolve(debug=debug), state.engine.evolve(debug_rounds=rounds, named=named)
    if engine.sightings and not outcome.changes:
        engine = engine.evolve(
            sightings=keep_sightings(engine.sightings, fruitless_sighting(engine.sightings[-1], skill))
        )
    id = outcome.revives
    has_failed = any(task.id == id and task.status == "failed" for task in skill.develop.tasks)
    if id and has_failed and id not in engine.spent.revived:
        skill = set_task_status(skill, id, "pending", None)
        engine = engine.evolve(spent=engine.spent.evolve(revived=(*engine.spent.revived, id)))
    return state.evolve(skill_state=skill, engine=engine)


def _completed(state: LoopState, outcome: CompleteOutcome, step: ActionStep) -> LoopState:
    """The summary lands, and the end follows the status table; a success that a new task has overtaken is none."""
    if outcome.checked:
        state = _validated(state, outcome.checked, step.at)
    if outcome.reverted and state.engine.review:
        state = state.evolve(engine=state.engine.evolve(review=reopen_answered(state.engine.review)))
    state = normalise_state(state)
    if outcome.outcome in ("succeeded", "unproven") and state.status == "running":
        state = _told_as_task(state, step)
    if outcome.outcome in ("succeeded", "unproven") and open_tasks(state):
        return clear_action(state)
    state = record_success(state, step)
    summary = outcome.summary.evolve(duration=measure_work(state))
    state = state.evolve(skill_state=skill_of(state).evolve(summary=summary))
    if state.status != "running":
        return state
    if outcome.reason is None:
        return commands.complete(_unreviewed(state, step), outcome.outcome, step.at)
    return commands.fail(state, outcome.outcome, outcome.reason, step.at)


def _unreviewed(state: LoopState, step: ActionStep) -> LoopState:
    """Says so where a review was wanted of what has come to its end, and there is none."""
    review, by, last = state.engine.review, state.engine.settings.review, state.engine.last_validation
    if by is None or is_reviewed(state):
        return state
    limit = state.engine.budget.reached
    missing = RunReview(
        by=by,
        tree=last.tree if last else "",
        at=step.at,
        round=review.round if review else 0,
        orders=review.orders if review else 0,
        missing=f"the {limit.words} is used up" if limit else "the run ended before that",
        objections=review.objections if review else (),
    )
    return state.evolve(engine=state.engine.evolve(review=missing))


def _told_as_task(state: LoopState, step: ActionStep) -> LoopState:
    """What a person has told, and no agent has heard yet, is to be done before the end."""
    waiting = queued_messages(state)
    if not waiting:
        return state
    state = append_task(state, as_task(waiting), step)
    task, ids = state.engine.tasks[-1].task_id, [message.id for message in waiting]
    return mark_messages(state, ids, status="delivered", way="task", task=task, delivered_at=step.at)


def told_messages(state: LoopState, task: str) -> list[str]:
    """Ids of the messages that became that task."""
    return [message.id for message in state.engine.messages if message.task == task]


def _heard(state: LoopState, outcome: DevelopOutcome) -> LoopState:
    """With what its turn came to as the answer to the messages that the task was."""
    definition, answer = state.engine.task(outcome.task_id), clip_text(clean_line(outcome.message), LONGEST_ANSWER)
    ids = told_messages(state, outcome.task_id)
    by = definition.tool if definition else state.engine.settings.agent
    return mark_messages(state, ids, status="answered", agent=by, answer=answer)


def agent_at_work(state: LoopState, action: ActionName) -> str:
    """Who does the action under way, as it is chosen."""
    settings, tasks = state.engine.settings, skill_of(state).develop.tasks
    own = (task.tool for task in tasks if action == "DEVELOP" and task.status == "in_progress")
    return complete_name(next(own, settings.agent), settings)


def handover_reason(state: LoopState, step: ActionStep, checkpoint: Checkpoint | None) -> str | None:
    """Why another agent should go on after this step; None where the one at work may. `state`: before it landed."""
    if words := trouble_words(step.outcome, state.engine.spent.failures_in_a_row + 1):
        return words
    outcome, unchanged = step.outcome, state.engine.spent.unchanged or ()
    if isinstance(outcome, DevelopOutcome) and outcome.undone and outcome.task_id in unchanged:
        return f"{outcome.task_id} was reported as done again, and nothing of it was measured"
    judges = isinstance(outcome, DebugOutcome) and not outcome.changes
    if not judges and not (isinstance(outcome, ValidationOutcome) and not outcome.passed):
        return None
    after = end_action(state, step, checkpoint)
    rounds = after.engine.debug_rounds
    if rounds >= FRUITLESS and needs_debugging(after, can_write=step.can_write):
        if isinstance(outcome, DebugOutcome) and outcome.nothing_left:
            return f"nothing is left to try: {outcome.message}"
        return f"{rounds} rounds of debugging in a row were fruitless"
    return find_stall(after.engine.sightings)


def hand_over_loop(state: LoopState, handover: Handover) -> LoopState:
    """The other agent begins with a clean slate: rounds, tries and what stood still were those before it."""
    own, engine = state.engine.settings, hand_over(state, handover).engine
    over = {task.id for task in skill_of(state).develop.tasks if task.status in ("completed", "failed")}
    tasks = tuple(
        task.evolve(tool=handover.to)
        if task.task_id not in over and complete_name(task.tool, own) == handover.by
        else task
        for task in engine.tasks
    )
    spent = engine.spent.evolve(failures_in_a_row=0, limits_in_a_row=0, unchanged=None)
    last = tuple(one for one in engine.sightings if one.tested)[-1:]
    engine = engine.evolve(tasks=tasks, debug_rounds=0, sightings=last, spent=spent)
    return normalise_state(state.evolve(engine=engine))
