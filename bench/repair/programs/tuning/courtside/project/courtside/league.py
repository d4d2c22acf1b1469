"""League tables."""

from dataclasses import dataclass

from .errors import ResultError, TournamentError
from .fixtures import _distinct, round_robin
from .scoring import make_scoring


@dataclass(frozen=True)
class Result:
    """Score of one match."""

    home: str
    away: str
    home_score: int
    away_score: int


@dataclass
class Row:
    """One line of a league table."""

    player: str
    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    scored: int = 0
    conceded: int = 0
    points: float = 0
    rank: int = 0

    @property
    def difference(self):
        return self.scored - self.conceded

    def add(self, scored, conceded, points):
        """Count one match."""
        self.played += 1
        self.scored += scored
        self.conceded += conceded
        self.points += points
        if scored > conceded:
            self.won += 1
        elif scored == conceded:
            self.drawn += 1
        else:
            self.lost += 1


class League:
    """Players, their results and the table that follows from them."""

    def __init__(self, players, scoring="football", legs=1, head_to_head=True):
        self.players = _distinct(players)
        self.scoring = make_scoring(scoring)
        self.legs = legs
        self.head_to_head = head_to_head
        self.results = {}
        self.penalties = {}

    def fixtures(self):
        """Pairs of round number and list of matches."""
        return list(enumerate(round_robin(self.players, self.legs), start=1))

    def _known(self, player):
        if player not in self.players:
            raise TournamentError(f"unknown player: {player}")

    def record(self, home, away, home_score, away_score):
        """Record a match; a pair meets at home of each once per two legs."""
        self._known(home)
        self._known(away)
        if home == away:
            raise ResultError("nobody plays alone")
        self.scoring.check(home_score, away_score)
        if (home, away) in self.results:
            raise ResultError(f"{home} - {away} is recorded already")
        if self.legs == 1 and (away, home) in self.results:
            raise ResultError(f"{away} - {home} is recorded already")
        self.results[home, away] = Result(home, away, home_score, away_score)

    def correct(self, home, away, home_score, away_score):
        """Replace a recorded result; the old one stays if the new is bad."""
        if (home, away) not in self.results:
            raise ResultError(f"{home} - {away} is not recorded")
        self.scoring.check(home_score, away_score)
        self.results[home, away] = Result(home, away, home_score, away_score)

    def penalise(self, player, points):
        """Take points away from a player; penalties add up."""
        self._known(player)
        self.penalties[player] = self.penalties.get(player, 0) + points

    def withdraw(self, player):
        """Take a player out with all results."""
        self._known(player)
        self.players.remove(player)
        self.penalties.pop(player, None)
        self.results = {
            pair: result
            for pair, result in self.results.items()
            if player not in pair
        }

    def open_matches(self):
        """Matches that are still to be played, in the order of the rounds."""
        found = []
        for _, pairs in self.fixtures():
            for home, away in pairs:
                if (home, away) in self.results:
                    continue
                if self.legs == 1 and (away, home) in self.results:
                    continue
                found.append((home, away))
        return found

    def _rows(self, players):
        """Rows for some players, from the matches between them only."""
        rows = {player: Row(player) for player in players}
        for result in self.results.values():
            if result.home not in rows or result.away not in rows:
                continue
            home_points, away_points = self.scoring.points(
                result.home_score, result.away_score
            )
            rows[result.home].add(result.home_score, result.away_score, home_points)
            rows[result.away].add(result.away_score, result.home_score, away_points)
        return rows

    def table(self):
        """Rows from first to last.

        Players with equal points are compared by the matches among them where
        head_to_head is on, then by goal difference and goals; who is equal in
        all of it shares a rank and stands in the order of names.
        """
        rows = self._rows(self.players)
        for player, points in self.penalties.items():
            rows[player].points -= points
        mini = self._mini_tables(rows)

        def key(row):
            among = mini.get(row.player)
            return (
                row.points,
                among.points if among else 0,
                among.difference if among else 0,
                row.difference,
                row.scored,
            )

        ordered = sorted(rows.values(), key=lambda row: row.player.casefold())
        ordered.sort(key=key, reverse=True)
        for place, row in enumerate(ordered, start=1):
            if place > 1 and key(row) == key(ordered[place - 2]):
                row.rank = ordered[place - 2].rank
            else:
                row.rank = place
        return ordered

    def _mini_tables(self, rows):
        """For each player who ties on points, the row among those tied."""
        if not self.head_to_head:
            return {}
        groups = {}
        for row in rows.values():
            groups.setdefault(row.points, []).append(row.player)
        found = {}
        for tied in groups.values():
            if len(tied) > 1:
                found.update(self._rows(tied))
        return found

    def form(self, player, last=5):
        """Letters W, D, L of the latest matches, the newest one first."""
        self._known(player)
        letters = []
        for result in self.results.values():
            if player == result.home:
                margin = result.home_score - result.away_score
            elif player == result.away:
                margin = result.away_score - result.home_score
            else:
                continue
            letters.append("W" if margin > 0 else "L" if margin < 0 else "D")
        letters.reverse()
        return "".join(letters[:last])
