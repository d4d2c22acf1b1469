"""A question of an agent under --auto: nobody answers it, and everybody can read it and what came of it."""

from loopwright.agents.scripted import ScriptedTurn
from tests.stage import MakeStage, said


async def test_the_question_and_the_decision_are_told(stage: MakeStage) -> None:
    asks = ScriptedTurn(text=said("DEVELOP", "needs_input", "Tabs or spaces?"))
    decides = ScriptedTurn(text=said("DEVELOP", message="I took spaces"), files={"app.txt": "good"})
    made = stage(ScriptedTurn(text=said("INIT")), asks, decides)
    loop_id = made.create()
    state = await made.drive(loop_id)
    told = {incident.kind: incident.message for incident in state.engine.incidents}
    assert "Tabs or spaces?" in told["asked_nobody"]
    assert "it was told to decide by itself" in told["asked_nobody"]
    assert "I took spaces" in told["decided_alone"]
    transcript = (made.store.progress_path(loop_id) / "transcript.ndjson").read_text()
    assert told["asked_nobody"] in transcript.replace('\\"', '"')
    assert "Tabs or spaces?" in (made.store.progress_path(loop_id) / "summary.md").read_text()
