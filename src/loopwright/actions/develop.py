"""DEVELOP: one task, carried out by the agent it names; what changed is measured, not told."""

from contextlib import nullcontext

from loopwright.actions.session import Session
from loopwright.domain.claims import unmeasured_files
from loopwright.domain.engine_state import LoopTask
from loopwright.domain.errors import AgentError
from loopwright.domain.loop import DevelopTask
from loopwright.domain.loop_selector import Next
from loopwright.domain.outcomes import ActionOutcome, Change, Developed, NeedsInput
from loopwright.domain.permissions import turn_policy
from loopwright.domain.protocol import ActionReport, Message
from loopwright.domain.words import plural
from loopwright.engine.reading import only_reading
from loopwright.engine.threads import in_thread

READING_MODES = frozenset({"analysis", "review"})

DECIDE = "Nobody can be asked now. Decide by yourself, say how you decided, and go on."


async def develop(session: Session, choice: Next) -> ActionOutcome:
    state = session.state()
    task = next(task for task in session.skill().develop.tasks if task.id == choice.task)
    definition = state.engine.task(task.id)
    before = await session.snapshot(f"before {task.id}")
    reads = task.mode in READING_MODES
    async with only_reading(session, session.turns, before, "a reading task") if reads else nullcontext():
        report = await _ask(session, task, definition)
    after = await session.snapshot(f"after {task.id}")
    changes = await in_thread(session.workspace.changes, before.commit, after.commit)
    measured = tuple(Change(c.file, c.action) for c in changes)
    session.note("false_claim", unmeasured_files("DEVELOP", report, session.project, [c.file for c in changes]))
    if report.status == "needs_input":
        return NeedsInput(report.message or "The agent asks for input", report.options)
    if report.status == "none" and not measured:
        raise AgentError("protocol", f"{task.tool} reported nothing on {task.id}, and changed nothing")
    words = report.message or f"no report; {plural(len(measured), 'changed file')} speak for it"
    return Developed(task.id, report.status in ("success", "none"), words, measured)


async def _ask(session: Session, task: DevelopTask, definition: LoopTask | None) -> ActionReport:
    settings = session.state().engine.settings
    message = Message(
        action="DEVELOP", text="", task=task, definition=definition,
        seconds=settings.action_timeout, silence=settings.silence_timeout,
        policy=turn_policy(settings.permissions, reading=task.mode in READING_MODES),
    )  # fmt: skip
    values = {
        "task": task.description, "task_id": task.id,
        "hints": (definition.prompt_template if definition else "") or "none",
        "progress_dir": str(session.store.progress_path(session.id)),
    }  # fmt: skip
    if task.mode in READING_MODES:
        asked = session.order("examine", mode=task.mode, **values)
    else:
        asked = session.order("develop", **values)
    _, report = await session.report(task.tool, "DEVELOP", asked, message)
    if report.status != "needs_input":
        return report
    more = DECIDE
    if session.person is not None:
        more = f"The answer to your question: {await session.person.ask(report.message, report.options)}"
    _, report = await session.report(task.tool, "DEVELOP", f"{asked}\n\n{more}", message)
    return report
