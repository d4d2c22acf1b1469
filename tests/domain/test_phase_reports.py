"""The report block of a role in a cycle, as agents really write it."""

import json
import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.cycle_names import NEEDS_AGENT, ROLE_OF, ROLES, StepName
from loopwright.core.protocol import ActionReport
from loopwright.reports.block import PhaseStatus
from loopwright.reports.phase import PhaseReport, ReportedBlocker, ReportedDecision, read_phase_report
from loopwright.reports.text import find_report_problem, parse_report
from loopwright.reports.tools import LONGEST
from tests.tables import each

STEP: StepName = "ep.plan"
PLAIN = """I have planned the work.

PHASE_RESULT:
- phase: ep
- status: partial
- files_written:
  - plan.json
  - architecture.md: the layers
- summary: four tasks
- issues:
  - the README is older than the code
  - nobody owns utils.py
- blockers:
  - which currency is meant? (TASK-001, TASK-002)
- decisions:
  - which database? | Postgres | SQLite (recommended)
"""
WHOLE = PhaseReport(
    phase="ep",
    status="partial",
    summary="four tasks",
    files_written=("plan.json", "architecture.md"),
    issues=("the README is older than the code", "nobody owns utils.py"),
    blockers=(ReportedBlocker(description="which currency is meant?", tasks=("TASK-001", "TASK-002")),),
    decisions=(
        ReportedDecision(description="which database?", options=("Postgres", "SQLite"), recommended="SQLite"),
    ),
)  # fmt: skip
AS_JSON = {
    "phase": "ep", "status": "partial", "summary": "four tasks", "files_written": ["plan.json", "architecture.md"],
    "issues": ["the README is older than the code", "nobody owns utils.py"],
    "blockers": [{"description": "which currency is meant?", "tasks": ["TASK-001", "TASK-002"]}],
    "decisions": [{"question": "which database?", "options": ["Postgres", "SQLite"], "recommended": "SQLite"}],
}  # fmt: skip
SHORT = "PHASE_RESULT:\n- phase: ra\n- status: success\n- summary: it is clear\n"


def parsed(text: str, step: str = STEP) -> PhaseReport:
    report = parse_report(text, step)
    assert report is not None
    role = ROLE_OF[next(each for each in get_args(StepName) if each == step)]
    assert role is not None
    assert report.action == step
    return read_phase_report(report, role)


def listing(field: str, written: str) -> PhaseReport:
    """The report whose field is written so; another one stands behind it."""
    return parsed(SHORT + f"- {field}:{written}\n- nobody: knows\n"[: -len("- nobody: knows\n")], "ra.analyse")


