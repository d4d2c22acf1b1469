"""The forms of answers that are no records of the domain."""

from pydantic import BaseModel, JsonValue

from loopwright.domain.course import TouchedFile
from loopwright.domain.engine_state import LoopTask, PermissionRequest
from loopwright.domain.glance import Glance
from loopwright.domain.loop import LoopState, TaskStatus
from loopwright.domain.progress import PlanStatus
from loopwright.domain.record import Record, Timestamp
from loopwright.server.documenting import Done


class EventForm(BaseModel):
    """One committed change. `words` for people; order is `seq`, never `ts`."""

    seq: int
    ts: Timestamp
    actor: str
    type: str
    data: dict[str, JsonValue]
    words: str


class NoteForm(Record):
    """A line of the transcript; what else it has depends on its kind (docs/files.md)."""

    ts: str
    kind: str
    text: str


class PlanForm(BaseModel):
    content: str
    status: PlanStatus
    depth: int


class CheckpointForm(BaseModel):
    """A snapshot of the work tree; `files` are those that changed since the one before."""

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
    """A loop that can not be read; `recover` may rebuild it."""

    loop_id: str
    reason: str


class PageForm(Done[list[LoopState | Glance]]):
    """`total` counts all that match."""

    total: int
    limit: int
    offset: int
    hasMore: bool
    timestamp: Timestamp
    damaged: list[DamagedForm]


class LoopForm(Done[LoopState]):
    """`project` is the name of the one it lives in; `live`: a runner is at it (where one loop is read)."""

    project: str
    live: bool = False


class SteeredForm(LoopForm):
    message: str


class RepairForm(BaseModel):
    type: str
    data: dict[str, JsonValue]


class RecoveredForm(LoopForm):
    repairs: list[RepairForm]
    kept: list[str]


class RequestsForm(Done[list[PermissionRequest]]):
    """The answered requests."""


class TaskForm(LoopTask):
    """A task of a list."""

    status: TaskStatus


class PlacedTaskForm(LoopTask):
    """A task with its loop."""

    loop_id: str
    project: str


class TasksForm(Done[list[TaskForm]]):
    total: int
    loop_id: str
    timestamp: Timestamp


class CreatedTasksForm(Done[list[LoopTask]]):
    message: str


class ProjectForm(BaseModel):
    name: str
    path: str


class AgentForm(BaseModel):
    """`problem`: why it can not be used here."""

    name: str
    available: bool
    problem: str | None = None


class HealthForm(BaseModel):
    status: str
    version: str
