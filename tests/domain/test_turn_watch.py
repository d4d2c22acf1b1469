"""The limits of a turn."""

import pytest

from loopwright.core.agent_turns import SLACK, TurnWatch
from loopwright.core.protocol import AgentOutput


def output(signs: int = 0, text: str = "", *, asking: bool = False) -> AgentOutput:
    return AgentOutput(agent_id="a", running=True, text=text, signs=signs, asking=asking)


def test_a_turn_has_its_seconds_and_no_more() -> None:
    watch = TurnWatch(seconds=10, silence=0, last=100)
    assert watch.late(output(1), 109.9) is None
    assert watch.late(output(2), 110) == "was still working after 10 s"


def test_whoever_gives_no_sign_of_life_is_late_sooner() -> None:
    watch = TurnWatch(seconds=1000, silence=100, last=0)
    assert watch.late(output(), 100 + SLACK - 1) is None
    assert watch.late(output(), 100 + SLACK) == "showed no activity for 100 s"


@pytest.mark.parametrize(
    "signs", [[output(1), output(2), output(3)], [output(0, "a"), output(0, "ab"), output(0, "b")]]
)
def test_signs_and_words_are_signs_of_life(signs: list[AgentOutput]) -> None:
    watch = TurnWatch(seconds=1000, silence=4, last=0)
    for n, sign in enumerate(signs, 1):
        assert watch.late(sign, 4 * n) is None
    assert watch.late(signs[-1], 4 * len(signs) + 5) is not None


def test_while_it_waits_for_a_persons_answer_its_time_stands() -> None:
    watch = TurnWatch(seconds=10, silence=4, last=0)
    assert watch.late(output(), 3) is None
    assert watch.late(output(asking=True), 3600) is None
    assert watch.late(output(), 3604) is None
    assert watch.late(output(), 3605) == "showed no activity for 4 s"
    assert watch.late(output(1), 3606) is None
    assert watch.late(output(2), 3607) == "was still working after 10 s"


def test_no_silence_is_no_limit() -> None:
    assert TurnWatch(seconds=1e9, silence=0, last=0).late(output(), 1e8) is None


def test_a_clock_that_goes_back_takes_no_time_back() -> None:
    watch = TurnWatch(seconds=10, silence=0, last=100)
    assert watch.late(output(), 90) is None
    assert watch.late(output(), 100) is not None


def test_silence_is_told_again_each_time_that_it_has_doubled() -> None:
    watch = TurnWatch(seconds=1e9, silence=0, last=0)
    told = []
    for second in range(1, 50):
        watch.late(output(1 if second < 42 else 2), second)
        told += [(second, words) for words in [watch.notice()] if words]
    limits = [(6, 5), (11, 10), (21, 20), (41, 40), (47, 5)]
    assert told == [(second, f"has shown no activity for {limit} s") for second, limit in limits]
