"""The status table of a cycle, cell by cell, and the commands of persons over it."""

from collections.abc import Callable
from typing import get_args

import pytest

from loopwright.core.errors import Conflict, IllegalTransition, Invalid, NotFound
from loopwright.core.names import CycleStatus
from loopwright.core.protocol import Control
from loopwright.core.status_table import control_signal
from loopwright.workflows.cycle.commands import (
    STATUS_COMMANDS,
    Command,
    answer,
    command_for,
    decide,
    edit,
    extend,
    fail,
    is_allowed,
    pause,
    reopen,
    require_command,
    resolve,
    resume,
    start,
    stop,
    take_up,
)
from loopwright.workflows.cycle.model import Blocker, CycleState, Decision
from tests.domain.cycle_making import AT, created, driven, running

STATUSES: tuple[CycleStatus, ...] = get_args(CycleStatus)

#            created, running, paused, completed, failed
TABLE: dict[Command, str] = {
    "begin": "y....", "start": "y.y..", "pause": ".y...", "resume": "..y..", "stop": "yyy..", "complete": ".y...",
    "fail": ".y...", "reopen": "...yy", "extend": ".yyyy", "decide": "yyy..", "resolve": "yyy.y",
    "edit text": "y.yyy", "edit": "yyyyy", "delete": "y.yyy",
}  # fmt: skip


def test_every_cell() -> None:
    assert STATUS_COMMANDS.keys() == TABLE.keys()
    for command, row in TABLE.items():
        assert "".join("y" if is_allowed(command, status) else "." for status in STATUSES) == row, command


def test_a_cycle_whose_runner_died_can_be_resumed() -> None:
    assert is_allowed("resume", "running", live=False)
    assert not is_allowed("resume", "running")
    assert resume(running(), live=False).status == "running"


def test_what_is_refused_says_what_is_possible() -> None:
    with pytest.raises(IllegalTransition, match="cycle") as refused:
        require_command("pause", driven(running()))
    assert "extend" in str(refused.value)


@pytest.mark.parametrize(
    ("state", "wanted", "command"),
    [(created(), "running", "start"), (running(), "paused", "pause"), (running(), "failed", "stop")],
)
def test_a_bare_status_stands_for_a_command(state: CycleState, wanted: CycleStatus, command: Command) -> None:
    assert command_for(state, wanted) == command


def test_a_bare_status_that_is_none() -> None:
    with pytest.raises(IllegalTransition):
        command_for(running(), "completed")


@pytest.mark.parametrize(
    ("make", "signal"),
    [
        (running, Control.CONTINUE), (lambda: pause(running()), Control.PAUSE_EXIT),
        (lambda: stop(running(), AT), Control.STOP_EXIT), (lambda: driven(running()), Control.STOP_EXIT),
    ],
)  # fmt: skip
def test_what_a_runner_has_to_do(make: Callable[[], CycleState], signal: Control) -> None:
    assert control_signal(make()) is signal


class TestAgain:
    def test_a_used_up_limit_has_to_be_raised(self) -> None:
        state = fail(running(max_iterations=1), "exhausted", "no", AT)
        with pytest.raises(Invalid, match="1 iteration is used up; raise the limit"):
            reopen(state, AT)
        state = reopen(edit(state, {"max_iterations": 2}), AT)
        assert (state.status, state.current_iteration, state.failure_reason) == ("running", 2, None)

    def test_a_used_up_budget_has_to_be_raised(self) -> None:
        state = driven(running())
        budget = state.engine.budget.evolve(max_tokens=10, tokens=10)
        state = state.evolve(engine=state.engine.evolve(budget=budget))
        for again in (reopen, lambda state, at: extend(state, "more", at)):
            with pytest.raises(Invalid, match="is used up; raise it"):
                again(state, AT)

    def test_taking_up_is_start_resume_or_reopen(self) -> None:
        assert take_up(created(), AT).current_iteration == 1
        assert take_up(pause(running()), AT).current_iteration == 1
        assert take_up(driven(running()), AT).current_iteration == 2
        assert take_up(start(created()), AT).current_iteration == 1

    def test_an_extension_gets_room_and_needs_words(self) -> None:
        with pytest.raises(Invalid, match="needs text"):
            extend(driven(running()), "  ", AT)
        state = extend(driven(running(max_iterations=1)), " politely ", AT)
        assert (state.status, state.max_iterations, state.iterations[-1].extension) == ("running", 2, "politely")

    def test_one_while_it_runs_is_queued(self) -> None:
        state = extend(extend(running(max_iterations=1), "one", AT), "two", AT)
        assert (state.engine.queue, state.current_iteration, state.max_iterations) == (("one", "two"), 1, 1)

    def test_one_while_it_is_paused_cuts_the_iteration_short(self) -> None:
        state = extend(pause(running()), "one", AT)
        assert (state.status, state.current_iteration) == ("running", 2)
        assert state.iterations[0].issues_found == ("the iteration was cut short by an extension",)


