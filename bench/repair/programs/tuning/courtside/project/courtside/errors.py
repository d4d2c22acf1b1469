"""Errors of courtside."""


class TournamentError(ValueError):
    """Something that the rules of the tournament do not allow."""


class ResultError(TournamentError):
    """A result that cannot be."""
