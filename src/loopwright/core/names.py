"""The names of actions, roles, steps and statuses, as they stand in files and messages."""

from typing import Literal

LoopStatus = Literal["created", "running", "paused", "completed", "failed", "user_exit"]


Mode = Literal["interactive", "auto"]
"""Whether a person is asked at each step, or where a decision is open."""


ActionName = Literal["INIT", "DEVELOP", "DEBUG", "VALIDATE", "REVIEW", "COMPLETE"]


FINISHED: frozenset[LoopStatus] = frozenset({"completed", "failed"})


CycleStatus = Literal["created", "running", "paused", "completed", "failed"]


TuningStatus = Literal["pending", "running", "completed", "failed"]


TuningStepName = Literal[
    "action-init",
    "action-diagnose-context",
    "action-diagnose-memory",
    "action-diagnose-dataflow",
    "action-diagnose-agent",
    "action-report",
    "action-verify",
    "action-apply-fix",
    "action-propose-fixes",
    "action-next-iteration",
    "action-complete",
    "action-fail",
]


ServerRole = Literal["view", "steer", "approve", "admin"]
"""What a token of the server may do; each may what those before it may."""


COUNTED = frozenset({"DEVELOP", "DEBUG", "VALIDATE"})
"""Actions that use up an iteration, failed ones too."""
