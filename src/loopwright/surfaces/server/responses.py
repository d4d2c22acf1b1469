"""What answers look like, for /openapi.json: these models describe, `run_response` and `make_response` answer."""

from pydantic import BaseModel, JsonValue

from loopwright.core.course import TouchedFile
from loopwright.core.fleet import FleetStatus
from loopwright.core.record import Record, Timestamp
from loopwright.core.state import LoopTask, PermissionRequest, TaskStatus
from loopwright.skills.reader.skill_graph import EdgeKind, NodeKind
from loopwright.surfaces.run_kinds import KindName
from loopwright.surfaces.server.documentation import Data
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.summary import CycleGlance
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import Glance, PlanStatus
from loopwright.workflows.tuning.model import AppliedFix, Fix, TuningState
from loopwright.workflows.tuning.summary import TuningGlance


class EventForm(BaseModel):
    """One committed change. `words` for people; order is `seq`, never `ts`."""

    seq: int
    ts: Timestamp
    actor: str
    type: str
    data: dict[str, JsonValue]
    words: str


class NoteForm(Record):
    """A line of the transcript; its other fields depend on its kind (docs/files.md)."""

    ts: str
    kind: str
    text: str


class PlanForm(BaseModel):
    content: str
    status: PlanStatus
    depth: int


class CheckpointForm(BaseModel):
    """A snapshot of the work tree; `files` are those changed since the previous one."""

    n: int
    action: str
    at: Timestamp
    files: list[TouchedFile]


class DiffForm(BaseModel):
    diff: str
    truncated: bool


class ProgressFileForm(BaseModel):
    """`size` in bytes."""

    name: str
    size: int
    modified_at: Timestamp


class ProgressTextForm(BaseModel):
    name: str
    text: str
    truncated: bool


class DamagedForm(BaseModel):
    """A loop that cannot be read; `recover` may rebuild it."""

    loop_id: str
    reason: str


class DamagedCycleForm(BaseModel):
    """A cycle that cannot be read; `recover` may rebuild it."""

    cycle_id: str
    reason: str


class DamagedTuningForm(BaseModel):
    """A tuning session that cannot be read; `recover` may rebuild it."""

    tuning_id: str
    reason: str


class PlaceForm(BaseModel):
    """How a run is in the fleet.

    `holder` is the machine that drives it; `before` how many are queued for its account ahead of it; `trouble` why it
    could not be driven last.
    """

    status: FleetStatus
    holder: str | None = None
    before: int
    account: str
    user: str
    trouble: str


class PageFields(BaseModel):
    """`total` counts all that match. `fleet`, by id, is there where other machines drive some."""

    total: int
    limit: int
    offset: int
    hasMore: bool
    timestamp: Timestamp
    fleet: dict[str, PlaceForm] = {}


class PageForm(Data[list[LoopState | Glance]], PageFields):
    """A page of a list."""

    damaged: list[DamagedForm]


class CyclePageForm(Data[list[CycleState | CycleGlance]], PageFields):
    """A page of a list."""

    damaged: list[DamagedCycleForm]


class TuningPageForm(Data[list[TuningState | TuningGlance]], PageFields):
    """A page of a list."""

    damaged: list[DamagedTuningForm]


class ProjectFields(BaseModel):
    """`project` is the name of the one it lives in.

    Where one is read, `live`: a runner is at it, and `fleet`: how it is there, if other machines drive it.
    """

    project: str
    live: bool = False
    fleet: PlaceForm | None = None


class SteeringFields(BaseModel):
    message: str


class RepairForm(BaseModel):
    type: str
    data: dict[str, JsonValue]


class RecoveryFields(BaseModel):
    """`repairs` are empty where nothing was damaged; `kept` are names of files put aside."""

    repairs: list[RepairForm]
    kept: list[str]


class LoopForm(Data[LoopState], ProjectFields):
    """One loop."""


class SteeredForm(Data[LoopState], ProjectFields, SteeringFields):
    """One loop, and a message."""


class RecoveredForm(Data[LoopState], ProjectFields, RecoveryFields):
    """One loop, and what was rebuilt."""


class CycleForm(Data[CycleState], ProjectFields):
    """One cycle."""


class SteeredCycleForm(Data[CycleState], ProjectFields, SteeringFields):
    """One cycle, and a message."""


class RecoveredCycleForm(Data[CycleState], ProjectFields, RecoveryFields):
    """One cycle, and what was rebuilt."""


class TuningForm(Data[TuningState], ProjectFields):
    """One tuning session."""


