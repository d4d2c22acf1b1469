"""Knockout brackets."""

from .errors import ResultError, TournamentError
from .fixtures import _distinct


def seed_order(size):
    """Seeds in the order of the bracket, so that 1 and 2 meet last."""
    order = [1]
    while len(order) < size:
        total = 2 * len(order) + 1
        order = [seed for one in order for seed in (one, total - one)]
    return order


class Bracket:
    """A knockout; players are given from the strongest to the weakest.

    Where their number is no power of two, the strongest pass the first round
    without a match.
    """

    def __init__(self, players, third_place=False):
        players = _distinct(players)
        if len(players) < 2:
            raise TournamentError("a bracket needs two players")
        self.players = players
        self.third_place = third_place
        order = seed_order(len(players))
        places = [
            players[seed - 1] if seed <= len(players) else None for seed in order
        ]
        self.rounds = [self._pairs(places)]
        self.winners = [{}]
        self.third = None
        self._pass_byes()

    @staticmethod
    def _pairs(places):
        return list(zip(places[::2], places[1::2]))

    def _pass_byes(self):
        for one, two in self.rounds[0]:
            if two is None:
                self.winners[0][one, two] = one
            elif one is None:
                self.winners[0][one, two] = two
        self._advance()

    @property
    def current(self):
        """Number of the round that is played now, from 1."""
        return len(self.rounds)

    def open_matches(self):
        """Matches of the current round without a winner, third place last."""
        found = [
            pair for pair in self.rounds[-1] if pair not in self.winners[-1]
        ]
        pair = self._third_pair()
        if pair and self.third is None:
            found.append(pair)
        return found

    def _third_pair(self):
        """Losers of the semifinals once the final is known."""
        if not self.third_place or len(self.rounds) < 2 or len(self.rounds[-1]) > 1:
            return None
        losers = []
        for pair in self.rounds[-2]:
            winner = self.winners[-2][pair]
            loser = pair[0] if pair[1] == winner else pair[1]
            if loser is not None:
                losers.append(loser)
        return tuple(losers) if len(losers) == 2 else None

    def win(self, player):
        """Let a player win the match that is open for them."""
        for pair in self.open_matches():
            if player not in pair:
                continue
            if pair == self._third_pair():
                self.third = player
            else:
                self.winners[-1][pair] = player
                self._advance()
            return
        if player in self.players:
            raise ResultError(f"no open match for {player}")
        raise TournamentError(f"unknown player: {player}")

    def _advance(self):
        """Begin the next round when the current one is done."""
        pairs = self.rounds[-1]
        if len(pairs) > 1 and all(pair in self.winners[-1] for pair in pairs):
            self.rounds.append(self._pairs([self.winners[-1][p] for p in pairs]))
            self.winners.append({})

    @property
    def champion(self):
        """Winner of the final, or None before it."""
        if len(self.rounds[-1]) > 1:
            return None
        return self.winners[-1].get(self.rounds[-1][0])

    @property
    def done(self):
        return self.champion is not None and not self.open_matches()

    def eliminated(self):
        """Players who have lost a match for the title, latest ones first."""
        out = []
        for pairs, winners in zip(self.rounds, self.winners):
            for pair in pairs:
                if pair in winners and None not in pair:
                    out.append(pair[0] if winners[pair] == pair[1] else pair[1])
        return out[::-1]
