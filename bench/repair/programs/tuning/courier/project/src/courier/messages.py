"""Messages and the box they wait in."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any


@dataclass(order=True)
class Message:
    topic: str
    body: dict[str, Any] = field(default_factory=dict, compare=False)
    priority: int = field(default=0, compare=False)
    number: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.topic}#{self.number}"


class Mailbox:
    """Messages of high priority come out first, equal ones in the order they came in."""

    def __init__(self, limit: int | None = None):
        self.limit = limit
        self._heap: list[tuple[int, int, Message]] = []
        self._turn = count()
        self._number = 0

    def put(self, topic: str, body: dict[str, Any] | None = None, priority: int = 0) -> Message:
        if self.limit is not None and len(self._heap) >= self.limit:
            raise OverflowError(f"mailbox holds {self.limit} messages")
        self._number += 1
        message = Message(topic, dict(body or {}), priority, self._number)
        self._push(message)
        return message

    def put_back(self, message: Message) -> None:
        """Let a message wait again, behind others of its priority."""
        self._push(message)

    def _push(self, message: Message) -> None:
        heapq.heappush(self._heap, (-message.priority, next(self._turn), message))

    def take(self) -> Message:
        if not self._heap:
            raise IndexError("mailbox is empty")
        return heapq.heappop(self._heap)[-1]

    def discard(self, topic: str) -> int:
        """Throw away all waiting messages of a topic; tells how many."""
        kept = [item for item in self._heap if item[-1].topic != topic]
        gone = len(self._heap) - len(kept)
        heapq.heapify(kept)
        self._heap = kept
        return gone

    def waiting(self) -> Iterator[Message]:
        """The messages in the order they will be taken."""
        for item in sorted(self._heap):
            yield item[-1]

    def __len__(self) -> int:
        return len(self._heap)
