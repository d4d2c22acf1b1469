"""Who may do what to a tuning session, and what comes of it."""

from collections.abc import Callable
from typing import get_args

import pytest

from loopwright.core.errors import Conflict, IllegalTransition, Invalid, NotFound
from loopwright.core.names import TuningStatus
from loopwright.core.protocol import Control
from loopwright.core.run import STOPPED_BY_USER
from loopwright.core.state import Limits
from loopwright.core.status_table import control_signal
from loopwright.skills.findings import FixLevel, Silenced
from loopwright.workflows.tuning.commands import (
    NOT_CHOSEN,
    STATUS_COMMANDS,
    Command,
    choose,
    command_for,
    edit,
    is_allowed,
    mark_put_back,
    pause,
    remove_fix,
    reopen,
    require_command,
    require_rollback,
    resume,
    set_limits,
    start,
    stop,
)
from loopwright.workflows.tuning.model import TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import EndOutcome, FailureOutcome
from loopwright.workflows.tuning.reducer import begin_step
from loopwright.workflows.tuning.selector import next_steps
from tests.domain.tuning_making import (
    AT,
    LATER,
    created,
    diagnosed_all,
    driven,
    ended,
    finding,
    in_files,
    offer,
    proposed,
    usual,
    verified,
)
from tests.tables import each

ONE, TWO = finding("one", severity="high"), finding("two", "agent")
STATUSES: tuple[TuningStatus, ...] = ("pending", "running", "completed", "failed")

TABLE: dict[Command, str] = {
    #             p r c f
    "start":     "y . . .",
    "pause":     ". . . .",
    "resume":    ". . . .",
    "stop":      "y y . .",
    "reopen":    ". . . .",
    "choose":    ". y . .",
    "roll back": ". . y y",
    "complete":  ". y . .",
    "fail":      ". y . .",
    "edit":      "y y . .",
    "delete":    "y . y y",
}  # fmt: skip


def offered(*, choosing: bool = False) -> TuningState:
    state = diagnosed_all(created(level="mechanical", choosing=choosing), ONE, TWO)
    return proposed(state, offer("FIX-001", ONE), offer("FIX-002", TWO))


def running() -> TuningState:
    return diagnosed_all(created(level="mechanical"), ONE)


def completed() -> TuningState:
    """With two fixes that hold."""
    return driven(created(level="mechanical"), usual((ONE, TWO)))


def failed() -> TuningState:
    return stop(running(), AT)


MAKE: dict[TuningStatus, Callable[[], TuningState]] = {
    "pending": created, "running": running, "completed": completed, "failed": failed
}  # fmt: skip


class TestTable:
    def test_it_is_as_documented(self) -> None:
        assert set(TABLE) == set(STATUS_COMMANDS) == set(get_args(Command))
        for command, row in TABLE.items():
            assert " ".join("y" if is_allowed(command, status) else "." for status in STATUSES) == row, command

    def test_one_whose_runner_died_can_be_resumed_or_deleted(self) -> None:
        assert {c for c in STATUS_COMMANDS if is_allowed(c, "running", live=False)} - {
            c for c in STATUS_COMMANDS if is_allowed(c, "running")
        } == {"resume", "delete"}  # fmt: skip
        assert resume(running(), live=False) == running()

    def test_what_is_refused_says_what_is_possible(self) -> None:
        with pytest.raises(IllegalTransition, match=r"Cannot stop tuning session with status: completed .*: roll back"):
            stop(completed(), AT)

    @pytest.mark.parametrize("status", STATUSES)
    def test_every_command_keeps_to_it(self, status: TuningStatus) -> None:
        calls: dict[Command, Callable[[TuningState], object]] = {
            "start": start, "pause": pause, "resume": lambda s: resume(s, live=True), "stop": lambda s: stop(s, AT),
            "reopen": lambda s: reopen(s, AT), "choose": lambda s: choose(s, []),
            "roll back": lambda s: require_rollback(s, "FIX-001"), "edit": lambda s: edit(s, {"max_iterations": 2}),
            "delete": lambda s: require_command("delete", s), "complete": lambda s: require_command("complete", s),
            "fail": lambda s: require_command("fail", s),
        }  # fmt: skip
        assert set(calls) == set(STATUS_COMMANDS)
        for command, call in calls.items():
            try:
                call(MAKE[status]())
            except IllegalTransition:
                assert not is_allowed(command, status), command
            except (Conflict, NotFound):
                assert is_allowed(command, status), command
            else:
                assert is_allowed(command, status), command

    @each("was", STATUSES)
    @each("wanted", STATUSES)
    def test_a_bare_status_stands_for_a_command(self, was: TuningStatus, wanted: TuningStatus) -> None:
        known = {("pending", "running"): "start", ("pending", "failed"): "stop", ("running", "failed"): "stop"}
        if (was, wanted) in known:
            assert command_for(MAKE[was](), wanted) == known[was, wanted]
        else:
            with pytest.raises(IllegalTransition):
                command_for(MAKE[was](), wanted)

    def test_what_a_runner_has_to_do(self) -> None:
        signals = {status: control_signal(make()) for status, make in MAKE.items()}
        assert signals == {
            "pending": Control.CONTINUE, "running": Control.CONTINUE, "completed": Control.STOP_EXIT,
            "failed": Control.STOP_EXIT,
        }  # fmt: skip


