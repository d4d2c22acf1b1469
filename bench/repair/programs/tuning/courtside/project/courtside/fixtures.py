"""Pairings in which everyone meets everyone."""

from datetime import timedelta

from .errors import TournamentError


def _distinct(players):
    players = list(players)
    if len(set(players)) != len(players):
        raise TournamentError("a player is there twice")
    return players


def round_robin(players, legs=1):
    """Yield for each round a list of pairs (home, away).

    With an odd number of players one of them rests in each round. In every
    second leg home and away change places.
    """
    circle = _distinct(players)
    if legs < 1:
        raise TournamentError("at least one leg is needed")
    if len(circle) < 2:
        return
    if len(circle) % 2:
        circle.append(None)
    half = len(circle) // 2
    for leg in range(legs):
        for number in range(len(circle) - 1):
            pairs = []
            for place in range(half):
                home, away = circle[place], circle[-1 - place]
                if home is None or away is None:
                    continue
                if place == 0 and number % 2:
                    home, away = away, home
                if leg % 2:
                    home, away = away, home
                pairs.append((home, away))
            yield pairs
            circle.insert(1, circle.pop())


def resting(players, pairs):
    """Players that are in none of the pairs of a round, in their order."""
    busy = {player for pair in pairs for player in pair}
    return [player for player in players if player not in busy]


def calendar(rounds, first, days=7, closed=()):
    """List of (date, pairs) for rounds; closed dates are passed over."""
    if days < 1:
        raise TournamentError("rounds need at least a day between them")
    closed = set(closed)
    plan = []
    day = first
    for pairs in rounds:
        while day in closed:
            day += timedelta(days=days)
        plan.append((day, pairs))
        day += timedelta(days=days)
    return plan
