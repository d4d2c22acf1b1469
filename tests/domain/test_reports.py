"""The report block as agents really write it."""

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.protocol import ActionReport
from loopwright.reports.block import ReportStatus
from loopwright.reports.text import find_report_problem, parse_report
from loopwright.reports.tools import LONGEST
from tests.tables import each

PLAIN = """I changed the parser.

ACTION_RESULT:
- action: DEVELOP
- status: success
- message: parser rewritten
- state_updates: {}

FILES_UPDATED:
- src/parser.py: new grammar

NEXT_ACTION_NEEDED: VALIDATE
"""


def parsed(text: str) -> ActionReport:
    report = parse_report(text)
    assert report is not None
    return report


def test_the_block_as_the_contract_shows_it() -> None:
    report = parsed(PLAIN)
    assert (report.action, report.status, report.message) == ("DEVELOP", "success", "parser rewritten")
    assert report.files_updated == {"src/parser.py": "new grammar"}
    assert report.next_action_needed == "VALIDATE"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("ACTION_RESULT:", "**ACTION_RESULT:**").replace("- status", "- **status**"),
        "```\n" + PLAIN + "```\nThat is all.",
        PLAIN.replace("ACTION_RESULT", "action_result").replace("success", "SUCCESS"),
        PLAIN.replace("ACTION_RESULT:", "## ACTION_RESULT"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("- action", "* action"),
        PLAIN.replace("ACTION_RESULT:", "**ACTION_RESULT**:").replace("- status:", "- **status:**"),
        PLAIN.replace(":", "："),
        PLAIN.replace("ACTION_RESULT:", "ＡＣＴＩＯＮ＿ＲＥＳＵＬＴ：").replace(
            "- status: success", "－ ｓｔａｔｕｓ：ｓｕｃｃｅｓｓ"
        ),
        PLAIN.replace("action:", "动作：").replace("status: success", "状态：成功").replace("message:", "消息："),
        re.sub(r"- (?=action|status|message|state)", "  ", PLAIN),
        PLAIN.replace("ACTION_RESULT", "Action Result").replace("FILES_UPDATED", "Files updated"),
        PLAIN.replace("success", "✅ success (everything is in place)"),
        PLAIN.replace("success", "`Success`.").replace("DEVELOP", "`develop`"),
        PLAIN.replace("parser rewritten", "**parser rewritten**").replace("src/parser.py", "`src/parser.py`"),
        PLAIN + "\nIs there anything else?\n- status: failed\n- a.py: not mine\n",
        PLAIN.replace("\n\nNEXT_ACTION_NEEDED: VALIDATE", "\n\nThat is what I did.\n- Note: run the tests"),
        PLAIN.replace("\n- state_updates", "\n\nI also looked around.\n\n- state_updates"),
    ],
    ids=[
        "bold", "fenced", "lower case", "heading", "crlf", "stars", "bold names", "wide colons", "full width",
        "chinese", "indented", "words", "status with a remark", "status in quotes", "bold values", "prose behind",
        "prose for an end", "prose between",
    ],
)  # fmt: skip
def test_the_block_as_agents_write_it(text: str) -> None:
    report = parsed(text)
    assert (report.action, report.status, report.message) == ("DEVELOP", "success", "parser rewritten")
    assert report.files_updated == {"src/parser.py": "new grammar"}
    assert find_report_problem(text) == ""


def test_a_table() -> None:
    text = """### ACTION_RESULT

| field | value |
|:---|---|
| **action** | DEVELOP |
| status | success |
| message | parser rewritten |

### FILES_UPDATED
| src/parser.py | new grammar |
"""
    assert parsed(text).evolve(next_action_needed="VALIDATE") == parsed(PLAIN)


@pytest.mark.parametrize(
    "text",
    [
        'ACTION_RESULT: {"action": "init", "status": "success", "message": "m", "state_updates": {"tasks": ["a"]}}',
        '```json\n{\n  "ACTION_RESULT": {\n    "action": "INIT",\n    "status": "success",\n    "message": "m",\n'
        '    "state_updates": {"tasks": ["a"]}\n  },\n  "FILES_UPDATED": []\n}\n```',
    ],
    ids=["behind the heading", "all of it"],
)
def test_a_block_that_is_json(text: str) -> None:
    assert parsed(text) == ActionReport(action="INIT", status="success", message="m", state_updates={"tasks": ["a"]})


