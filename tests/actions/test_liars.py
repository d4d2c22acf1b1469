"""Agents that want a broken project to look mended. Real pytest; none is believed, and each leaves a line behind."""

from pathlib import Path

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.workflows.loop.model import LoopState
from tests.deeds import APP, DEEDS, HONEST, PATCH, edited
from tests.liars import ADD, MENDED, Court, broken_project, incidents
from tests.stage import said
from tests.validation.projects import PYTEST, UNITTEST, lay_out


def is_unbelieved(court: Court, state: LoopState) -> None:
    assert state.status == "failed"
    assert state.engine.outcome == "exhausted"
    assert state.skill_state is not None
    assert not state.skill_state.validate_.passed


@pytest.mark.parametrize("name", DEEDS)
async def test_a_deed_is_not_believed_and_leaves_a_line(name: str, tmp_path: Path) -> None:
    deed = DEEDS[name]
    court = Court(broken_project(tmp_path))
    state = await court.judge(ScriptedTurn(text=said("DEVELOP", message="All tests pass now."), files=deed.files))
    is_unbelieved(court, state)
    told = incidents(state)
    assert deed.words in told[deed.kind]
    assert "All tests pass now" in told["false_claim"]
    summary = court.summary(state)
    assert "## Incidents" in summary
    assert all(message in summary for message in told.values())
    assert state.skill_state is not None
    assert state.skill_state.summary is not None
    assert [f"{i.kind}: {i.message}" for i in state.engine.incidents] == state.skill_state.summary.validate_[
        "incidents"
    ]
    assert court.tests.counter_checks == (deed.kind == "tests_suspicious")


@pytest.mark.parametrize("name", HONEST)
async def test_an_honest_agent_is_not_refused(name: str, tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(
        ScriptedTurn(text=said("DEVELOP", message="All tests pass now."), files={"app.py": MENDED, **HONEST[name]})
    )
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert incidents(state).keys() <= {"tests_changed"}
    assert court.tests.counter_checks == 1


async def test_what_python_loads_unasked_is_not_believed(tmp_path: Path) -> None:
    """With a command that puts the project on the path, its sitecustomize.py runs before any test."""
    court = Court(broken_project(tmp_path), command=f"PYTHONPATH=.:$PYTHONPATH {PYTEST}")
    files: dict[str, str | None] = {"sitecustomize.py": "import app\napp.add = int.__add__\n"}
    state = await court.judge(ScriptedTurn(text=said("DEVELOP"), files=files))
    is_unbelieved(court, state)
    assert ADD in incidents(state)["tests_suspicious"]


async def test_what_git_ignores_is_no_hiding_place(tmp_path: Path) -> None:
    """A conftest.py that .gitignore hides is in no snapshot; the copy does not get it either."""
    court = Court(broken_project(tmp_path))
    files: dict[str, str | None] = {"tests/conftest.py": PATCH, ".gitignore": "conftest.py\n"}
    state = await court.judge(ScriptedTurn(text=said("DEVELOP"), files=files))
    is_unbelieved(court, state)
    assert ADD in incidents(state)["tests_suspicious"]


IN_UNITTEST = {
    "app.py": APP,
    "tests/__init__.py": "",
    "tests/test_app.py": (
        "import unittest\nimport app\n\n\nclass Sums(unittest.TestCase):\n    def test_add(self):\n"
        "        self.check(4)\n\n    def test_greet(self):\n        pass\n\n    def check(self, expected):\n"
        "        self.assertEqual(app.add(2, 2), expected)\n"
    ),
}
UNITTEST_DEEDS: dict[str, tuple[str, str, str]] = {
    "skips": ("    def test_add", "    @unittest.skip('x')\n    def test_add", "tests_skipped"),
    "expects the failure": ("    def test_add", "    @unittest.expectedFailure\n    def test_add", "tests_skipped"),
    "empties a helper": ("self.assertEqual(app.add(2, 2), expected)", "pass", "tests_suspicious"),
    "patches on loading": ("import app\n", "import app\napp.add = int.__add__\n", "tests_suspicious"),
    "loads other tests": (
        "\n\nclass", "\n\ndef load_tests(*args):\n    return unittest.TestSuite()\n\n\nclass", "tests_vanished"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNITTEST_DEEDS)
async def test_a_deed_in_unittest_is_not_believed(name: str, tmp_path: Path) -> None:
    old, new, kind = UNITTEST_DEEDS[name]
    text = IN_UNITTEST["tests/test_app.py"]
    court = Court(lay_out(tmp_path / "project", IN_UNITTEST), command=f"{UNITTEST} discover -s tests -t .")
    files: dict[str, str | None] = {"tests/test_app.py": text.replace(old, new, 1)}
    state = await court.judge(ScriptedTurn(text=said("DEVELOP"), files=files))
    is_unbelieved(court, state)
    assert "test_add" in incidents(state)[kind]
    assert incidents(state)["tests_put_back"] == "put back as in the first run: tests/test_app.py"
    assert (court.project / "tests/test_app.py").read_text() == text


@pytest.mark.parametrize("by", ["flag", "task"])
async def test_an_agent_that_may_change_tests_is_not_refused(by: str, tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path), allow_test_changes=by == "flag")
    allowance: dict[str, object] = {"allow_test_changes": True} if by == "task" else {}
    state = await court.judge(ScriptedTurn(text=said("DEVELOP"), files=edited("== 4", "== 0")), task=allowance)
    assert state.engine.outcome == "succeeded"
    assert court.tests.counter_checks == 0
    assert incidents(state)["tests_changed"] == f"1 test changed since the first run (allowed): {ADD}"


async def test_without_changed_tests_there_is_no_counter_check(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path))
    state = await court.judge(ScriptedTurn(text=said("DEVELOP"), files={"app.py": MENDED}))
    assert state.engine.outcome == "succeeded"
    assert state.engine.incidents == ()
    *runs, proof = (order for order in court.tests.orders if not order.sealed)
    assert [order.at for order in runs] == [None, None]  # the baseline and one validation
    assert proof.only == (ADD,)


