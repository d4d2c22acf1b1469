"""The kinds of runs that are served, and what is different about each for whoever serves it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from loopwright.core.cycle_names import ROLES
from loopwright.core.record import Record
from loopwright.core.run import R
from loopwright.core.run_commands import RunService
from loopwright.core.transcript import TRANSCRIPT
from loopwright.projects import Project, Projects
from loopwright.surfaces import run_kinds
from loopwright.surfaces.run_kinds import RunKind
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.summary import cycle_glance
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import loop_glance
from loopwright.workflows.tuning.model import TuningState
from loopwright.workflows.tuning.summary import tuning_glance


class TranscriptRef(NamedTuple):
    """A transcript, by its name below the progress folder, and the role it is of; None: of no role, or the engine."""

    role: str | None
    file: str


@dataclass(frozen=True)
class ServedKind(RunKind[R]):
    """`place` is where the API has them, `entry` what the stream of all calls a change of one.

    `progress` is something that is not the same any more once one has got further.
    """

    place: str
    entry: str
    glance: Callable[[R, str], Record]
    progress: Callable[[R], Hashable]
    transcripts: tuple[TranscriptRef, ...]

    @property
    def one(self) -> str:
        """The address of one, as routes are declared."""
        return f"{self.place}/{{{self.key}}}"

    def said(self, done: str) -> str:
        """A message, such as `Loop started`."""
        return f"{self.name.capitalize()} {done}"


LOOPS = ServedKind[LoopState](
    **vars(run_kinds.LOOP),
    place="/api/loops/v2",
    entry="entry",
    glance=loop_glance,
    progress=lambda state: state.current_iteration,
    transcripts=(TranscriptRef(None, TRANSCRIPT),),
)
CYCLES = ServedKind[CycleState](
    **vars(run_kinds.CYCLE),
    place="/api/cycles",
    entry="cycle_entry",
    glance=cycle_glance,
    progress=lambda state: (state.current_iteration, state.engine.done),
    transcripts=(*(TranscriptRef(role, f"{role}/{TRANSCRIPT}") for role in ROLES), TranscriptRef(None, TRANSCRIPT)),
)
TUNINGS = ServedKind[TuningState](
    **vars(run_kinds.TUNING),
    place="/api/tunings",
    entry="tuning_entry",
    glance=tuning_glance,
    progress=lambda state: (state.iteration_count, state.engine.diagnosed, len(state.applied_fixes)),
    transcripts=(TranscriptRef(None, TRANSCRIPT),),
)
KINDS: tuple[ServedKind[Any], ...] = (LOOPS, CYCLES, TUNINGS)  # Any: each has states of its own


class RunSource(NamedTuple):
    """One kind of runs in one project."""

    project: Project
    kind: ServedKind[Any]  # Any: as KINDS

    @property
    def service(self) -> RunService[Any]:  # Any: as KINDS
        return self.kind.service(self.project.engine)

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.project.engine.project} {self.kind.name}"


def list_sources(projects: Projects) -> tuple[RunSource, ...]:
    """All that is served, in order."""
    return tuple(RunSource(project, kind) for project in projects.known.values() for kind in KINDS)
