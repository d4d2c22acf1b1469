import pytest

from courtside import Bracket, ResultError, TournamentError, seed_order


@pytest.mark.parametrize(
    "size, order",
    [
        (2, [1, 2]),
        (4, [1, 4, 2, 3]),
        (8, [1, 8, 4, 5, 2, 7, 3, 6]),
        (5, [1, 8, 4, 5, 2, 7, 3, 6]),
    ],
)
def test_seed_order(size, order):
    assert seed_order(size) == order


def test_first_round():
    assert Bracket("abcd").open_matches() == [("a", "d"), ("b", "c")]


def test_final_follows_the_semifinals():
    bracket = Bracket("abcd")
    bracket.win("d")
    assert bracket.open_matches() == [("b", "c")]
    assert bracket.current == 1
    bracket.win("b")
    assert bracket.open_matches() == [("d", "b")]
    assert bracket.current == 2


def test_champion():
    bracket = Bracket("ab")
    assert bracket.champion is None
    assert not bracket.done
    bracket.win("b")
    assert bracket.champion == "b"
    assert bracket.done
    assert bracket.open_matches() == []


def test_strongest_pass_the_first_round():
    bracket = Bracket("abcde")
    assert bracket.open_matches() == [("d", "e")]
    bracket.win("e")
    assert bracket.open_matches() == [("a", "e"), ("b", "c")]


def test_three_players():
    bracket = Bracket("abc")
    bracket.win("c")
    assert bracket.open_matches() == [("a", "c")]
    assert bracket.eliminated() == ["b"]


def test_eliminated():
    bracket = Bracket("abcd")
    for player in "aca":
        bracket.win(player)
    assert bracket.eliminated() == ["c", "b", "d"]


def test_third_place():
    bracket = Bracket("abcd", third_place=True)
    bracket.win("a")
    bracket.win("b")
    assert bracket.open_matches() == [("a", "b"), ("d", "c")]
    bracket.win("a")
    assert bracket.champion == "a"
    assert not bracket.done
    bracket.win("c")
    assert bracket.third == "c"
    assert bracket.done


def test_no_third_place_after_a_bye():
    bracket = Bracket("abc", third_place=True)
    bracket.win("b")
    bracket.win("a")
    assert bracket.third is None
    assert bracket.done


def test_no_third_place_among_two():
    bracket = Bracket("ab", third_place=True)
    bracket.win("a")
    assert bracket.done


def test_no_second_win_in_a_round():
    bracket = Bracket("abcd")
    bracket.win("a")
    with pytest.raises(ResultError, match="no open match for a"):
        bracket.win("a")
    with pytest.raises(ResultError, match="no open match for d"):
        bracket.win("d")


def test_bad_players():
    with pytest.raises(TournamentError, match="unknown player: z"):
        Bracket("ab").win("z")
    with pytest.raises(TournamentError):
        Bracket("a")
    with pytest.raises(TournamentError):
        Bracket("aab")
