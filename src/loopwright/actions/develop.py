"""DEVELOP: one task, carried out by the agent it names; what changed is measured, not told."""

from loopwright.actions.messages import order
from loopwright.actions.session import Session
from loopwright.domain.claims import unmeasured_files
from loopwright.domain.engine_state import LoopTask
from loopwright.domain.loop import DevelopTask
from loopwright.domain.loop_selector import Next
from loopwright.domain.outcomes import ActionOutcome, Change, Developed, NeedsInput
from loopwright.domain.protocol import ActionReport, AgentOutput, Message
from loopwright.engine.threads import in_thread
from loopwright.ports import FileChange, Snapshot

DECIDE = "Nobody can be asked now. Decide by yourself, say how you decided, and go on."


async def develop(session: Session, choice: Next) -> ActionOutcome:
    state = session.state()
    task = next(task for task in session.skill().develop.tasks if task.id == choice.task)
    definition = state.engine.task(task.id)
    before = await session.snapshot(f"before {task.id}")
    output, report = await _ask(session, task, definition)
    after = await session.snapshot(f"after {task.id}")
    changes = await in_thread(session.workspace.changes, before.commit, after.commit)
    if task.mode in ("analysis", "review"):
        changes = await _put_back(session, before, changes, output)
    measured = tuple(Change(c.file, c.action) for c in changes)
    session.note("false_claim", unmeasured_files("DEVELOP", report, session.project, [c.file for c in changes]))
    if report.status == "needs_input":
        return NeedsInput(report.message or "The agent asks for input", report.options)
    return Developed(task.id, report.status == "success", report.message, measured)


async def _ask(session: Session, task: DevelopTask, definition: LoopTask | None) -> tuple[AgentOutput, ActionReport]:
    settings = session.state().engine.settings
    message = Message(
        action="DEVELOP", text="", task=task, definition=definition,
        seconds=settings.action_timeout, silence=settings.silence_timeout,
    )  # fmt: skip
    asked = order(
        "develop", mode=task.mode, task=task.description, task_id=task.id,
        hints=(definition.prompt_template if definition else "") or "No further hints.",
        progress_dir=str(session.store.progress_path(session.loop_id)),
    )  # fmt: skip
    output, report = await session.report(task.tool, "DEVELOP", asked, message)
    if report.status != "needs_input":
        return output, report
    if session.person is not None:
        answer = await session.person.ask(report.message, report.options)
        return await session.report(task.tool, "DEVELOP", f"{asked}\n\nThe answer to your question: {answer}", message)
    return await session.report(task.tool, "DEVELOP", f"{asked}\n\n{DECIDE}", message)


async def _put_back(
    session: Session, before: Snapshot, changes: tuple[FileChange, ...], output: AgentOutput
) -> tuple[FileChange, ...]:
    """In a reading mode the agent's own writes are undone; other changes may be the user's and stay."""
    own = [change.file for change in changes if change.file in output.wrote]
    if own:
        await in_thread(session.workspace.restore, before.commit, own)
        session.note("put_back", f"put back what a reading task wrote: {', '.join(own)}")
    return tuple(change for change in changes if change.file not in own)
