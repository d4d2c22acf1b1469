"""What a result is worth."""

from abc import ABC, abstractmethod

from .errors import ResultError, TournamentError

_KINDS = {}


def scoring(name):
    """Register a class of scoring under a name."""

    def register(cls):
        if name in _KINDS:
            raise TournamentError(f"scoring {name} is there already")
        _KINDS[name] = cls
        cls.name = name
        return cls

    return register


def scoring_names():
    """Names of all scorings, sorted."""
    return sorted(_KINDS)


def make_scoring(kind, **settings):
    """A scoring by its name; a scoring itself is returned as it is."""
    if isinstance(kind, Scoring):
        return kind
    if kind not in _KINDS:
        raise TournamentError(f"unknown scoring: {kind}")
    return _KINDS[kind](**settings)


class Scoring(ABC):
    """Turns a score into points for both sides."""

    draws = True

    def points(self, home, away):
        """Pair of points for a score."""
        self.check(home, away)
        if home == away:
            return self.for_draw()
        if home > away:
            return self.for_win(home, away)
        winner, loser = self.for_win(away, home)
        return loser, winner

    def check(self, home, away):
        """Raise ResultError for a score that cannot be."""
        for score in (home, away):
            if isinstance(score, bool) or not isinstance(score, int) or score < 0:
                raise ResultError(f"not a score: {home}:{away}")
        if home == away and not self.draws:
            raise ResultError("there are no draws")

    def for_draw(self):
        return 1, 1

    @abstractmethod
    def for_win(self, more, less):
        """Points of the winner and of the loser."""


@scoring("football")
class Football(Scoring):
    """Three points for a win; a bonus point where it is by so many goals."""

    def __init__(self, win=3, bonus_margin=None):
        self.win = win
        self.bonus_margin = bonus_margin

    def for_win(self, more, less):
        bonus = 0
        if self.bonus_margin is not None and more - less >= self.bonus_margin:
            bonus = 1
        return self.win + bonus, 0


@scoring("chess")
class Chess(Scoring):
    """A whole point for a win, a half for a draw."""

    def check(self, home, away):
        super().check(home, away)
        if home + away > 1:
            raise ResultError(f"not a chess result: {home}:{away}")

    def for_draw(self):
        return 0.5, 0.5

    def for_win(self, more, less):
        return 1, 0


@scoring("volleyball")
class Volleyball(Scoring):
    """Sets up to three; a close match gives the loser a point."""

    draws = False

    def __init__(self, sets=3):
        self.sets = sets

    def check(self, home, away):
        super().check(home, away)
        if max(home, away) != self.sets:
            raise ResultError(f"nobody has won {self.sets} sets: {home}:{away}")

    def for_win(self, more, less):
        return (2, 1) if more - less == 1 else (3, 0)
