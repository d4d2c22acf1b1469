"""A second agent reviews before the end: its objections become an order, twice; nothing else it says counts."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from loopwright.agents.scripted import AgentScript, ScriptedTurn
from loopwright.core.errors import AgentTrouble
from loopwright.core.protocol import AgentOutput, Message, Usage
from loopwright.core.run_events import RunNote
from loopwright.core.state import Budget
from loopwright.evidence.objections import RunReview
from loopwright.workflows.loop.model import LoopState
from tests.actions.test_fallback import Several
from tests.actions.test_replay import replayed
from tests.stage import MakeStage, said
from tests.troubles import PLAN, Watched, incidents, succeeded

DONE = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good", "more.txt": "one\ntwo lines here\n"})
EMPTY: dict[str, object] = {
    "file": "more.txt",
    "line": 1,
    "quote": "two lines here",
    "why": "it forgets the third line",
}
SHORT: dict[str, object] = {"file": "app.txt", "line": 1, "quote": "good", "why": "a good app says more"}
NOTHING = ScriptedTurn(text=said("REVIEW", message="looks good to me, 10/10"))
REVIEWED = ["INIT", "DEVELOP", "VALIDATE", "REVIEW"]


def objects(*objections: dict[str, object], **turn: object) -> ScriptedTurn:
    return ScriptedTurn.model_validate({"text": said("REVIEW", objections=list(objections)), **turn})


def works(number: int = 1, message: str = "done", status: str = "success", **updates: object) -> ScriptedTurn:
    return ScriptedTurn(
        text=said("DEVELOP", status, message, **updates), files={"more.txt": f"two lines here\n{number}\n"}
    )


@pytest.fixture
def several(stage: MakeStage) -> Callable[[], Several]:
    def make() -> Several:
        ready = Several(stage())
        ready.stage.make_agent = ready.make_agent  # type: ignore[method-assign]
        return ready

    return make


async def reviewed(
    ready: Several, worker: list[ScriptedTurn], critic: list[ScriptedTurn], **settings: object
) -> tuple[LoopState, Watched, Watched]:
    """A loop whose work is good after its first turn, and then reviewed."""
    by, other = ready.play("codex", PLAN, DONE, *worker), ready.play("critic", *critic)
    given = {"agent": "codex", "review": "critic", "max_iterations": 20, **settings}
    return await ready.stage.drive(ready.stage.create(**given)), by, other  # type: ignore[arg-type]


def review_of(state: LoopState) -> RunReview:
    assert state.engine.review is not None
    return state.engine.review


def standing(state: LoopState) -> list[tuple[str, str, str | None]]:
    return [(one.id, one.status, one.answer) for one in review_of(state).objections]


def order(ready: Several) -> list[str]:
    [state] = ready.stage.service.list()[0]
    return ready.stage.actions(state.loop_id)


async def test_without_objections_the_loop_ends_as_it_would(several: Callable[[], Several]) -> None:
    ready = several()
    state, worker, critic = await reviewed(ready, [], [NOTHING])
    assert succeeded(state)
    assert order(ready) == [*REVIEWED, "COMPLETE"]
    [message] = critic.messages
    assert message.policy == "read-only"
    assert all(words in message.text for words in ("Make app.txt good", "+good", "+two lines here", "report_objection"))
    assert len(worker.messages) == 2
    assert (review_of(state).objections, review_of(state).missing) == ((), None)
    assert critic.open == set()


async def test_objections_become_one_order_and_are_looked_at_again(several: Callable[[], Several]) -> None:
    ready = several()
    wants = [objects(EMPTY, SHORT), NOTHING]
    answer = works(message="the third line is there", disputes=["O2: it says all that was asked for"])
    state, worker, critic = await reviewed(ready, [answer], wants)
    assert succeeded(state)
    assert order(ready) == [*REVIEWED, "DEVELOP", "VALIDATE", "REVIEW", "COMPLETE"]
    asked = worker.developing()[-1].text
    assert "O1, more.txt:2:" in asked
    assert "it forgets the third line" in asked
    again = critic.messages[-1].text
    assert "Answered: the third line is there" in again
    assert "Disputed: it says all that was asked for" in again
    assert critic.messages[-1].session is None, "a session of its own each time"
    assert [status for _, status, _ in standing(state)] == ["settled", "settled"]


async def test_a_reviewer_is_heard_twice_and_what_it_says_then_stays_open(several: Callable[[], Several]) -> None:
    ready = several()
    state, _worker, critic = await reviewed(ready, [works(n) for n in range(9)], [objects(EMPTY)] * 9)
    assert succeeded(state)
    assert order(ready) == [*REVIEWED, *["DEVELOP", "VALIDATE", "REVIEW"] * 2, "COMPLETE"]
    assert len(critic.messages) == 3
    assert standing(state) == [("O1", "open", "done")]
    summary = (ready.stage.store.progress_path(state.loop_id) / "summary.md").read_text()
    assert "by critic: 1 objection open" in summary
    assert "O1 open, more.txt:1: it forgets the third line (answer: done)" in summary


async def test_what_is_only_disputed_is_recorded_and_not_reviewed_again(several: Callable[[], Several]) -> None:
    ready = several()
    answer = ScriptedTurn(text=said("DEVELOP", disputes=["O1: nobody asked for a third line"]))
    state, _worker, _critic = await reviewed(ready, [answer], [objects(EMPTY)])
    assert succeeded(state)
    assert order(ready) == [*REVIEWED, "DEVELOP", "COMPLETE"]
    assert standing(state) == [("O1", "disputed", "nobody asked for a third line")]
    assert "undone" not in incidents(state)


async def test_who_does_nothing_is_asked_once_more_and_the_loop_succeeds_all_the_same(
    several: Callable[[], Several],
) -> None:
    ready = several()
    lazy = ScriptedTurn(text=said("DEVELOP", message="done"))
    state, worker, _critic = await reviewed(ready, [lazy, lazy], [objects(EMPTY)])
    assert succeeded(state)
    assert order(ready) == [*REVIEWED, "DEVELOP", "DEVELOP", "COMPLETE"]
    assert [status for _, status, _ in standing(state)] == ["open"]
    assert "was ordered before" in worker.messages[-1].text


@pytest.mark.parametrize("trouble", ["failed", "dies"])
async def test_an_order_that_fails_keeps_nothing_from_succeeding(trouble: str, several: Callable[[], Several]) -> None:
    ready = several()
    turn = ScriptedTurn(dies=True) if trouble == "dies" else ScriptedTurn(text=said("DEVELOP", "failed", "too hard"))
    state, _worker, _critic = await reviewed(ready, [turn] * 4, [objects(EMPTY)])
    assert succeeded(state)
    assert [status for _, status, _ in standing(state)] == ["open"]


async def test_what_is_not_there_is_dropped_and_told(several: Callable[[], Several]) -> None:
    ready = several()
    invented: list[dict[str, object]] = [
        {"file": "more.txt", "line": 1, "quote": "return user.password", "why": "leaks"},
        {"file": "gone.py", "line": 1, "quote": "two lines here", "why": "no such file"},
        {"file": "../outside.txt", "line": 1, "quote": "secret words", "why": "outside"},
        {"file": "/etc/passwd", "line": 1, "quote": "root:x:0:0:root:/root:/bin/bash", "why": "outside"},
        {"file": "more.txt", "quote": " ", "why": "quotes nothing"},
        {"why": "no place"},
    ]
    (ready.stage.project.parent / "outside.txt").write_text("secret words\n")
    state, _worker, _critic = await reviewed(ready, [], [objects(*invented)])
    assert succeeded(state)
    assert order(ready) == [*REVIEWED, "COMPLETE"]
    assert incidents(state).count("objection_dropped") == len(invented)
    assert review_of(state).objections == ()


async def test_what_a_reviewer_writes_is_put_back(several: Callable[[], Several]) -> None:
    ready = several()
    state, _worker, _critic = await reviewed(ready, [], [NOTHING.evolve(files={"app.txt": "mine", "new.txt": "x"})])
    assert succeeded(state)
    assert (ready.stage.project / "app.txt").read_text() == "good"
    assert not (ready.stage.project / "new.txt").exists()
    assert "put_back" in incidents(state)
    assert order(ready) == [*REVIEWED, "COMPLETE"]


@pytest.mark.parametrize("kind", ["auth", "quota", "refused", "died", "protocol", "timeout"])
async def test_a_reviewer_in_trouble_holds_nothing_up(kind: AgentTrouble, several: Callable[[], Several]) -> None:
    ready = several()
    state, _worker, _critic = await reviewed(ready, [], [ScriptedTurn(error=kind)] * 9)
    assert succeeded(state)
    assert order(ready) == [*REVIEWED, "COMPLETE"]
    assert review_of(state).missing
    assert (state.engine.parked, state.engine.waiting) == (None, None)
    assert "not reviewed: " in (ready.stage.store.progress_path(state.loop_id) / "summary.md").read_text()


@pytest.mark.parametrize(
    "turn",
    [
        ScriptedTurn(text="All is well."),
        ScriptedTurn(text=said("REVIEW", "failed", "no time")),
        ScriptedTurn(hangs=True),
    ],
)
async def test_a_reviewer_without_an_answer_holds_nothing_up(
    turn: ScriptedTurn, several: Callable[[], Several]
) -> None:
    ready = several()
    state, _worker, _critic = await reviewed(ready, [], [turn] * 4, action_timeout=1, grace_timeout=0)
    assert succeeded(state)
    assert review_of(state).missing


async def test_a_reviewer_that_is_not_here_any_more_holds_nothing_up(several: Callable[[], Several]) -> None:
    ready = several()
    ready.play("codex", PLAN, DONE)
    state = await ready.stage.drive(ready.stage.create(agent="codex", review="critic"))
    assert succeeded(state)
    assert review_of(state).missing == "critic is not installed"


async def test_the_same_agent_reviews_in_a_session_of_its_own(several: Callable[[], Several]) -> None:
    ready = several()
    answers = [turn.evolve(session="s-1") for turn in (PLAN, DONE)]
    agent = ready.play("codex", *answers, NOTHING.evolve(session="s-2"))
    state = await ready.stage.drive(ready.stage.create(agent="codex", review="codex"))
    assert succeeded(state)
    assert agent.sessions == 2
    assert state.engine.sessions == {"codex": "s-1", "review/codex": "s-2"}
    assert agent.messages[-1].session is None
    assert agent.messages[-1].brief == ""


async def test_its_tokens_count(several: Callable[[], Several]) -> None:
    state, *_ = await reviewed(several(), [], [NOTHING.evolve(usage=Usage(tokens=70))])
    assert state.engine.budget.tokens == 70


async def test_a_success_without_a_review_says_so(several: Callable[[], Several]) -> None:
    ready = several()
    state, _worker, critic = await reviewed(ready, [], [NOTHING], max_iterations=1)
    assert succeeded(state)
    assert critic.messages == []
    assert review_of(state).missing == "the run ended before that"


@pytest.mark.parametrize("most", [2, 3])
async def test_without_room_for_an_order_objections_stay_open(most: int, several: Callable[[], Several]) -> None:
    ready = several()
    state, _worker, _critic = await reviewed(ready, [], [objects(EMPTY)], max_iterations=most)
    assert succeeded(state), state.failure_reason
    assert order(ready) == [*REVIEWED, "COMPLETE"]
    assert [status for _, status, _ in standing(state)] == ["open"]


async def test_an_order_that_uses_up_the_budget_leaves_the_success(several: Callable[[], Several]) -> None:
    ready = several()
    late = ScriptedTurn(text=said("DEVELOP"), usage=Usage(tokens=200))
    state, *_ = await reviewed(ready, [late], [objects(EMPTY)], budget=Budget(max_tokens=100))
    assert succeeded(state), state.failure_reason


async def test_a_review_of_what_never_passed_is_none(several: Callable[[], Several]) -> None:
    ready = several()
    ready.play("codex", PLAN, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "bad"}))
    critic = ready.play("critic", NOTHING)
    state = await ready.stage.drive(ready.stage.create(agent="codex", review="critic", max_iterations=3))
    assert state.status == "failed"
    assert critic.messages == []
    assert state.engine.review is None


class ByFiles(Watched):
    """Answers by its order and the files alone, so that it can be asked anything again."""

    async def play(self, id: str, message: Message) -> AgentOutput:
        fixed = (self._project / "more.txt").exists() and "fixed" in (self._project / "more.txt").read_text()
        fixes = ScriptedTurn(text=said("DEVELOP"), files={"more.txt": "two lines here\nfixed\n"})
        turns = {
            "INIT": PLAN,
            "DEVELOP": fixes if "O1, more.txt" in message.text else DONE,
            "REVIEW": NOTHING if fixed else objects(EMPTY),
        }
        self._answers = [turns[message.action]]
        return await super().play(id, message)


class DiedError(Exception):
    """As far as the store knows, the runner died."""


UPDATES = range(8, 19)
"""Commits after which a runner dies: from the first review's begin to the end of a course with one order."""


