"""A report through tools, through text, and through both."""

from loopwright.agents.report_inbox import merge_report
from loopwright.core.protocol import ActionReport
from loopwright.reports.text import parse_report
from loopwright.reports.tools import ReportCall, ReportOrder, read_call
from tests.stage import said

INIT, DEBUG = ReportOrder(turn=1, action="INIT"), ReportOrder(turn=1, action="DEBUG")


def result(order: ReportOrder, status: str = "success", **more: object) -> ReportCall:
    given = {"action": order.action, "status": status, "message": "done", **more}
    return read_call(order, "report_action_result", given)  # type: ignore[arg-type]  # JSON values, as tests write them


def tasks(*descriptions: str) -> ReportCall:
    return read_call(INIT, "propose_tasks", {"tasks": list(descriptions)})


def causes(*descriptions: str, bug: str = "") -> ReportCall:
    return read_call(DEBUG, "propose_hypotheses", {"hypotheses": list(descriptions), "active_bug": bug})


def text(words: str) -> ActionReport:
    report = parse_report(words)
    assert report is not None
    return report


def test_nothing_is_no_report_and_neither_are_proposals_alone() -> None:
    assert merge_report(None, ()) is None
    assert merge_report(None, (tasks("a"),)) is None


def test_both_doors_tell_the_same() -> None:
    told = result(INIT, files_updated={"a.py": "new"}, next_action_needed="VALIDATE", options="x | y")
    written = said("INIT", tasks=[{"description": "a"}, {"description": "b"}])
    written = written.replace("FILES_UPDATED:\n", "FILES_UPDATED:\n- a.py: new\n")
    written = written.replace("- state_updates", "- options: x | y\n- state_updates")
    assert merge_report(None, (tasks("a", "b"), told)) == text(written)


def test_the_last_result_holds() -> None:
    report = merge_report(None, (result(DEBUG), result(DEBUG, "failed")))
    assert report is not None
    assert report.status == "failed"


def test_a_wish_for_input_is_a_question_through_either_door() -> None:
    report = merge_report(None, (result(DEBUG, next_action_needed="WAITING_INPUT"),))
    assert report is not None
    assert report.status == "needs_input"


def test_proposals_through_the_tool_join_a_result_that_is_text() -> None:
    report = merge_report(text(said("INIT")), (tasks("a"), tasks("b", "a")))
    assert report is not None
    assert report.state_updates == {"tasks": [{"description": "a"}, {"description": "b"}]}


def test_proposals_in_the_text_join_a_result_through_the_tool() -> None:
    written = text(said("DEBUG", "failed", "as text", hypotheses=["h"], active_bug="old"))
    report = merge_report(written, (causes("new", bug="new bug"), result(DEBUG)))
    assert report is not None
    assert (report.status, report.message) == ("success", "done")
    assert report.state_updates["active_bug"] == "new bug"
    assert [h["description"] for h in report.state_updates["hypotheses"]] == ["new"]
    alone = merge_report(written, (result(DEBUG),))
    assert alone is not None
    assert alone.state_updates == {"hypotheses": ["h"], "active_bug": "old"}


def test_a_text_on_another_action_adds_nothing() -> None:
    report = merge_report(text(said("VALIDATE", tasks=["x"])), (result(DEBUG),))
    assert report is not None
    assert report.state_updates == {}
    assert report.next_action_needed is None
