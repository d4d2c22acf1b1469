"""VALIDATE: run the project's tests, and believe nothing else. COMPLETE: look once more, summarise, end the loop."""

from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.state import Outcome
from loopwright.core.text import clip_text, plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.proof import Proof
from loopwright.evidence.seal import seal_outcome, sealed_doubt
from loopwright.evidence.validation import environment_doubt, nothing_to_run, validate_tree
from loopwright.evidence.verdict import TROUBLES
from loopwright.workflows.loop.model import LoopState, Summary
from loopwright.workflows.loop.outcomes import ActionOutcome, CompleteOutcome
from loopwright.workflows.loop.selector import CHOSEN, NextAction, open_tasks
from loopwright.workflows.loop.session import LoopSession
from loopwright.workflows.loop.stall import find_stall
from loopwright.workflows.loop.summary import summarise_loop


async def run_validate(session: LoopSession, choice: NextAction) -> ActionOutcome:
    command = session.state().engine.settings.test_command or await _find_command(session)
    if command is None:
        return nothing_to_run(await session.tree())
    # Who asks for it gets a run.
    return await validate_tree(session, command, counted=True, anew=choice.row == CHOSEN)


async def _find_command(session: LoopSession) -> str | None:
    """A loop taken over from elsewhere may know none yet; a person can be asked."""
    found = session.tests.detect()
    if found is not None or session.person is None:
        return found
    answer = await session.person.ask(
        "No test command was found. Which command runs the tests? (empty or none: there are none)", ()
    )
    command = answer.strip()
    return None if command in ("", "none") else command


PASSED: frozenset[Outcome] = frozenset({"succeeded", "unproven"})
WORTH_ANOTHER_LOOK: frozenset[Outcome] = PASSED | {"exhausted", "over_budget", "unverified"}
"""Ends that a validation by this process could still change; the others are final."""


async def run_complete(session: LoopSession, choice: NextAction) -> ActionOutcome:
    outcome = await _completed(session, choice)
    ends_worse = isinstance(outcome, CompleteOutcome) and outcome.outcome != "succeeded"
    return (ends_worse and await _before_answers(session, outcome)) or outcome


async def _before_answers(session: LoopSession, outcome: ActionOutcome) -> CompleteOutcome | None:
    """The end of what had passed before a review asked for more, where it passes still: a review costs no success.

    None where there is none, it is no better, or somebody has changed the files since the last action.
    """
    state = session.state()
    review, command, known = state.engine.review, state.engine.settings.test_command, state.engine.checkpoints
    if review is None or review.good is None or command is None or open_tasks(state):
        return None
    here, work = await session.snapshot("before answers are taken back"), session.workspace
    files = [change.file for change in await run_in_thread(work.changes, review.good, here.commit)]
    if files and (not known or known[-1].tree != here.tree):
        return None
    await run_in_thread(work.restore, review.good, files)
    session.bus.publish("activity", "validating what had passed before the review")
    checked = await seal_outcome(session, await validate_tree(session, command, counted=False, anew=True), command)
    was_unproven = isinstance(outcome, CompleteOutcome) and outcome.outcome == "unproven"
    if checked.proof is None or (was_unproven and not checked.proof.shown):
        await run_in_thread(work.restore, here.commit, files)
        return None
    session.note("put_back", f"took back what was done for the review, which did not pass: {', '.join(files[:10])}")
    return CompleteOutcome(_end(checked.proof), None, await _summary(session, state, checked), checked, reverted=True)


async def _completed(session: LoopSession, choice: NextAction) -> ActionOutcome:
    state = session.state()
    wanted = choice.outcome or "unverified"
    command = state.engine.settings.test_command
    tree = await session.tree()
    # Whatever the state says of this tree, only what this process has seen of it counts.
    seen, proof = session.verdicts.get(tree), _seen_proof(session, state)
    if wanted in PASSED and seen and proof is not None and await _doubt(session, command, proof) is None:
        return CompleteOutcome(_end(proof), None, await _summary(session, state))
    is_settled = (seen is not None and wanted not in PASSED) or wanted not in WORTH_ANOTHER_LOOK
    was_selected = session.measured is not None and bool(session.measured.selected)
    if (is_settled and not was_selected) or (command is None and wanted not in PASSED):
        return CompleteOutcome(wanted, failure_reason(state, choice), await _summary(session, state))
    if command is None:
        return nothing_to_run(tree, counted=False)
    session.bus.publish("activity", "validating once more before completing")
    checked = await validate_tree(session, command, counted=False, anew=True)
    if checked.proof is not None and checked.proof.shown:
        checked = await seal_outcome(session, checked, command)
    summary = await _summary(session, state, checked)
    if checked.proof is not None and not open_tasks(state) and (checked.proof.shown or _was_asked(state, wanted)):
        return CompleteOutcome(_end(checked.proof), None, summary, checked)
    if wanted in PASSED or checked.proof is not None:
        return checked
    return CompleteOutcome(wanted, failure_reason(state, choice, checked.reasons), summary, checked)


async def _doubt(session: LoopSession, command: str | None, proof: Proof) -> str | None:
    """Why what this process has seen to pass is no success."""
    doubt = await environment_doubt(session, command)
    if doubt or command is None or not proof.shown:
        return doubt
    return await sealed_doubt(session, proof.fail_to_pass, command)


async def _summary(session: LoopSession, state: LoopState, checked: ValidationOutcome | None = None) -> Summary:
    """With everything that differs from the files as the loop found them."""
    start, here = session.start(), await session.snapshot("at the end")
    diff = await run_in_thread(session.workspace.diff, start, here.commit) if start else None
    return summarise_loop(state, checked, session.incidents, diff)


def _seen_proof(session: LoopSession, state: LoopState) -> Proof | None:
    """What this process has computed for the tree that was validated last."""
    last = state.engine.last_validation
    return session.proofs.get((last.tree, session.proof_goal())) if last else None


def _was_asked(state: LoopState, wanted: Outcome) -> bool:
    """Whether the proof that is missing was ordered before; where it was chosen to end, it need not be."""
    return state.engine.spent.proof_task is not None or wanted != "succeeded"


def _end(proof: Proof) -> Outcome:
    return "succeeded" if proof.shown else "unproven"


def failure_reason(state: LoopState, choice: NextAction, seen: tuple[str, ...] = ()) -> str | None:
    """Why the loop ends as failed, in words; None for an end that is completed. `seen`: what the last look said."""
    limit = state.engine.budget.reached
    match choice.outcome:
        case "exhausted" if state.current_iteration >= state.max_iterations:
            return f"the limit of {plural(state.max_iterations, 'iteration')} is reached; see summary.md for the rest"
        case "exhausted":
            return "nothing is left to try; see summary.md for the rest"
        case "over_budget":
            return f"the {limit.words if limit else 'budget'} is used up"
        case "stalled":
            return find_stall(state.engine.sightings)
        case "failed":
            return f"all tests pass, but {_left_undone(state)}"
        case "unverified" if choice.row:
            return f"{seen[0] if seen else TROUBLES['no_tests']}, so nothing could be verified"
        case _:
            return None


def _left_undone(state: LoopState) -> str:
    """The tasks that have failed, the first by its words."""
    tasks = state.skill_state.develop.tasks if state.skill_state else ()
    failed = [task for task in tasks if task.status == "failed"]
    undone = state.engine.spent.unchanged or ()
    count = plural(len(failed), "task")
    what = "changed nothing, although asked twice" if failed and failed[0].id in undone else "failed"
    return f"{count} {what}: {clip_text(failed[0].description, 80)}" if failed else "a task is left"
