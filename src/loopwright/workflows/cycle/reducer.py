"""How the beginning and the end of a step change a cycle. Pure; one fold per outcome (see cycle_landing)."""

from datetime import datetime
from typing import Literal, assert_never

from loopwright.core.agent_names import complete_name
from loopwright.core.cycle_names import CycleStep, Role
from loopwright.core.handover import Handover, hand_over, trouble_words
from loopwright.core.outcomes import ActionFailed, Interrupted, LimitReached, NeedsInput, ValidationOutcome
from loopwright.core.person_messages import as_task, mark_messages, queued_messages
from loopwright.core.record import merge_unique
from loopwright.core.run import add_checkpoint, add_incidents, charge_budget
from loopwright.core.state import Checkpoint, Outcome
from loopwright.core.text import plural
from loopwright.evidence.proof import TESTS_KEPT, Proof
from loopwright.evidence.rivals import number_rivals
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle import commands
from loopwright.workflows.cycle.boundary import (
    add_feedback,
    asks_for_proof,
    close_iteration,
    collect_feedback,
    issues_found,
    make_boundary,
    missing_proof,
    next_iteration,
)
from loopwright.workflows.cycle.coordination import add_blocker, add_report, apply_decisions, close_blockers
from loopwright.workflows.cycle.judgement import list_mended
from loopwright.workflows.cycle.model import (
    CHANGES_KEPT,
    ERRORS_KEPT,
    AgentState,
    ChangeLog,
    Changes,
    CycleState,
    CycleStepUnderWay,
    Exploration,
    FeedbackEntry,
    PhaseError,
    PlanStatus,
    Requirements,
    TestResults,
    version_of,
)
from loopwright.workflows.cycle.outcomes import (
    AggregationOutcome,
    AnalysisOutcome,
    BaselineOutcome,
    CycleStepDone,
    ExplorationOutcome,
    ImplementationOutcome,
    JudgementOutcome,
    PlanOutcome,
)
from loopwright.workflows.cycle.plan import make_plan
from loopwright.workflows.cycle.standing import TRIES, derive_standing, is_done, steps_under_way

VALIDATE = "vas.validate"


def reduce_analysis(state: CycleState, outcome: AnalysisOutcome, at: str) -> CycleState:
    requirements = Requirements(
        version=version_of(state.current_iteration),
        specification=outcome.specification,
        edge_cases=outcome.edge_cases,
        last_updated=at,
    )
    state = state.evolve(requirements=requirements, engine=state.engine.evolve(analysed=state.current_iteration))
    summary = outcome.report.summary
    return close_blockers(state, summary) if outcome.clarifies and summary else state


def reduce_exploration(state: CycleState, outcome: ExplorationOutcome, at: str) -> CycleState:
    exploration = Exploration(
        version=version_of(state.current_iteration),
        architecture_summary=outcome.architecture_summary,
        integration_points=outcome.integration_points,
        identified_risks=outcome.identified_risks,
        last_updated=at,
    )
    return state.evolve(exploration=exploration, engine=state.engine.evolve(explored=state.current_iteration))


def reduce_plan(state: CycleState, outcome: PlanOutcome, at: str) -> CycleState:
    plan = make_plan(state.plan, outcome.tasks, state.engine.mends, version_of(state.current_iteration), at)
    return state.evolve(plan=plan, engine=state.engine.evolve(planned=state.current_iteration))


def reduce_implementation(state: CycleState, outcome: ImplementationOutcome, done: CycleStepDone) -> CycleState:
    if not outcome.changes:
        return state
    known = state.changes or Changes()
    number = state.current_iteration
    entries = implemented_lines(outcome, done.step, number, done.at)
    files = tuple(entry.file for entry in entries)
    wrote = {**state.engine.wrote, "cd": merge_unique(state.engine.wrote.get("cd", ()), files)}
    agent = state.agents.cd
    changes = known.evolve(
        total_files=known.total_files + len(set(files) - set(agent.output_files)),
        changes=(*known.changes, *entries)[-CHANGES_KEPT:],
        iteration_markers={**known.iteration_markers, str(number): done.at},
    )
    worked = merge_unique(state.engine.worked or (), (done.step.task,) if done.step.task else ())
    attempt = outcome.attempt or state.engine.attempt
    state = state.evolve(changes=changes, engine=state.engine.evolve(wrote=wrote, worked=worked, attempt=attempt))
    return set_role_agent(state, "cd", agent.evolve(output_files=merge_unique(agent.output_files, files)))


