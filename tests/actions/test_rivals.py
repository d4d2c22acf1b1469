"""Several edits pass the same tests: the loop says so, asks who is there, and lets a person take another one."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from loopwright.agents.task_agent import BuiltinAgent
from loopwright.core.errors import Conflict, NotFound
from loopwright.core.ports import Rule
from loopwright.core.run_events import EventBus
from loopwright.evidence.debugging import DebugRequest, Diagnosis, Patch, SearchFindings
from loopwright.evidence.hypotheses import Hypothesis, HypothesisStatus
from loopwright.evidence.proof import Mutation, MutationOrder
from loopwright.evidence.rivals import Comparison, Rival
from loopwright.repair.patch import unified_diff
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.documents import parse_progress
from loopwright.workflows.loop.model import LoopState, applied_patches
from loopwright.workflows.loop.runner import LoopRunner
from tests.domain.loop_making import hypothesis
from tests.fakes import JudgedTests, ListedPerson
from tests.stage import MakeStage, Stage

BAD, GOOD, BETTER = "x\nbad\ny\n", "x\ngood\ny\n", "x\nbetter\ny\n"
PLACE = "app.txt:app:2"
WORDS = "plausible, one of 3: 3 of 40 edits pass; 1 of 2 others compared behaves differently"
DIFFERENCE = "app(0) gives 1 with the patch, raises KeyError with this instead"


def passes(project: Path) -> dict[str, str]:
    return {"app": "passed" if (project / "app.txt").read_text() in (GOOD, BETTER) else "failed"}


def edit(new: str, description: str) -> Patch:
    return Patch(
        hypothesis="H1", fingerprint=description, file="app.txt", old_text=BAD, new_text=new,
        diff=unified_diff("app.txt", BAD, new), description=description, fixes=("app",),
    )  # fmt: skip


class Found:
    """A debugger that has found two edits which the tests cannot tell apart."""

    def __init__(self, status: HypothesisStatus = "confirmed") -> None:
        self.status = status

    def supports(self, test_command: str | None) -> bool:
        return True

    async def diagnose(self, request: DebugRequest) -> Diagnosis:
        return Diagnosis(active_bug="app fails", hypotheses=(self._cause("pending"),))

    async def mutate(self, order: MutationOrder, say: Callable[[str], None]) -> Mutation:
        return Mutation(trouble="nothing is mutated here")

    async def search(self, request: DebugRequest) -> SearchFindings:
        patch, other = edit(GOOD, "say good"), edit(BETTER, "say better")
        rival = Rival(
            id="rival-1", place=PLACE, description=other.description, fingerprint=other.fingerprint, file=other.file,
            diff=other.diff, gives={"app(0)": "raises KeyError"},
        )  # fmt: skip
        comparison = Comparison(
            tried=40, passing=3, compared=2, inputs=9, differing=1, elsewhere=int(self.status == "inconclusive"),
            gives={"app(0)": "gives 1"}, rivals=(rival,),
        )  # fmt: skip
        causes = (self._cause(self.status),)
        return SearchFindings(hypotheses=causes, patch=patch, rivals=(other,), comparison=comparison, candidates=40)

    def _cause(self, status: HypothesisStatus) -> Hypothesis:
        evidence, reason = {"code": "bad"}, None if status == "pending" else WORDS
        return hypothesis("H1", logging_point=PLACE, status=status, evidence=evidence, verdict_reason=reason)


class Traced(JudgedTests):
    def interpreter(self, command: str) -> str | None:
        return "python"


async def drive(
    ready: Stage, loop_id: str, debugger: Found, person: ListedPerson | None = None, take: Rule[LoopState] = take_up
) -> LoopState:
    runner = LoopRunner(
        project=str(ready.project),
        store=ready.store,
        workspace=ready.workspace,
        tests=Traced(ready.project, ready.judge),
        clock=ready.clock,
        processes=ready.processes,
        agents=lambda name, around: BuiltinAgent(debugger),
        debugger=lambda id, bus: debugger,
        prompts=ready.prompts,
        price=ready.price,
    )
    return await runner.drive(loop_id, take_up=take, bus=EventBus(ready.notes.append), person=person)


def begun(stage: MakeStage, mode: str = "auto") -> tuple[Stage, str]:
    ready = stage(judge=passes)
    (ready.project / "app.txt").write_text(BAD)
    return ready, ready.create(agent="builtin", mode=mode)


def text(ready: Stage) -> str:
    return (ready.project / "app.txt").read_text()


def cause(state: LoopState) -> Hypothesis:
    assert state.skill_state is not None
    return state.skill_state.debug.hypotheses[0]


def evidence(state: LoopState, name: str) -> object:
    return (cause(state).evidence or {})[name]


@pytest.mark.parametrize("status", ["confirmed", "inconclusive"])
async def test_in_auto_mode_nobody_is_asked_and_everything_says_what_the_patch_is(
    stage: MakeStage, status: HypothesisStatus
) -> None:
    ready, loop_id = begun(stage)
    state = await drive(ready, loop_id, Found(status))
    assert (state.engine.outcome, text(ready)) == ("succeeded", GOOD)
    assert (cause(state).status, evidence(state, "validated")) == (status, True)
    assert state.skill_state is not None
    assert state.skill_state.debug.confirmed_hypothesis == ("H1" if status == "confirmed" else None)
    progress = ready.store.progress_path(loop_id)
    for name in ("debug.md", "summary.md"):
        told = (progress / name).read_text()
        assert f"{PLACE}: say good; {WORDS}" in told
        assert f"rival-1: {DIFFERENCE} (say better)" in told
    assert "was wrong" not in (progress / "debug.md").read_text()
    parsed = parse_progress({"debug.md": (progress / "debug.md").read_text()})
    assert parsed is not None
    assert parsed.debug.hypotheses == state.skill_state.debug.hypotheses, "it parses back, with all that is told"


async def test_whoever_is_at_the_terminal_is_asked_before_anything_is_written(stage: MakeStage) -> None:
    ready, loop_id = begun(stage, "interactive")
    person = ListedPerson(["validate", "debug", "validate", "complete"], ["what?", "rival-1"])
    state = await drive(ready, loop_id, Found(), person)
    assert (state.engine.outcome, text(ready)) == ("succeeded", BETTER)
    assert person.questions == [f"{WORDS}. Which of them is right?"] * 2, "asked again after an answer that is none"
    (patch,) = applied_patches(state.skill_state)
    assert (patch.description, patch.comparison.chosen_by) == ("say better", "a person")
    assert [one.description for one in patch.comparison.rivals] == ["say good"]


async def test_a_rival_can_be_taken_from_the_menu(stage: MakeStage) -> None:
    ready, loop_id = begun(stage, "interactive")
    person = ListedPerson(["validate", "debug", "rival-1", "validate", "complete"], ["patch"])
    state = await drive(ready, loop_id, Found(), person)
    assert (state.engine.outcome, text(ready)) == ("succeeded", BETTER)
    offered = [[entry.name for entry in menu if entry.name.startswith("rival")] for menu in person.menus]
    assert offered == [[], [], ["rival-1"], ["rival-2"], ["rival-2"]], "what was the patch can be had back"
    assert evidence(state, "validated") is True


async def test_a_rival_can_be_taken_once_the_loop_has_ended_and_is_validated(stage: MakeStage) -> None:
    ready, loop_id = begun(stage)
    await drive(ready, loop_id, Found())
    state = ready.service.choose(loop_id, "rival-1")
    assert (state.status, text(ready), evidence(state, "validated")) == ("running", BETTER, None)
    assert ready.launcher.launched == [loop_id]
    ended = await drive(ready, loop_id, Found(), take=lambda state: state)
    assert (ended.engine.outcome, evidence(ended, "validated")) == ("succeeded", True)
    assert ready.actions(loop_id)[-2:] == ["VALIDATE", "COMPLETE"]


@pytest.mark.parametrize(
    ("written", "choice", "refused"), [("x\nmine\ny\n", "rival-1", Conflict), (GOOD, "rival-7", NotFound)]
)
async def test_what_can_not_be_exchanged_stays_as_it_is(
    stage: MakeStage, written: str, choice: str, refused: type[Exception]
) -> None:
    ready, loop_id = begun(stage)
    before = await drive(ready, loop_id, Found())
    (ready.project / "app.txt").write_text(written)
    with pytest.raises(refused):
        ready.service.choose(loop_id, choice)
    after = ready.service.read(loop_id)
    assert (text(ready), after.status, after.skill_state) == (written, "completed", before.skill_state)
    assert ready.launcher.launched == []


async def test_a_patch_that_validation_refutes_is_taken_back_and_not_tried_again(stage: MakeStage) -> None:
    seen: list[Sequence[str]] = []

    class Watching(Found):
        async def search(self, request: DebugRequest) -> SearchFindings:
            seen.append(request.tried)
            if request.tried:
                return SearchFindings(hypotheses=request.hypotheses, candidates=3)
            return await super().search(request)

    ready = stage(judge=lambda project: {"app": "failed"})
    (ready.project / "app.txt").write_text(BAD)
    loop_id = ready.create(agent="builtin")
    state = await drive(ready, loop_id, Watching("inconclusive"))
    assert (state.status, text(ready)) == ("failed", BAD)
    assert seen[:2] == [(), ("say good",)]
    assert (cause(state).status, evidence(state, "validated")) == ("inconclusive", False)
    assert applied_patches(state.skill_state) == ()
