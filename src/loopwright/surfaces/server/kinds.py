"""The kinds of runs that are served, and what is different about each for whoever serves it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, get_args

from loopwright.core.cycle_names import ROLES
from loopwright.core.names import LoopStatus, TuningStatus
from loopwright.core.record import Record
from loopwright.core.run import R
from loopwright.core.run_commands import Runs
from loopwright.core.transcript import TRANSCRIPT
from loopwright.projects import Project, Projects
from loopwright.workflows.cycle.model import CycleState, CycleStatus
from loopwright.workflows.cycle.summary import cycle_glance
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import glance
from loopwright.workflows.tuning.model import TuningState
from loopwright.workflows.tuning.summary import tuning_glance


class Voice(NamedTuple):
    """A transcript, by its name below the progress folder, and the role it is of; None: of no role, or the engine."""

    role: str | None
    file: str


@dataclass(frozen=True)
class Kind(Generic[R]):
    """`place` is where the API has them, `entry` what the stream of all calls a change of one.

    `progress` is something that is not the same any more once one has got further.
    """

    name: str
    place: str
    entry: str
    statuses: tuple[str, ...]
    service: Callable[[Project], Runs[R]]
    glance: Callable[[R, str], Record]
    progress: Callable[[R], Hashable]
    voices: tuple[Voice, ...]

    @property
    def key(self) -> str:
        """What JSON calls an id."""
        return f"{self.name}_id"

    @property
    def one(self) -> str:
        """The address of one, as routes are declared."""
        return f"{self.place}/{{{self.key}}}"

    def said(self, done: str) -> str:
        """A message, such as `Loop started`."""
        return f"{self.name.capitalize()} {done}"


LOOPS = Kind[LoopState](
    name="loop", place="/api/loops/v2", entry="entry", statuses=get_args(LoopStatus),
    service=lambda project: project.engine.service, glance=glance, progress=lambda state: state.current_iteration,
    voices=(Voice(None, TRANSCRIPT),),
)  # fmt: skip
CYCLES = Kind[CycleState](
    name="cycle", place="/api/cycles", entry="cycle_entry", statuses=get_args(CycleStatus),
    service=lambda project: project.engine.cycles, glance=cycle_glance,
    progress=lambda state: (state.current_iteration, state.engine.done),
    voices=(*(Voice(role, f"{role}/{TRANSCRIPT}") for role in ROLES), Voice(None, TRANSCRIPT)),
)  # fmt: skip

TUNINGS = Kind[TuningState](
    name="tuning", place="/api/tunings", entry="tuning_entry", statuses=get_args(TuningStatus),
    service=lambda project: project.engine.tunings, glance=tuning_glance,
    progress=lambda state: (state.iteration_count, state.engine.diagnosed, len(state.applied_fixes)),
    voices=(Voice(None, TRANSCRIPT),),
)  # fmt: skip

KINDS: tuple[Kind[Any], ...] = (LOOPS, CYCLES, TUNINGS)  # Any: each has states of its own


class Source(NamedTuple):
    """One kind of runs in one project."""

    project: Project
    kind: Kind[Any]  # Any: as KINDS

    @property
    def service(self) -> Runs[Any]:  # Any: as KINDS
        return self.kind.service(self.project)

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.project.engine.project} {self.kind.name}"


def sources(projects: Projects) -> tuple[Source, ...]:
    """All that is served, in order."""
    return tuple(Source(project, kind) for project in projects.known.values() for kind in KINDS)
