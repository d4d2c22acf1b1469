"""Long suites: what failed or has changed is run first, and all tests before every success."""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bench.soaks import selection
from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.ports import TestOrder
from loopwright.core.protocol import Capabilities
from loopwright.core.run_events import RunNote
from loopwright.evidence.testing import TestRun
from tests.chance import SEED
from tests.fakes import JudgedTests
from tests.stage import MakeStage, Stage, said

MENDER = Capabilities(debugs=True)
NAMES = tuple(f"t{n}" for n in range(10))
LONG = 60_000.0


def judge(project: Path) -> dict[str, str]:
    broken = json.loads((project / "app.txt").read_text())
    return {name: "failed" if name in broken else "passed" for name in NAMES}


@dataclass
class LongTests(JudgedTests):
    """Keeps to the tests it is told to; remembers these, and what the product was."""

    asked: list[tuple[tuple[str, ...], str]] = field(default_factory=list)

    def interpreter(self, command: str) -> str | None:
        return "python"

    async def run(self, order: TestOrder) -> TestRun:
        if not order.sealed:
            self.asked.append((order.only, (self.project / "app.txt").read_text()))
        whole = await super().run(order)
        kept = tuple(result for result in whole.results if not order.only or result.key in order.only)
        failed = any(result.status == "failed" for result in kept)
        return whole.evolve(results=kept, exit_code=int(failed), duration_ms=LONG, trouble=None if kept else "no_tests")

    @property
    def whole(self) -> int:
        return sum(not only for only, _ in self.asked)


def broken(*names: str) -> str:
    return json.dumps(names)


def turns(*products: str) -> list[ScriptedTurn]:
    return [ScriptedTurn(text=said("DEBUG"), files={"app.txt": product}) for product in products]


def long_stage(stage: MakeStage, start: str, *products: str) -> tuple[Stage, LongTests]:
    ready = stage(*turns(*products), capabilities=MENDER)
    (ready.project / "app.txt").write_text(start)
    tests = LongTests(ready.project, judge)
    ready.tests = tests
    return ready, tests


async def test_seven_rounds_cost_two_runs_of_all(stage: MakeStage) -> None:
    products = [broken("t1", "t2"), broken("t2", "t3"), broken("t1"), broken("t2"), broken()]
    ready, tests = long_stage(stage, broken("t1", "t2"), *products)
    loop_id = ready.create(max_iterations=20)
    state = await ready.drive(loop_id)
    assert state.engine.outcome == "succeeded"
    assert tests.whole == 2
    assert {only for only, _ in tests.asked if only} == {("suite::t1", "suite::t2")}
    assert any("running first what failed or has changed, 2 tests of 10" in note.text for note in ready.notes)


async def test_what_was_not_run_is_told(stage: MakeStage) -> None:
    ready, _ = long_stage(stage, broken("t1"), broken("t1", "t2"))
    loop_id = ready.create()

    def pause(note: RunNote) -> None:
        if any("running first" in one.text for one in ready.notes):
            ready.pause_after(note, loop_id, note.text if note.text.startswith("VALIDATE: ") else "-")

    state = await ready.drive(loop_id, on_note=pause)
    last = state.engine.last_validation
    assert last is not None
    assert (last.passed, last.tests) == (False, 10)
    assert last.reasons[-1] == "the other 9 tests were not run again"


async def test_a_loop_that_gives_up_has_run_all_tests_on_what_it_leaves(stage: MakeStage) -> None:
    ready, tests = long_stage(stage, broken("t1"), *[broken("t1", f"t{n}") for n in range(2, 9)])
    state = await ready.drive(ready.create(max_iterations=20))
    assert state.engine.outcome in ("exhausted", "stalled")
    only, product = tests.asked[-1]
    assert (only, product) == ((), (ready.project / "app.txt").read_text())
    assert state.skill_state is not None
    assert len(state.skill_state.validate_.failed_tests) == 2


@pytest.mark.parametrize("seed", range(6))
async def test_no_loop_succeeds_before_all_tests_were_run_on_what_it_leaves(stage: MakeStage, seed: int) -> None:
    dice = random.Random(seed)
    products = [broken(*dice.sample(NAMES, dice.choice((0, 1, 1, 2, 3)))) for _ in range(12)]
    ready, tests = long_stage(stage, broken(*dice.sample(NAMES, 2)), *products, broken())
    state = await ready.drive(ready.create(max_iterations=30))
    passes: Mapping[str, str] = judge(ready.project)
    if state.engine.outcome == "succeeded":
        assert set(passes.values()) == {"passed"}
        assert ((), (ready.project / "app.txt").read_text()) in tests.asked


def test_no_course_of_changes_ends_on_selected_tests() -> None:
    counts = selection.run(random.Random(SEED), 6 / selection.TRIALS)
    assert counts["runs of selected tests"]
