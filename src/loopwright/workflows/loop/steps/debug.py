"""DEBUG: hypotheses with measured evidence, then a fix; validation has the last word."""

from collections.abc import Sequence

from loopwright.core.errors import AgentError
from loopwright.core.ids import next_hypothesis_id
from loopwright.core.outcomes import Change, NeedsInput
from loopwright.core.protocol import Message
from loopwright.core.record import Items
from loopwright.core.state import DevelopTask
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.debugging import (
    TRIALS,
    DebugRequest,
    Diagnosis,
    Patch,
    ProbeHit,
    SearchFindings,
    describe_mends,
    merge_diagnoses,
    render_hypotheses,
)
from loopwright.evidence.failures import quote_failures
from loopwright.evidence.goals import named_tests
from loopwright.evidence.hypotheses import EvidenceCriteria, Hypothesis
from loopwright.evidence.patch_exchange import choose_patch
from loopwright.evidence.rivals import comparison_words, is_refuted, patch_of, with_rival
from loopwright.evidence.testing import TestResult
from loopwright.evidence.verdict import unmeasured_files
from loopwright.reports.proposals import new_causes, read_proposals
from loopwright.reports.tools import ProposedHypothesis
from loopwright.workflows.loop.outcomes import ActionOutcome, DebugOutcome
from loopwright.workflows.loop.selector import NextAction, failed_task
from loopwright.workflows.loop.session import LoopSession
from loopwright.workflows.orders import attempt_words, join_parts, source_reader

PERSON = "a person"
"""Who has chosen among rivals, in words."""

DOUBTED = 3
"""Fruitless rounds after which what they took for granted is in doubt."""


async def run_debug(session: LoopSession, choice: NextAction) -> ActionOutcome:
    await _take_back(session)
    request = session.debug_request()
    agent = session.state().engine.settings.agent
    measures = session.turns.agent(agent).capabilities.measures
    diagnosis = await _explore(session, request, anew=not measures)
    if diagnosis:
        request = request.evolve(hypotheses=diagnosis.hypotheses)
        _log_probes(session, diagnosis.probes)
    if measures:
        return await _search(session, agent, request, diagnosis)
    return await _ask(session, agent, request, diagnosis)


async def _explore(session: LoopSession, request: DebugRequest, *, anew: bool) -> Diagnosis | None:
    """Hypotheses by measuring; None where nothing can be measured, or untested ones are left.

    `anew`: also then, since whoever works on them has changed the code meanwhile, and judges none.
    """
    if not request.failing or not request.python or not session.debugger.supports(request.test_command):
        return None
    if not anew and any(h.status == "pending" for h in request.hypotheses):
        return None
    session.bus.publish("activity", f"tracing {plural(len(request.failing), 'failing test')}")
    settled = tuple(h for h in request.hypotheses if h.status != "pending")
    diagnosis = await session.debugger.diagnose(request.evolve(hypotheses=settled, trials=TRIALS if anew else 0))
    session.bus.publish("result", diagnosis.active_bug)
    return merge_diagnoses(request.hypotheses, diagnosis)


async def _search(
    session: LoopSession, agent: str, request: DebugRequest, diagnosis: Diagnosis | None
) -> ActionOutcome:
    """The embedded agent's way: edits are tried on a copy, and the best that holds is applied here."""
    if not request.failing or not request.python:
        return _nothing_found(session, request, "there is no failing Python test to work from", nothing_left=True)
    message = Message(action="DEBUG", text="", debug=request, seconds=request.budget_seconds + 60)
    session.bus.publish("activity", f"testing edits for {plural(len(request.hypotheses), 'hypothesis')} on a copy")
    output = await session.turns.ask(agent, message)
    findings = output.findings
    if findings is None:
        said = output.report.message if output.report else output.text
        return _nothing_found(session, request, said)
    bug = diagnosis.active_bug if diagnosis else session.skill().debug.active_bug
    if findings.patch is None:
        tried = findings.candidates
        none = f"none of {plural(tried, 'edit')} works" if tried else "no edit is known for what still fails"
        return DebugOutcome(findings.hypotheses, bug, None, findings.note or none, nothing_left=True)
    return await _apply(session, findings, findings.patch, bug)


async def _apply(session: LoopSession, findings: SearchFindings, found: Patch, bug: str | None) -> ActionOutcome:
    asked = session.person if session.interactive else None
    patch, rival = await choose_patch(asked, findings, found) if asked else (found, None)
    before = await session.snapshot("before fix")
    fits = await run_in_thread(session.workspace.replace_text, patch.file, patch.old_text, patch.new_text)
    if not fits:
        return DebugOutcome(
            findings.hypotheses, bug, None, f"{patch.file} changed during the search for a fix; searching again"
        )
    after = await session.snapshot("after fix")
    comparison = findings.comparison
    applied = {
        "edit": found.description,
        "fingerprint": found.fingerprint,
        "fixes": list(found.fixes),
        "file": found.file,
        "diff": found.diff,
        "before": before.commit,
        "after": after.commit,
        "validated": None,
        **({"comparison": comparison.model_dump(mode="json")} if comparison else {}),
    }
    hypotheses = tuple(
        h.evolve(evidence={**(h.evidence or {}), **applied}) if h.id == found.hypothesis else h
        for h in findings.hypotheses
    )
    if rival is not None:
        hypotheses = with_rival(hypotheses, rival, PERSON, (before.commit, after.commit))
    holder = next((h for h in hypotheses if (h.evidence or {}).get("after") == after.commit), None)
    session.bus.publish("result", f"applied: {patch.description}")
    known = holder and patch_of(holder)
    words = f"{patch.description} ({comparison_words(known.comparison)})" if known else patch.description
    confirmed = holder.id if holder and holder.status == "confirmed" else None
    return DebugOutcome(hypotheses, bug, confirmed, words, (Change(patch.file, "modify"),))