def implemented_lines(
    outcome: ImplementationOutcome, step: CycleStep, iteration: int, at: str
) -> tuple[ChangeLog, ...]:
    """What a task has changed, as it was measured, as lines of changes.log."""
    words = outcome.report.summary or (step.task or step.name)
    return tuple(
        ChangeLog(
            timestamp=at,
            file=change.file,
            action=_action(change.action),
            iteration=iteration,
            agent="cd",
            description=words,
        )
        for change in outcome.changes
    )


def _action(word: str) -> Literal["create", "modify", "delete"]:
    return "create" if word == "create" else "delete" if word == "delete" else "modify"


def reduce_baseline(state: CycleState, outcome: BaselineOutcome) -> CycleState:
    engine = state.engine
    return state.evolve(
        engine=engine.evolve(
            tests_found=outcome.tests_found,
            baseline=outcome.baseline,
            settings=engine.settings.evolve(test_command=outcome.test_command),
            run_writes=merge_unique(engine.run_writes, outcome.run_writes),
            start=engine.start or outcome.start,
            environment=engine.environment or outcome.environment,
        )
    )


def reduce_judgement(state: CycleState, outcome: JudgementOutcome, at: str) -> CycleState:
    """What was measured lands; what the role says against it is kept beside it, and never for it.

    Where there were tests, there have to be: a cycle that has lost them all proves nothing.
    """
    validated, report, engine = outcome.validated, outcome.report, state.engine
    tries = engine.tries
    if is_done(state, VALIDATE):
        tries = {**tries, VALIDATE: tries.get(VALIDATE, 0) + 1}
    mended = list_mended(state, validated)
    last = validated.as_last(at)
    attempt = engine.attempt
    if attempt is not None and validated.refused:
        attempt = attempt.evolve(refused="; ".join(validated.refused))
    objections = (
        (report.issues or (report.summary or "the result is not accepted",)) if report.status == "failed" else ()
    )
    state = state.evolve(
        test_results=_test_results(state, validated, at),
        engine=engine.evolve(
            attempt=None if validated.passed else attempt,
            tests_found=engine.tests_found or validated.tests_found,
            last_validation=last,
            baseline=engine.baseline or validated.baseline,
            environment=engine.environment or validated.environment,
            run_writes=merge_unique(engine.run_writes, validated.run_writes),
            objections=objections,
            tries=tries,
            proof=_with_earlier(validated, engine.proven or ()),
        ),
    )
    if not mended:
        return state
    words = f"{plural(len(mended), 'test')} failed before and {'passes' if len(mended) == 1 else 'pass'} now: "
    entry = FeedbackEntry(
        timestamp=at, source="vas", target="cd", content=words + ", ".join(mended[:10]), type="issue_fix"
    )
    return add_feedback(state, (entry,))


def _with_earlier(validated: ValidationOutcome, proven: tuple[str, ...]) -> Proof | None:
    """The proof, with the tests that have shown earlier parts of the task and still pass."""
    if validated.proof is None or not proven:
        return validated.proof
    passing = {result.key for result in validated.results if result.status == "passed"}
    shown = tuple(dict.fromkeys((*(key for key in proven if key in passing), *validated.proof.fail_to_pass)))
    return validated.proof.evolve(fail_to_pass=shown[:TESTS_KEPT])


def _test_results(state: CycleState, validated: ValidationOutcome, at: str) -> TestResults:
    return TestResults(
        version=version_of(state.current_iteration),
        pass_rate=validated.counts.pass_rate or 0.0,
        coverage=validated.coverage,
        failed_tests=validated.failing,
        total_tests=validated.counts.total,
        last_run=at,
    )


def set_role_agent(state: CycleState, role: Role, agent: AgentState) -> CycleState:
    return state.evolve(agents=state.agents.evolve(**{role: agent}))


MESSAGE_KEPT = 2000
"""Characters of a role's last message."""


