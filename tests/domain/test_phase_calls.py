"""The tools of a cycle's roles: what they take, and the words for what they do not."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from loopwright.agents.report_inbox import merge_report
from loopwright.core.cycle_names import NEEDS_AGENT
from loopwright.core.errors import Invalid
from loopwright.reports.discoveries import TYPES
from loopwright.reports.phase import PhaseReport, ReportedBlocker, ReportedDecision, read_phase_report
from loopwright.reports.text import parse_report
from loopwright.reports.tools import (
    STEP_TOOLS,
    TOOLS,
    ReportFinding,
    ReportOrder,
    ReportPhaseResult,
    answer_call,
    read_call,
    tools_for,
)
from tests.tables import each

PLAN = ReportOrder(turn=1, action="ep.plan")
DONE: dict[str, JsonValue] = {"phase": "ep", "status": "success", "summary": "planned"}
WHOLE: dict[str, JsonValue] = {
    **DONE,
    "files_written": ["plan.json", {"path": "architecture.md", "description": "the layers"}],
    "issues": ["the README is old"],
    "blockers": [{"description": "which currency?", "tasks": ["TASK-001"]}],
    "decisions": [{"description": "which?", "options": ["a", "b"], "recommended": "b", "tasks": ["TASK-002"]}],
}
REPORT = PhaseReport(
    phase="ep",
    status="success",
    summary="planned",
    files_written=("plan.json", "architecture.md"),
    issues=("the README is old",),
    blockers=(ReportedBlocker(description="which currency?", tasks=("TASK-001",)),),
    decisions=(ReportedDecision(description="which?", options=("a", "b"), recommended="b", tasks=("TASK-002",)),),
)
TEXT = """PHASE_RESULT:
- phase: ep
- status: success
- summary: planned
- files_written:
  - plan.json
  - architecture.md: the layers
