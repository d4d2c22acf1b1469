"""Who may do what: every command in every status, with and without a living runner."""

from collections.abc import Callable
from itertools import product
from typing import get_args

import pytest

from loopwright.core.errors import IllegalTransition, Invalid
from loopwright.core.names import LoopStatus
from loopwright.core.protocol import Control
from loopwright.core.state import Budget, Limits, Parked, Waiting
from loopwright.core.status_table import control_signal
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.commands import STATUS_COMMANDS, Command, command_for, is_allowed
from loopwright.workflows.loop.model import LoopState, SkillState
from tests.domain.loop_making import AT, LATER, engine, loop
from tests.tables import each

STATUSES: tuple[LoopStatus, ...] = get_args(LoopStatus)

#           created    running    paused     completed  failed     user_exit
TABLE = """
begin       running    -          -          -          -          -
start       running    -          running    -          -          running
pause       -          paused     -          -          -          -
resume      -          orphan     running    -          -          running
stop        failed     failed     failed     -          -          failed
exit        -          user_exit  -          -          -          -
complete    -          completed  -          -          -          -
fail        -          failed     -          -          -          -
reopen      -          -          -          running    running    -
edit-text   same       -          same       same       same       same
edit        same       same       same       same       same       same
rewind      same       -          same       same       same       same
delete      same       -          same       same       same       same
"""
"""The table as people read it. `orphan`: running, only while no runner lives."""

CELLS: dict[tuple[str, LoopStatus], str] = {
    (row.split()[0].replace("-", " "), status): cell
    for row in TABLE.strip().splitlines()
    for status, cell in zip(STATUSES, row.split()[1:], strict=True)
}
ROWS = sorted({command for command, _ in CELLS})


def functions(live: bool) -> dict[str, Callable[[LoopState], LoopState]]:
    return {
        "begin": commands.begin,
        "start": commands.start,
        "pause": commands.pause,
        "resume": lambda s: commands.resume(s, live=live),
        "stop": lambda s: commands.stop(s, LATER),
        "exit": commands.leave,
        "complete": lambda s: commands.complete(s, "succeeded", LATER),
        "fail": lambda s: commands.fail(s, "exhausted", "nothing is left to try", LATER),
        "reopen": commands.reopen,
        "edit text": lambda s: commands.edit(s, {"title": "Another title"}),
        "edit": lambda s: commands.edit(s, {"max_iterations": 20, "tags": ["a"], "priority": "high", "notes": "n"}),
    }


def test_the_table_names_every_command() -> None:
    assert set(ROWS) == set(STATUS_COMMANDS)


@each(("command", "status", "live"), list(product(ROWS, STATUSES, (True, False))))
def test_every_command_in_every_status(command: Command, status: LoopStatus, live: bool) -> None:
    cell = CELLS[command, status]
    orphan = cell == "orphan"
    legal = cell not in ("-", "orphan") or (orphan and not live)
    assert is_allowed(command, status, live=live) is legal

    function = functions(live).get(command)
    if function is None:
        return  # rewind and delete are decided by the table alone, and done by the store
    state = loop(status)
    if not legal:
        with pytest.raises(IllegalTransition):
            function(state)
        return
    after = function(state)
    assert after.status == {"same": status, "orphan": "running"}.get(cell, cell)
    assert LoopState.model_validate_json(after.model_dump_json()) == after
    assert after.skill_state == state.skill_state


@pytest.mark.parametrize("status", STATUSES)
def test_the_commands_without_a_function_are_refused_in_words(status: LoopStatus) -> None:
    commands_of_the_store: tuple[Command, ...] = ("rewind", "delete")
    for command in commands_of_the_store:
        if CELLS[command, status] == "-":
            with pytest.raises(IllegalTransition) as caught:
                commands.require_command(command, loop(status))
            assert str(caught.value) == (
                f"Cannot {command} loop with status: {status} (possible now: pause, stop, edit)"
            )


def test_a_refusal_names_command_status_and_what_would_be_possible() -> None:
    with pytest.raises(IllegalTransition) as caught:
        commands.pause(loop("created"))
    assert (
        str(caught.value) == "Cannot pause loop with status: created (possible now: start, stop, edit, rewind, delete)"
    )
    assert (caught.value.command, caught.value.status) == ("pause", "created")
    assert caught.value.allowed == ("start", "stop", "edit", "rewind", "delete")


# A request for a bare status stands for a command, and never for an end that only a runner can reach.
REQUESTS = """
created    running:start  failed:stop
running    paused:pause   failed:stop  user_exit:exit
paused     running:resume failed:stop
user_exit  running:resume failed:stop
completed
failed
"""
REQUEST_CELLS = {
    (words.split()[0], wanted): command
    for words in REQUESTS.strip().splitlines()
    for wanted, command in (cell.split(":") for cell in words.split()[1:])
}