@pytest.mark.parametrize("lived", UPDATES)
async def test_a_death_at_any_commit_loses_and_repeats_no_order(
    lived: int, stage: MakeStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = stage()
    ready.make_agent = lambda name, around: ByFiles(AgentScript(), ready.project)  # type: ignore[method-assign]
    loop_id = ready.create(agent="codex", review="critic", max_iterations=20)
    update, left = ready.store.update, [lived]

    def dying(*args: object, **named: object) -> LoopState:
        left[0] -= 1
        if left[0] < 0:
            raise DiedError
        return update(*args, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(ready.store, "update", dying)
        with suppress(DiedError, ExceptionGroup):
            await ready.drive(loop_id)
    state = ready.service.read(loop_id)
    assert state.status == "running"
    state = await ready.drive(loop_id)
    assert succeeded(state)
    assert [action for action in ready.actions(loop_id) if action != "VALIDATE"] == [
        *("INIT", "DEVELOP", "REVIEW", "DEVELOP", "REVIEW", "COMPLETE")
    ]
    assert standing(state) == [("O1", "settled", "done")]
    assert (review_of(state).orders, review_of(state).round) == (1, 2)
    if lived % 3:
        return  # a few of them are played again
    again, other = await replayed(ready, loop_id, tmp_path)
    assert (other, again.strayed) == ((), None)
    assert again.state.engine.review is not None
    assert again.state.engine.review.objections == review_of(state).objections


async def test_a_reviewer_that_was_not_there_is_not_there_when_it_is_played_again(
    several: Callable[[], Several], tmp_path: Path
) -> None:
    ready = several()
    ready.play("codex", PLAN, DONE)
    state = await ready.stage.drive(ready.stage.create(agent="codex", review="critic"))
    again, other = await replayed(ready.stage, state.loop_id, tmp_path)
    assert (other, again.strayed) == ((), None)
    assert again.state.engine.review is not None
    assert again.state.engine.review.missing


async def test_an_order_that_breaks_the_tests_costs_no_success(several: Callable[[], Several], tmp_path: Path) -> None:
    ready = several()
    breaks = ScriptedTurn(text=said("DEVELOP", message="better now"), files={"app.txt": "best", "new.txt": "x"})
    tries = [ScriptedTurn(text=said("DEBUG", message="cannot"), files={"more.txt": f"{n}"}) for n in range(12)]
    state, *_ = await reviewed(ready, [breaks, *tries], [objects(EMPTY)])
    assert succeeded(state), state.failure_reason
    assert (ready.stage.project / "app.txt").read_text() == "good"
    assert (ready.stage.project / "more.txt").read_text() == "one\ntwo lines here\n"
    assert not (ready.stage.project / "new.txt").exists()
    assert standing(state) == [("O1", "open", "better now")]
    assert "put_back" in incidents(state)
    assert state.engine.last_validation is not None
    assert state.engine.last_validation.passed
    assert "best" in ready.stage.workspace.diff(state.engine.checkpoints[0].commit, state.engine.checkpoints[-2].commit)
    again, other = await replayed(ready.stage, state.loop_id, tmp_path)
    assert (other, again.strayed) == ((), None)


async def test_work_that_somebody_else_asked_for_is_not_taken_back(several: Callable[[], Several]) -> None:
    ready = several()
    breaks = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "best"})
    tries = [ScriptedTurn(text=said("DEBUG", message="cannot"))] * 12

    def add(note: RunNote) -> None:
        [state] = ready.stage.service.list()[0]
        if note.text.startswith("REVIEW: 1 objection") and len(state.engine.tasks) == 2:
            ready.stage.service.tasks.add(state.loop_id, {"description": "one more", "tool": "codex"})

    ready.play("codex", PLAN, DONE, breaks, ScriptedTurn(text=said("DEVELOP"), files={"own.txt": "x"}), *tries)
    ready.play("critic", objects(EMPTY))
    loop_id = ready.stage.create(agent="codex", review="critic", max_iterations=20)
    state = await ready.stage.drive(loop_id, on_note=add)
    assert state.status == "failed"
    assert (ready.stage.project / "own.txt").exists()
    assert (ready.stage.project / "app.txt").read_text() == "best"
