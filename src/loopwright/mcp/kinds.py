"""The kinds of runs that the tools know, and what is different about each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from loopwright.domain.cycle import CycleState
from loopwright.domain.loop import LoopState
from loopwright.domain.run import R, Run
from loopwright.engine.runs import Runs
from loopwright.mcp import cycle_hints, cycle_told, hints, told
from loopwright.projects import Project

C = TypeVar("C", bound=Run, contravariant=True)


class Tells(Protocol[C]):
    """Words about a state. `live`: a process is at work on it."""

    def __call__(self, state: C, /, *, live: bool) -> str | None: ...


class Reports(Protocol[C]):
    """A state as a tool answers it."""

    def __call__(self, state: C, project: str, /, *, live: bool) -> Any: ...  # Any: a model of the kind


class Ends(Protocol[C]):
    """A state as `wait` answers it."""

    def __call__(self, state: C, project: str, /, *, live: bool, rested: bool) -> Any: ...  # Any: as Reports


@dataclass(frozen=True)
class Kind(Generic[R]):
    name: str
    service: Callable[[Project], Runs[R]]
    headline: Tells[R]
    needs: Tells[R]
    brief: Reports[R]
    report: Reports[R]
    waited: Ends[R]


LOOP = Kind[LoopState](
    "loop", lambda project: project.engine.service, hints.headline, hints.needs, told.brief, told.report, told.waited
)
CYCLE = Kind[CycleState](
    "cycle", lambda project: project.engine.cycles, cycle_hints.cycle_headline, cycle_hints.cycle_needs,
    cycle_told.cycle_brief, cycle_told.cycle_report, cycle_told.cycle_waited,
)  # fmt: skip
KINDS: tuple[Kind[Any], ...] = (LOOP, CYCLE)  # Any: each has states of its own
