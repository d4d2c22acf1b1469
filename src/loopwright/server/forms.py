"""The forms of answers that are no records of the domain."""

from pydantic import BaseModel, JsonValue

from loopwright.domain.course import TouchedFile
from loopwright.domain.progress import PlanStatus
from loopwright.domain.record import Record, Timestamp


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
