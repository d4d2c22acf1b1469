"""What a reviewer objects to, and what has become of it. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

from pydantic import Field

from loopwright.core.record import Items, Record, Timestamp, is_absent
from loopwright.core.text import clean_line, clip_text, plural
from loopwright.evidence.failures import fence

ORDERS = 2
"""How often a run works on what its reviewer objects to."""
KEPT, ANSWER_LENGTH = 40, 2_000
"""Objections that a run keeps, and characters of an answer."""

ObjectionStatus = Literal["open", "disputed", "answered", "settled"]
STATUSES: tuple[ObjectionStatus, ...] = get_args(ObjectionStatus)


class Objection(Record):
    """Why the work fails its task, as a reviewer says. `line`: where `quote` stands; None: only in the diff.

    open: nobody has worked on it. answered: files were changed for it, and `answer` says how. disputed: the agent at
    work says in `answer` why it does not hold. settled: a later review does not raise it again.
    """

    id: str
    file: str
    line: int | None = None
    quote: str
    why: str
    status: ObjectionStatus = "open"
    answer: str | None = Field(default=None, exclude_if=is_absent)

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class RunReview(Record):
    """What a second agent, which only reads, has said of a run's work before its end; it decides nothing.

    `tree`: the one that was reviewed last, in review number `round`; `missing`: why that came to nothing. `orders`: how
    often objections became a task; `task`: the last of these. `good`: private commit of what had passed before, until
    the work on it is reviewed.
    """

    by: str
    tree: str
    at: Timestamp
    round: int = Field(default=1, ge=0)
    orders: int = Field(default=0, ge=0)
    task: str | None = Field(default=None, exclude_if=is_absent)
    good: str | None = Field(default=None, exclude_if=is_absent)
    missing: str | None = Field(default=None, exclude_if=is_absent)
    objections: Items[Objection] = Field(default=(), max_length=KEPT)

    def having(self, *statuses: ObjectionStatus) -> tuple[Objection, ...]:
        return tuple(one for one in self.objections if one.status in statuses)


def objection_key(one: Objection) -> tuple[str, str]:
    """What makes two of them the same: the place they speak of."""
    return one.file, " ".join(one.quote.split())


def merge_objections(known: Sequence[Objection], raised: Sequence[Objection]) -> tuple[Objection, ...]:
    """What was known is settled, unless it is raised again; then it keeps its id and its answer."""
    before = {objection_key(one): one for one in known}
    again = {objection_key(one) for one in raised}
    kept = [one if objection_key(one) in again else one.evolve(status="settled") for one in known]
    number = len(known)
    merged: list[Objection] = list(kept)
    for one in raised:
        if (old := before.get(objection_key(one))) is not None:
            merged[kept.index(old)] = one.evolve(id=old.id, answer=old.answer)
        else:
            number += 1
            merged.append(one.evolve(id=f"O{number}"))
    return tuple(merged[:KEPT])


def answer_objections(
    review: RunReview, message: str, disputes: Iterable[str], *, changed: bool, ok: bool
) -> RunReview:
    """After a turn on the open ones. `disputes`: what its agent says of those that do not hold, as `O2: why`.

    One that is not disputed is answered where files were `changed` and the turn was `ok`; else it stays open.
    """
    said = read_disputes(disputes)
    words = clip_text(clean_line(message), ANSWER_LENGTH) or None
    objections = (
        one
        if one.status != "open"
        else one.evolve(status="disputed", answer=said[one.id])
        if one.id in said
        else one.evolve(status="answered" if changed and ok else "open", answer=words)
        for one in review.objections
    )
    return review.evolve(objections=tuple(objections), task=None)


def reopen_answered(review: RunReview) -> RunReview:
    """After what was done for the objections was taken back."""
    back = (one.evolve(status="open") if one.status == "answered" else one for one in review.objections)
    return review.evolve(objections=tuple(back), good=None)


def read_disputes(disputes: Iterable[str]) -> Mapping[str, str]:
    """By objection the reason."""
    found = (re.match(r"\W*(O\d{1,3})\b[\s:.,–—-]*(.*)", words, re.DOTALL) for words in disputes)
    return {match[1]: clip_text(clean_line(match[2]), ANSWER_LENGTH) or "no reason given" for match in found if match}


def quote_objections(objections: Iterable[Objection]) -> str:
    """For an agent: each as data of its own, with what was answered."""
    return "\n\n".join(_quoted(one) for one in objections)


def _quoted(one: Objection) -> str:
    said = {"answered": "Answered", "disputed": "Disputed"}.get(one.status, "Said of it")
    answer = f"\n{said}: {one.answer}" if one.answer else ""
    where = one.place if one.line else f"{one.file}, in the lines that the diff removes"
    return f"{one.id}, {where}:\n{fence(f'{one.quote}{chr(10)}{chr(10)}Objection: {one.why}{answer}')}"


def task_words(objections: Sequence[Objection], by: str) -> str:
    """The task in a line, as people read it."""
    what = "; ".join(f"{one.id} {one.place}: {clip_text(clean_line(one.why), 120)}" for one in objections)
    return f"Answer {plural(len(objections), 'objection')} of the review by {by}: {what}"


def review_words(review: RunReview | None) -> str:
    """What has come of it, in a line; empty where there is nothing to tell."""
    if review is None:
        return ""
    parts = [f"{plural(count, 'objection')} {status}" for status in STATUSES if (count := len(review.having(status)))]
    told = ", ".join(parts)
    if review.missing:
        return clean_line(f"not reviewed: {review.missing}{f'; {told}' if told else ''}")
    return clean_line(f"by {review.by}: {told or 'no objections'}")


def review_lines(review: RunReview | None) -> Iterator[str]:
    """Each objection in a line, the open ones first."""
    for status in STATUSES:
        for one in review.having(status) if review else ():
            answer = f" (answer: {clean_line(one.answer)})" if one.answer else ""
            yield clean_line(f"{one.id} {one.status}, {one.place}: {one.why}{answer}")
