"""Sessions of tuning from the command line: chosen at a terminal or from afar, looked at, ended, taken back."""

import json
import shutil
from pathlib import Path

import pytest

from loopwright.core.errors import ExitCode
from loopwright.core.run_events import RunNote
from loopwright.surfaces.cli.text import measure_width
from loopwright.surfaces.cli.tuning_rendering import TUNING, TuningScene
from loopwright.wiring import open_engine
from loopwright.workflows.tuning.model import TuningState
from tests.cli.conftest import ROOT, Desk
from tests.cli.test_menu import CTRL_C, DOWN, ENTER, Terminal

SAMPLES = ROOT / "tests" / "tune" / "samples"
SKILL = ".claude/skills/writer"
SICK, WELL = ((SAMPLES / "wrong-tool" / kind / "SKILL.md").read_text() for kind in ("sick", "fixed"))


@pytest.fixture
def skill(desk: Desk) -> Path:
    """The main page of a skill with one fault that follows from itself."""
    shutil.copytree(SAMPLES / "wrong-tool" / "sick", desk.project / SKILL)
    return desk.project / SKILL / "SKILL.md"


@pytest.fixture
def asking(desk: Desk, skill: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A session that has run in the background until it asks for a choice."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, desk.env[name])
    with open_engine(desk.project, {}) as engine:
        id = engine.create_tuning(Path(SKILL), level="mechanical", choosing=True).tuning_id
    assert desk.run("tunings", "start", id).code == ExitCode.DONE
    assert desk.run("tunings", "watch", id).code == ExitCode.NEEDS_PERSON
    return id


def state(desk: Desk, id: str) -> TuningState:
    return TuningState.model_validate_json(json.dumps(desk.run("tunings", "show", id, "--json").lines[0]["data"]))


def test_a_person_sees_the_diff_and_takes_it(desk: Desk, skill: Path) -> None:
    terminal = Terminal(desk, "tune", SKILL, "--fix", NO_COLOR="1")
    terminal.wait_for("+   const answer = AskUserQuestion({")
    terminal.wait_for("apply it and all that follow")
    assert skill.read_text() == SICK, "nothing is applied before it is chosen"
    terminal.press(ENTER)
    terminal.wait_for("--rollback FIX-001")
    assert terminal.end() == ExitCode.DONE
    assert skill.read_text() == WELL


def test_a_person_leaves_it(desk: Desk, skill: Path) -> None:
    terminal = Terminal(desk, "tune", SKILL, "--fix")
    terminal.wait_for("apply it and all that follow")
    terminal.press(DOWN, ENTER)
    terminal.wait_for("left out")
    terminal.end()
    assert skill.read_text() == SICK


def test_ctrl_c_at_the_question_loses_nothing(desk: Desk, skill: Path) -> None:
    terminal = Terminal(desk, "tune", SKILL, "--fix")
    terminal.wait_for("apply it and all that follow")
    terminal.press(CTRL_C)
    terminal.wait_for("continue with: loopwright tune --tuning-id ")
    assert terminal.end() == ExitCode.INTERRUPTED
    id = terminal.text.rpartition("--tuning-id ")[2].split()[0]
    assert desk.run("tune", "--tuning-id", id).code == ExitCode.NEEDS_PERSON, "nobody is here to choose"
    assert skill.read_text() == SICK
    again = Terminal(desk, "tune", "--tuning-id", id)
    again.wait_for("apply it and all that follow")
    again.press(ENTER)
    assert again.end() == ExitCode.DONE
    assert skill.read_text() == WELL


def test_a_choice_from_afar(desk: Desk, skill: Path, asking: str) -> None:
    page = desk.run("tunings", "show", asking).out
    assert "running (asks)" in page
    assert f"loopwright tunings choose {asking} FIX-001" in page
    assert "nothing to resume" in desk.run("resume", "--all").out, "it waits for a person, not for a runner"
    assert desk.run("tunings", "choose", asking).code == ExitCode.USAGE
    assert desk.run("tunings", "choose", asking, "FIX-009").code == ExitCode.USAGE
    assert desk.run("tunings", "choose", asking, "fix-001").code == ExitCode.DONE
    assert desk.run("tunings", "watch", asking).code == ExitCode.DONE
    assert skill.read_text() == WELL
    assert desk.run("tunings", "rollback", asking, "FIX-001").code == ExitCode.DONE
    assert skill.read_text() == SICK


def test_none_of_them(desk: Desk, skill: Path, asking: str) -> None:
    assert desk.run("tunings", "choose", asking, "--none").code == ExitCode.DONE
    desk.run("tunings", "watch", asking)
    assert (state(desk, asking).status, skill.read_text()) == ("completed", SICK)
    late = desk.run("tunings", "answer", asking, "all")
    assert (late.code, "has no open choice" in late.err) == (ExitCode.ILLEGAL, True)


def test_an_id_that_no_session_has(desk: Desk, skill: Path) -> None:
    for words in (("tunings", "show", "nope"), ("tune", "--tuning-id", "nope")):
        ran = desk.run(*words)
        assert (ran.code, "tuning session not found: nope" in ran.err) == (ExitCode.NOT_FOUND, True)


def test_stopped_at_its_question(desk: Desk, skill: Path, asking: str) -> None:
    assert "reopen" not in desk.run("tunings", "stop", asking).out
    assert state(desk, asking).engine.outcome == "stopped"
    assert desk.run("tunings", "choose", asking, "--all").code == ExitCode.ILLEGAL
    assert skill.read_text() == SICK


def test_what_a_session_can_not_do_is_not_offered(desk: Desk) -> None:
    for command in ("pause", "reopen", "extend"):
        assert desk.run("tunings", command, "skill-tuning-20260101T000000-00000000").code == ExitCode.USAGE


def test_pages_fit_and_name_what_there_is(desk: Desk, asking: str) -> None:
    found = state(desk, asking)
    page = TUNING.page(found, live=False, elsewhere="", cells=60)
    told = page.partition("\n\nAsks:")[0].splitlines()
    assert all(measure_width(line) <= 60 or " " not in line.strip() for line in told)
    assert "FIX-001  offered" in page
    assert "skill-tuning-" in TUNING.table([(found, False)], 1, cells=200)
    assert "asks" in TUNING.table([(found, False)], 1, cells=40)


def test_the_picture_shows_dimensions_score_and_fixes(desk: Desk, asking: str) -> None:
    found = state(desk, asking)
    picture = TuningScene(found, 61).noted(RunNote("activity", "applied FIX-001"))
    lines = [line.text for line in picture.lines(50)]
    assert all(measure_width(line) <= 50 for line in lines)
    told = "\n".join(line.text for line in picture.lines(200))
    for words in ("agent: 2 issues", "memory: 0 issues", "score", "FIX-001", "applied FIX-001", "?"):
        assert words in told
