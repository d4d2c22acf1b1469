import pytest

from courtside import ResultError, TournamentError, make_scoring, scoring_names


def test_names():
    assert scoring_names() == ["chess", "football", "volleyball"]


@pytest.mark.parametrize(
    "kind, score, points",
    [
        ("football", (2, 1), (3, 0)),
        ("football", (0, 4), (0, 3)),
        ("football", (0, 0), (1, 1)),
        ("chess", (1, 0), (1, 0)),
        ("chess", (0, 0), (0.5, 0.5)),
        ("volleyball", (3, 1), (3, 0)),
        ("volleyball", (2, 3), (1, 2)),
    ],
)
def test_points(kind, score, points):
    assert make_scoring(kind).points(*score) == points


def test_settings():
    assert make_scoring("football", win=2).points(1, 0) == (2, 0)
    assert make_scoring("volleyball", sets=2).points(2, 0) == (3, 0)


def test_bonus_point():
    scoring = make_scoring("football", bonus_margin=3)
    assert scoring.points(0, 3) == (0, 4)
    assert scoring.points(2, 0) == (3, 0)


@pytest.mark.parametrize(
    "kind, score, message",
    [
        ("football", (-1, 0), "not a score: -1:0"),
        ("football", (1.5, 0), "not a score: 1.5:0"),
        ("football", (True, 0), "not a score: True:0"),
        ("chess", (1, 1), "not a chess result: 1:1"),
        ("chess", (-1, 1), "not a score: -1:1"),
        ("volleyball", (2, 2), "there are no draws"),
        ("volleyball", (2, 1), "nobody has won 3 sets: 2:1"),
    ],
)
def test_bad_scores(kind, score, message):
    with pytest.raises(ResultError) as caught:
        make_scoring(kind).points(*score)
    assert str(caught.value) == message


def test_unknown_scoring():
    with pytest.raises(TournamentError, match="unknown scoring: darts"):
        make_scoring("darts")


def test_ready_made_scoring_is_kept():
    scoring = make_scoring("chess")
    assert make_scoring(scoring) is scoring