class TestStop:
    def test_it_ends_it(self) -> None:
        state = stop(offered(), LATER)
        assert (state.status, state.engine.outcome, state.updated_at) == ("failed", "stopped", LATER)
        assert (state.pending_fixes, state.engine.undo, len(state.proposed_fixes)) == ((), (), 2)
        assert state.failure_reason == STOPPED_BY_USER

    def test_what_nobody_has_verified_is_to_be_put_back(self) -> None:
        state = stop(in_files(offered(), "FIX-001"), AT)
        assert state.engine.undo == ("FIX-001",)
        (entry,) = state.applied_fixes
        assert (entry.success, entry.verification_result, entry.rollback_available) == (False, "fail", False)
        assert mark_put_back(state).engine.undo == ()
        assert mark_put_back(mark_put_back(state)) == mark_put_back(state)

    def test_what_could_not_be_put_back_is_told_and_can_be_rolled_back_later(self) -> None:
        state = mark_put_back(stop(in_files(offered(), "FIX-001"), AT), {"FIX-001": "it was changed since"}, LATER)
        assert (state.engine.undo, state.applied_fixes[0].rollback_available) == ((), True)
        (incident,) = state.engine.incidents
        assert (incident.kind, incident.message, incident.at) == ("not_put_back", "it was changed since", LATER)

    def test_so_is_what_is_just_being_written(self) -> None:
        state = begin_step(offered(), TuningStep("action-apply-fix", "FIX-001"), AT)
        state = stop(state, AT)
        assert (state.engine.undo, state.engine.under_way, state.current_action) == (("FIX-001",), (), None)

    def test_what_holds_stays(self) -> None:
        state = in_files(offered(), "FIX-001")
        state = ended(state, TuningStep("action-verify", "FIX-001"), verified(state, "FIX-001"))
        state = stop(state, AT)
        assert (state.engine.undo, state.applied_fixes[0].rollback_available) == ((), True)

    def test_before_it_began(self) -> None:
        assert stop(created(), AT).status == "failed"


