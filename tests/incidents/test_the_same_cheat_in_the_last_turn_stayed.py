"""An agent weakened a test, had it put back, and did the very same in the loop's last turn: there it stayed."""

from pathlib import Path

from loopwright.agents.scripted import ScriptedTurn
from tests.deeds import edited
from tests.liars import BROKEN, Court, broken_project
from tests.stage import said


async def test_it_is_put_back_again(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path), max_iterations=3)
    cheat = edited("== 4", "== 0")
    state = await court.judge(*(ScriptedTurn(text=said(action), files=cheat) for action in ("DEVELOP", "DEBUG")))
    assert (state.status, state.engine.outcome, state.current_iteration) == ("failed", "exhausted", 3)
    assert (court.project / "tests/test_app.py").read_text() == BROKEN["tests/test_app.py"]