def begin_step(state: CycleState, step: CycleStep, at: str, lane: int | None = None) -> CycleState:
    """The commit that announces a step."""
    engine = state.engine.evolve(
        under_way=(*state.engine.under_way, CycleStepUnderWay(step=step.key, at=at, lane=lane))
    )
    state = state.evolve(engine=engine)
    if step.role is not None:
        agent = state.agents.of(step.role)
        again = agent.evolve(status="running", started_at=agent.started_at or at, completed_at=None, error=None)
        state = set_role_agent(state, step.role, again)
    return derive_standing(_assigned(state, step))


def end_step(state: CycleState, done: CycleStepDone, checkpoint: Checkpoint | None = None) -> CycleState:
    """Lands a step's result, whatever the status has become meanwhile. The checkpoint gets its number here.

    What a runner comes back with from before a stop, when the cycle runs on with an extension, lands nowhere.
    """
    known = state.engine.checkpoints
    if checkpoint is not None and known and known[-1].tree == checkpoint.tree:
        checkpoint = None  # another step has ended meanwhile
    state = add_incidents(
        charge_budget(add_checkpoint(state, checkpoint), _working_time(state, done), done.usage), done.incidents
    )
    state = state.evolve(engine=state.engine.evolve(counted=done.at))
    if state.status == "running" and done.step not in steps_under_way(state):
        return state
    state = _put_down(_with_half(state, done), done.step, done.at)
    return derive_standing(_landed(state, done))


def _landed(state: CycleState, done: CycleStepDone) -> CycleState:
    outcome = done.outcome
    if done.handover is not None and isinstance(outcome, (NeedsInput, LimitReached, ActionFailed)):
        state = hand_over_cycle(state, done.step, done.handover)
        back = done.handover.back
        return commands.RULES.park_at_limit(state, back, done.at) if back else state
    match outcome:
        case AnalysisOutcome():
            return _succeeded(reduce_analysis(state, outcome, done.at), done, outcome.report, outcome.files)
        case ExplorationOutcome():
            return _succeeded(reduce_exploration(state, outcome, done.at), done, outcome.report, outcome.files)
        case PlanOutcome():
            return _succeeded(reduce_plan(state, outcome, done.at), done, outcome.report, outcome.files)
        case ImplementationOutcome():
            return _implemented(state, outcome, done)
        case BaselineOutcome():
            return reduce_baseline(_done(state, done.step), outcome)
        case JudgementOutcome():
            state = _succeeded(reduce_judgement(state, outcome, done.at), done, outcome.report, outcome.files)
            return (
                reduce_failure(state, done.step, outcome.unjudged, done.at, for_good=True)
                if outcome.unjudged
                else state
            )
        case AggregationOutcome():
            return reduce_aggregation(state, done.tree, done.at, done.handover)
        case NeedsInput():
            return commands.RULES.wait_for_input(state, outcome, done.at)
        case LimitReached():
            return commands.RULES.park_at_limit(state, outcome, done.at)
        case Interrupted():
            return state
        case ActionFailed():
            return reduce_failure(state, done.step, outcome.message, done.at)
        case _:
            assert_never(outcome)


def reduce_failure(state: CycleState, step: CycleStep, message: str, at: str, *, for_good: bool = False) -> CycleState:
    """Recorded, and tried once more; a task that has failed for good is blocked until somebody resolves that."""
    tried = TRIES if for_good else state.engine.tries.get(step.key, 0) + 1
    error = PhaseError(phase=step.role or "aggregation", error=message, timestamp=at)
    state = state.evolve(
        phase_errors=(*state.phase_errors, error)[-ERRORS_KEPT:],
        engine=state.engine.evolve(
            tries={**state.engine.tries, step.key: tried},
            limits_in_a_row=0,
            done=tuple(key for key in state.engine.done if key != step.key),
        ),
    )
    if step.task is None or tried < TRIES or _is_kept(state, step):
        return state
    if asks_for_proof(state, step.task):
        return _dropped(state, step, at)  # asked once: what is missing is for the outcome to say
    return add_blocker(state, f"{step.task} failed: {message}", "cd", (step.key,))


def _dropped(state: CycleState, step: CycleStep, at: str) -> CycleState:
    """The task is out of the plan, and no try of it is left."""
    assert state.plan is not None
    left = tuple(task for task in state.plan.tasks if task.id != step.task)
    mends = tuple(id for id in state.engine.mends if id != step.task)
    tries = {key: count for key, count in state.engine.tries.items() if key != step.key}
    plan = make_plan(state.plan, left, mends, state.plan.version, at)
    return state.evolve(plan=plan, engine=state.engine.evolve(tries=tries, mends=mends))