class TestChoose:
    def test_some(self) -> None:
        state = choose(offered(choosing=True), ["FIX-002"])
        assert (state.pending_fixes, state.engine.waiting) == (("FIX-002",), None)
        assert state.engine.rejected == {ONE.fingerprint: NOT_CHOSEN}
        end = driven(state, usual((ONE, TWO)))
        assert [fix.fix_id for fix in end.applied_fixes] == ["FIX-002"]
        assert [issue.description for issue in end.issues] == ["one is wrong"]

    def test_all_in_the_order_of_the_offer(self) -> None:
        state = choose(offered(choosing=True), ["FIX-002", "FIX-001", "FIX-002"])
        assert (state.pending_fixes, state.engine.rejected) == (("FIX-001", "FIX-002"), {})

    def test_none_is_the_end(self) -> None:
        end = driven(choose(offered(choosing=True), []), usual((ONE, TWO)))
        assert (end.status, end.applied_fixes, len(end.issues)) == ("completed", (), 2)

    def test_what_is_not_offered(self) -> None:
        with pytest.raises(Invalid, match="no fix FIX-009 is offered; available: FIX-001, FIX-002"):
            choose(offered(choosing=True), ["FIX-001", "FIX-009"])
        with pytest.raises(Conflict, match="no open choice"):
            choose(offered(), ["FIX-001"])

    def test_it_waits_for_nothing_else(self) -> None:
        waiting = offered(choosing=True)
        assert waiting.engine.waiting is not None
        assert waiting.engine.waiting.options == ("FIX-001", "FIX-002")
        assert next_steps(waiting) == ()
        assert stop(waiting, AT).engine.waiting is None


class TestRollBack:
    def test_a_fix_that_holds(self) -> None:
        levels: dict[str, FixLevel] = {ONE.fingerprint: "mechanical"}
        state = remove_fix(completed(), "FIX-001", (ONE,), (Silenced(finding=TWO),), levels, {"SKILL.md": "d9"})
        entry = state.applied_fixes[0]
        assert (entry.success, entry.verification_result, entry.rollback_available) == (False, "fail", False)
        assert (state.status, state.engine.outcome, [i.id for i in state.issues]) == (
            "completed",
            "succeeded",
            ["ISS-001"],
        )
        assert (state.quality_score, state.engine.digests) == (88, {"SKILL.md": "d9"})
        assert [one.finding for one in state.engine.silenced] == [TWO]
        assert state.applied_fixes[1].rollback_available

    def test_what_can_not_be_rolled_back(self) -> None:
        state = completed()
        with pytest.raises(NotFound, match=r"no fix FIX-009 was applied \(applied: FIX-001, FIX-002\)"):
            require_rollback(state, "FIX-009")
        with pytest.raises(Conflict, match="already rolled back"):
            require_rollback(remove_fix(state, "FIX-002", (), (), {}, {}), "FIX-002")
        with pytest.raises(IllegalTransition):
            require_rollback(in_files(offered(), "FIX-001"), "FIX-001")

    def test_one_that_did_not_hold_is_rolled_back_already(self) -> None:
        state = in_files(offered(), "FIX-001")
        state = ended(state, TuningStep("action-verify", "FIX-001"), verified(state, "FIX-001", passed=False))
        with pytest.raises(Conflict):
            require_rollback(stop(state, AT), "FIX-001")


class TestEdit:
    def test_what_is_a_persons(self) -> None:
        state = edit(running(), {"max_iterations": 2, "user_issue_description": "it forgets"})
        assert (state.max_iterations, state.user_issue_description) == (2, "it forgets")

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"status": "completed"},
            {"quality_score": 100},
            {"max_iterations": 0},
            {"max_iterations": "3"},
            {"engine": {}},
        ],
    )
    def test_what_is_not(self, changes: dict[str, object]) -> None:
        with pytest.raises(Invalid):
            edit(running(), changes)

    def test_limits(self) -> None:
        state = set_limits(running(), Limits(max_iterations=2, max_tokens=1000))
        assert (state.max_iterations, state.engine.budget.max_tokens, state.engine.budget.max_cost) == (2, 1000, None)
        assert set_limits(completed(), Limits()) == completed()
        with pytest.raises(IllegalTransition):
            set_limits(completed(), Limits(max_iterations=9))

    def test_a_lower_limit_ends_it_at_its_next_step(self) -> None:
        state = ended(offered(), TuningStep("action-apply-fix", "FIX-001"), FailureOutcome("no", recoverable=False))
        assert edit(state, {"max_iterations": 1}).status == "running"
        assert ended(running(), "action-complete", EndOutcome()).status == "completed"
