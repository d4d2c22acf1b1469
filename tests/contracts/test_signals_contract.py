"""What the way of commands through the fleet promises: the same tests on PostgreSQL and on the fake."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from pydantic import JsonValue

from loopwright.core.errors import Advice, NotFound
from loopwright.core.fleet import SignalAnswer
from tests.fleet.fleets import JOB, RUN, Fleet, open_fleet
from tests.waiting import until


@pytest.fixture(params=["memory", "postgres"])
def fleet(request: pytest.FixtureRequest) -> Iterator[Fleet]:
    with open_fleet(request) as made:
        yield made


@pytest.fixture
def driven(fleet: Fleet) -> Fleet:
    """With a run that machine one drives."""
    one = fleet.machine("one")
    one.submit([RUN, replace(RUN, id="loop-2")])
    assert one.claim(JOB)
    return fleet


def test_a_command_reaches_who_holds_the_run_and_its_answer_comes_back(driven: Fleet) -> None:
    args: dict[str, JsonValue] = {"text": "nul \0, ☃, \u2028", "n": [1, 2.5, None, True]}
    sender, one = driven.signals(""), driven.signals("one")
    sent = sender.send(RUN.id, "tell", args, "mcp")
    assert sent.held
    (signal,) = one.open_signals()
    assert (signal.n, signal.id, signal.command, signal.args, signal.actor) == (sent.n, RUN.id, "tell", args, "mcp")
    assert driven.signals("two").open_signals() == []
    assert sender.await_answer(sent.n, 0) is None
    answer = SignalAnswer(7, {"told": "nul \0"}, "Invalid", "no\nsuch \0", Advice("raise {setting}", "tokens", 9))
    assert one.answer(sent.n, answer)
    assert sender.await_answer(sent.n, 0) == answer
    assert one.open_signals() == []
    assert not one.answer(sent.n, SignalAnswer()), "the first counts"
    assert sender.await_answer(sent.n, 0) == answer


def test_an_answer_is_heard_of_at_once(driven: Fleet) -> None:
    sender, one = driven.signals(""), driven.signals("one")
    sent, other = (sender.send(RUN.id, "pause", {}, "cli") for _ in range(2))
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(lambda: (sender.await_answer(sent.n, 20), time.monotonic()))
        time.sleep(0.1)
        assert one.answer(other.n, SignalAnswer(1))
        answered = time.monotonic()
        assert one.answer(sent.n, SignalAnswer(2))
        found, at = waits.result(20)
    assert found == SignalAnswer(2)
    assert at - answered < 0.5


def test_a_machine_hears_of_commands_for_it(driven: Fleet) -> None:
    one, heard = driven.signals("one"), list[float]()
    one.await_signals(0)  # from now on

    def hear() -> None:
        one.await_signals(20)
        heard.append(time.monotonic())

    with ThreadPoolExecutor() as pool:
        waits = pool.submit(hear)
        time.sleep(0.1)
        assert not heard
        sent = time.monotonic()
        driven.signals("").send(RUN.id, "pause", {}, "cli")
        waits.result(20)
    assert heard[0] - sent < 0.5
    begun = time.monotonic()
    one.await_signals(0.05)
    assert time.monotonic() - begun < 1


def test_commands_come_in_the_order_in_which_they_were_sent(driven: Fleet) -> None:
    def send(n: int) -> None:
        driven.signals("").send(RUN.id if n % 2 else "loop-2", "tell", {"n": n}, "cli")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(12)))
    numbers = [signal.n for signal in driven.signals("one").open_signals()]
    assert len(numbers) == 6
    assert numbers == sorted(numbers)


def test_only_who_holds_the_run_answers(driven: Fleet) -> None:
    sent = driven.signals("").send(RUN.id, "pause", {}, "cli")
    driven.machine("two")
    assert not driven.signals("two").answer(sent.n, SignalAnswer())
    assert not driven.signals("").answer(sent.n, SignalAnswer())
    driven.bury("one")
    assert driven.machine("two").claim(JOB)
    assert not driven.signals("one").answer(sent.n, SignalAnswer())
    (signal,) = driven.signals("two").open_signals()
    assert driven.signals("two").answer(signal.n, SignalAnswer())


def test_a_run_that_is_not_there_is_told(driven: Fleet) -> None:
    with pytest.raises(NotFound, match="loop-9"):
        driven.signals("").send("loop-9", "pause", {}, "cli")
    assert not driven.signals("one").answer(99, SignalAnswer())
    assert driven.signals("").await_answer(99, 0) is None


def test_what_nobody_holds_is_brought_to_somebody(driven: Fleet) -> None:
    """Also where the machine that held it is dead."""
    sender, taken = driven.signals(""), list[str]()
    assert sender.send(RUN.id, "pause", {}, "cli")[1:] == (True, True)
    driven.bury("one")
    assert sender.send(RUN.id, "pause", {}, "cli")[1:] == (False, False)
    two = driven.machine("two")
    assert sender.send("loop-2", "pause", {}, "cli")[1:] == (False, True)
    assert not sender.send("loop-2", "pause", {}, "cli").held
    with two.serving(1, lambda job: None, lambda account: False, taken.append):
        until(lambda: len(taken) == 3)
    assert sorted(taken) == [RUN.id, "loop-2", "loop-2"]
