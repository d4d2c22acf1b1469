"""Deliver messages to async handlers."""

from .hub import Hub
from .messages import Mailbox, Message
from .office import Busy, NoHandler, Office, Report, Slots
from .retry import GaveUp, Policy, Reject, attempt

__all__ = [
    "Busy",
    "GaveUp",
    "Hub",
    "Mailbox",
    "Message",
    "NoHandler",
    "Office",
    "Policy",
    "Reject",
    "Report",
    "Slots",
    "attempt",
]