def asked() -> CycleState:
    state = running(interactive=True)
    decisions = (
        Decision(id="DEC-001", description="which?", options=("a", "b")),
        Decision(id="DEC-002", description="x"),
    )
    blockers = (Blocker(id="BLK-001", description="no key", reported_by="cd"),)
    engine = state.engine.evolve(holds={"BLK-001": ("ep.plan",)}, tries={"ep.plan": 2, "ra.analyse": 1})
    coordination = state.coordination.evolve(pending_decisions=decisions, blockers=blockers)
    return state.evolve(coordination=coordination, engine=engine)


class TestAnswers:
    def test_a_decision(self) -> None:
        made = decide(asked(), "DEC-001", " b ", "user").coordination.pending_decisions[0]
        assert (made.status, made.chosen_option, made.made_by) == ("made", "b", "user")
        assert (
            decide(asked(), "DEC-002", "anything", "user").coordination.pending_decisions[1].chosen_option == "anything"
        )

    @pytest.mark.parametrize(
        ("id", "option", "error", "words"),
        [
            ("DEC-009", "a", NotFound, "no decision DEC-009 .the cycle has: DEC-001, DEC-002"),
            ("DEC-001", "c", Invalid, r"DEC-001 can be decided as a \| b"),
            ("DEC-002", " ", Invalid, "any text"),
        ],
    )
    def test_one_that_can_not_be_made(self, id: str, option: str, error: type[Exception], words: str) -> None:
        with pytest.raises(error, match=words):
            decide(asked(), id, option, "user")

    def test_one_that_is_made_already(self) -> None:
        with pytest.raises(Conflict, match="is already made: a"):
            decide(decide(asked(), "DEC-001", "a", "user"), "DEC-001", "b", "user")

    def test_words_alone_are_for_the_only_one(self) -> None:
        with pytest.raises(Invalid, match="decide each by its id: DEC-001, DEC-002"):
            answer(asked(), "a", "user")
        left = answer(decide(asked(), "DEC-001", "a", "user"), "so", "user")
        assert left.coordination.undecided == ()
        with pytest.raises(Invalid, match="no open question"):
            answer(left, "a", "user")

    @pytest.mark.parametrize(("workaround", "status"), [(False, "resolved"), (True, "workaround")])
    def test_a_blocker_and_what_it_held_is_tried_again(self, workaround: bool, status: str) -> None:
        state = resolve(asked(), "BLK-001", " in the safe ", workaround=workaround)
        blocker = state.coordination.blockers[0]
        assert (blocker.status, blocker.resolution) == (status, "in the safe")
        assert state.engine.tries == {"ra.analyse": 1}
        with pytest.raises(Conflict, match="already resolved"):
            resolve(state, "BLK-001", "again")

    @pytest.mark.parametrize(("id", "words", "error"), [("BLK-009", "x", NotFound), ("BLK-001", "  ", Invalid)])
    def test_one_that_can_not_be_settled(self, id: str, words: str, error: type[Exception]) -> None:
        with pytest.raises(error):
            resolve(asked(), id, words)


def test_only_what_is_a_persons_can_be_edited() -> None:
    assert edit(created(), {"title": "T", "max_iterations": 9}).max_iterations == 9
    for changes in ({}, {"status": "completed"}, {"title": " "}, {"description": "x"}):
        with pytest.raises(Invalid):
            edit(created(), changes)
    with pytest.raises(IllegalTransition):
        edit(running(), {"title": "T"})