@each(("status", "wanted"), list(product(STATUSES, STATUSES)))
def test_every_requested_status_maps_to_a_command_of_the_table(status: LoopStatus, wanted: LoopStatus) -> None:
    expected = REQUEST_CELLS.get((status, wanted))
    if expected is None:
        with pytest.raises(IllegalTransition, match=f"status: {status}"):
            command_for(loop(status), wanted)
        return
    command = command_for(loop(status), wanted)
    assert command == expected
    assert STATUS_COMMANDS[command].target == wanted
    assert is_allowed(command, status)
    assert wanted not in ("completed", "created")


@pytest.mark.parametrize("status", STATUSES)
def test_control_signal(status: LoopStatus) -> None:
    expected = {"running": Control.CONTINUE, "paused": Control.PAUSE_EXIT}.get(status, Control.STOP_EXIT)
    assert control_signal(loop(status)) is expected
    assert {c.value for c in Control} == {"continue", "pause_exit", "stop_exit"}


WAITING = Waiting(question="Which database?", options=("a", "b"), since=AT)
PARKED = Parked(until=LATER, reason="usage limit")


@pytest.mark.parametrize("take_up", [commands.start, lambda s: commands.resume(s, live=False)])
def test_running_on_clears_what_it_waited_for(take_up: Callable[[LoopState], LoopState]) -> None:
    paused = engine(loop("paused"), waiting=WAITING, parked=PARKED, interrupt=True, answer="a")
    after = take_up(paused).engine
    assert (after.waiting, after.parked, after.interrupt) == (None, None, False)
    assert after.answer == "a", "the answer is the agent's to get"


def test_stop_says_so_in_the_seeds_words() -> None:
    stopped = commands.stop(engine(loop("paused"), waiting=WAITING, parked=PARKED), LATER)
    assert (stopped.failure_reason, stopped.completed_at) == ("Manually stopped by user", LATER)
    assert (stopped.engine.outcome, stopped.engine.waiting, stopped.engine.parked) == ("stopped", None, None)


def test_ends() -> None:
    good = commands.complete(loop("running"), "succeeded", LATER)
    assert (good.completed_at, good.failure_reason, good.engine.outcome) == (LATER, None, "succeeded")
    bad = commands.fail(loop("running"), "stalled", "it went in a circle", LATER)
    assert (bad.completed_at, bad.failure_reason, bad.engine.outcome) == (LATER, "it went in a circle", "stalled")
    chosen = commands.complete(loop("running"), "unverified", LATER)
    assert (chosen.status, chosen.engine.outcome) == ("completed", "unverified")


@pytest.mark.parametrize("outcome", ["exhausted", "stalled", "over_budget", "stopped", "failed"])
def test_no_other_outcome_completes(outcome: str) -> None:
    with pytest.raises(Invalid):
        commands.complete(loop("running"), outcome, LATER)  # type: ignore[arg-type]  # every outcome there is


def test_success_never_fails() -> None:
    with pytest.raises(Invalid):
        commands.fail(loop("running"), "succeeded", "?", LATER)
    with pytest.raises(Invalid):
        commands.fail(loop("running"), "failed", "", LATER)


def test_pause_now_asks_for_the_interruption_and_a_plain_pause_does_not() -> None:
    assert commands.pause(loop("running"), now=True).engine.interrupt is True
    assert commands.pause(engine(loop("running"), interrupt=True)).engine.interrupt is False


def test_a_persons_pause_keeps_a_parked_loop_from_being_resumed_by_itself() -> None:
    parked = commands.park(loop("running"), PARKED)
    assert (parked.status, parked.engine.parked) == ("paused", PARKED)
    paused = commands.pause(parked)
    assert (paused.status, paused.engine.parked) == ("paused", None)
    with pytest.raises(IllegalTransition):
        commands.pause(paused)


def test_waiting_is_a_pause_with_a_question() -> None:
    waiting = commands.wait_for_person(engine(loop("running"), answer="an old one"), WAITING)
    assert (waiting.status, waiting.engine.waiting, waiting.engine.answer) == ("paused", WAITING, None)
    for status in set(STATUSES) - {"running"}:
        with pytest.raises(IllegalTransition):
            commands.wait_for_person(loop(status), WAITING)
        with pytest.raises(IllegalTransition):
            commands.park(loop(status), PARKED)


@pytest.mark.parametrize("status", STATUSES)
def test_an_answer_is_taken_in_every_status_when_there_is_a_question(status: LoopStatus) -> None:
    asked = engine(loop(status), waiting=WAITING)
    assert commands.answer(asked, "b").engine.answer == "b"
    assert commands.answer(asked, "b").status == status
    for words in ("", "  \n"):
        with pytest.raises(Invalid, match="needs text"):
            commands.answer(asked, words)
    with pytest.raises(Invalid, match="no open question"):
        commands.answer(loop(status), "b")


