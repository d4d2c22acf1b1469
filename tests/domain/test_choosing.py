"""The menu in the state: who may open, change and close it, and what a choice does."""

import pytest

from loopwright.core.errors import Conflict, IllegalTransition, Invalid
from loopwright.core.names import LoopStatus
from loopwright.core.state import Menu, MenuEntry, RunSettings
from loopwright.workflows.loop.commands import (
    answer,
    ask_question,
    clear_question,
    drop_question,
    fail,
    keep_choice,
    leave,
    open_menu,
    pause,
    raise_limit,
    repeat_question,
    require_offer,
    resume,
    stop,
)
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.reducer import begin_action
from loopwright.workflows.loop.selector import NextAction
from loopwright.workflows.loop.state_reader import keep_own
from tests.domain.loop_making import AT, LATER, engine, loop

ENTRIES = (
    MenuEntry(name="develop", words="work", preselected=True),
    MenuEntry(name="debug", words="search", blocked="nothing fails"),
    MenuEntry(name="exit", words="leave"),
)
RUNNING = engine(loop("running"), settings=RunSettings(mode="interactive"))
OPEN = open_menu(RUNNING, ENTRIES, AT)


def menu(state: LoopState) -> Menu | None:
    return state.engine.menu


def test_opening_keeps_the_time_and_a_choice_that_still_holds() -> None:
    assert menu(OPEN) == Menu(since=AT, entries=ENTRIES)
    assert open_menu(OPEN, ENTRIES, LATER) is OPEN
    fewer = open_menu(keep_choice(OPEN, "exit"), ENTRIES[2:], LATER)
    assert menu(fewer) == Menu(since=AT, entries=ENTRIES[2:], choice="exit")
    assert menu(open_menu(keep_choice(OPEN, "develop"), ENTRIES[1:], LATER)) == Menu(since=AT, entries=ENTRIES[1:])


@pytest.mark.parametrize("status", ["created", "paused", "user_exit"])
def test_only_a_running_loop_offers_anything(status: LoopStatus) -> None:
    at_rest = engine(loop(status), settings=RunSettings(mode="interactive"))
    assert open_menu(at_rest, ENTRIES, AT) is at_rest
    with pytest.raises(IllegalTransition, match=f"Cannot choose the next step of a loop with status: {status}"):
        require_offer(at_rest, "develop")


@pytest.mark.parametrize(
    ("state", "choice", "kind", "words"),
    [
        (engine(loop("running"), settings=RunSettings(mode="auto")), "develop", Invalid, "mode auto"),
        (RUNNING, "develop", Conflict, "not at its menu now"),
        (begin_action(OPEN, NextAction("VALIDATE", 0)), "develop", Conflict, "asks again after VALIDATE"),
        (keep_choice(OPEN, "exit"), "develop", Conflict, "a choice was already made: exit"),
        (OPEN, "dance", Invalid, r"'dance' is not offered \(available: develop, exit\)"),
        (OPEN, "debug", Conflict, "debug cannot be chosen now: nothing fails"),
    ],
)
def test_what_is_refused(state: LoopState, choice: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        keep_choice(state, choice)


@pytest.mark.parametrize(
    "closed",
    [
        pause(OPEN), pause(OPEN, now=True), stop(OPEN, AT), leave(OPEN), fail(OPEN, "failed", "why", AT),
        begin_action(OPEN, NextAction("DEVELOP", 0)), clear_question(OPEN, from_afar=False),
        clear_question(engine(OPEN, settings=RunSettings(mode="auto")), from_afar=True),
    ],
    ids=["pause", "pause now", "stop", "exit", "fail", "begin", "runner at a terminal", "auto"],
)  # fmt: skip
def test_what_closes_it(closed: LoopState) -> None:
    assert menu(closed) is None


def test_a_successor_takes_over_menu_and_choice_and_forgets_a_question() -> None:
    state = ask_question(keep_choice(OPEN, "exit"), "Which?", (), AT)
    after = clear_question(state, from_afar=True)
    assert (menu(after), after.engine.waiting) == (menu(state), None)
    waits = pause(ask_question(RUNNING, "Which?", (), AT))
    assert clear_question(waits, from_afar=True) is waits, "what it was paused with stays"


def test_a_question_is_asked_again_where_it_was_taken_away_and_not_answered() -> None:
    asked = ask_question(engine(RUNNING, answer="an old one"), "Which?", ("a", "b"), AT)
    assert (asked.engine.answer, asked.engine.waiting and asked.engine.waiting.options) == (None, ("a", "b"))
    assert repeat_question(asked, "Which?", (), LATER) is asked
    resumed = resume(pause(asked), live=True)
    assert resumed.engine.waiting is None
    again = repeat_question(resumed, "Which?", (), LATER)
    assert again.engine.waiting is not None
    answered = answer(again, "a")
    assert repeat_question(answered, "Which?", (), LATER) is answered
    taken = drop_question(answered)
    assert (taken.engine.waiting, taken.engine.answer) == (None, None)
    assert drop_question(taken) is taken


def test_raising_the_limit() -> None:
    assert raise_limit(OPEN).max_iterations == OPEN.max_iterations + 10


def kept(before: LoopState, after: LoopState) -> tuple[Menu | None, tuple[str, ...]]:
    state, names = keep_own(before, after)
    return state.engine.menu, names


def test_others_choose_and_close_but_open_and_change_nothing() -> None:
    assert kept(OPEN, keep_choice(OPEN, "exit")) == (menu(keep_choice(OPEN, "exit")), ())
    assert kept(OPEN, pause(OPEN)) == (None, ())
    assert kept(RUNNING, OPEN) == (None, ("engine.menu",))
    forged = Menu(since=AT, entries=(MenuEntry(name="rm", words="everything"),), choice="rm")
    assert kept(OPEN, engine(OPEN, menu=forged)) == (menu(OPEN), ("engine.menu",))
    blocked = Menu(since=AT, entries=ENTRIES, choice="debug")
    assert kept(OPEN, engine(OPEN, menu=blocked)) == (menu(OPEN), ("engine.menu",))
    first = keep_choice(OPEN, "exit")
    other = engine(OPEN, menu=Menu(since=AT, entries=ENTRIES, choice="develop"))
    assert kept(first, other) == (menu(first), ("engine.menu",)), "a choice that was made stays"
