"""Events: what a journal line says happened, beside the patch that made it true."""

from pydantic import Field, JsonValue

from loopwright.domain.record import Record, Timestamp


class Event(Record):
    """`type` is a word such as `created`, `action_started`, `paused`; `data` what a reader may want to know."""

    type: str
    data: dict[str, JsonValue] = Field(default_factory=dict)


class Entry(Record):
    """One committed journal line as readers see it. Order is `seq`, never `ts`."""

    seq: int
    ts: Timestamp
    actor: str
    event: Event