def test_marks_within_a_message_stay() -> None:
    assert parsed(PLAIN.replace("parser rewritten", "all `**/*.py` are **new** now")).message == (
        "all `**/*.py` are **new** now"
    )


def test_files_are_named_with_or_without_words() -> None:
    text = PLAIN.replace("- src/parser.py: new grammar", "- a.py\n- `b c.py`: new\n* d.py：新\n1. e.py: x\n- none\n")
    assert parsed(text).files_updated == {"a.py": "", "b c.py": "new", "d.py": "新", "e.py": "x"}


@each(
    ("written", "updates"),
    [
        (' {"tasks": [{"description": "first"},],}', {"tasks": [{"description": "first"}]}),
        ('\n```json\n{\n"tasks": ["a\nb"]\n}\n```', {"tasks": ["a\nb"]}),
        (' {"active_bug": "- status: failed\n- action: x"}', {"active_bug": "- status: failed\n- action: x"}),
        (" none", {}), ("", {}), (" `{}`", {}), (" 无", {}),
        (' ["a"]', None), ("\n  tasks:\n  - first", None), (" {", None),
    ],
)  # fmt: skip
def test_state_updates_however_they_are_written(written: str, updates: dict[str, object] | None) -> None:
    report = parsed(PLAIN.replace(" {}", written))
    assert report.state_updates == (updates or {})
    assert report.unread == ("state_updates" if updates is None else "")


def test_json_over_several_lines() -> None:
    text = PLAIN.replace("{}", '{\n  "tasks": [\n    {"description": "first"}\n  ]\n}')
    assert parsed(text).state_updates == {"tasks": [{"description": "first"}]}


def test_a_quoted_block_does_not_count() -> None:
    quoted = "\n".join(f"> {line}" for line in PLAIN.splitlines())
    assert parse_report(quoted) is None
    assert parsed(f"{quoted}\n\n{PLAIN.replace('success', 'failed')}").status == "failed"


def test_the_last_block_counts() -> None:
    assert parsed(PLAIN + "\nWait, it broke.\n" + PLAIN.replace("success", "failed")).status == "failed"


def test_the_block_of_the_action_that_was_ordered_counts() -> None:
    text = PLAIN + PLAIN.replace("DEVELOP", "VALIDATE").replace("success", "failed")
    ordered = parse_report(text, "DEVELOP")
    assert ordered is not None
    assert (ordered.action, ordered.status) == ("DEVELOP", "success")
    assert parse_report(text, "DEBUG") is None, "one of another action is no report on this one"
    assert find_report_problem(text, "DEBUG") == "it reports VALIDATE, but the order is DEBUG"


def test_an_incomplete_block_behind_a_complete_one_changes_nothing() -> None:
    assert parsed(PLAIN + "\nAs the contract has it:\nACTION_RESULT:\n- action: DEVELOP\n- status: success | failed\n")


def test_what_is_too_long_is_cut() -> None:
    report = parsed(PLAIN.replace("parser rewritten", "x" * 10_000).replace("new grammar", "y" * 10_000))
    assert len(report.message) == len(report.files_updated["src/parser.py"]) == LONGEST
    many = PLAIN.replace("- src/parser.py: new grammar", "\n".join(f"- f{n}.py: x" for n in range(10_000)))
    assert len(parsed(many).files_updated) == 500


def test_waiting_for_input_is_a_status() -> None:
    text = PLAIN.replace("NEXT_ACTION_NEEDED: VALIDATE", "NEXT_ACTION_NEEDED: WAITING_INPUT")
    assert parsed(text).status == "needs_input"


