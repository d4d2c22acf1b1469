"""What becomes of a turn that an agent could not do: one table over the kinds of its trouble. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Literal

from loopwright.core.errors import AgentError, AgentTrouble
from loopwright.core.outcomes import ActionFailed, LimitReached, NeedsInput

WAITS = (5.0, 15.0, 45.0)
"""Seconds before the first, second and third time that a message is sent again."""

LONGEST_WAIT = 300.0
"""Seconds that are waited within an action; a limit that lasts longer parks the loop."""


@dataclass(frozen=True)
class RetryRule:
    """`mended`: what is tried within the action, and `times` how often; `then`: what the action comes back with.

    `relieved`: actions in a row that end so, after which the next of the run's fallback agents takes over.
    """

    mended: Literal["by waiting", "by a new process", "not at all"]
    times: int
    then: Literal["fails", "asks", "parks"]
    relieved: float = 1


TABLE: dict[AgentTrouble, RetryRule] = {
    "timeout": RetryRule("not at all", 0, "fails", 2),
    "died": RetryRule("by a new process", 1, "fails"),
    "protocol": RetryRule("by a new process", 1, "fails", 2),
    "transient": RetryRule("by waiting", len(WAITS), "fails"),
    "rate_limit": RetryRule("by waiting", len(WAITS), "fails"),
    "quota": RetryRule("not at all", 0, "parks"),
    "auth": RetryRule("not at all", 0, "asks"),
    "refused": RetryRule("not at all", 0, "asks"),
    "sandbox": RetryRule("not at all", 0, "asks", inf),
}
"""An action that fails is tried once more by the loop; one that asks or parks pauses it."""


@dataclass(frozen=True)
class RetryAfter:
    """The same message again, in the same session, after so many seconds."""

    seconds: float


@dataclass(frozen=True)
class RespawnAgent:
    """The same message again, to a new process."""


def choose_retry(error: AgentError, before: Sequence[AgentTrouble], now: datetime) -> RetryAfter | RespawnAgent | None:
    """What to try within the action; None: nothing any more. `before`: troubles that were mended in it so far."""
    row = TABLE[error.kind]
    tried = sum(TABLE[kind].mended == row.mended for kind in before)
    if tried >= row.times or _lasts(error, now):
        return None
    if row.mended == "by a new process":
        return RespawnAgent()
    named = (error.until - now).total_seconds() if error.until else 0
    return RetryAfter(min(named, LONGEST_WAIT) if named > 0 else WAITS[tried])


def failure_outcome(error: AgentError, now: datetime) -> ActionFailed | LimitReached | NeedsInput:
    """What an action comes back with that its agent's trouble has ended."""
    row = TABLE[error.kind]
    if row.then == "parks" or _lasts(error, now):
        return LimitReached(str(error), error.until.isoformat() if error.until else None, error.kind)
    if row.then == "asks":
        words = f"{str(error).rstrip('. ')}. Fix that, then resume the loop."
        return NeedsInput(words, by_resuming=True, trouble=error.kind)
    return ActionFailed(str(error), error.kind)


def _lasts(error: AgentError, now: datetime) -> bool:
    """A rate limit that will not pass while an action waits."""
    far = error.until is not None and (error.until - now).total_seconds() > LONGEST_WAIT
    return error.kind == "rate_limit" and far