def reduce_aggregation(state: CycleState, tree: str, at: str, handover: Handover | None = None) -> CycleState:
    """The border of the iteration: the end of the cycle, or the next iteration with what was found.

    Where a person has paused it meanwhile, the border is looked at again once it goes on.
    """
    if state.status != "running":
        return state
    issues = issues_found(state, tree)
    gap = None if issues else missing_proof(state)
    if gap and _can_ask(state):
        state = state.evolve(engine=state.engine.evolve(proof_asked=True))
        issues = (gap,)
    entries = collect_feedback(state, at)
    border = make_boundary(tree, issues, state.engine.mends)
    stuck = state.engine.last_border == border
    state = close_iteration(state, at, issues)
    state = state.evolve(engine=state.engine.evolve(last_border=border))
    if not issues:
        state = _told_as_extension(state, at)
    if state.engine.queue:
        extension, *later = state.engine.queue
        state = commands.add_iteration(state.evolve(engine=state.engine.evolve(queue=tuple(later))))
        return next_iteration(state, at, extension=extension, feedback=entries)
    if not issues:
        return commands.complete(state, _end_of(state, gap), at)
    left = f"{plural(len(issues), 'issue')} left: {'; '.join(issues)}"
    if reached := state.engine.budget.reached:
        return commands.fail(state, "over_budget", f"the {reached.words} is used up; {left}", at)
    if state.current_iteration >= state.max_iterations:
        used = plural(state.current_iteration, "iteration")
        return commands.fail(state, "exhausted", f"{used} used up; {left}", at)
    if stuck and handover is not None:
        state = hand_over_cycle(state, None, handover)
    elif stuck:
        return commands.fail(state, "stalled", f"a whole iteration changed nothing; {left}", at)
    return next_iteration(state, at, feedback=entries)


def _told_as_extension(state: CycleState, at: str) -> CycleState:
    """What a person has told, and no role has heard yet, is an extension of the task."""
    waiting = queued_messages(state)
    if not waiting:
        return state
    state = mark_messages(state, [m.id for m in waiting], status="delivered", way="task", delivered_at=at)
    return state.evolve(engine=state.engine.evolve(queue=(*state.engine.queue, as_task(waiting))))


def _can_ask(state: CycleState) -> bool:
    """Whether cd can still be asked for the proof that is missing: once, by another iteration that it can write in."""
    limited = state.current_iteration >= state.max_iterations or state.engine.budget.reached
    return not (state.engine.proof_asked or limited or state.engine.agent_of("cd") == "builtin")


def _end_of(state: CycleState, gap: str | None) -> Outcome:
    if not state.engine.tests_found:
        return "unverified"
    return "unproven" if gap else "succeeded"


def _succeeded(state: CycleState, done: CycleStepDone, report: PhaseReport, files: tuple[str, ...]) -> CycleState:
    """The traces of a step that had a result: done, what was written and said, and what the role asks of others."""
    role = done.step.role
    assert role is not None
    agent = state.agents.of(role)
    kept = agent.evolve(
        output_files=merge_unique(agent.output_files, files),
        last_message=report.summary[:MESSAGE_KEPT] or agent.last_message,
    )
    wrote = {**state.engine.wrote, role: merge_unique(state.engine.wrote.get(role, ()), files)}
    state = set_role_agent(_done(state, done.step), role, kept)
    state = state.evolve(engine=state.engine.evolve(wrote=wrote))
    return apply_decisions(add_report(state, report, done.step), done.step.key)


def _done(state: CycleState, step: CycleStep) -> CycleState:
    return state.evolve(
        engine=state.engine.evolve(done=merge_unique(state.engine.done, (step.key,)), limits_in_a_row=0, relieved=None)
    )


def _implemented(state: CycleState, outcome: ImplementationOutcome, done: CycleStepDone) -> CycleState:
    """What was changed stands, also by a task that failed."""
    state = _patched(reduce_implementation(state, outcome, done), outcome)
    if outcome.named:
        named = merge_unique(state.engine.named or (), outcome.named)
        state = state.evolve(engine=state.engine.evolve(named=named))
    if not outcome.ok:
        message = outcome.report.summary or "the task was not done"
        state = add_report(state, outcome.report, done.step)
        if done.handover is not None:
            return hand_over_cycle(state, done.step, done.handover)
        for_good = outcome.nothing_left or _is_kept(state, done.step) or asks_for_proof(state, done.step.task)
        return reduce_failure(state, done.step, message, done.at, for_good=for_good)
    state = _succeeded(state, done, outcome.report, ())
    return _with_task(state, done.step.task, "completed")