@each(
    ("written", "options"),
    [
        (" up | down", ("up", "down")),
        (" keep it, as it is | throw it away, now", ("keep it, as it is", "throw it away, now")),
        (' ["up, fast", "down"]', ("up, fast", "down")),
        (" ['up', 'down']", ("up", "down")),
        (" [up | down]", ("up", "down")),
        (" up, down, or left", ("up", "down", "left")),
        (" up; down, slowly", ("up", "down, slowly")),
        ("\n  - up\n  - down, slowly", ("up", "down, slowly")),
        ("\n  1. up\n  2. `down`", ("up", "down")),
        ("\n  (a) up\n  (b) down", ("up", "down")),
        (" up |\n  down", ("up", "down")),
        (' [\n    "up",\n    "down"\n  ]', ("up", "down")),
        (" up, up", ("up",)),
        (" 3 | 4.5", ("3", "4.5")),
        (" only this", ("only this",)),
        (" []", ()),
        ("", ()),
    ],
)
def test_options_however_they_are_listed(written: str, options: tuple[str, ...]) -> None:
    asking = PLAIN.replace("success", "needs_input").replace("- state_updates: {}", f"- options:{written}")
    assert parsed(asking).options == options


@pytest.mark.parametrize("text", ["", "ACTION_RESULT:", PLAIN.replace("status: success", "status: splendid"), "done!"])
def test_no_block_is_no_report(text: str) -> None:
    assert parse_report(text) is None


@each(
    ("text", "problem"),
    [
        ("", "there was no call of the report tool and no ACTION_RESULT block"),
        (
            "All is done, the ACTION_RESULT block is superfluous.",
            "there was no call of the report tool and no ACTION_RESULT block",
        ),
        ("\n".join(f"> {line}" for line in PLAIN.splitlines()), "the ACTION_RESULT block was inside a quotation"),
        ("ACTION_RESULT:", "the block had no line “- action: …”"),
        ("ACTION_RESULT:\n- action: INIT\n", "the block had no line “- status: …” (success, failed, needs_input)"),
        (PLAIN.replace("success", "done"), "its status was 'done'; allowed are success, failed, needs_input"),
        (
            PLAIN.replace("success", "success | failed | needs_input"),
            "its status was 'success | failed | needs_input'; allowed are success, failed, needs_input",
        ),
        (PLAIN, ""),
    ],
)
def test_what_is_wrong_has_words(text: str, problem: str) -> None:
    assert find_report_problem(text) == problem
    assert (parse_report(text) is None) is bool(problem)


PIECES = st.sampled_from(
    [
        "ACTION_RESULT:", "**ACTION_RESULT**", "- action: INIT", "- status: success", "- status: done", "- message: ",
        "- state_updates: {", '"tasks": [', "]", "{", "}", "- options: a | b", "FILES_UPDATED:", "- a.py: b", "- a.py",
        "| status | failed |", "NEXT_ACTION_NEEDED: WAITING_INPUT", "```", "> ", "|", "：", "\x00", "\u2028", "\ud800",
        "#" * 9, "*" * 9, "",
    ]
)  # fmt: skip
ANYTHING = st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=25).map("\n".join)


@given(ANYTHING)
def test_nothing_that_is_said_can_hurt(text: str) -> None:
    report = parse_report(text)
    assert (report is None) is bool(find_report_problem(text))
    if report is not None:
        assert report.action == report.action.upper() != ""
        assert report.status in get_args(ReportStatus)


def test_half_a_character_is_left_out() -> None:
    text = (
        PLAIN.replace("parser rewritten", "a\ud800b")
        .replace("DEVELOP", "DEV\udc00ELOP")
        .replace("{}", '{"a": "\ud800"}')
    )
    assert parsed(text).model_dump_json()


@given(ANYTHING)
def test_a_quotation_never_counts(text: str) -> None:
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    assert parse_report(quoted) is None
    assert parsed(f"{quoted}\n\n{PLAIN}") == parsed(PLAIN)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "ACTION_RESULT:\n" * 14_000,
        "ACTION_RESULT:\n- action: x\n" + "- state_updates: {\n" * 10_000,
        "ACTION_RESULT:\n- action: x\n- status: success\n- state_updates: " + '{"a":' * 40_000,
        "ACTION_RESULT:\n- status: " + "!" * 200_000,
        "ACTION_RESULT:\n- action: x\n- status: success\n- options: " + "[" * 200_000,
        "- * # _ `" * 22_000,
        "| " * 100_000,
        " " * 200_000 + "ACTION_RESULT",
        "ACTION_RESULT:\nFILES_UPDATED:\n" + "- a: b: c: " * 18_000,
    ],
)
def test_as_much_as_is_kept_of_an_answer_is_read_at_once(text: str) -> None:
    find_report_problem(text)
