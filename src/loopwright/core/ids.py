"""Ids: how new ones are made, and the one pattern that decides what may touch a path."""

import re
from datetime import datetime

from loopwright.core.errors import Invalid

SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", re.ASCII)
TUNING = "skill-tuning-"
"""What the ids of tuning sessions begin with, and nothing else in their folder."""


def is_safe_id(id: str) -> bool:
    """True for ids that name one file in one folder and nothing else."""
    return SAFE_ID.fullmatch(id) is not None


def check_id(id: str, kind: str = "loop") -> str:
    """The id itself, or Invalid with the form that is expected."""
    if not is_safe_id(id):
        raise Invalid(f"Invalid {kind} ID format: {id!r} (letters, digits, '-' and '_', at most 128)")
    return id


def new_loop_id(now: datetime, token: str) -> str:
    """`loop-v2-{YYYYMMDDTHHMMSS}-{8 hex}`; `token` holds the hex digits."""
    return f"loop-v2-{now:%Y%m%dT%H%M%S}-{token[:8]}"


def new_cycle_id(now: datetime, token: str) -> str:
    """`cycle-v1-{YYYYMMDDTHHMMSS}-{8 hex}`; `token` holds the hex digits."""
    return f"cycle-v1-{now:%Y%m%dT%H%M%S}-{token[:8]}"


def new_tuning_id(now: datetime, token: str) -> str:
    """`skill-tuning-{YYYYMMDDTHHMMSS}-{8 hex}`; `token` holds the hex digits."""
    return f"{TUNING}{now:%Y%m%dT%H%M%S}-{token[:8]}"


def new_task_id(token: str) -> str:
    """`task-{8 hex}`."""
    return f"task-{token[:8]}"


def generation_of(loop_id: str) -> str:
    """The name under which tasks are generated for a loop: its processes are not those of the loop's runner."""
    return f"{loop_id}-generate"


def attempts_of(first: str) -> str:
    """The name under which several attempts are driven, of which this is the first."""
    return f"{first}-attempts"


def next_hypothesis_id(known: tuple[str, ...]) -> str:
    """H1, H2, … after the highest number in use."""
    numbers = [int(id[1:]) for id in known if re.fullmatch(r"H[0-9]{1,9}", id)]
    return f"H{max(numbers, default=0) + 1}"