def test_the_block_as_the_contract_shows_it() -> None:
    assert parsed(PLAIN) == WHOLE
    report = parse_report(PLAIN, STEP)
    assert report is not None
    assert report.files_updated == {"plan.json": "", "architecture.md": "the layers"}
    assert find_report_problem(PLAIN, STEP) == ""


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("PHASE_RESULT:", "**PHASE_RESULT:**").replace("- status", "- **status**"),
        "```\n" + PLAIN + "```\nThat is all.",
        PLAIN.replace("PHASE_RESULT", "phase_result").replace("partial", "PARTIAL"),
        PLAIN.replace("PHASE_RESULT:", "## Phase Result"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("- ", "* "),
        PLAIN.replace("- which", "1. which").replace("- the README", "1. the README").replace("- nobody", "2. nobody"),
        PLAIN.replace(":", "："),
        PLAIN.replace("phase:", "阶段：").replace("status: partial", "状态：部分完成").replace("summary:", "摘要：")
        .replace("files_written:", "写入文件：").replace("issues:", "问题：").replace("blockers:", "阻塞：")
        .replace("decisions:", "决策：").replace("(recommended)", "（推荐）").replace(" (TASK", "（TASK")
        .replace("002)", "002）"),
        PLAIN.replace("- phase: ep", "- phase: Exploration Planner"),
        PLAIN.replace("- phase: ep", "- phase: `ep.plan`."),
        PLAIN.replace("- phase: ep", "- phase: plan"),
        re.sub(r"^- (\w+):", r"\1:", PLAIN, flags=re.MULTILINE),
        re.sub(r"^- (\w+):", r"### \1:\n", PLAIN, flags=re.MULTILINE),
        re.sub(r"^- (\w+):$", r"### \1\n", PLAIN, flags=re.MULTILINE),
        re.sub(r"^  - ", "- ", PLAIN, flags=re.MULTILINE),
        re.sub(r"^  - ", "\n      * ", PLAIN, flags=re.MULTILINE),
        PLAIN.replace("partial", "🟡 partial (the plan waits for an answer)"),
        PLAIN + "\nIs there anything else?\n- status: failed\n- phase: ra\n",
        PLAIN.replace("- summary", "\n\n- summary").replace("- issues", "\nI also looked around.\n\n- issues"),
        "PHASE_RESULT: " + json.dumps(AS_JSON),
        "Here it is:\n```json\n" + json.dumps({"PHASE_RESULT": AS_JSON}, indent=2) + "\n```\nDone.",
        "PHASE_RESULT:\n" + "\n".join(f"- {key}: {json.dumps(value, indent=4)}" for key, value in AS_JSON.items()),
        "PHASE_RESULT:\n" + "\n".join(f"- {key}: {json.dumps(value)}" for key, value in AS_JSON.items()),
    ],
    ids=[
        "bold", "fenced", "lower case", "heading", "crlf", "stars", "numbers", "wide colons", "chinese", "title",
        "step", "deed", "no bullets", "headings", "bare headings", "flat", "airy", "status with a remark",
        "prose behind", "prose between", "json", "all json", "json lists", "json on a line",
    ],
)  # fmt: skip
def test_the_block_as_agents_write_it(text: str) -> None:
    assert parsed(text) == WHOLE
    assert find_report_problem(text, STEP) == ""


def test_a_table() -> None:
    text = """### PHASE_RESULT

| field | value |
|:---|---|
| **phase** | ra |
| status | success |
| summary | it is clear |
| files_written | requirements.md, edge-cases.md |
| issues | none |
"""
    assert parsed(text, "ra.analyse") == PhaseReport(
        phase="ra", status="success", summary="it is clear", files_written=("requirements.md", "edge-cases.md")
    )


NOTHING = ("", " none", " None.", " []", " 无", "\n  - none", " `none`", " N/A", " none (all is clear)", " no blockers",
           " (none)", "\n\n", " no issues found", " null", "\n  - 无。")  # fmt: skip


@each("written", NOTHING)
@each("field", ["files_written", "issues", "blockers", "decisions"])
def test_nothing_in_many_words(field: str, written: str) -> None:
    assert listing(field, written) == PhaseReport(phase="ra", status="success", summary="it is clear")


@each(
    ("written", "issues"),
    [
        (" the build is slow", ("the build is slow",)),
        (" the build is slow,\n  and nobody knows why", ("the build is slow, and nobody knows why",)),
        ("\n  - a\n    - b\n    - c\n  - d", ("a; b; c", "d")),
        ("\n  - a\n    goes on\n\n  - b", ("a goes on", "b")),
        ("\n  - status: the order's status is missing\n  - phase: unknown", (
            "status: the order's status is missing", "phase: unknown")),
        ("\n  - decisions: nobody took one", ("decisions: nobody took one",)),
        ("\n  1) a\n  2) b", ("a", "b")),
        ("\n  - a\n  - a", ("a",)),
        (' ["a", "b",]', ("a", "b")),
        (' [{"issue": "a", "severity": "high"}, {"severity": "low"}]', ("a", '{"severity": "low"}')),
        ("\n  - {\"description\": \"a\"}", ("a",)),
        (' {"1": "a", "2": "b"}', ("a", "b")),
        (" None of the tests run", ("None of the tests run",)),
        (" No: it is broken", ("No: it is broken",)),
        (" [urgent] mend it", ("[urgent] mend it",)),
    ],
)  # fmt: skip
def test_issues_however_they_are_listed(written: str, issues: tuple[str, ...]) -> None:
    assert listing("issues", written).issues == issues


