"""What is news of a run for somebody who does not look: one function over two states, and the letter that tells it.

Pure.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from loopwright.core.names import FINISHED, LoopStatus, TuningStatus
from loopwright.core.record import Items, Record, Timestamp, is_absent
from loopwright.core.run import R, Run
from loopwright.core.state import Outcome
from loopwright.core.text import clean_line, clip_text, drop_surrogates, plural
from loopwright.policy.permissions import request_words

Event = Literal["finished", "needs_person", "parked"]

IdName = Literal["loop_id", "cycle_id", "tuning_id"]

LONGEST = 1000
"""Characters of a text that a letter holds."""
SHOWN = 20
"""Requests and options that a letter names."""


class Notice(NamedTuple):
    """`words` say what has happened, in a sentence that goes on after the title."""

    event: Event
    words: str


class PermissionNotice(Record):
    """Something an agent may do only once a person allows it."""

    id: str
    words: str
    reason: str = ""


class Notification(Record):
    """What is sent. `text` says it all in a sentence; the rest is for programs. It holds no secret."""

    event: Event
    text: str
    loop_id: str | None = Field(default=None, exclude_if=is_absent)
    cycle_id: str | None = Field(default=None, exclude_if=is_absent)
    tuning_id: str | None = Field(default=None, exclude_if=is_absent)
    title: str
    project: str
    status: LoopStatus | TuningStatus
    outcome: Outcome | None = None
    failure_reason: str | None = None
    question: str | None = None
    options: Items[str] = ()
    requests: Items[PermissionNotice] = ()
    parked_until: Timestamp | None = None
    current_iteration: int
    max_iterations: int
    at: Timestamp

    @model_validator(mode="after")
    def _is_about_one(self) -> Self:
        if [self.loop_id, self.cycle_id, self.tuning_id].count(None) != 2:
            raise ValueError("a notification is about one loop, one cycle or one tuning session")
        return self

    @property
    def id(self) -> str:
        return self.loop_id or self.cycle_id or self.tuning_id or ""


def find_notice(before: R, after: R, more: Callable[[R, R], Notice | None] | None = None) -> Notice | None:
    """What a person should hear of that change. A stop was somebody's own doing, and is no news.

    `more`: what else is news of a state of this kind that goes on.
    """
    if after.status in FINISHED:
        return _ended(before, after)
    return _asked(before, after) or (more(before, after) if more else None) or _parked(before, after)


def compose_notification(
    notice: Notice,
    state: Run,
    project: str,
    at: str,
    masked: Callable[[str], str],
    id_name: IdName,
) -> Notification:
    """`masked` takes the secrets out of a text; the state's id is called `id_name`."""

    def told(text: str) -> str:
        return clip_text(masked(drop_surrogates(text.strip())), LONGEST)

    engine = state.engine
    open_question = engine.waiting if engine.answer is None else None
    return Notification(
        event=notice.event,
        text=told(f"{clean_line(state.title)}: {clean_line(notice.words)}"),
        **{id_name: getattr(state, id_name), "status": state.status},  # the model checks both
        title=told(state.title),
        project=project,
        outcome=engine.outcome,
        failure_reason=told(state.failure_reason) if state.failure_reason else None,
        question=told(open_question.question) if open_question else None,
        options=tuple(told(option) for option in open_question.options[:SHOWN]) if open_question else (),
        requests=tuple(
            PermissionNotice(id=asked.id, words=told(request_words(asked)), reason=told(asked.reason))
            for asked in engine.asked[:SHOWN]
            if asked.answer is None
        ),
        parked_until=engine.parked.until if engine.parked else None,
        current_iteration=state.current_iteration,
        max_iterations=state.max_iterations,
        at=at,
    )


def _ended(before: Run, after: Run) -> Notice | None:
    same = before.status in FINISHED and before.completed_at == after.completed_at
    if same or after.engine.outcome == "stopped":
        return None
    why = f": {after.failure_reason}" if after.failure_reason else ""
    return Notice("finished", f"{'done' if after.status == 'completed' else 'not done'}, {after.engine.outcome}{why}")


def _asked(before: Run, after: Run) -> Notice | None:
    """A question or requests for permission that were not open before."""
    was, now = before.engine, after.engine
    if now.waiting and now.answer is None and now.waiting != was.waiting:
        verb = "waits for you" if now.waiting.by_resuming else "asks"
        return Notice("needs_person", f"{verb}: {now.waiting.question}")
    known = {request.id for request in was.asked}
    new = [request for request in now.asked if request.answer is None and request.id not in known]
    if new:
        more = f" (and {plural(len(new) - 1, 'request')} more)" if len(new) > 1 else ""
        return Notice("needs_person", f"{request_words(new[0])}{more}")
    return None


def _parked(before: Run, after: Run) -> Notice | None:
    parked = after.engine.parked
    if parked is None or parked == before.engine.parked:
        return None
    return Notice("parked", f"waits until {parked.until}: {parked.reason}")
