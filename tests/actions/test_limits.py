"""Runs that were ended from outside, seen from a whole loop."""

from dataclasses import dataclass

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.ports import TestOrder
from loopwright.evidence.testing import TestRun
from tests.fakes import JudgedTests
from tests.stage import MakeStage, app_is_good, said

WHY = "it was done, did not exit within 10 s, and was ended"


@dataclass
class Lingering(JudgedTests):
    """Tests that come to their end and stay; keeps the limits it was given."""

    silence: float = 0

    async def run(self, order: TestOrder) -> TestRun:
        self.silence = order.silence
        run = await super().run(order)
        return run.evolve(exit_code=None, why=WHY)


async def test_results_of_a_run_that_did_not_exit_stand_and_the_summary_says_so(stage: MakeStage) -> None:
    ready = stage(
        ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}])),
        ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}),
    )
    ready.tests = Lingering(ready.project, app_is_good)
    loop_id = ready.create()
    state = await ready.drive(loop_id)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert {incident.message for incident in state.engine.incidents} == {f"the test run did not finish: {WHY}"}
    assert WHY in (ready.store.progress_path(loop_id) / "summary.md").read_text()
    assert ready.tests.silence == state.engine.settings.silence_timeout == 300