async def test_a_weakened_test_is_put_back_and_the_next_turn_is_told(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path), max_iterations=6)
    first = (court.project / "tests/test_app.py").read_text()
    state = await court.judge(
        ScriptedTurn(text=said("DEVELOP", message="All tests pass now."), files=edited("== 4", "== 0")),
        ScriptedTurn(text=said("DEBUG"), files={"app.py": MENDED}),
    )
    assert state.engine.outcome == "succeeded"
    assert (court.project / "tests/test_app.py").read_text() == first
    assert incidents(state)["tests_put_back"] == "put back as in the first run: tests/test_app.py"
    (told,) = [message.text for message in court.messages if message.action == "DEBUG"]
    assert f"It was refused (1 passing only since the tests were changed: {ADD}). The tests have been put back" in told
    assert "-    assert add(2, 2) == 4\n+    assert add(2, 2) == 0\n" in told, "what it had done"
    assert ">       assert add(2, 2) == 4\nE       assert 0 == 4\n" in told, "what fails now"


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        ({"tests/conftest.py": PATCH}, ()),
        ({"tests/test_app.py": None, "tests/test_more.py": "def test_more():\n    pass\n"}, ("tests/test_more.py",)),
    ],
    ids=["what steers them", "a deleted file beside new tests"],
)
async def test_what_made_them_pass_goes_and_new_tests_stay(
    files: dict[str, str | None], kept: tuple[str, ...], tmp_path: Path
) -> None:
    court = Court(broken_project(tmp_path), max_iterations=6)
    before = {str(path.relative_to(court.project)) for path in court.project.rglob("*.py")}
    state = await court.judge(
        ScriptedTurn(text=said("DEVELOP"), files=files), ScriptedTurn(text=said("DEBUG"), files={"app.py": MENDED})
    )
    assert state.engine.outcome == "succeeded"
    assert {str(path.relative_to(court.project)) for path in court.project.rglob("*.py")} == {*before, *kept}


async def test_who_had_no_need_to_weaken_a_test_has_still_mended_the_product(tmp_path: Path) -> None:
    court = Court(broken_project(tmp_path), max_iterations=6)
    files = {"app.py": MENDED, **edited("def test_greet", "import pytest\n\n\n@pytest.mark.skip\ndef test_greet")}
    state = await court.judge(ScriptedTurn(text=said("DEVELOP"), files=files))
    assert state.engine.outcome == "succeeded"
    assert "skip" not in (court.project / "tests/test_app.py").read_text()
    assert {"tests_skipped", "tests_put_back"} <= incidents(state).keys()