async def _take_back(session: LoopSession) -> None:
    """A fix of ours that validation did not bear out is undone where nobody has changed the file since."""
    for hypothesis in session.skill().debug.hypotheses:
        evidence = hypothesis.evidence or {}
        if not is_refuted(hypothesis):
            continue
        file, before, after = (str(evidence[key]) for key in ("file", "before", "after"))
        now = await session.snapshot("before taking back")
        since = await run_in_thread(session.workspace.changes, after, now.commit)
        if all(change.file != file for change in since):
            await run_in_thread(session.workspace.restore, before, [file])
            session.bus.publish("activity", f"reverted the fix of {hypothesis.id} in {file}")


async def _ask(session: LoopSession, agent: str, request: DebugRequest, diagnosis: Diagnosis | None) -> ActionOutcome:
    """An agent that works in prose gets the evidence; what it changed is measured."""
    task = failed_task(session.state())
    failed = session.failing() if request.failing else ()
    settings = session.state().engine.settings
    message = Message(
        action="DEBUG",
        text="",
        debug=request if session.debug_ground() else None,
        seconds=settings.action_timeout,
        policy=settings.permissions,
    )
    asked = session.order(
        "debug",
        failing=_failing_words(session, failed, task),
        attempt=await attempt_words(session, session.state().engine.attempt, failed, session.project),
        hypotheses=_measured_words(request.hypotheses, diagnosis),
        tools=f"{session.order('debugger')}\n\n" if message.debug else "",
        doubt=f"{session.order('doubt')}\n\n" if session.state().engine.debug_rounds >= DOUBTED else "",
        progress_dir=str(session.store.progress_path(session.id)),
    )
    before = await session.snapshot("before debug")
    _, report = await session.report(agent, "DEBUG", asked, message)
    after = await session.snapshot("after debug")
    changes = await run_in_thread(session.workspace.changes, before.commit, after.commit)
    if report.status == "needs_input" and not changes:
        return NeedsInput(report.message or "The agent asks for input", report.options)
    if report.status == "none" and not changes:
        raise AgentError("protocol", f"{agent} reported nothing, and changed nothing")
    claims = read_proposals("DEBUG", report)
    proposed = _proposed(claims.hypotheses, request.hypotheses)
    hypotheses = (*request.hypotheses, *proposed)
    # Words that nothing is left to mend complete no task; they are enough to have it tried once more.
    is_mended = bool(changes) or report.status == "success"
    revives = task.id if task and is_mended and not request.failing else None
    bug = diagnosis.active_bug if diagnosis else claims.active_bug or session.skill().debug.active_bug
    measured = tuple(Change(c.file, c.action) for c in changes)
    session.note("false_claim", unmeasured_files("DEBUG", report, session.project, [c.file for c in changes]))
    named = named_tests(claims.shown_by, agent, session.state().engine.baseline)
    # Without a failing test the next round would hear the same order; only a new idea makes it another one.
    nothing_left = not (request.failing or is_mended or proposed)
    return DebugOutcome(
        hypotheses, bug, None, report.message, measured, revives, nothing_left=nothing_left, named=named
    )


def _failing_words(session: LoopSession, failed: Sequence[TestResult], task: DevelopTask | None) -> str:
    if failed:
        return quote_failures(failed, session.project, source_reader(session.workspace.root))
    return f"The task {task.id} failed: {task.description}" if task else "The last validation did not pass."


def _measured_words(hypotheses: Sequence[Hypothesis], diagnosis: Diagnosis | None) -> str:
    """What was measured on the files as they are now, and what has been judged before."""
    measured = diagnosis.measured if diagnosis else ()
    table = render_hypotheses(hypotheses, measured)
    return join_parts("# Measured", table, describe_mends(diagnosis.mends) if diagnosis else "")


def _proposed(told: tuple[ProposedHypothesis, ...], known: Items[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Hypotheses an agent proposes: their words only; status, evidence and verdict are not its to give."""
    taken: list[Hypothesis] = []
    for cause in new_causes(told, [h.description for h in known]):
        ids = tuple(h.id for h in (*known, *taken))
        taken.append(
            Hypothesis(
                id=next_hypothesis_id(ids),
                description=cause.description,
                testable_condition=cause.testable_condition,
                logging_point=cause.logging_point,
                evidence_criteria=EvidenceCriteria(confirm="", reject=""),
                likelihood=len(ids) + 1,
            )
        )
    return tuple(taken)


def _nothing_found(
    session: LoopSession, request: DebugRequest, why: str, *, nothing_left: bool = False
) -> DebugOutcome:
    bug = session.skill().debug.active_bug
    return DebugOutcome(request.hypotheses, bug, None, why, nothing_left=nothing_left)


def _log_probes(session: LoopSession, probes: Items[ProbeHit]) -> None:
    lines = [probe.model_dump_json().encode() for probe in probes]
    if lines:
        session.store.append_progress(session.id, "debug.log", lines)
