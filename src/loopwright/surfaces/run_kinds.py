"""The registry of the kinds of runs: what every surface knows of one, and where the engine has it.

Each surface extends an entry with how it shows such runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args

from loopwright.core.names import CycleStatus, LoopStatus, TuningStatus

if TYPE_CHECKING:
    from loopwright.core.prompts import Prompts
    from loopwright.core.run import Run
    from loopwright.core.run_commands import RunService
    from loopwright.core.runner import Runner
    from loopwright.wiring import Engine
    from loopwright.workflows.cycle.model import CycleState
    from loopwright.workflows.loop.model import LoopState
    from loopwright.workflows.tuning.model import TuningState

S = TypeVar("S", bound="Run")
KindName = Literal["loop", "cycle", "tuning"]


@dataclass(frozen=True)
class RunKind(Generic[S]):
    """`called` is its name in sentences. `load_prompts` reads those that hold for it; Invalid names a bad file."""

    name: KindName
    called: str
    statuses: tuple[str, ...]
    service: "Callable[[Engine], RunService[S]]"
    runner: "Callable[[Engine], Runner[S]]"
    load_prompts: "Callable[[Engine], Prompts]"

    @property
    def key(self) -> str:
        """What JSON calls an id."""
        return f"{self.name}_id"

    def id_of(self, state: S) -> str:
        return str(getattr(state, self.key))


LOOP: "RunKind[LoopState]" = RunKind(
    "loop",
    "loop",
    get_args(LoopStatus),
    lambda engine: engine.service,
    lambda engine: engine.runners.loop,
    lambda engine: engine.load_prompts(),
)
CYCLE: "RunKind[CycleState]" = RunKind(
    "cycle",
    "cycle",
    get_args(CycleStatus),
    lambda engine: engine.cycles,
    lambda engine: engine.runners.cycle,
    lambda engine: engine.load_cycle_prompts(),
)
TUNING: "RunKind[TuningState]" = RunKind(
    "tuning",
    "tuning session",
    get_args(TuningStatus),
    lambda engine: engine.tunings,
    lambda engine: engine.runners.tuning,
    lambda engine: engine.load_tuning_prompts(),
)
KINDS: tuple[RunKind[Any], ...] = (LOOP, CYCLE, TUNING)  # Any: each has states of its own
CALLED = {kind.name: kind.called for kind in KINDS}
