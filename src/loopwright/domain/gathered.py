"""What an agent reported through tools, and in the text of the same turn, put together. Pure."""

from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from loopwright.domain.calls import Call, Part
from loopwright.domain.phase_calls import ReportPhaseResult
from loopwright.domain.protocol import ActionReport
from loopwright.domain.reports import asks
from loopwright.domain.review_calls import EndReview, JudgeFinding, ReportSkillFinding
from loopwright.domain.tool_calls import ProposeHypotheses, ProposeTasks, ReportActionResult


def merged(said: ActionReport | None, calls: Sequence[Call]) -> ActionReport | None:
    """The turn's report. The last result that was told through the tool holds; without one, `said` does.

    What was proposed through tools stands in place of the same in the text; what only the text has is kept.
    """
    results = [report for call in calls if (report := _report(call)) is not None]
    report = results[-1] if results else said
    if report is None:
        return None
    if results and said is not None and said.action == report.action:
        report = report.evolve(
            files_updated=report.files_updated or said.files_updated,
            next_action_needed=report.next_action_needed or said.next_action_needed,
            options=report.options or said.options,
            state_updates={**said.state_updates, **report.state_updates},
        )
    return report.evolve(state_updates={**report.state_updates, **_proposed(calls)})


def _report(call: Call) -> ActionReport | None:
    """The result that the call tells; None where it tells something else."""
    match call:
        case ReportActionResult():
            return _of_action(call)
        case ReportPhaseResult():
            return _of_phase(call)
        case EndReview():
            return ActionReport(action=call.action, status="success", message=call.summary)
        case _:
            return None


def _of_action(call: ReportActionResult) -> ActionReport:
    wanted = call.next_action_needed or None
    shown: dict[str, JsonValue] = {"shown_by": list(call.shown_by), "proof": call.proof}
    return ActionReport(
        action=call.action,
        status="needs_input" if asks(wanted) else call.status,
        message=call.message,
        files_updated={file.path: file.description for file in call.files_updated},
        next_action_needed=wanted,
        options=call.options,
        state_updates={name: value for name, value in shown.items() if value},
    )


def _of_phase(call: ReportPhaseResult) -> ActionReport:
    updates: dict[str, list[JsonValue]] = {
        "issues": list(call.issues),
        "blockers": _listed(call.blockers),
        "decisions": _listed(call.decisions),
        "shown_by": list(call.shown_by),
    }
    return ActionReport(
        action=call.phase,
        status=call.status,
        message=call.summary,
        files_updated={file.path: file.description for file in call.files_written},
        state_updates={name: entries for name, entries in updates.items() if entries},
    )


def _proposed(calls: Iterable[Call]) -> dict[str, JsonValue]:
    """The state updates that the proposals come to; each of a kind is kept once."""
    updates: dict[str, JsonValue] = {}
    tasks = [task for call in calls if isinstance(call, ProposeTasks) for task in call.tasks]
    causes = [call for call in calls if isinstance(call, ProposeHypotheses)]
    if tasks:
        updates["tasks"] = _listed(tasks)
    if causes:
        updates["hypotheses"] = _listed(hypothesis for call in causes for hypothesis in call.hypotheses)
    if found := [call for call in calls if isinstance(call, ReportSkillFinding)]:
        updates["findings"] = _listed(found)
    if judged := [call for call in calls if isinstance(call, JudgeFinding)]:
        updates["verdicts"] = _listed(judged)
    if bugs := [call.active_bug for call in causes if call.active_bug]:
        updates["active_bug"] = bugs[-1]
    return updates


def _listed(parts: Iterable[Part]) -> list[JsonValue]:
    return [part.model_dump(mode="json") for part in dict.fromkeys(parts)]