class SteeredTuningForm(Data[TuningState], ProjectFields, SteeringFields):
    """One tuning session, and a message."""


class RecoveredTuningForm(Data[TuningState], ProjectFields, RecoveryFields):
    """One tuning session, and what was rebuilt."""


class FixForm(BaseModel):
    """A fix, its outcome (None: not applied), and the unified diff of all its files."""

    fix: Fix
    applied: AppliedFix | None = None
    diff: str


class SourceForm(BaseModel):
    file: str
    text: str
    truncated: bool


class SkillFileForm(BaseModel):
    """`size` in bytes, `tokens` estimated; `kind` is its role in the skill, None if it is not text."""

    file: str
    kind: str | None = None
    size: int
    tokens: int | None = None


class NodeForm(BaseModel):
    id: str
    kind: NodeKind
    name: str
    file: str
    line: int
    tokens: int | None = None


class EdgeForm(BaseModel):
    source: str
    target: str
    kind: EdgeKind


class StageForm(BaseModel):
    """What a model reads in this step, and has read by its end."""

    name: str
    file: str
    own: int
    loads: int
    total: int
    share: int
    files: list[str]


class GraphForm(BaseModel):
    """`worst`: tokens at the end of `course`; `truncated`: the graph is incomplete."""

    nodes: list[NodeForm]
    edges: list[EdgeForm]
    course: list[StageForm]
    worst: int
    truncated: bool


class TextForm(BaseModel):
    text: str
    truncated: bool


class DocumentForm(BaseModel):
    """A role's file. `versions`, oldest first, end with the current `version`; a log has none."""

    name: str
    folder: str
    size: int
    modified_at: Timestamp
    version: str | None = None
    versions: list[str]


class DocumentTextForm(BaseModel):
    name: str
    version: str | None = None
    text: str
    truncated: bool


class DiscoveryForm(BaseModel):
    """A line of the discovery board."""

    ts: str
    agent: str
    type: str
    data: dict[str, JsonValue]


class DiscoveriesForm(Data[list[DiscoveryForm]]):
    total: int


class CycleTranscriptForm(Data[list[NoteForm]]):
    """`position`, after an entry's number and a dot, is where a stream continues."""

    position: str


class RequestsForm(Data[list[PermissionRequest]]):
    """The answered requests."""


class TaskForm(LoopTask):
    """A task of a list."""

    status: TaskStatus


class PlacedTaskForm(LoopTask):
    """A task with its loop."""

    loop_id: str
    project: str


class TasksForm(Data[list[TaskForm]]):
    total: int
    loop_id: str
    timestamp: Timestamp


class CreatedTasksForm(Data[list[LoopTask]]):
    message: str


class ProjectForm(BaseModel):
    """`fleet`: the first project that names the same fleet as this one, where that names any."""

    name: str
    path: str
    fleet: str | None = None


class AgentForm(BaseModel):
    """`problem`: why it cannot be used here."""

    name: str
    available: bool
    problem: str | None = None


class FleetRunForm(BaseModel):
    """A run of the fleet; `since` it runs there, or waits. `project` is the served one that submitted it."""

    id: str
    kind: KindName
    title: str
    account: str
    user: str
    since: Timestamp
    project: str | None = None


class QueuedRunForm(FleetRunForm):
    """One that waits; `before` are queued for its account ahead of it, `trouble` is why it could not be driven last."""

    priority: int
    before: int
    trouble: str


class WorkerForm(BaseModel):
    """A machine; `age` is that of its last sign of life, in seconds, and `running` of its `slots` are taken."""

    executor: str
    host: str
    slots: int
    version: str
    started: Timestamp
    age: float
    running: int
    runs: list[FleetRunForm]


class FleetUserForm(BaseModel):
    """Somebody's runs of an account."""

    user: str
    running: int
    queued: int


class AccountForm(BaseModel):
    """An account of an agent: of its runs, `slots` are driven at a time, and `user_slots` of one user.

    `users` are those of whom some run or wait; `closed_until` is to come.
    """

    name: str
    slots: int
    user_slots: int | None = None
    closed_until: Timestamp | None = None
    closed_why: str | None = None
    running: int
    queued: int
    users: list[FleetUserForm]


class FleetForm(BaseModel):
    """`queue` has the first 100 that wait for each account, in order; `runs` counts all runs by status."""

    workers: list[WorkerForm]
    accounts: list[AccountForm]
    queue: list[QueuedRunForm]
    runs: dict[FleetStatus, int]


class HealthForm(BaseModel):
    status: str
    version: str
