"""What a role of a cycle reports at the end of a step."""

from typing import Literal

from loopwright.domain.cycle_names import Role
from loopwright.domain.record import Items, Record

PhaseStatus = Literal["success", "failed", "partial"]


class ReportedBlocker(Record):
    """Something that keeps the role from going on. `tasks`: ids of the plan's tasks that it keeps."""

    description: str
    tasks: Items[str] = ()


class ReportedDecision(Record):
    """A question with options; `recommended` is one of them, or empty. `tasks`: ids of what waits for the answer."""

    description: str
    options: Items[str] = ()
    recommended: str = ""
    tasks: Items[str] = ()


class PhaseReport(Record):
    """The role's PHASE_RESULT. A claim, never a measurement. Status `none`: it gave no report, also when asked."""

    phase: Role
    status: PhaseStatus | Literal["none"]
    summary: str = ""
    files_written: Items[str] = ()
    issues: Items[str] = ()
    blockers: Items[ReportedBlocker] = ()
    decisions: Items[ReportedDecision] = ()
