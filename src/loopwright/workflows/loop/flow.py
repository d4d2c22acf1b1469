"""LOOP as a declaration for the kernel: what is ready, who does it, how it lands."""

from collections.abc import Awaitable, Callable

from pydantic import JsonValue

from loopwright.core.agent_failures import failure_outcome
from loopwright.core.course import count_validation
from loopwright.core.errors import AgentError, Invalid
from loopwright.core.names import ActionName
from loopwright.core.outcomes import ActionFailed, Interrupted, ValidationOutcome
from loopwright.core.protocol import Control, Usage
from loopwright.core.record import JournalEvent
from loopwright.core.state import Checkpoint
from loopwright.core.status_table import control_signal
from loopwright.workflows.loop.bookkeeping import count_iteration
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import ActionOutcome, ActionStep, CompleteOutcome, strip_project_paths
from loopwright.workflows.loop.publish import announce_end, change_lines, publish, result_words
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import LoopFacts, NextAction, next_action, normalise_state, still_holds
from loopwright.workflows.loop.session import LoopSession
from loopwright.workflows.loop.steps.complete import run_complete
from loopwright.workflows.loop.steps.debug import run_debug
from loopwright.workflows.loop.steps.develop import run_develop
from loopwright.workflows.loop.steps.init import run_init
from loopwright.workflows.loop.steps.menu import ask_choice
from loopwright.workflows.loop.steps.validate import run_validate
from loopwright.workflows.loop.summary import add_summary

Handler = Callable[[LoopSession, NextAction], Awaitable[ActionOutcome]]

HANDLERS: dict[ActionName, Handler] = {
    "INIT": run_init,
    "DEVELOP": run_develop,
    "DEBUG": run_debug,
    "VALIDATE": run_validate,
    "COMPLETE": run_complete,
}

ACTS_BY_ITSELF = frozenset({"INIT"})
"""What interactive mode does without asking."""


class LoopFlow:
    """One loop's workflow; a loop has one step at a time."""

    def __init__(self, session: LoopSession) -> None:
        self._session = session
        self._facts = LoopFacts(tree="")

    def read(self) -> LoopState:
        return self._session.state()

    def control(self, state: LoopState) -> Control:
        return control_signal(state)

    def must_cancel(self, state: LoopState) -> bool:
        """A stop cancels at once; a pause only when it says now."""
        signal = control_signal(state)
        return signal is Control.STOP_EXIT or (signal is Control.PAUSE_EXIT and state.engine.interrupt)

    async def ready(self, state: LoopState, running: tuple[NextAction, ...]) -> tuple[NextAction, ...]:
        if running:
            return ()
        agent = self._session.turns.agent(state.engine.settings.agent)
        self._facts = LoopFacts(tree=await self._session.tree(), can_write=agent.capabilities.writes_code)
        state = normalise_state(state)
        choice = next_action(state, self._facts)
        if choice is None:
            return ()
        if not self._session.interactive or choice.action in ACTS_BY_ITSELF:
            return (choice,)
        chosen = await ask_choice(self._session, state, self._facts, choice)
        return (chosen,) if chosen else ()

    def begin(self, choice: NextAction) -> bool:
        """Commits the begin, unless the latest state would not choose this any more."""
        session, facts = self._session, self._facts
        begun = False

        def rule(state: LoopState) -> LoopState:
            nonlocal begun
            begun = control_signal(state) is Control.CONTINUE and still_holds(state, choice, facts)
            return begin_action(state, choice) if begun else state

        event = JournalEvent(
            type="action_started", data={"action": choice.action, "row": choice.row, "task": choice.task}
        )
        session.store.update(session.id, rule, actor="runner", event=event, epoch=session.epoch)
        if begun:
            session.bus.publish("action", choice.action)
        return begun

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
        usage = await self._usage(before)
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
        checkpoint = await self._checkpoint(before, choice, step.at)
        words = result_words(outcome)
        session.last_result = (choice.action, words)
        lines = change_lines(before, choice, outcome, step.at)
        event = JournalEvent(
            type="action_finished",
            data={
                "action": choice.action,
                "task": choice.task,
                "iteration": count_iteration(before, step).current_iteration,
                "result": words,
                "changes": list(lines),
                "reasons": list(outcome.reasons) if isinstance(outcome, ValidationOutcome) else [],
                **_cost(usage),
                **_tests(outcome),
            },
        )
        if isinstance(outcome, CompleteOutcome):
            announce_end(session, end_action(before, step, checkpoint))
        state = session.store.update(
            session.id,
            lambda latest: add_summary(end_action(latest, step, checkpoint), session.incidents),
            actor="runner",
            event=event,
            epoch=session.epoch,
        )
        publish(session, state, lines, outcome)
        session.bus.publish("result", f"{choice.action}: {words}{_why(outcome)}")

    async def _usage(self, state: LoopState) -> Usage:
        """What the agents' turns of this step cost. A limit that cannot hold is told of, once."""
        usage, unpriced = await self._session.turns.spent()
        if state.engine.budget.max_cost is not None:
            for agent in unpriced:
                words = f"what {agent} costs is unknown; the cost limit cannot be enforced (tokens and time can)"
                if all(incident.message != words for incident in state.engine.incidents):
                    self._session.note("cost_unknown", words)
        return usage

    async def _checkpoint(self, state: LoopState, choice: NextAction, at: str) -> Checkpoint | None:
        """A snapshot when the tree is not what the last checkpoint holds."""
        snapshot = await self._session.snapshot(f"after {choice.action}")
        known = state.engine.checkpoints
        if known and known[-1].tree == snapshot.tree:
            return None
        return Checkpoint(n=0, rev=0, commit=snapshot.commit, tree=snapshot.tree, action=choice.action, at=at)


def _cost(usage: Usage) -> dict[str, JsonValue]:
    """What is known of it."""
    known: dict[str, JsonValue] = {"tokens": usage.tokens, "cost": usage.cost}
    return {name: value for name, value in known.items() if value is not None}


def _tests(outcome: ActionOutcome) -> dict[str, JsonValue]:
    """What was counted, where tests ran."""
    counted = count_validation(outcome.checked if isinstance(outcome, CompleteOutcome) else outcome)
    return {} if counted is None else {"tests": counted}


def _why(outcome: ActionOutcome) -> str:
    """What a failing validation failed for, in brackets."""
    reasons = outcome.reasons if isinstance(outcome, ValidationOutcome) else ()
    return f" ({'; '.join(reasons[:2])}{'; …' if len(reasons) > 2 else ''})" if reasons else ""
