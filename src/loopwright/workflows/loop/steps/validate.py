"""VALIDATE: run the project's tests, and believe nothing else."""

from loopwright.evidence.validation import nothing_to_run, validate_tree
from loopwright.workflows.loop.outcomes import ActionOutcome
from loopwright.workflows.loop.selector import CHOSEN, NextAction
from loopwright.workflows.loop.session import LoopSession


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