@each(
    ("written", "description", "tasks"),
    [
        (" what is meant?", "what is meant?", ()),
        (" what is meant? (TASK-001)", "what is meant?", ("TASK-001",)),
        (" what is meant? [tasks: TASK-001, TASK-2 and TASK-3].", "what is meant?", ("TASK-001", "TASK-2", "TASK-3")),
        (" what (or who) is meant (in all)?", "what (or who) is meant (in all)?", ()),
        ("\n  - what is meant?\n    - tasks: TASK-001; T-2", "what is meant?", ("TASK-001", "T-2")),
        ("\n  - what is meant?\n    - nobody says\n    - **tasks:** none", "what is meant?; nobody says", ()),
        (' {"description": "what is meant?", "tasks": "TASK-001, TASK-002"}', "what is meant?", (
            "TASK-001", "TASK-002")),
        (' [{"issue": "what is meant?", "task_id": "T1"}]', "what is meant?", ("T1",)),
        ("\n  - **what is meant?** (TASK-001、TASK-002)", "what is meant?", ("TASK-001", "TASK-002")),
    ],
)  # fmt: skip
def test_blockers_however_they_are_written(written: str, description: str, tasks: tuple[str, ...]) -> None:
    assert listing("blockers", written).blockers == (ReportedBlocker(description=description, tasks=tasks),)


@each(
    "written",
    [
        " which? | a | b (recommended)", " which? | a | **b** (Recommended)", " which? | a | b [recommended]",
        " which? | a | b - recommended", " which? | a | b | recommended: b", " which? | a | b | recommended: 2",
        " which? Options: a, b (recommended)", " which? (options: a | b (recommended))",
        "\n  - which?\n    - a\n    - b (recommended)", "\n  - which?\n    1. a\n    2. b （推荐）",
        "\n  - which?\n    - options: a | b\n    - recommended: b",
        ' {"question": "which?", "options": ["a", "b"], "recommended": "b"}',
        ' [{"description": "which?", "choices": "a | b", "recommendation": "B"}]',
        ' [{"decision": "which?", "options": [{"label": "a"}, {"label": "b", "recommended": true}]}]',
        ' [{"text": "which?", "options": ["a", "b (recommended)"]}]',
        ' [\n    {\n      "description": "which?",\n      "options": ["a", "b"],\n      "recommended": 2\n    }\n  ]',
    ],
)  # fmt: skip
def test_decisions_however_they_are_written(written: str) -> None:
    (decision,) = listing("decisions", written).decisions
    assert decision == ReportedDecision(description="which?", options=("a", "b"), recommended="b")


@pytest.mark.parametrize(
    "written",
    [
        " which? (TASK-001) | a | b", " which? | a | b (TASK-001)", " which? | a | b | tasks: TASK-001",
        ' {"question": "which?", "options": ["a", "b"], "tasks": ["TASK-001"]}',
    ],
)  # fmt: skip
def test_a_decision_names_what_waits_for_it(written: str) -> None:
    (decision,) = listing("decisions", written).decisions
    assert decision == ReportedDecision(description="which?", options=("a", "b"), tasks=("TASK-001",))


def test_a_recommendation_that_is_none_of_the_options_recommends_nothing() -> None:
    for written in (" which? | a | b | recommended: c", ' {"question": "which?", "options": ["a", "b"], "default": 3}'):
        (decision,) = listing("decisions", written).decisions
        assert (decision.options, decision.recommended) == (("a", "b"), "")
    with pytest.raises(ValueError, match="not one of the options"):
        ReportedDecision(description="which?", options=("a",), recommended="b")


