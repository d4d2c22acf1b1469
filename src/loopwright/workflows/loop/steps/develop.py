"""DEVELOP: one task, carried out by the agent it names; what changed is measured, not told."""

from contextlib import nullcontext
from dataclasses import replace

from loopwright.core.agent_turns import undo_writes
from loopwright.core.errors import AgentError
from loopwright.core.outcomes import Change, NeedsInput
from loopwright.core.protocol import ActionReport, AgentOutput, Message
from loopwright.core.state import DevelopTask, LoopTask
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.failures import name_failures
from loopwright.evidence.goals import named_tests
from loopwright.evidence.objections import quote_objections, read_disputes
from loopwright.evidence.verdict import files_named, quote_words, unmeasured_files
from loopwright.policy.permissions import turn_policy
from loopwright.reports.proposals import read_proposals
from loopwright.workflows.loop.outcomes import ActionOutcome, DevelopOutcome
from loopwright.workflows.loop.selector import READING_MODES, NextAction
from loopwright.workflows.loop.session import LoopSession

DECIDE = "Nobody can be asked now. Decide yourself, say what you decided, and continue."


async def run_develop(session: LoopSession, choice: NextAction) -> ActionOutcome:
    state = session.state()
    task = next(task for task in session.skill().develop.tasks if task.id == choice.task)
    definition = state.engine.task(task.id)
    before = await session.snapshot(f"before {task.id}")
    reads = task.mode in READING_MODES
    async with undo_writes(session, session.turns, before, "a reading task") if reads else nullcontext():
        order, message = _order(session, task, definition)
        output, report = await session.report(task.tool, "DEVELOP", order, message)
        if report.status == "needs_input":
            output, report = await _answered(session, task, order, message, report)
    after = await session.snapshot(f"after {task.id}")
    changes = await run_in_thread(session.workspace.changes, before.commit, after.commit)
    measured = tuple(Change(c.file, c.action) for c in changes)
    session.note("false_claim", unmeasured_files("DEVELOP", report, session.project, [c.file for c in changes]))
    if report.status == "needs_input":
        return NeedsInput(report.message or "The agent asks for input", report.options)
    if report.status == "none" and not measured:
        raise AgentError("protocol", f"{task.tool} reported nothing on {task.id}, and changed nothing")
    words = report.message or f"no report; {plural(len(measured), 'changed file')} speak for it"
    claims = read_proposals("DEVELOP", report)
    named = named_tests(claims.shown_by, task.tool, state.engine.baseline)
    outcome = DevelopOutcome(
        task.id,
        report.status in ("success", "none"),
        words,
        measured,
        named=named,
        proposed_proof=claims.proof,
        disputes=claims.disputes,
    )
    missing = None if not outcome.ok or task.tool == "bash" else _undone(session, task, outcome, output.text)
    if missing is None:
        return outcome
    session.undone[task.id] = quote_words(words)
    session.note("undone", f"{task.id} is not completed: {missing}; its agent said {quote_words(words)}")
    return replace(outcome, ok=False, undone=True, message=missing)


def _undone(session: LoopSession, task: DevelopTask, outcome: DevelopOutcome, text: str) -> str | None:
    """Why what was reported as done is not: nothing of it was measured, nor of an earlier try."""
    if task.mode in READING_MODES:
        files = files_named(f"{outcome.message}\n{text}", session.workspace.listed())
        return None if files else "no finding names a file of the project"
    spent = session.state().engine.spent
    if outcome.changes or task.files_changed or task.id in (spent.worked or ()):
        return None
    if task.id == spent.proof_task and outcome.named:
        return None
    review = session.state().engine.review
    if review and task.id == review.task:
        left = {one.id for one in review.having("open")} - read_disputes(outcome.disputes).keys()
        return f"no change was measured, and {', '.join(sorted(left))} is not disputed" if left else None
    return "it was meant to change files, but no change was measured"


def _order(session: LoopSession, task: DevelopTask, definition: LoopTask | None) -> tuple[str, Message]:
    settings = session.state().engine.settings
    message = Message(
        action="DEVELOP",
        text="",
        task=task,
        definition=definition,
        seconds=settings.action_timeout,
        silence=settings.silence_timeout,
        policy=turn_policy(settings.permissions, reading=task.mode in READING_MODES),
    )
    hints = definition.prompt_template if definition else ""
    values = {
        "task": task.description,
        "task_id": task.id,
        "hints": f"Hints: {hints}\n\n" if hints else "",
        "progress_dir": str(session.store.progress_path(session.id)),
    }
    if task.mode in READING_MODES:
        order = session.order("examine", mode=task.mode, **values)
    else:
        order = session.order("develop", tests=_tests_now(session), **values)
    review = session.state().engine.review
    if review and task.id == review.task:
        order = f"{order}\n\n{session.order('answer', objections=quote_objections(review.having('open')))}"
    if task.id in (session.state().engine.spent.unchanged or ()):
        order = f"{order}\n\n{session.order('undone', claim=session.undone.get(task.id, 'done'))}"
    return order, message


def _tests_now(session: LoopSession) -> str:
    failed = session.failing()
    if failed:
        return f"{plural(len(failed), 'test')} failed\n{name_failures(failed, session.project)}"
    return "none failed" if session.state().engine.tests_found else "none were found"


async def _answered(
    session: LoopSession, task: DevelopTask, order: str, message: Message, asked: ActionReport
) -> tuple[AgentOutput, ActionReport]:
    """The turn again, with a person's answer to what was asked, or with the word to decide alone."""
    if session.person is not None:
        more = f"The answer to your question: {await session.person.ask(asked.message, asked.options)}"
        return await session.report(task.tool, "DEVELOP", f"{order}\n\n{more}", message)
    question = quote_words(f"{asked.message} {' / '.join(asked.options)}".strip())
    session.note("asked_nobody", f"{task.tool} asked on {task.id}: {question}; it was told to decide by itself")
    output, report = await session.report(task.tool, "DEVELOP", f"{order}\n\n{DECIDE}", message)
    if report.status != "needs_input":
        session.note("decided_alone", f"{task.tool} on {task.id}, after its question: {quote_words(report.message)}")
    return output, report