def _patched(state: CycleState, outcome: ImplementationOutcome) -> CycleState:
    known = state.engine.patches or ()
    for patch in outcome.patches:
        known = (*known, number_rivals(patch, known))
    return state.evolve(engine=state.engine.evolve(patches=known)) if outcome.patches else state


def _is_kept(state: CycleState, step: CycleStep) -> bool:
    """The role has said itself what keeps it: another try would only say it again."""
    open_ids = {blocker.id for blocker in state.coordination.open_blockers}
    return any(step.key in keys for id, keys in state.engine.holds.items() if id in open_ids)


def _with_half(state: CycleState, done: CycleStepDone) -> CycleState:
    """What was done of a step that was broken off; nothing of one that is over."""
    half = {key: commit for key, commit in state.engine.half.items() if key != done.step.key}
    if done.half is not None:
        half[done.step.key] = done.half
    return state if half == state.engine.half else state.evolve(engine=state.engine.evolve(half=half))


def _put_down(state: CycleState, step: CycleStep, at: str) -> CycleState:
    """Nobody is at the step any more."""
    left = tuple(one for one in state.engine.under_way if one.step != step.key)
    state = state.evolve(engine=state.engine.evolve(under_way=left))
    if step.role is None:
        return state
    return set_role_agent(state, step.role, state.agents.of(step.role).evolve(completed_at=at))


def _working_time(state: CycleState, done: CycleStepDone) -> float:
    """Seconds of this step that are in nobody's account yet: steps run side by side."""
    begun = next((one.at for one in state.engine.under_way if one.step == done.step.key), None)
    if begun is None:
        return done.elapsed
    counted = state.engine.counted
    since = max(map(datetime.fromisoformat, filter(None, (begun, counted))))
    passed = (datetime.fromisoformat(done.at) - since).total_seconds()
    return min(max(passed, 0.0), done.elapsed)


def _assigned(state: CycleState, step: CycleStep) -> CycleState:
    if step.task is None or state.plan is None:
        return state
    tasks = tuple(task.evolve(assigned_to="cd") if task.id == step.task else task for task in state.plan.tasks)
    return state.evolve(plan=state.plan.evolve(tasks=tasks))


def _with_task(state: CycleState, id: str | None, status: PlanStatus) -> CycleState:
    assert state.plan is not None
    tasks = tuple(task.evolve(status=status) if task.id == id else task for task in state.plan.tasks)
    return state.evolve(plan=state.plan.evolve(tasks=tasks))


def handover_reason(state: CycleState, done: CycleStepDone, checkpoint: Checkpoint | None) -> str | None:
    """Why another agent should go on after this step; None where the one at work may. `state`: before it landed."""
    outcome, step = done.outcome, done.step
    if words := trouble_words(outcome, state.engine.tries.get(step.key, 0) + 1):
        return words
    if isinstance(outcome, ImplementationOutcome) and not outcome.ok and step.task:
        known = state.coordination.open_blockers
        blockers = [one for one in end_step(state, done, checkpoint).coordination.open_blockers if one not in known]
        said = any(one.description == blocker.description for one in outcome.report.blockers for blocker in blockers)
        return None if said or not blockers else blockers[-1].description
    if isinstance(outcome, AggregationOutcome):
        after = end_step(state, done, checkpoint)
        return after.failure_reason if after.engine.outcome == "stalled" else None
    return None


def hand_over_cycle(state: CycleState, step: CycleStep | None, handover: Handover) -> CycleState:
    """The other agent plays every role of the one before it; the tries of the step were not its own."""
    own, state = state.engine.settings, hand_over(state, handover)
    roles = {
        role: handover.to if complete_name(name, own) == handover.by else name
        for role, name in state.engine.roles.items()
    }
    tries = {key: count for key, count in state.engine.tries.items() if step is None or key != step.key}
    return state.evolve(engine=state.engine.evolve(roles=roles, tries=tries, limits_in_a_row=0))
