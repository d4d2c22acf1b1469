"""LOOP as a declaration for the kernel: what is ready, who does it, how it lands."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from pydantic import JsonValue

from loopwright.core.agent_failures import failure_outcome
from loopwright.core.agent_names import complete_name
from loopwright.core.course import count_validation
from loopwright.core.delivery import add_pending, commit_tasks
from loopwright.core.errors import AgentError, Invalid
from loopwright.core.handover import may_hand_over
from loopwright.core.names import ActionName
from loopwright.core.outcomes import ActionFailed, Interrupted, ValidationOutcome
from loopwright.core.ports import Agent
from loopwright.core.run import add_incidents
from loopwright.core.state import Checkpoint, PendingCommit
from loopwright.core.threads import run_in_thread
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import (
    ActionOutcome,
    ActionStep,
    CompleteOutcome,
    DebugOutcome,
    DevelopOutcome,
    strip_project_paths,
)
from loopwright.workflows.loop.publish import announce_end, change_lines, publish, result_words
from loopwright.workflows.loop.reducer import (
    agent_at_work,
    begin_action,
    count_iteration,
    end_action,
    hand_over_loop,
    handover_reason,
)
from loopwright.workflows.loop.selector import LoopFacts, NextAction, next_action, normalise_state, still_holds
from loopwright.workflows.loop.session import LoopSession
from loopwright.workflows.loop.steps.complete import run_complete, run_validate
from loopwright.workflows.loop.steps.debug import run_debug
from loopwright.workflows.loop.steps.develop import run_develop
from loopwright.workflows.loop.steps.init import run_init
from loopwright.workflows.loop.steps.menu import ask_choice
from loopwright.workflows.loop.steps.review import run_review
from loopwright.workflows.loop.summary import add_summary
from loopwright.workflows.run_flow import (
    RunFlow,
    account_usage,
    cost_fields,
    find_fallback,
    handover_fields,
    take_checkpoint,
)

Handler = Callable[[LoopSession, NextAction], Awaitable[ActionOutcome]]

HANDLERS: dict[ActionName, Handler] = {
    "INIT": run_init,
    "DEVELOP": run_develop,
    "DEBUG": run_debug,
    "VALIDATE": run_validate,
    "REVIEW": run_review,
    "COMPLETE": run_complete,
}

ACTS_BY_ITSELF = frozenset({"INIT"})
"""What interactive mode does without asking."""


class LoopFlow(RunFlow[LoopState]):
    """One loop's workflow; a loop has one step at a time."""

    def __init__(self, session: LoopSession) -> None:
        super().__init__(session)
        self._session = session
        self._facts = LoopFacts(tree="")

    async def ready(self, state: LoopState, running: tuple[NextAction, ...]) -> tuple[NextAction, ...]:
        if running:
            return ()
        state, agent = self._own_agent(state)
        self._facts = LoopFacts(tree=await self._session.tree(), can_write=agent.capabilities.writes_code)
        state = normalise_state(state)
        choice = next_action(state, self._facts)
        if choice is None:
            return ()
        if not self._session.interactive or choice.action in ACTS_BY_ITSELF:
            return (choice,)
        chosen = await ask_choice(self._session, state, self._facts, choice)
        return (chosen,) if chosen else ()

    def _own_agent(self, state: LoopState) -> tuple[LoopState, Agent]:
        """The loop's own, or who takes over from one that is not here. AgentError where nobody does."""
        session, settings = self._session, state.engine.settings
        try:
            return state, session.turns.agent(settings.agent)
        except AgentError as error:
            handover = find_fallback(session, session.turns, complete_name(settings.agent, settings), str(error))
            if handover is None:
                raise
            told, fields = session.noted(), handover_fields(handover)
            state = session.commit(
                lambda latest: add_incidents(hand_over_loop(latest, handover), told), "handed_over", **fields
            )
            return state, session.turns.agent(state.engine.settings.agent)

    def begin(self, choice: NextAction) -> bool:
        """Commits the begin, unless the latest state would not choose this any more."""
        facts = self._facts
        begun = self.commit_begin(
            lambda state: still_holds(state, choice, facts),
            lambda state: begin_action(state, choice),
            "action_started",
            action=choice.action,
            row=choice.row,
            task=choice.task,
        )
        if begun is not None:
            self._session.bus.publish("action", choice.action)
        return begun is not None

    async def perform(self, choice: NextAction) -> ActionOutcome:
        outcome: ActionOutcome
        try:
            outcome = await HANDLERS[choice.action](self._session, choice)
        except AgentError as error:
            outcome = failure_outcome(error, self._session.clock.now())
        except (Invalid, OSError) as error:
            outcome = ActionFailed(str(error))
        outcome = strip_project_paths(outcome, self._session.project)
        if isinstance(outcome, ActionFailed):
            self._session.note("no_result", f"{choice.action} gave no result: {outcome.message}")
        return outcome

    def interrupted(self, choice: NextAction) -> ActionOutcome:
        return Interrupted("cancelled by a person")

    async def finish(self, choice: NextAction, outcome: ActionOutcome, elapsed: float) -> None:
        session = self._session
        before = session.state()
        turns = session.reviewing if choice.action == "REVIEW" else session.turns
        usage = account_usage(session, await (turns or session.turns).spent())
        step = ActionStep(
            action=choice.action,
            outcome=outcome,
            at=session.now(),
            elapsed=elapsed,
            usage=usage,
            can_write=self._facts.can_write,
            token=session.clock.token(),
            incidents=session.noted(),
            told=session.told_answer(),
        )
        checkpoint = await take_checkpoint(session, f"after {choice.action}", choice.action, step.at)
        step = self._relieved(before, step, checkpoint)
        words = result_words(outcome)
        session.last_result = (choice.action, words)
        lines = change_lines(before, choice, outcome, step.at)
        done = _to_commit(before, outcome)
        if isinstance(outcome, CompleteOutcome):
            announce_end(session, end_action(before, step, checkpoint))
        state = session.commit(
            lambda latest: add_pending(add_summary(end_action(latest, step, checkpoint), session.incidents), done),
            "action_finished",
            action=choice.action,
            task=choice.task,
            iteration=count_iteration(before, step).current_iteration,
            result=words,
            changes=list(lines),
            reasons=list(outcome.reasons) if isinstance(outcome, ValidationOutcome) else [],
            **cost_fields(usage),
            **_tests(outcome),
            **handover_fields(step.handover),
        )
        if step.handover is not None:
            await session.turns.rest()  # whoever was relieved has nothing to do any more
        publish(session, state, lines, outcome)
        session.bus.publish("result", f"{choice.action}: {words}{_why(outcome)}")
        await run_in_thread(commit_tasks, session)

    def _relieved(self, before: LoopState, step: ActionStep, checkpoint: Checkpoint | None) -> ActionStep:
        """The step, with who takes over after it where its agent cannot go on."""
        by = agent_at_work(before, step.action)
        if not may_hand_over(before) or by == "bash":
            return step
        why = handover_reason(before, step, checkpoint)
        handover = find_fallback(self._session, self._session.turns, by, why, step.outcome) if why else None
        return replace(step, handover=handover, incidents=(*step.incidents, *self._session.noted()))


def _to_commit(state: LoopState, outcome: ActionOutcome) -> PendingCommit | None:
    """What a step has done, in the task's own words; None where there is nothing to commit."""
    match outcome:
        case DevelopOutcome(ok=True, changes=(_, *_)):
            task = state.engine.task(outcome.task_id)
            return PendingCommit(words=task.description if task else outcome.message, task=outcome.task_id)
        case DebugOutcome(changes=(_, *_)):
            return PendingCommit(words=outcome.message)
        case _:
            return None


def _tests(outcome: ActionOutcome) -> dict[str, JsonValue]:
    """What was counted, where tests ran."""
    counted = count_validation(outcome.checked if isinstance(outcome, CompleteOutcome) else outcome)
    return {} if counted is None else {"tests": counted}


def _why(outcome: ActionOutcome) -> str:
    """What a failing validation failed for, in brackets."""
    reasons = outcome.reasons if isinstance(outcome, ValidationOutcome) else ()
    return f" ({'; '.join(reasons[:2])}{'; …' if len(reasons) > 2 else ''})" if reasons else ""
