"""An async job queue."""

from .bucket import TokenBucket
from .bus import Bus
from .clock import ManualClock
from .crew import Crew, Outcome
from .jobs import GiveUp, Job, Retry

__all__ = ["Bus", "Crew", "GiveUp", "Job", "ManualClock", "Outcome", "Retry", "TokenBucket"]