- issues: the README is old
- blockers: which currency? (TASK-001)
- decisions: which? (TASK-002) | a | b (recommended)
"""


def result(**given: JsonValue) -> ReportPhaseResult:
    call = read_call(PLAN, "report_phase_result", {**DONE, **given})
    assert isinstance(call, ReportPhaseResult)
    return call


def test_each_order_has_its_tools() -> None:
    assert all(tools_for(step) is STEP_TOOLS for step in NEEDS_AGENT)
    assert all(tools_for(other) is TOOLS for other in ("INIT", "DEBUG", "", "aggregation", "ep"))
    assert list(STEP_TOOLS) == ["report_phase_result", "report_discovery"]


def test_both_doors_tell_the_same() -> None:
    through_tool, through_text = merge_report(None, (result(**WHOLE),)), parse_report(TEXT, "ep.plan")
    assert through_tool is not None
    assert through_tool == through_text
    assert read_phase_report(through_tool, "ep") == REPORT


def test_what_only_the_text_tells_is_kept() -> None:
    report = merge_report(parse_report(TEXT, "ep.plan"), (result(status="partial", issues=["another"]),))
    assert report is not None
    kept = read_phase_report(report, "ep")
    assert kept == REPORT.evolve(status="partial", issues=("another",))
    alone = merge_report(parse_report(TEXT.replace("phase: ep", "phase: vas"), "ep.plan"), (result(),))
    assert alone is not None
    assert read_phase_report(alone, "ep") == PhaseReport(phase="ep", status="success", summary="planned")


def test_a_finding_alone_is_no_report() -> None:
    finding = read_call(PLAN, "report_discovery", {"type": "test_command", "data": {"unit": "pytest"}})
    assert merge_report(None, (finding,)) is None


@each("phase", ["ep", "EP", "ep.plan", "plan", "Exploration Planner", " `ep` "])
@each("status", ["success", "Success", "✅ completed (all of it)", "成功"])
def test_phase_and_status_however_they_are_written(phase: str, status: str) -> None:
    call = result(phase=phase, status=status)
    assert (call.phase, call.status) == ("ep.plan", "success")
    assert answer_call(call, "ep.plan") == "Recorded: ep.plan success. Your report is complete; end your turn now."


@each(
    ("given", "blockers"),
    [
        ("none", ()),
        (None, ()),
        ([], ()),
        ("which? (TASK-1)", (("which?", ("TASK-1",)),)),
        (["a (TASK-1)", "b"], (("a", ("TASK-1",)), ("b", ()))),
        ({"description": "a", "tasks": "TASK-1, TASK-2"}, (("a", ("TASK-1", "TASK-2")),)),
        ('[{"issue": "a", "task": "TASK-1"}]', (("a", ("TASK-1",)),)),
        ("- a\n- b (TASK-1)", (("a", ()), ("b", ("TASK-1",)))),
    ],
)
def test_blockers_however_they_are_given(given: JsonValue, blockers: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
    assert tuple((each.description, each.tasks) for each in result(blockers=given).blockers) == blockers


@pytest.mark.parametrize("given", [
    ["which? | a | b (recommended)"],
    "which? | a | b (recommended)",
    [{"question": "which?", "options": "a | b", "recommended": "B"}],
    [{"description": "which?", "options": [{"label": "a"}, {"label": "b", "recommended": True}]}],
])  # fmt: skip
def test_decisions_however_they_are_given(given: JsonValue) -> None:
    (decision,) = result(decisions=given).decisions
    assert (decision.description, decision.options, decision.recommended) == ("which?", ("a", "b"), "b")


@each(
    ("tool", "arguments", "words"),
    [
        ("report_phase_result", {**DONE, "status": "needs_input"},
         "Not recorded: status was 'needs_input'; allowed are success, failed, partial. "
         "Fix this and call report_phase_result again."),
        ("report_phase_result", {**DONE, "phase": "cd"}, "phase was 'cd', and your order is ep.plan. Report on that."),
        ("report_phase_result", {**DONE, "phase": "ep.explore"}, "phase was 'ep.explore', and your order is ep.plan"),
        ("report_phase_result", {}, "phase is missing; status is missing; summary is missing"),
        ("report_phase_result", {**DONE, "issues": 7}, "issues: Input should be a valid"),
        ("report_phase_result", {**DONE, "blockers": True}, "blockers: Input should be a valid"),
        ("report_phase_result", {**DONE, "summary": "x" * 2001}, "at most 2,000 are accepted"),
        ("report_action_result", {"action": "INIT", "status": "success", "message": "m"},
         "No tool is named 'report_action_result'; available: report_phase_result, report_discovery."),
        ("propose_tasks", {"tasks": ["a"]}, "No tool is named 'propose_tasks'"),
        ("report_discovery", {"title": "t", "text": "x"}, "Not recorded: the types of a discovery are tech_stack,"
            " "),
        ("report_discovery", {"type": "gossip", "data": {}}, "(got 'gossip')"),
        ("report_discovery", {"type": "utility", "data": {"name": "n"}}, "file, usage is missing"),
        ("report_discovery", {"type": "utility", "data": "n"}, "a utility needs"),
        ("report_discovery", {"type": "utility", "data": [1]}, "the data of a utility is a JSON object"),
        ("report_discovery", "utility", "must be an object with type and data"),
        ("report_discovery", {"type": "test_command", "data": {"unit": "x" * 30_000}}, "at most 20,000 characters"),
    ],
)  # fmt: skip
def test_what_does_not_fit_has_words(tool: str, arguments: JsonValue, words: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_call(PLAN, tool, arguments)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_loop_has_no_tool_of_a_cycle() -> None:
    with pytest.raises(Invalid, match="No tool is named 'report_phase_result'; available: report_action_result"):
        read_call(ReportOrder(turn=1, action="INIT"), "report_phase_result", DONE)


@pytest.mark.parametrize(
    "given",
    [
        {"type": "test_command", "data": {"unit": "pytest -q"}},
        {"type": "Test Command", "data": '{"unit": "pytest -q",}'},
        {"type": "test-command", "unit": "pytest -q", "agent": "ra"},
        {"type": "test_command", "data": None, "unit": "pytest -q"},
    ],
)
def test_a_finding_however_it_is_given(given: dict[str, JsonValue]) -> None:
    call = read_call(PLAN, "report_discovery", given)
    assert isinstance(call, ReportFinding)
    assert (call.type, call.data, call.title) == (
        "test_command",
        {"unit": "pytest -q"},
        "test_command: unit: pytest -q",
    )
    assert answer_call(call, "ep.explore") == "Recorded."


def test_a_findings_title_is_one_short_line() -> None:
    data: JsonValue = {"unit": "a\n\u001b[2J" + "x" * 9_000}
    call = read_call(PLAN, "report_discovery", {"type": "test_command", "data": data})
    assert isinstance(call, ReportFinding)
    assert len(call.title) == 300
    assert call.title.isprintable()


def test_every_type_of_the_board_is_named_to_the_agent() -> None:
    assert all(f"{name} ({', '.join(each.required)})" in ReportFinding.words for name, each in TYPES.items())


def test_what_was_taken_is_taken_again_as_it_is_kept() -> None:
    finding: dict[str, JsonValue] = {"type": "test_command", "data": {"unit": "pytest"}}
    for tool, arguments in (("report_phase_result", WHOLE), ("report_discovery", finding)):
        call = read_call(PLAN, tool, arguments)
        assert read_call(PLAN, tool, call.model_dump(mode="json")) == call


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["description", "options", "recommended", "tasks", "path", "type", "data"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from(list(STEP_TOOLS)), st.dictionaries(
    st.sampled_from(["phase", "status", "summary", "files_written", "issues", "blockers", "decisions", "type", "data"]),
    JSON), st.booleans())  # fmt: skip
def test_whatever_is_given_is_taken_or_refused(tool: str, given: dict[str, JsonValue], is_begun: bool) -> None:
    arguments: dict[str, JsonValue] = {**given, **DONE} if is_begun else given
    with suppress(Invalid):
        call = read_call(PLAN, tool, arguments)
        json.dumps(call.model_dump(mode="json"))
        report = merge_report(None, (call,))
        assert (report is None) is isinstance(call, ReportFinding)
        assert report is None or read_phase_report(report, "ep").model_dump_json()
