from collections import Counter
from datetime import date

import pytest

from courtside import TournamentError, calendar, round_robin
from courtside.fixtures import resting


@pytest.mark.parametrize("count", range(2, 9))
def test_everyone_meets_everyone_once(count):
    met = Counter(
        frozenset(pair) for pairs in round_robin(range(count)) for pair in pairs
    )
    assert len(met) == count * (count - 1) // 2
    assert set(met.values()) == {1}


@pytest.mark.parametrize("count, rounds", [(2, 1), (3, 3), (4, 3), (5, 5), (6, 5)])
def test_number_of_rounds(count, rounds):
    assert len(list(round_robin(range(count)))) == rounds


def test_nobody_plays_twice_in_a_round():
    for pairs in round_robin("abcdefg"):
        players = [player for pair in pairs for player in pair]
        assert len(players) == len(set(players)) == 6


def test_pairs_of_four():
    assert list(round_robin("abcd")) == [
        [("a", "d"), ("b", "c")],
        [("c", "a"), ("d", "b")],
        [("a", "b"), ("c", "d")],
    ]


def test_second_leg_changes_places():
    rounds = list(round_robin("abcd", legs=2))
    assert len(rounds) == 6
    homes = Counter(pair for pairs in rounds for pair in pairs)
    assert len(homes) == 12
    assert rounds[3] == [(away, home) for home, away in rounds[0]]


def test_home_matches_are_shared_fairly():
    homes = Counter(home for pairs in round_robin("abcdef") for home, _ in pairs)
    assert set(homes.values()) == {2, 3}


def test_few_players():
    assert list(round_robin([])) == []
    assert list(round_robin(["a"])) == []


def test_players_are_not_touched():
    players = ["a", "b", "c"]
    list(round_robin(players))
    assert players == ["a", "b", "c"]


def test_resting():
    rounds = list(round_robin("abc"))
    assert [resting("abc", pairs) for pairs in rounds] == [["a"], ["b"], ["c"]]


def test_bad_input():
    with pytest.raises(TournamentError, match="twice"):
        list(round_robin("aba"))
    with pytest.raises(TournamentError):
        list(round_robin("ab", legs=0))


def test_calendar():
    plan = calendar(round_robin("abcd"), date(2024, 2, 24))
    assert [day for day, _ in plan] == [
        date(2024, 2, 24), date(2024, 3, 2), date(2024, 3, 9),
    ]
    assert plan[0][1] == [("a", "d"), ("b", "c")]


def test_calendar_passes_over_closed_dates():
    closed = [date(2024, 1, 1), date(2024, 1, 8), date(2024, 1, 22)]
    plan = calendar(round_robin("abcd"), date(2024, 1, 1), closed=iter(closed))
    assert [day.day for day, _ in plan] == [15, 29, 5]


def test_calendar_with_all_weeks_closed_in_between():
    closed = (date(2024, 1, day) for day in (8, 15))
    plan = calendar(round_robin("ab", legs=2), date(2024, 1, 1), closed=closed)
    assert [day.day for day, _ in plan] == [1, 22]


def test_calendar_without_days():
    with pytest.raises(TournamentError):
        calendar([], date(2024, 1, 1), days=0)
