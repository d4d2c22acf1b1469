"""Small tournaments."""

from .bracket import Bracket, seed_order
from .errors import ResultError, TournamentError
from .fixtures import calendar, round_robin
from .league import League, Result, Row
from .scoring import Scoring, make_scoring, scoring_names

__all__ = [
    "Bracket",
    "League",
    "Result",
    "ResultError",
    "Row",
    "Scoring",
    "TournamentError",
    "calendar",
    "make_scoring",
    "round_robin",
    "scoring_names",
    "seed_order",
]