@pytest.mark.parametrize("written", [' [{"description": "a"', ' {"a": [}', "\n  [\n  oops"])
def test_json_that_can_not_be_read_is_told(written: str) -> None:
    report = parse_report(SHORT + f"- blockers:{written}\n", "ra.analyse")
    assert report is not None
    assert (report.unread, report.state_updates) == ("blockers", {})


def test_a_quoted_block_does_not_count() -> None:
    quoted = "\n".join(f"> {line}" for line in PLAIN.splitlines())
    assert parse_report(quoted, STEP) is None
    assert find_report_problem(quoted, STEP) == "the PHASE_RESULT block was inside a quotation"
    assert parsed(f"{quoted}\n\n{PLAIN.replace('partial', 'failed')}").status == "failed"


def test_the_last_block_counts_and_one_of_the_ordered_phase_before_others() -> None:
    assert parsed(PLAIN + "\nWait.\n" + PLAIN.replace("partial", "failed")).status == "failed"
    other = PLAIN.replace("phase: ep", "phase: vas").replace("partial", "failed")
    assert parsed(PLAIN + other).status == "partial"
    assert parse_report(other, STEP) is None, "one of another phase is no report on this one"
    assert find_report_problem(other, STEP) == f"it reports vas, but the order is {STEP}"


def test_each_order_takes_its_own_kind_of_block() -> None:
    action = "ACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: m\n- state_updates: {}\n"
    assert parse_report(action, STEP) is None
    assert find_report_problem(action, STEP) == "there was no call of the report tool and no PHASE_RESULT block"
    assert parse_report(PLAIN, "DEVELOP") is None
    assert find_report_problem(PLAIN, "DEVELOP") == "there was no call of the report tool and no ACTION_RESULT block"
    for text in (action + PLAIN, PLAIN + action):
        first, second = parse_report(text, STEP), parse_report(text, "DEVELOP")
        assert first is not None
        assert second is not None
        assert read_phase_report(first, "ep") == WHOLE
        assert (second.action, second.message, second.state_updates) == ("DEVELOP", "m", {})
    whichever = [parse_report(text) for text in (action + PLAIN, PLAIN + action)]
    assert [report.action if report else None for report in whichever] == ["ep", "DEVELOP"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "there was no call of the report tool and no PHASE_RESULT block"),
        ("PHASE_RESULT:", "the block had no line “- phase: …”"),
        ("PHASE_RESULT:\n- phase: ep\n", "the block had no line “- status: …” (success, failed, partial)"),
        (PLAIN.replace("partial", "needs_input"), "its status was 'needs_input'; allowed are success, failed, partial"),
        (PLAIN.replace("partial", "success | failed | partial"),
         "its status was 'success | failed | partial'; allowed are success, failed, partial"),
        ('PHASE_RESULT: {"phase": "ep", "status": 7}', "its status was '7'; allowed are success, failed, partial"),
        ('PHASE_RESULT: {"phase": ["*"], "status": "failed"}', "the block had no line “- phase: …”"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_words(text: str, problem: str) -> None:
    assert find_report_problem(text, STEP) == problem
    assert parse_report(text, STEP) is None


def test_claims_are_bounded() -> None:
    many = SHORT + "- issues:\n" + "\n".join(f"  - {n} {'x' * 10_000}" for n in range(1000))
    report = parsed(many, "ra.analyse")
    assert len(report.issues) == 50
    assert max(map(len, report.issues)) == LONGEST
    options = " | ".join(f"{n} {'y' * 400}" for n in range(100))
    (decision,) = listing("decisions", f" which? | {options}").decisions
    assert len(decision.options) == 10
    assert max(map(len, decision.options)) == 300


def test_a_report_that_is_read_again_says_the_same() -> None:
    report = parse_report(PLAIN, STEP)
    assert report is not None
    again = ActionReport.model_validate_json(report.model_dump_json())
    assert read_phase_report(again, "ep") == WHOLE


def test_what_agents_that_know_only_actions_say_is_read_too() -> None:
    asking = ActionReport(action="cd.implement", status="needs_input", message="which?", options=("a", "b"))
    assert read_phase_report(asking, "cd").decisions == (ReportedDecision(description="which?", options=("a", "b")),)
    assert read_phase_report(asking, "cd").status == "partial"
    strange = ActionReport(action="x", status="none", state_updates={"issues": 7, "blockers": None, "decisions": [[]]})
    assert read_phase_report(strange, "vas").status == "none"


PIECES = st.sampled_from(
    [
        "PHASE_RESULT:", "**PHASE_RESULT**", "ACTION_RESULT:", "- phase: ra", "- status: success", "- status: done",
        "- summary: ", "- issues:", "- issues: [", "- blockers: {", "- decisions:", "  - a | b", "  - a (TASK-1)",
        "    - recommended: b", '{"options": [1, {}], "recommended": "x"}', "  - options: a", "]", "}", "- files: a, b",
        "### Issues", "| status | failed |", "```", "> ", "|", "：", "\x00", "\u2028", "\ud800", "#" * 9, "*" * 9, "",
    ]
)  # fmt: skip
ANYTHING = st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=25).map("\n".join)


