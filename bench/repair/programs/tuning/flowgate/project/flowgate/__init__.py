"""Rate limits."""

from .aio import AsyncGate
from .buckets import CostTooHigh, Decision, Limit, SlidingWindow, TokenBucket
from .keyed import AllOf, KeyedLimiter
from .rules import Rule, RuleError, parse_rules

__all__ = [
    "AllOf",
    "AsyncGate",
    "CostTooHigh",
    "Decision",
    "KeyedLimiter",
    "Limit",
    "Rule",
    "RuleError",
    "SlidingWindow",
    "TokenBucket",
    "parse_rules",
]
