"""When the next of a run's fallback agents takes over from the one at work, and what that changes in any run. Pure.

What has become of the agent is measured, or its own error: a limit, a refusal, its end, or two fruitless tries.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from loopwright.core.agent_failures import TABLE
from loopwright.core.agent_names import complete_name
from loopwright.core.errors import AgentTrouble
from loopwright.core.outcomes import ActionFailed, LimitReached, NeedsInput
from loopwright.core.run import R, Run
from loopwright.core.state import RelievedAgent

FRUITLESS = 2
"""Fruitless tries in a row after which another agent shall try."""


@dataclass(frozen=True)
class Handover:
    """`to` takes over from `by`, both as they are chosen (`codex:gpt-5.5@high`), and why.

    `limit`: the one that `by` has reached. `back`: the one that `to` has to wait for, since nobody else is left.
    """

    by: str
    to: str
    why: str
    limit: LimitReached | None = None
    back: LimitReached | None = None

    @property
    def words(self) -> str:
        if self.back:
            return f"{self.by} cannot take over, and {self.to} is waited for: {self.why}"
        return f"{self.to} takes over from {self.by}: {self.why}"


def trouble_words(outcome: object, row: int) -> str | None:
    """Why an agent cannot go on that has come to this outcome; None where it may. `row`: failures so, this included."""
    match outcome:
        case NeedsInput(question=words, trouble=str(kind)) | LimitReached(reason=words, trouble=str(kind)):
            return words if row >= TABLE[kind].relieved else None
        case ActionFailed(message=words, trouble=str(kind)):
            return words if row >= TABLE[kind].relieved else None
        case _:
            return None


def may_hand_over(state: Run) -> bool:
    """Whether there is somebody to go on instead of the agent at work."""
    engine = state.engine
    return state.status == "running" and (bool(engine.settings.fallback) or engine.relieved is not None)


def fallbacks_left(fallback: Iterable[str], by: str) -> tuple[str, ...]:
    """Whom the run may still fall back on, in order."""
    return tuple(name for name in fallback if name != by)


def hand_over(state: R, handover: Handover) -> R:
    """With the other one as the run's agent, where it was the run's own; it is no fallback any more, nor are those
    before it.

    It stays at work when the other's limit has passed. A model is part of its name: it has a session of its own, also
    beside one of the same program.
    """
    settings = state.engine.settings
    known = settings.fallback
    left = known[known.index(handover.to) + 1 :] if handover.to in known else known
    changed = settings.evolve(fallback=left)
    if complete_name(settings.agent, settings) == handover.by:
        changed = changed.evolve(agent=handover.to, model=None, effort=None)
    relieved = state.engine.relieved
    if handover.limit is not None and relieved is None:
        relieved = RelievedAgent(agent=handover.by, reason=handover.limit.reason, until=handover.limit.until)
    return state.evolve(engine=state.engine.evolve(settings=changed, relieved=None if handover.back else relieved))


def hand_back(relieved: RelievedAgent | None, by: str, why: str, trouble: AgentTrouble | None) -> Handover | None:
    """To the agent whose limit ends by itself, from one that is not even logged in and has done nothing."""
    if relieved is None or trouble is None or TABLE[trouble].then != "asks":
        return None
    return Handover(by, relieved.agent, why, back=LimitReached(relieved.reason, relieved.until))
