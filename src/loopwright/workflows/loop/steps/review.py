"""REVIEW: a second agent reads the work before the end. Its objections are checked; nothing else it says counts."""

from collections.abc import Iterator

from loopwright.core.agent_turns import AgentTurns, undo_writes
from loopwright.core.errors import AgentError
from loopwright.core.ports import FileChange
from loopwright.core.protocol import Message
from loopwright.core.text import clean_line, clip_text
from loopwright.core.threads import run_in_thread
from loopwright.evidence.failures import fence
from loopwright.evidence.goals import acceptance_criteria, list_criteria
from loopwright.evidence.objections import quote_objections
from loopwright.evidence.proof import proof_words, strength_lines
from loopwright.evidence.test_material import is_test_material
from loopwright.policy.permissions import turn_policy
from loopwright.reports.objections import CheckedObjections, check_objections
from loopwright.workflows.loop.messages import BY_TEXT
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import ActionOutcome, ReviewOutcome
from loopwright.workflows.loop.selector import NextAction
from loopwright.workflows.loop.session import LoopSession
from loopwright.workflows.orders import source_reader

DIFF_SHOWN = 16_000
"""Characters of the diff that the order quotes; the file beside it has all."""
DIFF_FILE = "review.diff"
TASKS_SHOWN, TASK_LENGTH, TESTS_SHOWN = 12, 300, 20


async def run_review(session: LoopSession, choice: NextAction) -> ActionOutcome:
    state = session.state()
    last, agent = state.engine.last_validation, state.engine.settings.review
    assert last is not None, "only what was validated is reviewed"
    assert session.reviewing is not None, "its runner has turns for it"
    if agent is None:
        return ReviewOutcome("nobody", last.tree, missing="nobody is to review it")
    if reached := state.engine.budget.reached:
        return ReviewOutcome(agent, last.tree, missing=f"the {reached.words} is used up")
    try:
        checked = await _asked(session, session.reviewing, state, agent)
    except AgentError as error:
        session.note("not_reviewed", f"{agent} has not reviewed the work: {error}")
        return ReviewOutcome(agent, last.tree, missing=str(error))
    finally:
        await session.reviewing.rest()
    found, commit = checked
    if found is None:
        return ReviewOutcome(agent, last.tree, missing=f"{agent} came to no end of its review")
    for why in found.refused:
        session.note("objection_dropped", f"an objection of {agent} was dropped: {why}")
    return ReviewOutcome(agent, last.tree, found.taken, commit=commit)


async def _asked(
    session: LoopSession, turns: AgentTurns, state: LoopState, agent: str
) -> tuple[CheckedObjections | None, str]:
    """What the agent objects to, in a session of its own that knows nothing but this; None where it has no end.

    And the commit that it has seen.
    """
    settings, work = state.engine.settings, session.workspace
    before = await session.snapshot("before the review")
    start = session.start() or before.commit
    diff = await run_in_thread(work.diff, start, before.commit)
    changes = await run_in_thread(work.changes, start, before.commit)
    session.store.write_progress(session.id, {DIFF_FILE: diff.encode("utf-8", "surrogateescape")})
    by_text = session.order("report_text", action="REVIEW", proposals=BY_TEXT["REVIEW"])
    message = Message(
        action="REVIEW",
        text=_order(session, state, diff, changes),
        by_text=by_text,
        seconds=settings.action_timeout,
        silence=settings.silence_timeout,
        policy=turn_policy(settings.permissions, reading=True),
    )
    session.bus.publish("activity", f"{agent} reviews the work")
    async with undo_writes(session, turns, before, f"{agent}, which only reviews,"):
        await turns.begin_anew(agent)
        answer = await turns.report(
            agent, message, (), lambda problem: f"{session.order('again', problem=problem)}\n\n{by_text}"
        )
    session.bus.publish("agent", answer.output.text or answer.report.message)
    if answer.report.status != "success":
        return None, before.commit
    given = answer.report.state_updates.get("objections")
    files = await run_in_thread(work.listed)
    return await run_in_thread(check_objections, given, files, source_reader(work.root), diff), before.commit


def _order(session: LoopSession, state: LoopState, diff: str, changes: tuple[FileChange, ...]) -> str:
    goal = state.description or state.title
    tasks = [task for task in state.engine.tasks if not task.planned and task.description != goal]
    known = state.engine.review.objections if state.engine.review else ()
    criteria = list_criteria(acceptance_criteria(state.description), "Acceptance criteria of the goal:")
    asked = "".join(f"- {clip_text(clean_line(task.description), TASK_LENGTH)}\n" for task in tasks[:TASKS_SHOWN])
    return session.order(
        "review",
        goal=goal,
        project=session.project,
        criteria=f"{criteria}\n" if criteria else "",
        tasks=f"\nTasks that were added to it:\n{asked}" if asked else "",
        measured="\n".join(f"- {line}" for line in _measured(state, changes)),
        diff=_quote_diff(diff, str(session.store.progress_path(session.id) / DIFF_FILE)),
        earlier=f"# Earlier objections\n\n{EARLIER}\n\n{quote_objections(known)}\n\n" if known else "",
    )


EARLIER = "Raised in earlier reviews of this work, with what was answered. Raise again only what still holds."


def _measured(state: LoopState, changes: tuple[FileChange, ...]) -> Iterator[str]:
    """How the tests ran, what shows the goal, and which tests are others than before."""
    last, proof = state.engine.last_validation, state.engine.proof
    if last is not None:
        yield f"The engine ran {last.tests:,} tests ({last.skipped or 0} skipped), and the validation passed."
    if proof is not None:
        yield f"Proof: {proof_words(proof)}."
        yield from (f"{clean_line(test)} failed before, passes now" for test in proof.fail_to_pass[:TESTS_SHOWN])
        yield from (clean_line(line) for line in strength_lines(proof, TESTS_SHOWN))
        yield from (f"shows nothing: {clean_line(note)}" for note in proof.notes[:TESTS_SHOWN])
    tests = [f"{change.file} ({change.action})" for change in changes if is_test_material(change.file)]
    yield f"Test files that changed: {', '.join(tests[:TESTS_SHOWN]) or 'none'}."


def _quote_diff(diff: str, path: str) -> str:
    if not diff:
        return "No file was changed."
    if len(diff) <= DIFF_SHOWN:
        return fence(diff.rstrip("\n"), "diff")
    shown = diff[:DIFF_SHOWN].rpartition("\n")[0]
    lines = f"{shown.count(chr(10)) + 1:,} of {diff.count(chr(10)):,} lines"
    return f"{fence(shown, 'diff')}\n\nThese are the first {lines}. Read the whole diff in {path}."
