import pytest

from courtside import League, ResultError, Row, TournamentError


def order(league):
    return [row.player for row in league.table()]


def test_empty_table_is_in_order_of_names(league):
    assert order(league) == ["Ann", "Bob", "Cem", "Dee"]
    assert [row.rank for row in league.table()] == [1, 1, 1, 1]


def test_row(league, play):
    play(league, "Ann Bob 2:1", "Cem Ann 0:0", "Ann Dee 1:4")
    row = next(row for row in league.table() if row.player == "Ann")
    assert row == Row("Ann", 3, 1, 1, 1, 3, 5, 4, 1)
    assert row.difference == -2


def test_points_come_first(league, play):
    play(league, "Ann Bob 1:0", "Cem Dee 9:9")
    assert order(league)[0] == "Ann"


def test_goal_difference_decides(league, play):
    play(league, "Ann Bob 1:0", "Cem Dee 3:0")
    assert order(league) == ["Cem", "Ann", "Bob", "Dee"]


def test_goals_decide(league, play):
    play(league, "Ann Bob 1:0", "Cem Dee 3:2")
    assert order(league) == ["Cem", "Ann", "Dee", "Bob"]


def test_match_between_the_two_goes_before_difference(league, play):
    play(league, "Ann Bob 1:0", "Bob Cem 5:0", "Cem Dee 1:0", "Dee Ann 1:0")
    table = league.table()
    assert [row.points for row in table] == [3, 3, 3, 3]
    league.penalise("Cem", 1)
    league.penalise("Dee", 1)
    assert order(league)[:2] == ["Ann", "Bob"]


def test_only_matches_among_the_tied_count(league, play):
    play(league, "Ann Bob 1:0", "Bob Cem 2:0", "Cem Ann 1:0", "Ann Dee 9:0",
         "Bob Dee 1:0", "Cem Dee 1:0")
    assert order(league) == ["Bob", "Ann", "Cem", "Dee"]


def test_head_to_head_may_be_off(play):
    league = League(["Ann", "Bob", "Cem"], head_to_head=False)
    play(league, "Ann Bob 1:0", "Bob Cem 5:0", "Cem Ann 1:0")
    assert order(league) == ["Bob", "Ann", "Cem"]


def test_equal_players_share_a_rank(league, play):
    play(league, "Ann Bob 1:1", "Cem Dee 2:0")
    assert [(row.player, row.rank) for row in league.table()] == [
        ("Cem", 1), ("Ann", 2), ("Bob", 2), ("Dee", 4),
    ]


def test_names_are_ordered_without_case():
    assert order(League(["bob", "Cem", "Ann"])) == ["Ann", "bob", "Cem"]


def test_penalties_add_up(league, play):
    play(league, "Ann Bob 1:0")
    league.penalise("Ann", 2)
    league.penalise("Ann", 2)
    assert league.table()[-1].player == "Ann"
    assert league.table()[-1].points == -1


def test_penalty_may_make_players_equal(league, play):
    play(league, "Ann Bob 0:1", "Ann Cem 4:0", "Ann Dee 4:0", "Bob Cem 0:2")
    league.penalise("Ann", 3)
    assert [(row.player, row.points) for row in league.table()] == [
        ("Ann", 3), ("Bob", 3), ("Cem", 3), ("Dee", 0),
    ]


def test_table_can_be_asked_for_twice(league, play):
    play(league, "Ann Bob 1:0")
    league.penalise("Bob", 1)
    assert league.table() == league.table()


def test_leagues_do_not_share_results(play):
    one, two = League(["Ann", "Bob"]), League(["Ann", "Bob"])
    play(one, "Ann Bob 1:0")
    one.penalise("Bob", 3)
    assert two.results == {}
    assert [row.points for row in two.table()] == [0, 0]


def test_chess_league(play):
    league = League(["Ann", "Bob"], scoring="chess", legs=2)
    play(league, "Ann Bob 0:0", "Bob Ann 1:0")
    assert [(row.player, row.points) for row in league.table()] == [
        ("Bob", 1.5), ("Ann", 0.5),
    ]


def test_correct(league, play):
    play(league, "Ann Bob 1:0")
    league.correct("Ann", "Bob", 0, 2)
    rows = {row.player: row for row in league.table()}
    assert (rows["Ann"].played, rows["Ann"].points) == (1, 0)
    assert (rows["Bob"].played, rows["Bob"].points) == (1, 3)


def test_bad_correction_changes_nothing(league, play):
    play(league, "Ann Bob 1:0")
    with pytest.raises(ResultError):
        league.correct("Ann", "Bob", -1, 0)
    with pytest.raises(ResultError, match="Bob - Ann is not recorded"):
        league.correct("Bob", "Ann", 1, 0)
    assert league.table()[0].points == 3


@pytest.mark.parametrize(
    "line, message",
    [
        ("Ann Ann 1:0", "nobody plays alone"),
        ("Ann Bob 1:0", "Ann - Bob is recorded already"),
        ("Bob Ann 1:0", "Ann - Bob is recorded already"),
        ("Ann Zoe 1:0", "unknown player: Zoe"),
    ],
)
def test_bad_results(league, play, line, message):
    play(league, "Ann Bob 3:0")
    with pytest.raises(TournamentError) as caught:
        play(league, line)
    assert str(caught.value) == message
    assert len(league.results) == 1


def test_two_legs_allow_a_return_match(play):
    league = League(["Ann", "Bob"], legs=2)
    play(league, "Ann Bob 1:0", "Bob Ann 1:0")
    assert [row.played for row in league.table()] == [2, 2]


def test_withdraw(league, play):
    play(league, "Ann Bob 1:0", "Bob Cem 1:0", "Cem Dee 1:0")
    league.penalise("Bob", 1)
    league.withdraw("Bob")
    assert order(league) == ["Cem", "Ann", "Dee"]
    assert len(league.results) == 1
    with pytest.raises(TournamentError):
        league.form("Bob")


def test_fixtures_can_be_read_again(league):
    assert league.fixtures() == league.fixtures()
    assert [number for number, _ in league.fixtures()] == [1, 2, 3]


def test_open_matches(league, play):
    play(league, "Ann Dee 1:0", "Ann Cem 1:0")
    assert league.open_matches() == [
        ("Bob", "Cem"), ("Dee", "Bob"), ("Ann", "Bob"), ("Cem", "Dee"),
    ]


def test_form(league, play):
    play(league, "Ann Bob 1:0", "Cem Ann 1:0", "Bob Cem 1:1", "Ann Dee 2:2")
    assert league.form("Ann") == "DLW"
    assert league.form("Ann", last=2) == "DL"
    assert league.form("Ann", last=0) == ""
