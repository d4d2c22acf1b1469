"""What a person tells an agent at work: kept in the state, delivered once, answered by the turn that had it."""

from collections.abc import Collection
from typing import Generic

from loopwright.core.cycle_names import Role
from loopwright.core.errors import Conflict, Invalid
from loopwright.core.ports import Clock, Rule, Store
from loopwright.core.record import JournalEvent
from loopwright.core.run import R, Run
from loopwright.core.state import DeliveryWay, PersonMessage, RunState
from loopwright.core.text import clip_text, plural

MOST_QUEUED = 20
MOST_KEPT = 50
LONGEST_TEXT = 8_000
"""Characters of one message."""

LONGEST_ANSWER = 500
SETTLED = frozenset({"delivered", "answered", "undelivered"})
DIED = "the runner died while it was being delivered"
UNCONFIRMED = "the agent did not confirm it"


def queue_message(state: R, message: PersonMessage) -> R:
    """With one more message that waits. Invalid, Conflict."""
    if not message.text.strip():
        raise Invalid("there is nothing to tell: write a sentence")
    if len(message.text) > LONGEST_TEXT:
        raise Invalid(f"the message has {len(message.text):,} characters; at most {LONGEST_TEXT:,} are delivered")
    if state.engine.outcome is not None:
        raise Conflict(f"it is over ({state.engine.outcome}), and no agent is at work; reopen it first")
    if state.engine.settings.agent == "builtin":
        raise Conflict("its agent, builtin, has no model and reads no messages")
    waiting = queued_messages(state)
    if len(waiting) >= MOST_QUEUED:
        raise Conflict(f"{plural(len(waiting), 'message')} are waiting already; none was added")
    known = state.engine.messages
    settled = [m.id for m in known if m.status in SETTLED]
    surplus = set(settled[: max(len(known) + 1 - MOST_KEPT, 0)])
    return _with(state, (*(m for m in known if m.id not in surplus), message))


def queued_messages(state: Run, role: Role | None = None) -> tuple[PersonMessage, ...]:
    """Those that wait, in order; with a `role`, those that it may take."""
    return tuple(
        message
        for message in state.engine.messages
        if message.status == "queued" and (role is None or message.role in (None, role))
    )


def mark_messages(state: R, ids: Collection[str], **changes: object) -> R:
    """With these messages changed; the others, and the state where none is meant, stay as they are."""
    if not any(message.id in ids for message in state.engine.messages):
        return state
    return _with(state, tuple(m.evolve(**changes) if m.id in ids else m for m in state.engine.messages))


def merge_messages(before: tuple[PersonMessage, ...], after: tuple[PersonMessage, ...]) -> tuple[PersonMessage, ...]:
    """Others add messages that wait, for which old ones may have made room; what becomes of one is the runner's."""
    known, left = {message.id for message in before}, {message.id for message in after}
    kept = (message for message in before if message.id in left or message.status not in SETTLED)
    added = (message for message in after if message.id not in known and message.status == "queued")
    return (*kept, *added)


def settle_broken_deliveries(state: R) -> R:
    """Nobody knows whether the agent of a runner that died has read what was on its way: it is not sent again."""
    broken = [message.id for message in state.engine.messages if message.status == "sending"]
    return mark_messages(state, broken, status="undelivered", why=DIED)


def as_order(messages: Collection[PersonMessage]) -> str:
    """As the agent reads them; empty where there are none."""
    if not messages:
        return ""
    return "\n\n".join(("# The person you work for tells you", *(message.text.strip() for message in messages)))


def as_task(messages: Collection[PersonMessage]) -> str:
    return "\n\n".join(message.text.strip() for message in messages)


def delivery_words(engine: RunState, message: PersonMessage) -> str:
    """The receipt."""
    match message.status:
        case "queued" if engine.outcome is not None:
            return "undelivered: the run ended before"
        case "queued":
            return "queued"
        case "sending":
            return "being delivered"
        case "delivered":
            return f"delivered to {message.agent}" if message.agent else "delivered as a task"
        case "answered":
            return f"answered by {message.agent}: {message.answer}"
        case "undelivered":
            return f"undelivered: {message.why}"


def _with(state: R, messages: tuple[PersonMessage, ...]) -> R:
    return state.evolve(engine=state.engine.evolve(messages=messages))


class PersonMessageQueue(Generic[R]):
    """A runner's side of it: each step of a delivery is committed before the next one is taken.

    What is "sending" when a runner dies may have arrived. `role`: the one whose agents get messages here.
    """

    def __init__(self, store: Store[R], clock: Clock, id: str, epoch: int, role: Role | None) -> None:
        self._store, self._clock, self._id, self._epoch, self._role = store, clock, id, epoch, role

    def waiting(self) -> tuple[PersonMessage, ...]:
        return queued_messages(self._store.read(self._id), self._role)

    def take(self, messages: Collection[PersonMessage], agent: str, way: DeliveryWay) -> None:
        """They are on their way from here on."""
        self._commit(messages, "message_sending", status="sending", agent=agent, way=way)

    def confirm(self, messages: Collection[PersonMessage]) -> None:
        at = self._clock.now().isoformat(timespec="milliseconds")
        self._commit(messages, "message_delivered", status="delivered", delivered_at=at)

    def put_back(self, messages: Collection[PersonMessage]) -> None:
        """They have certainly not arrived."""
        self._commit(messages, "message_queued", status="queued", agent="", way=None)

    def give_up(self, messages: Collection[PersonMessage]) -> None:
        self._commit(messages, "message_undelivered", status="undelivered", why=UNCONFIRMED)

    def answer(self, messages: Collection[PersonMessage], words: str) -> None:
        """`words`: what the turn that had them came to."""
        self._commit(messages, "message_answered", status="answered", answer=clip_text(words.strip(), LONGEST_ANSWER))

    def _commit(self, messages: Collection[PersonMessage], type: str, **changes: object) -> None:
        if not messages:
            return
        ids = [message.id for message in messages]
        rule: Rule[R] = lambda state: mark_messages(state, ids, **changes)  # noqa: E731
        event = JournalEvent(type=type, data={"message": ", ".join(ids)})
        self._store.update(self._id, rule, actor="runner", event=event, epoch=self._epoch)
