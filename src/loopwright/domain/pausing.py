"""Why a run is paused, told the same way on every surface. Pure."""

from typing import Literal

from loopwright.domain.engine_state import EngineState
from loopwright.domain.run import Run

Pause = Literal["question", "settling", "limit", "task", "request"]
"""For an answer; for something to be settled; for an agent's limit to pass; because a task failed that says so; because
a person or a program asked for it.
"""


def pause_of(state: Run) -> Pause | None:
    """What keeps it; None where it is not paused."""
    engine = state.engine
    if state.status != "paused":
        return None
    if engine.waiting:
        return "settling" if engine.waiting.by_resuming else "question"
    if engine.parked:
        return "limit"
    return "task" if failed_tasks(state) else "request"


def failed_tasks(state: Run) -> tuple[str, ...]:
    """Those whose failure has paused it, and that are tried again."""
    engine = state.engine
    return engine.retry if isinstance(engine, EngineState) else ()


def paused_words(state: Run) -> str:
    """Why, in a sentence without its full stop, where it is neither a question nor a limit, which have their own."""
    if failed := failed_tasks(state):
        again = "it is tried again when the run is resumed"
        return f"Paused because {', '.join(failed)} failed, as its on_error asks for; {again}"
    return "Paused on request, by a person or a program"
