"""What the tools answer that is not about one kind of runs: lists and diffs. Pure."""

from typing import Literal

from loopwright.domain.record import Items, Record
from loopwright.mcp.cycle_told import CycleBrief
from loopwright.mcp.told import Brief
from loopwright.mcp.tuning_told import TuningBrief


class Damaged(Record):
    """It can not be read."""

    kind: Literal["loop", "cycle", "tuning"]
    id: str
    reason: str


class Listed(Record):
    """A part of all loops, cycles and tuning sessions; `total` counts all that match.

    `projects`: every project that can be named.
    """

    loops: Items[Brief]
    cycles: Items[CycleBrief]
    tunings: Items[TuningBrief]
    total: int
    damaged: Items[Damaged]
    projects: Items[str]


class Changed(Record):
    """A unified diff; `truncated`: there is more of it."""

    id: str
    project: str
    checkpoint: int | None
    iteration: int | None
    diff: str
    truncated: bool
