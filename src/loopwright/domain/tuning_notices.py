"""What is news of a tuning session. Pure."""

from collections.abc import Callable

from loopwright.domain import notices
from loopwright.domain.notices import Letter, Notice
from loopwright.domain.tuning import TuningState


def tuning_news(before: TuningState, after: TuningState) -> Notice | None:
    """What a person should hear of that change."""
    return notices.news(before, after)


def tuning_letter(notice: Notice, state: TuningState, project: str, at: str, masked: Callable[[str], str]) -> Letter:
    return notices.letter(notice, state, project, at, masked, tuning_id=state.tuning_id)
