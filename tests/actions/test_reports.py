"""The report block as agents really write it."""

import pytest

from loopwright.domain.protocol import ActionReport
from loopwright.domain.reports import parse_report

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
    ],
    ids=["bold", "fenced", "lower case", "heading", "crlf", "stars"],
)
def test_the_block_as_agents_write_it(text: str) -> None:
    report = parsed(text)
    assert (report.action, report.status, report.message) == ("DEVELOP", "success", "parser rewritten")
    assert report.files_updated == {"src/parser.py": "new grammar"}


def test_json_over_several_lines() -> None:
    text = PLAIN.replace("{}", '{\n  "tasks": [\n    {"description": "first"}\n  ]\n}')
    assert parsed(text).state_updates == {"tasks": [{"description": "first"}]}


def test_a_quoted_block_does_not_count() -> None:
    quoted = "\n".join(f"> {line}" for line in PLAIN.splitlines())
    assert parse_report(quoted) is None
    assert parsed(f"{quoted}\n\n{PLAIN.replace('success', 'failed')}").status == "failed"


def test_the_last_block_counts() -> None:
    assert parsed(PLAIN + "\nWait, it broke.\n" + PLAIN.replace("success", "failed")).status == "failed"


def test_waiting_for_input_is_a_status() -> None:
    text = PLAIN.replace("NEXT_ACTION_NEEDED: VALIDATE", "NEXT_ACTION_NEEDED: WAITING_INPUT")
    assert parsed(text).status == "needs_input"


@pytest.mark.parametrize(
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