@given(ANYTHING, st.sampled_from([*sorted(NEEDS_AGENT), None, "DEVELOP"]))
def test_nothing_that_is_said_can_hurt(text: str, step: str | None) -> None:
    report = parse_report(text, step)
    assert (report is None) is bool(find_report_problem(text, step))
    if report is not None and step in NEEDS_AGENT:
        assert report.status in get_args(PhaseStatus)
        assert report.action
        for role in ROLES:
            assert read_phase_report(report, role).model_dump_json()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["description", "options", "recommended", "tasks", "path", "label", "1"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(st.fixed_dictionaries(dict.fromkeys(("summary", "files_written", "issues", "blockers", "decisions"), JSON)))
def test_no_json_can_hurt(given: dict[str, object]) -> None:
    report = parse_report("PHASE_RESULT: " + json.dumps({"phase": "ra", "status": "ok", **given}), "ra.analyse")
    assert report is not None
    assert read_phase_report(report, "ra").model_dump_json()
    assert read_phase_report(ActionReport(action="x", status="failed", state_updates=given), "ra").model_dump_json()


@given(ANYTHING)
def test_a_quotation_never_counts(text: str) -> None:
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    assert parse_report(quoted, STEP) is None
    assert parsed(f"{quoted}\n\n{PLAIN}") == WHOLE


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "PHASE_RESULT:\n" * 14_000,
        SHORT + "- blockers:\n" + "  - {\n" * 30_000,
        SHORT + "- blockers: " + '[{"a":' * 30_000,
        SHORT + "- blockers: " + "(TASK-1, " * 20_000,
        SHORT + "- blockers: " + "TASK-1, " * 20_000 + ")",
        SHORT + "- decisions: " + "a | " * 50_000,
        SHORT + "- decisions: " + "options: " * 20_000,
        SHORT + "- decisions: q | " + "((recommended" * 15_000,
        SHORT + "- decisions: q | " + " " * 100_000 + "x - " + "_ " * 40_000,
        SHORT + "- issues:" + "\n  - a\n    - b" * 12_000,
        SHORT + "- issues: no " + "issues " * 28_000 + "!",
        SHORT + "- issues: (" * 18_000,
        SHORT + "- files_written: " + "a: " * 60_000,
        "PHASE_RESULT:\n- status: " + "!" * 200_000,
        "- * # _ `" * 22_000,
        "#" * 200_000 + "\n" + "# " * 100_000 + "\n" + "**" * 100_000,
    ],
    ids=range(16),
)
def test_as_much_as_is_kept_of_an_answer_is_read_at_once(text: str) -> None:
    find_report_problem(text, "ra.analyse")
