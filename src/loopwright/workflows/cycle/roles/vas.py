"""vas, the Validation Archivist: the engine measures, the role judges."""

from functools import partial

from loopwright.core.agent_failures import TABLE
from loopwright.core.cycle_names import CycleStep
from loopwright.core.errors import AgentError, Invalid
from loopwright.core.outcomes import ValidationOutcome
from loopwright.evidence.seal import seal_outcome
from loopwright.evidence.validation import nothing_to_run, remember_environment, run_baseline, validate_tree
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.judgement import (
    contradictions,
    join_summary,
    judgement_in,
    measured_lines,
    verdict_summary,
)
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.outcomes import BaselineOutcome, CycleOutcome, JudgementOutcome
from loopwright.workflows.cycle.roles.documents import (
    add_discoveries,
    ask_role,
    find_reported,
    keep_coverage,
    keep_documents,
    keep_failures,
    read_previous,
    read_written,
)
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.cycle.standing import TRIES
from loopwright.workflows.cycle.templates import baseline_entries

MAIN = "summary.md"


async def take_baseline(session: CycleSession, step: CycleStep) -> CycleOutcome:
    """The first run of the tests: what everything later is compared with."""
    command = session.state().engine.settings.test_command or session.tests.detect()
    start = (await session.snapshot("as the cycle found it")).commit
    if command is None:
        session.role_buses["vas"].publish("activity", "no test command found")
        return BaselineOutcome(False, None, None, start=start, environment=await remember_environment(session, command))
    session.tests.check(command)
    session.role_buses["vas"].publish("activity", f"running the tests once: {command}")
    measured, baseline = await run_baseline(session, command, "at the baseline")
    keep_failures(session, measured.run.results)
    keep_coverage(session, measured.run.coverage)
    add_discoveries(session, "vas", baseline_entries(measured.run))
    return BaselineOutcome(
        bool(measured.run.results),
        command,
        baseline,
        measured.writes,
        measured.run.failed,
        start,
        await remember_environment(session, command),
    )


async def validate_iteration(session: CycleSession, step: CycleStep) -> CycleOutcome:
    """What is there now, measured; and what the role says of it."""
    measured = await _measured(session)
    keep_failures(session, measured.results)
    state = session.state()
    if not session.able("vas").plans or state.engine.budget.reached:
        keep_documents(session, {f"vas/{MAIN}": verdict_summary(state, measured)})
        report = PhaseReport(phase="vas", status="success", summary="; ".join(measured_lines(measured)))
        return JudgementOutcome(measured, report, (f"vas/{MAIN}",))
    try:
        return await _judged(session, step, state, measured)
    except AgentError as error:
        if TABLE[error.kind].then != "fails" or state.engine.tries.get(step.key, 0) + 1 < TRIES:
            raise
        return _without_judgement(session, state, measured, str(error))


async def _measured(session: CycleSession) -> ValidationOutcome:
    command = session.state().engine.settings.test_command or session.tests.detect()
    if command is None:
        return nothing_to_run(await session.tree())
    is_last = session.state().current_iteration >= session.state().max_iterations
    outcome = await validate_tree(session, command, counted=True, whole=is_last, bus=session.role_buses["vas"])
    return await seal_outcome(session, outcome, command)


async def _judged(
    session: CycleSession, step: CycleStep, state: CycleState, measured: ValidationOutcome
) -> JudgementOutcome:
    folder = session.folder("vas")
    order = session.prompts.render(
        "validate",
        folder=str(folder),
        documents=str(folder.parent),
        measured="\n".join(f"- {line}" for line in measured_lines(measured)),
    )
    last = read_previous(folder, MAIN)
    report, text = await ask_role(session, "vas", step, order, partial(_take, session, last))
    for words in contradictions(f"{report.summary}\n{text}", measured):
        session.note("false_claim", f"vas {words}")
    keep_documents(session, {f"vas/{MAIN}": join_summary(verdict_summary(state, measured, judged=True), text)})
    return JudgementOutcome(measured, report, (f"vas/{MAIN}",))


def _take(session: CycleSession, last: str, report: PhaseReport) -> str:
    """The role's own words, without the part that the engine puts before them."""
    folder = session.folder("vas")
    found = read_written(folder, MAIN)
    text = find_reported(report, "#") if found == last else judgement_in(found)
    if not text:
        raise Invalid(f"there is no new {MAIN} in {folder}")
    return text


def _without_judgement(
    session: CycleSession, state: CycleState, measured: ValidationOutcome, why: str
) -> JudgementOutcome:
    """A role that failed again costs its words, not what was measured."""
    words = f"vas gave no judgement: {why}"
    session.note("no_report", words)
    keep_documents(
        session,
        {f"vas/{MAIN}": join_summary(verdict_summary(state, measured, judged=True), f"## Judgement\n\n{words}")},
    )
    report = PhaseReport(phase="vas", status="none", summary=words)
    return JudgementOutcome(measured, report, (f"vas/{MAIN}",), unjudged=why)
