"""The kinds of runs that the tools know, and what is different about each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from loopwright.domain.cycle import CycleState
from loopwright.domain.loop import LoopState
from loopwright.domain.run import R, Run
from loopwright.domain.tuning import TuningState
from loopwright.engine.runs import Runs
from loopwright.mcp import cycle_hints, cycle_told, hints, told, tuning_hints, tuning_told
from loopwright.wiring import Engine

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
    """`called`: what people call one."""

    name: Literal["loop", "cycle", "tuning"]
    called: str
    service: Callable[[Engine], Runs[R]]
    headline: Tells[R]
    needs: Tells[R]
    brief: Reports[R]
    report: Reports[R]
    waited: Ends[R]


LOOP = Kind[LoopState](
    "loop", "loop", lambda engine: engine.service, hints.headline, hints.needs, told.brief, told.report, told.waited
)
CYCLE = Kind[CycleState](
    "cycle", "cycle", lambda engine: engine.cycles, cycle_hints.cycle_headline, cycle_hints.cycle_needs,
    cycle_told.cycle_brief, cycle_told.cycle_report, cycle_told.cycle_waited,
)  # fmt: skip
TUNING = Kind[TuningState](
    "tuning", "tuning session", lambda engine: engine.tunings, tuning_hints.tuning_headline, tuning_hints.tuning_needs,
    tuning_told.tuning_brief, tuning_told.tuning_report, tuning_told.tuning_waited,
)  # fmt: skip
KINDS: tuple[Kind[Any], ...] = (LOOP, CYCLE, TUNING)  # Any: each has states of its own