def test_reopen_clears_the_end_and_what_counted_against_the_loop() -> None:
    skill = SkillState(current_action="complete", last_action="COMPLETE", completed_actions=("INIT", "COMPLETE"))
    done = engine(loop("failed", skill_state=skill, current_iteration=9), debug_rounds=5, answer="to an old question")
    again = commands.reopen(done)
    assert (again.status, again.completed_at, again.failure_reason) == ("running", None, None)
    assert (again.engine.outcome, again.engine.debug_rounds, again.engine.answer) == (None, 0, None)
    assert again.skill_state is not None
    assert (again.skill_state.current_action, again.skill_state.summary) == (None, None)
    assert again.skill_state.completed_actions == ("INIT", "COMPLETE")


def test_reopen_with_the_limit_used_up_needs_a_higher_one() -> None:
    used_up = loop("failed", current_iteration=10, max_iterations=10)
    for limit in (None, 5, 10):
        with pytest.raises(Invalid, match="raise the limit"):
            commands.reopen(commands.set_limits(used_up, Limits(max_iterations=limit)))
    assert commands.reopen(commands.set_limits(used_up, Limits(max_iterations=11))).max_iterations == 11


def test_reopen_with_a_budget_used_up_needs_more() -> None:
    spent = engine(loop("failed"), budget=Budget(max_minutes=1, spent_seconds=60))
    for minutes in (None, 0.5, 1):
        with pytest.raises(Invalid, match="time budget of"):
            commands.reopen(commands.set_limits(spent, Limits(max_minutes=minutes)))
    assert commands.reopen(commands.set_limits(spent, Limits(max_minutes=2))).engine.budget.max_minutes == 2


@pytest.mark.parametrize(
    ("budget", "option", "raised"),
    [
        (Budget(max_minutes=3, spent_seconds=200), "max-minutes 7", Limits(max_minutes=7)),
        (Budget(max_tokens=1000, tokens=1200), "max-tokens 2400", Limits(max_tokens=2400)),
        (Budget(max_cost=0.5, cost=0.5), "max-cost 1.01", Limits(max_cost=1.01)),
    ],
)
def test_a_used_up_budget_names_the_option_that_raises_it(budget: Budget, option: str, raised: Limits) -> None:
    spent = engine(loop("failed"), budget=budget)
    with pytest.raises(Invalid) as refused:
        commands.reopen(spent)
    assert refused.value.typed().endswith(f"raise it, for example --{option}")
    assert str(refused.value).endswith(f"raise it, for example {option.replace('-', '_').replace(' ', ': ')}")
    assert commands.reopen(commands.set_limits(spent, raised)).status == "running"


def test_limits_that_are_not_given_stay() -> None:
    state = engine(loop(max_iterations=7), budget=Budget(max_minutes=3, tokens=5))
    assert commands.set_limits(state, Limits()) is state
    changed = commands.set_limits(state, Limits(max_tokens=50))
    assert (changed.max_iterations, changed.engine.budget) == (7, Budget(max_minutes=3, max_tokens=50, tokens=5))


@pytest.mark.parametrize("limits", [Limits(max_iterations=10**20), Limits(max_iterations=0), Limits(max_tokens=10**20)])
def test_a_limit_out_of_bounds_names_both(limits: Limits) -> None:
    with pytest.raises(Invalid, match=r"must be from 1 to 1,000,000"):
        commands.set_limits(loop(), limits)


@pytest.mark.parametrize("status", STATUSES)
def test_take_up_runs_a_loop_of_any_status(status: LoopStatus) -> None:
    assert commands.take_up(loop(status)).status == "running"


@each(
    ("changes", "words"),
    [
        ({}, "nothing to change"),
        ({"status": "completed"}, "cannot edit status"),
        ({"skill_state": None}, "cannot edit skill_state"),
        ({"engine": {}}, "cannot edit engine"),
        ({"current_iteration": 0, "loop_id": "x"}, "cannot edit current_iteration, loop_id"),
        ({"title": " "}, "title: must not be blank"),
        ({"title": None}, "title"),
        ({"title": 5}, "title"),
        ({"description": None}, "description"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"max_iterations": True}, "max_iterations"),
        ({"max_iterations": "20"}, "max_iterations"),
        ({"max_iterations": 2.5}, "max_iterations"),
        ({"tags": "one"}, "tags"),
        ({"tags": [1]}, "tags"),
        ({"priority": "urgent"}, "priority"),
        ({"notes": ["n"]}, "notes"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused_in_one_sentence(changes: dict[str, object], words: str) -> None:
    with pytest.raises(Invalid, match=words) as caught:
        commands.edit(loop(), changes)
    assert "\n" not in str(caught.value)


def test_edit_keeps_what_others_added() -> None:
    state = loop(dashboard_color="blue")
    edited = commands.edit(state, {"tags": ["a", "b"], "notes": "n"})
    assert edited.model_extra == {"dashboard_color": "blue"}
    assert (edited.tags, edited.notes) == (("a", "b"), "n")
    assert edited.engine is state.engine
    assert commands.edit(edited, {"tags": None}).tags is None
