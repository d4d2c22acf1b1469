"""How the results of steps land in the documents of a cycle: each role's own, and what was measured. Pure."""

from typing import Literal, TypeVar

from loopwright.domain.cycle import (
    CHANGES_KEPT,
    AgentState,
    ChangeLog,
    Changes,
    CycleState,
    Exploration,
    FeedbackEntry,
    Requirements,
    TestResults,
    version_of,
)
from loopwright.domain.cycle_border import with_feedback
from loopwright.domain.cycle_coordination import clarified
from loopwright.domain.cycle_judgement import mended_by
from loopwright.domain.cycle_names import CycleStep, Role
from loopwright.domain.cycle_outcomes import (
    Analysed,
    BaselineTaken,
    CycleStepDone,
    Explored,
    Implemented,
    Judged,
    Planned,
)
from loopwright.domain.cycle_plan import planned
from loopwright.domain.cycle_standing import is_done
from loopwright.domain.engine_state import LastValidation
from loopwright.domain.outcomes import Validated
from loopwright.domain.proof import TESTS_KEPT, Proof
from loopwright.domain.words import plural

T = TypeVar("T")

VALIDATE = "vas.validate"


def analysed(state: CycleState, outcome: Analysed, at: str) -> CycleState:
    requirements = Requirements(
        version=version_of(state.current_iteration), specification=outcome.specification,
        edge_cases=outcome.edge_cases, last_updated=at,
    )  # fmt: skip
    state = state.evolve(
        requirements=requirements, engine=state.engine.evolve(analysed=state.current_iteration)
    )  # fmt: skip
    summary = outcome.report.summary
    return clarified(state, summary) if outcome.clarifies and summary else state


def explored(state: CycleState, outcome: Explored, at: str) -> CycleState:
    exploration = Exploration(
        version=version_of(state.current_iteration), architecture_summary=outcome.architecture_summary,
        integration_points=outcome.integration_points, identified_risks=outcome.identified_risks, last_updated=at,
    )  # fmt: skip
    return state.evolve(exploration=exploration, engine=state.engine.evolve(explored=state.current_iteration))


def was_planned(state: CycleState, outcome: Planned, at: str) -> CycleState:
    plan = planned(state.plan, outcome.tasks, state.engine.mends, version_of(state.current_iteration), at)
    return state.evolve(plan=plan, engine=state.engine.evolve(planned=state.current_iteration))


def changed(state: CycleState, outcome: Implemented, done: CycleStepDone) -> CycleState:
    if not outcome.changes:
        return state
    known = state.changes or Changes()
    number = state.current_iteration
    entries = implemented_lines(outcome, done.step, number, done.at)
    files = tuple(entry.file for entry in entries)
    wrote = {**state.engine.wrote, "cd": merged(state.engine.wrote.get("cd", ()), files)}
    agent = state.agents.cd
    changes = known.evolve(
        total_files=known.total_files + len(set(files) - set(agent.output_files)),
        changes=(*known.changes, *entries)[-CHANGES_KEPT:],
        iteration_markers={**known.iteration_markers, str(number): done.at},
    )
    worked = merged(state.engine.worked or (), (done.step.task,) if done.step.task else ())
    state = state.evolve(changes=changes, engine=state.engine.evolve(wrote=wrote, worked=worked))
    return with_agent(state, "cd", agent.evolve(output_files=merged(agent.output_files, files)))


def implemented_lines(outcome: Implemented, step: CycleStep, iteration: int, at: str) -> tuple[ChangeLog, ...]:
    """What a task has changed, as it was measured, as lines of changes.log."""
    words = outcome.report.summary or (step.task or step.name)
    return tuple(
        ChangeLog(
            timestamp=at, file=change.file, action=_action(change.action), iteration=iteration, agent="cd",
            description=words,
        )
        for change in outcome.changes
    )  # fmt: skip


def _action(word: str) -> Literal["create", "modify", "delete"]:
    return "create" if word == "create" else "delete" if word == "delete" else "modify"


def baseline_taken(state: CycleState, outcome: BaselineTaken) -> CycleState:
    engine = state.engine
    return state.evolve(
        engine=engine.evolve(
            tests_found=outcome.tests_found,
            baseline=outcome.baseline,
            settings=engine.settings.evolve(test_command=outcome.test_command),
            run_writes=merged(engine.run_writes, outcome.run_writes),
            start=engine.start or outcome.start,
            environment=engine.environment or outcome.environment,
        )
    )


def judged(state: CycleState, outcome: Judged, at: str) -> CycleState:
    """What was measured lands; what the role says against it is kept beside it, and never for it.

    Where there were tests, there have to be: a cycle that has lost them all proves nothing.
    """
    validated, report, engine = outcome.validated, outcome.report, state.engine
    tries = engine.tries
    if is_done(state, VALIDATE):
        tries = {**tries, VALIDATE: tries.get(VALIDATE, 0) + 1}
    mended = mended_by(state, validated)
    last = LastValidation(
        tree=validated.tree, left=validated.left, passed=validated.passed, at=at, tests=len(validated.results),
        reasons=validated.reasons, touched=validated.touched or None, measured=validated.measured,
    )  # fmt: skip
    objections = (
        (report.issues or (report.summary or "the result is not accepted",)) if report.status == "failed" else ()
    )
    state = state.evolve(
        test_results=_test_results(state, validated, at),
        engine=engine.evolve(
            tests_found=engine.tests_found or validated.tests_found, last_validation=last,
            baseline=engine.baseline or validated.baseline,
            environment=engine.environment or validated.environment,
            run_writes=merged(engine.run_writes, validated.run_writes), objections=objections, tries=tries,
            proof=_with_earlier(validated, engine.proven or ()),
        ),
    )  # fmt: skip
    if not mended:
        return state
    words = f"{plural(len(mended), 'test')} failed before and {'passes' if len(mended) == 1 else 'pass'} now: "
    entry = FeedbackEntry(
        timestamp=at, source="vas", target="cd", content=words + ", ".join(mended[:10]), type="issue_fix"
    )
    return with_feedback(state, (entry,))


def _with_earlier(validated: Validated, proven: tuple[str, ...]) -> Proof | None:
    """The proof, with the tests that have shown earlier parts of the task and still pass."""
    if validated.proof is None or not proven:
        return validated.proof
    passing = {result.key for result in validated.results if result.status == "passed"}
    shown = tuple(dict.fromkeys((*(key for key in proven if key in passing), *validated.proof.fail_to_pass)))
    return validated.proof.evolve(fail_to_pass=shown[:TESTS_KEPT])


def _test_results(state: CycleState, validated: Validated, at: str) -> TestResults:
    counted = [result for result in validated.results if result.status != "skipped"]
    green = sum(result.status == "passed" for result in counted)
    return TestResults(
        version=version_of(state.current_iteration),
        pass_rate=round(100 * green / len(counted), 2) if counted else 0.0,
        coverage=validated.coverage,
        failed_tests=validated.failing,
        total_tests=len(validated.results),
        last_run=at,
    )


def with_agent(state: CycleState, role: Role, agent: AgentState) -> CycleState:
    return state.evolve(agents=state.agents.evolve(**{role: agent}))


def merged(known: tuple[T, ...], more: tuple[T, ...]) -> tuple[T, ...]:
    """Both, in order, each once; the very same tuple when nothing is new."""
    new = tuple(dict.fromkeys(item for item in more if item not in known))
    return (*known, *new) if new else known
