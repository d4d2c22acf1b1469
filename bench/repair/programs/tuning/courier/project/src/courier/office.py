"""The office takes messages from its mailbox and has handlers deal with them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from .hub import Hub
from .messages import Mailbox, Message
from .retry import GaveUp, Policy, attempt

Handler = Callable[[Message], Awaitable[Any]]


class Busy(Exception):
    """No slot is free."""


class NoHandler(LookupError):
    """Nobody deals with messages of that topic."""


@dataclass(frozen=True)
class Report:
    message: Message
    ok: bool
    result: Any = None
    tries: int = 1

    def line(self) -> str:
        word = "delivered" if self.ok else "failed"
        more = f" after {self.tries} tries" if self.tries > 1 else ""
        return f"{self.message} {word}{more}: {self.result}"


class Slots:
    """Counts open deliveries, over all and per topic."""

    def __init__(self, size: int, per_topic: int | None = None):
        self.size = size
        self.per_topic = per_topic
        self.taken: dict[str, int] = {}

    @property
    def used(self) -> int:
        return sum(self.taken.values())

    @contextmanager
    def hold(self, topic: str):
        if self.used >= self.size:
            raise Busy(f"all {self.size} slots are taken")
        if self.per_topic is not None and self.taken.get(topic, 0) >= self.per_topic:
            raise Busy(f"all {self.per_topic} slots for {topic} are taken")
        self.taken[topic] = self.taken.get(topic, 0) + 1
        try:
            yield
        finally:
            self.taken[topic] -= 1
            if not self.taken[topic]:
                del self.taken[topic]


class Office:
    def __init__(
        self,
        hub: Hub | None = None,
        policy: Policy | None = None,
        slots: int = 4,
        per_topic: int | None = None,
        limit: int | None = None,
    ):
        self.hub = hub or Hub()
        self.policy = policy or Policy()
        self.slots = Slots(slots, per_topic)
        self.mailbox = Mailbox(limit)
        self.dead: list[Message] = []
        self._handlers: dict[str, tuple[Handler, Policy]] = {}

    def handles(self, topic: str, **changes: Any) -> Callable[[Handler], Handler]:
        """Decorator for the handler of a topic; ``changes`` alter the retry policy for it."""

        def decorate(handler: Handler) -> Handler:
            if topic in self._handlers:
                raise ValueError(f"{topic} has a handler already")
            self._handlers[topic] = (handler, replace(self.policy, **changes))
            return handler

        return decorate

    def post(self, topic: str, body: dict[str, Any] | None = None, priority: int = 0) -> Message:
        if topic not in self._handlers:
            raise NoHandler(topic)
        return self.mailbox.put(topic, body, priority)

    async def deliver(self, message: Message) -> Report:
        """Deal with one message now; raises ``Busy`` where there is no slot for it."""
        if message.topic not in self._handlers:
            raise NoHandler(message.topic)
        handler, policy = self._handlers[message.topic]

        async def failed(count: int, error: Exception) -> None:
            await self.hub.emit("failure", message=message, count=count, error=error)

        with self.slots.hold(message.topic):
            await self.hub.emit("start", message=message)
            try:
                result, tries = await attempt(lambda: handler(message), policy, failed)
                report = Report(message, True, result, tries)
            except GaveUp as error:
                report = Report(message, False, str(error.cause), error.tries)
            except Exception as error:
                report = Report(message, False, str(error))
        if not report.ok:
            self.dead.append(message)
        await self.hub.emit("done" if report.ok else "dead", report=report)
        return report

    async def run(self, most: int | None = None) -> list[Report]:
        """Deal with waiting messages one by one, also those posted meanwhile."""
        reports: list[Report] = []
        while len(self.mailbox) and (most is None or len(reports) < most):
            reports.append(await self.deliver(self.mailbox.take()))
        return reports

    async def run_together(self) -> list[Report]:
        """Deal with waiting messages side by side, as many as there are slots.

        Reports come in the order the messages were taken in; a message without a slot
        waits for the next round.
        """
        reports: list[Report] = []
        while len(self.mailbox):
            batch = [self.mailbox.take() for _ in range(min(self.slots.size, len(self.mailbox)))]
            answers = await asyncio.gather(*map(self.deliver, batch), return_exceptions=True)
            for message, answer in zip(batch, answers):
                if isinstance(answer, Busy):
                    self.mailbox.put_back(message)
                elif isinstance(answer, BaseException):
                    raise answer
                else:
                    reports.append(answer)
        return reports

    def revive(self) -> int:
        """Let all messages that failed for good wait again."""
        count = len(self.dead)
        while self.dead:
            self.mailbox.put_back(self.dead.pop(0))
        return count
