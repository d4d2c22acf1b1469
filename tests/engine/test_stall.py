"""Whole loops that stall, and one that only looks like it."""

from loopwright.agents.scripted import ScriptedTurn
from loopwright.workflows.loop.model import LoopState
from tests.stage import MakeStage, said

WRITTEN = (
    ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}])),
    ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "version 0"}),
)


def fix(text: str, cause: str = "the word is wrong") -> ScriptedTurn:
    return ScriptedTurn(text=said("DEBUG", hypotheses=[{"description": cause}]), files={"app.txt": text})


def rewrite(text: str) -> ScriptedTurn:
    """Without a word on the cause."""
    return ScriptedTurn(text=said("DEBUG"), files={"app.txt": text})


async def drive(make: MakeStage, *fixes: ScriptedTurn) -> tuple[LoopState, list[str], str]:
    """The state it ends in, its actions, and its summary."""
    stage = make(*WRITTEN, *fixes)
    loop_id = stage.create(max_iterations=40)
    state = await stage.drive(loop_id)
    summary = (stage.store.progress_path(loop_id) / "summary.md").read_text()
    return state, stage.actions(loop_id), summary


async def test_a_loop_between_two_versions_ends_and_says_what_was_seen(stage: MakeStage) -> None:
    state, actions, summary = await drive(stage, *(fix(f"version {n % 2}") for n in range(1, 20)))
    assert (state.status, state.engine.outcome) == ("failed", "stalled")
    reason = (
        "the same test failed with the same messages in 4 validations, "
        "while the code went back and forth between 2 versions"
    )
    assert state.failure_reason == reason
    assert reason in summary
    assert actions == ["INIT", "DEVELOP", *["VALIDATE", "DEBUG"] * 3, "VALIDATE", "COMPLETE"]


async def test_a_loop_that_only_rewrites_its_code_comes_to_its_last_resort_first(stage: MakeStage) -> None:
    state, actions, _ = await drive(stage, *(rewrite(f"version {n}") for n in range(1, 20)))
    assert state.engine.outcome == "exhausted"
    rounds = [*["VALIDATE", "DEBUG"] * 5, "VALIDATE"]
    assert actions == ["INIT", "DEVELOP", *rounds, "DEVELOP", "VALIDATE", "COMPLETE"]


async def test_a_loop_that_tests_another_cause_each_time_has_not_stalled(stage: MakeStage) -> None:
    causes = ("the first word", "the last word", "the line end", "the case", "the encoding")
    tries = [fix(f"version {n}", cause) for n, cause in enumerate(causes[:-1], 1)]
    state, actions, _ = await drive(stage, *tries, fix("good", causes[-1]))
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert actions.count("DEBUG") == 5
