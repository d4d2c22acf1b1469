"""What later runs are compared with: the tests as they are committed, told by whoever told them first."""

import subprocess
from pathlib import Path

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.state import RunSettings
from loopwright.workflows.loop.model import LoopState
from tests.stage import MakeStage, Stage, app_is_as_expected, said

ONE_TASK = ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}]))


def git(project: Path, *words: str) -> None:
    whose = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *whose, *words], cwd=project, check=True, capture_output=True)


def committed(stage: MakeStage, *turns: ScriptedTurn) -> Stage:
    """A stage whose two tests are committed, and one of them fails."""
    ready = stage(ONE_TASK, *turns, judge=app_is_as_expected)
    (ready.project / "tests").mkdir()
    for name, text in (("one", "bad"), ("two", "good")):
        (ready.project / "tests" / f"{name}.txt").write_text(text)
    git(ready.project, "init", "-q")
    git(ready.project, "add", "-A")
    git(ready.project, "commit", "-qm", "first")
    return ready


async def driven(stage: Stage, **settings: object) -> LoopState:
    given = RunSettings(mode="auto", agent="scripted", proof="mend").evolve(**settings)
    return await stage.drive(stage.service.create("Make app.txt good", settings=given).loop_id)


def incidents(state: LoopState) -> set[str]:
    return {incident.kind for incident in state.engine.incidents}


@pytest.mark.parametrize("text", [None, "bad"], ids=["gone", "emptied"])
async def test_tests_that_are_not_as_committed_count_as_they_are(stage: MakeStage, text: str | None) -> None:
    ready = committed(stage, ScriptedTurn(text=said("DEVELOP"), files={"note": ""}))
    test = ready.project / "tests" / "two.txt"
    test.unlink() if text is None else test.write_text(text)
    state = await driven(ready)
    assert (state.status, state.engine.outcome) != ("completed", "succeeded")
    assert "tests_uncommitted" in incidents(state)


async def test_the_work_that_they_ask_for_is_done(stage: MakeStage) -> None:
    ready = committed(stage, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good and bad"}))
    (ready.project / "tests" / "two.txt").write_text("bad")
    assert (await driven(ready)).engine.outcome == "succeeded"


async def test_a_person_may_have_changed_them(stage: MakeStage) -> None:
    ready = committed(stage, ScriptedTurn(text=said("DEVELOP"), files={"note": ""}))
    (ready.project / "tests" / "two.txt").unlink()
    state = await driven(ready, baseline="worktree")
    assert (state.engine.outcome, incidents(state)) == ("succeeded", set())


async def test_new_tests_that_are_not_committed_are_a_persons(stage: MakeStage) -> None:
    ready = committed(stage, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "bad, good and new"}))
    (ready.project / "tests" / "new.txt").write_text("new")
    state = await driven(ready)
    assert state.engine.outcome == "succeeded"
    assert state.engine.baseline is not None
    assert state.engine.baseline.tests["suite::new"].status == "failed"


async def test_what_passes_on_files_on_which_it_failed_is_run_twice_more(stage: MakeStage) -> None:
    verdicts = iter(("failed", "passed", "passed", "failed"))
    last = "failed"

    def judge(project: Path) -> dict[str, str]:
        nonlocal last
        last = next(verdicts, last)
        return {"app": last}

    ready = stage(ONE_TASK, ScriptedTurn(text=said("DEVELOP")), judge=judge)
    state = await driven(ready, proof="none")
    assert state.engine.outcome != "succeeded"
    assert "flaky_tests" in incidents(state)
