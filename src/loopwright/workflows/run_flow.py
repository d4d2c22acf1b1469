"""What the flows of all kinds of runs share: how a step begins, what it has cost, and what is told of its turns."""

from collections.abc import Callable
from typing import Generic

from pydantic import JsonValue

from loopwright.core.agent_turns import AgentTurns, ReportedAnswer
from loopwright.core.context import MeasuredRunContext, RunContext
from loopwright.core.errors import AgentError
from loopwright.core.handover import Handover, fallbacks_left, hand_back
from loopwright.core.outcomes import LimitReached, NeedsInput
from loopwright.core.ports import Rule
from loopwright.core.protocol import Control, Usage
from loopwright.core.run import R
from loopwright.core.spending import SpentTotal
from loopwright.core.state import Checkpoint
from loopwright.core.status_table import control_signal
from loopwright.evidence.verdict import claims_green_tests, quote_words

BROKEN_OFF = "the runner died"


class RunFlow(Generic[R]):
    """The part of `Workflow` that is the same for every kind."""

    def __init__(self, run: RunContext[R]) -> None:
        self._run = run

    def read(self) -> R:
        return self._run.state()

    def control(self, state: R) -> Control:
        return control_signal(state)

    def must_cancel(self, state: R) -> bool:
        """A stop cancels at once; a pause only when it says now."""
        signal = control_signal(state)
        return signal is Control.STOP_EXIT or (signal is Control.PAUSE_EXIT and state.engine.interrupt)

    def commit_begin(self, holds: Callable[[R], bool], rule: Rule[R], type: str, **data: JsonValue) -> R | None:
        """The state in which a step has begun; None where the latest one would not choose it any more."""
        begun = False

        def begin(state: R) -> R:
            nonlocal begun
            begun = control_signal(state) is Control.CONTINUE and holds(state)
            return rule(state) if begun else state

        state = self._run.commit(begin, type, **data)
        return state if begun else None


async def take_checkpoint(
    run: MeasuredRunContext[R], label: str, action: str, at: str | None = None
) -> Checkpoint | None:
    """A snapshot when the tree is not what the last checkpoint holds."""
    snapshot = await run.snapshot(label)
    known = run.state().engine.checkpoints
    if known and known[-1].tree == snapshot.tree:
        return None
    return Checkpoint(n=0, rev=0, commit=snapshot.commit, tree=snapshot.tree, action=action, at=at or run.now())


def account_usage(run: RunContext[R], spent: SpentTotal) -> Usage:
    """What the agents' turns of a step cost. A limit that cannot hold is told of, once."""
    engine = run.state().engine
    for agent in spent.unpriced if engine.budget.max_cost is not None else ():
        words = f"what {agent} costs is unknown; the cost limit cannot be enforced (tokens and time can)"
        if all(incident.message != words for incident in engine.incidents):
            run.note("cost_unknown", words)
    return spent.usage


def cost_fields(usage: Usage) -> dict[str, JsonValue]:
    """What is known of it, for the journal."""
    known: dict[str, JsonValue] = {"tokens": usage.tokens, "cost": usage.cost}
    return {name: value for name, value in known.items() if value is not None}


def note_answer(run: MeasuredRunContext[R], agent: str, about: str, answer: ReportedAnswer, counts: str) -> None:
    """Tells how the answer of a turn `about` something came. `counts`: what there is without a report, in words."""
    if answer.late:
        run.note("out_of_time", f"{about}: {agent} {answer.late}; what it reported at the cut-off counts")
    if answer.report.status == "none":
        run.note("no_report", f"{agent} gave no report on {about}, even when asked again; only {counts}")
    elif answer.asked_again:
        run.note("no_report", f"{agent} answered {about} without a report, and was asked once more")
    if claims_green_tests(answer.report):
        run.claims.append(f"{about} said {quote_words(answer.report.message)}")


def find_fallback(
    run: MeasuredRunContext[R], turns: AgentTurns, by: str, why: str, outcome: object = None
) -> Handover | None:
    """Who takes over from `by`: the first of the run's fallback agents that is here. All of it is told.

    `outcome`: what its step came to.
    """
    limit = outcome if isinstance(outcome, LimitReached) else None
    for name in fallbacks_left(run.state().engine.settings.fallback, by):
        try:
            turns.agent(name)
        except AgentError as error:
            run.note("fallback_skipped", f"{name} cannot take over from {by}: {error}")
        else:
            handover = Handover(by, name, why, limit)
            run.note("handed_over", handover.words)
            return handover
    trouble = outcome.trouble if isinstance(outcome, NeedsInput) else None
    back = hand_back(run.state().engine.relieved, by, why, trouble)
    run.note("handed_over", back.words if back else None)
    return back


def handover_fields(handover: Handover | None) -> dict[str, JsonValue]:
    """For the journal."""
    return {} if handover is None else {"handed_over": {"by": handover.by, "to": handover.to}}
