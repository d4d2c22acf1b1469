"""Requests for permission in the state: who may add, answer and remove them."""

import pytest

from loopwright.core import pause
from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.core.state import PermissionRequest
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.state_reader import keep_own, take_in
from tests.domain.loop_making import AT, LATER, engine, loop

ONE, TWO = (
    PermissionRequest(id=id, agent="codex", action="DEVELOP", title="Run make", kind="execute", since=AT)
    for id in ("ask-1", "ask-2")
)


def asking(*requests: PermissionRequest) -> LoopState:
    return engine(loop("running"), asked=requests)


def test_asked_answered_settled() -> None:
    state = pause.add_permission_request(pause.add_permission_request(loop("running"), ONE), TWO)
    assert state.engine.asked == (ONE, TWO)
    state = pause.answer_permission(state, ("ask-2",), "allow")
    assert [request.answer for request in state.engine.asked] == [None, "allow"]
    state = pause.remove_permission_request(state, "ask-2")
    assert state.engine.asked == (ONE,)
    assert pause.remove_permission_request(state, "ask-2") is state
    assert pause.clear_permission_requests(state).engine.asked == ()
    assert pause.clear_permission_requests(loop("running")).engine.asked == ()


def test_nothing_to_forget_is_no_change() -> None:
    state = loop("running")
    assert pause.clear_permission_requests(state) is state


def test_every_end_of_the_loop_is_an_end_of_the_waiting() -> None:
    for ended in (
        commands.stop(asking(ONE), LATER), commands.fail(asking(ONE), "stalled", "why", LATER),
        commands.complete(asking(ONE), "succeeded", LATER),
    ):  # fmt: skip
        assert ended.engine.asked == ()
    assert commands.pause(asking(ONE)).engine.asked == (ONE,)


def test_which_requests_an_answer_is_for() -> None:
    answered = ONE.evolve(answer="deny")
    assert pause.chosen_requests((ONE, TWO), "ask-2") == ("ask-2",)
    assert pause.chosen_requests((ONE,), None) == ("ask-1",)
    assert pause.chosen_requests((answered, TWO), None) == ("ask-2",)
    assert pause.chosen_requests((ONE, TWO), None, every=True) == ("ask-1", "ask-2")
    assert pause.chosen_requests((answered, TWO), None, every=True) == ("ask-2",)
    for none in ((), (answered,)):
        for every in (True, False):
            with pytest.raises(Invalid, match="no open permission request"):
                pause.chosen_requests(none, None, every=every)
    with pytest.raises(Invalid, match="ask-1, ask-2"):
        pause.chosen_requests((ONE, TWO), None)


def test_answers_that_come_too_late_change_nothing() -> None:
    state = asking(ONE.evolve(answer="deny"), TWO)
    with pytest.raises(Conflict, match="already answered: deny"):
        pause.answer_permission(state, ("ask-1",), "allow")
    with pytest.raises(NotFound, match="ask-3"):
        pause.answer_permission(state, ("ask-2", "ask-3"), "allow")


ALLOWED, DENIED = ONE.evolve(answer="allow"), ONE.evolve(answer="deny")


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ((ONE, TWO), (ALLOWED, TWO), (ALLOWED, TWO)),
        ((ONE,), (), ()),
        ((), (ONE,), ()),
        ((), (ALLOWED,), ()),
        ((ONE,), (ONE.evolve(title="Tidy up"),), (ONE,)),
        ((ONE,), (ALLOWED.evolve(command="rm -rf /"),), (ALLOWED,)),
        ((DENIED,), (ALLOWED,), (DENIED,)),
        ((DENIED,), (ONE,), (DENIED,)),
    ],
    ids=["answered", "removed", "made up", "made up, allowed", "reworded", "reworded, allowed", "turned", "taken back"],
)  # fmt: skip
def test_what_others_may_do_to_requests_while_a_runner_lives(
    before: tuple[PermissionRequest, ...], after: tuple[PermissionRequest, ...], kept: tuple[PermissionRequest, ...]
) -> None:
    state, put_back = keep_own(asking(*before), asking(*after))
    assert state.engine.asked == kept
    assert put_back == (() if kept == after else ("engine.asked",))


def test_another_program_can_not_answer_in_the_state_file() -> None:
    state, accepted, refused = take_in(asking(ONE), asking(ALLOWED), asking(ONE), LATER)
    assert (state.engine.asked, accepted, refused) == ((ONE,), (), ("engine",))
