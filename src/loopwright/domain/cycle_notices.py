"""What is news of a cycle, whose open decisions and blockers are asked as questions. Pure."""

from collections.abc import Callable

from loopwright.domain import notices
from loopwright.domain.cycle import CycleState
from loopwright.domain.notices import Letter, Notice


def cycle_news(before: CycleState, after: CycleState) -> Notice | None:
    """What a person should hear of that change."""
    return notices.news(before, after)


def cycle_letter(notice: Notice, state: CycleState, project: str, at: str, masked: Callable[[str], str]) -> Letter:
    return notices.letter(notice, state, project, at, masked, cycle_id=state.cycle_id)
