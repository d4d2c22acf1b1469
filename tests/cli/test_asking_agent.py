"""A coding agent that asks, by the real command: its policy decides, or a person at the terminal or at another one."""

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Desk
from tests.cli.test_menu import CTRL_C, DOWN, ENTER, Terminal

ASKER = Path(__file__).parent.parent / "asker.py"
TESTS = "from pathlib import Path\n\n\ndef test_good():\n    assert Path('app.txt').read_text() == 'good'\n"
QUESTION = "asker asks to edit: Edit app.txt"


@pytest.fixture
def asker(desk: Desk) -> Desk:
    """A project with one failing test, and an agent that wants to edit its file in every turn."""
    (desk.project / "app.txt").write_text("bad")
    (desk.project / "test_app.py").write_text(TESTS)
    (desk.project / "loopwright.toml").write_text(f'[agents.asker]\ncommand = ["{sys.executable}", "{ASKER}"]\n')
    return desk


@pytest.mark.parametrize(("policy", "code", "text"), [("workspace", 0, "good"), ("read-only", 1, "bad")])
def test_the_policy_answers_where_nobody_is_asked(asker: Desk, policy: str, code: int, text: str) -> None:
    limit = ("--max-iterations", "2")
    ran = asker.run(
        "run", "Make test_good pass", "--auto", "--agent", "asker", "--permissions", policy, *limit, "--json"
    )
    assert ran.code == code, ran
    assert (asker.project / "app.txt").read_text() == text
    assert not [line for line in ran.lines if line["type"] == "permission_asked"]
    loop_id = str(ran.lines[-1]["loop_id"])
    transcript = asker.run("logs", loop_id, "transcript.ndjson").out
    told = [line.split(maxsplit=1)[1] for line in transcript.splitlines()]
    planned = told[told.index("begins: INIT") : told.index("begins: DEVELOP")]
    assert any(line.startswith("refused by policy: Edit app.txt") for line in planned), "planning only reads"


def begun(asker: Desk) -> Terminal:
    """A terminal that shows the question."""
    terminal = Terminal(asker, "run", "Make test_good pass", "--agent", "asker", "--permissions", "ask")
    terminal.wait_for("develop   do the next task")
    terminal.press(ENTER)
    terminal.wait_for(QUESTION)
    terminal.wait_for("for this run")
    assert (asker.project / "app.txt").read_text() == "bad"
    return terminal


@pytest.mark.parametrize(("keys", "text"), [((ENTER,), "good"), ((DOWN, ENTER), "bad")])
def test_the_person_at_the_terminal_is_asked(asker: Desk, keys: tuple[str, ...], text: str) -> None:
    terminal = begun(asker)
    terminal.press(*keys)
    terminal.wait_for("write the summary")
    assert (asker.project / "app.txt").read_text() == text
    terminal.press(CTRL_C)
    assert terminal.end() == 130


def test_an_answer_from_another_terminal_takes_the_question_away(asker: Desk) -> None:
    terminal = begun(asker)
    loop_id = asker.run("list", "--json").lines[0]["data"][0]["loop_id"]  # type: ignore[index]  # parsed JSON
    ran = asker.run("approve", str(loop_id), "--allow")
    assert (ran.code, ran.err) == (0, "")
    assert QUESTION in ran.out
    terminal.wait_for("write the summary")
    assert (asker.project / "app.txt").read_text() == "good"
    terminal.press(CTRL_C)
    assert terminal.end() == 130
    assert "Traceback" not in terminal.text
