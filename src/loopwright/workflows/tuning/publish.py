"""What follows from a committed step: the report, SARIF, and the diffs of all fixes, beside the state."""

from loopwright.core.ports import Store
from loopwright.workflows.tuning.model import Fix, TuningState
from loopwright.workflows.tuning.outcomes import (
    ApplyOutcome,
    ProposalOutcome,
    ReportOutcome,
    TuningOutcome,
    VerifyOutcome,
)
from loopwright.workflows.tuning.report.markdown import render_report
from loopwright.workflows.tuning.report.sarif import render_sarif
from loopwright.workflows.tuning.report.skill_check import read_session_check
from loopwright.workflows.tuning.session import BACKUPS

REPORT, SARIF, FIXES = "report.md", "findings.sarif", "fixes"


def diff_name(fix: str) -> str:
    return f"{FIXES}/{fix}.diff"


def files_of(outcome: TuningOutcome) -> tuple[str, ...]:
    """What the step has written, relative to the session's folder."""
    match outcome:
        case ReportOutcome():
            return REPORT, SARIF
        case ProposalOutcome(offers=offers):
            return tuple(diff_name(offer.fix.id) for offer in offers)
        case ApplyOutcome(fix=fix):
            return diff_name(fix.id), f"{BACKUPS}/{fix.id}"
        case VerifyOutcome(passed=True):
            return REPORT, SARIF
        case _:
            return ()


def render(state: TuningState) -> dict[str, bytes]:
    """All documents of the session, by name; nothing before its first report."""
    if not state.engine.standings:
        return {}
    documents = {
        REPORT: render_report(state).encode(errors="replace"),
        SARIF: render_sarif([read_session_check(state)]),
    }
    return documents | {
        diff_name(fix.id): diff_of(fix).encode(errors="surrogateescape") for fix in state.proposed_fixes
    }


def diff_of(fix: Fix) -> str:
    """The unified diff of all its files."""
    return "".join(change.diff or "" for change in fix.changes)


def publish(store: Store[TuningState], state: TuningState) -> None:
    """For who holds the lease."""
    store.write_progress(state.tuning_id, render(state))
