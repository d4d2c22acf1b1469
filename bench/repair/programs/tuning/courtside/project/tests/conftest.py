import pytest

from courtside import League


@pytest.fixture
def league():
    return League(["Ann", "Bob", "Cem", "Dee"])


@pytest.fixture
def play():
    """Record results given as lines like "Ann Bob 2:1"."""

    def record(league, *lines):
        for line in lines:
            home, away, score = line.split()
            league.record(home, away, *map(int, score.split(":")))

    return record
