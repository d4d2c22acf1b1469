"""What is news of a loop: beside that of every run, its menu, and a task that has paused it. Pure."""

from collections.abc import Callable

from loopwright.domain import notices
from loopwright.domain.loop import LoopState
from loopwright.domain.notices import Letter, Notice


def loop_news(before: LoopState, after: LoopState) -> Notice | None:
    """What a person should hear of that change."""
    return notices.news(before, after, lambda was, now: _opened(was, now) or _halted(was, now))


def loop_letter(notice: Notice, state: LoopState, project: str, at: str, masked: Callable[[str], str]) -> Letter:
    return notices.letter(notice, state, project, at, masked, loop_id=state.loop_id)


def _opened(before: LoopState, after: LoopState) -> Notice | None:
    """A menu that was not open before."""
    was, now = before.engine.menu, after.engine.menu
    if now is None or now.choice is not None or (was is not None and was.since == now.since):
        return None
    return Notice("needs_person", f"waits for your choice: {', '.join(now.free)}")


def _halted(before: LoopState, after: LoopState) -> Notice | None:
    """A failed task that asked for a pause (on_error)."""
    retry = after.engine.retry
    if after.status != "paused" or before.status != "running" or not retry or retry == before.engine.retry:
        return None
    return Notice("needs_person", f"paused, because a task failed: {', '.join(retry)}")
