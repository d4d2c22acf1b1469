"""What a role of a cycle reports at the end of a step. Pure."""

from typing import Literal

from loopwright.domain.cycle_names import Role
from loopwright.domain.listed import of_json
from loopwright.domain.phase_entries import ReportedBlocker as ReportedBlocker
from loopwright.domain.phase_entries import ReportedDecision as ReportedDecision
from loopwright.domain.phase_entries import read_blockers, read_decisions, read_issues
from loopwright.domain.protocol import ActionReport
from loopwright.domain.record import Items, Record
from loopwright.domain.statuses import PhaseStatus as PhaseStatus


class PhaseReport(Record):
    """The role's PHASE_RESULT. A claim, never a measurement. Status `none`: it gave no report, also when asked.

    `shown_by`: tests that are said to show the goal.
    """

    phase: Role
    status: PhaseStatus | Literal["none"]
    summary: str = ""
    files_written: Items[str] = ()
    issues: Items[str] = ()
    blockers: Items[ReportedBlocker] = ()
    decisions: Items[ReportedDecision] = ()
    shown_by: Items[str] = ()


def read(report: ActionReport, role: Role) -> PhaseReport:
    """The report of that role, whatever phase it names. What it lists and nobody can read is left out.

    An agent that knows only actions may ask for input: then its message is a decision.
    """
    listed = {
        key: of_json(report.state_updates.get(key)) or () for key in ("issues", "blockers", "decisions", "shown_by")
    }
    asks = report.status == "needs_input"
    question = (ReportedDecision(description=report.message, options=report.options),) if asks else ()
    return PhaseReport(
        phase=role,
        status="partial" if report.status == "needs_input" else report.status,
        summary=report.message,
        files_written=tuple(report.files_updated),
        issues=read_issues(listed["issues"]),
        blockers=read_blockers(listed["blockers"]),
        decisions=(*question, *read_decisions(listed["decisions"])),
        shown_by=read_issues(listed["shown_by"]),
    )
