"""Random inputs for courtside."""

import random
from datetime import date, timedelta

from courtside import (
    Bracket, League, TournamentError, calendar, make_scoring, round_robin, seed_order,
)
from courtside.fixtures import resting

PLAYERS = ["Ann", "bob", "Cem", "Dee", "eva", "Fay", "Gus", "Hal", "Ida"]


def _score(rng, kind):
    if rng.random() < 0.05:
        return rng.choice([(-1, 0), (1.5, 1), (True, 0), (4, 4), (2, 1)])
    if kind == "chess":
        return rng.choice([(1, 0), (0, 1), (0, 0)])
    if kind == "volleyball":
        return rng.choice([(3, 0), (3, 1), (3, 2), (2, 3), (0, 3)])
    return rng.choice([(1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (0, 0), (3, 1), (0, 4)])


def _try(function, *args):
    try:
        return function(*args)
    except TournamentError as error:
        return f"{type(error).__name__}: {error}"


def _league(rng):
    kind = rng.choice(["football", "football", "chess", "volleyball"])
    players = PLAYERS[:rng.randint(2, 6)]
    rng.shuffle(players)
    legs = rng.choice([1, 1, 2])
    league = League(players, kind, legs, rng.random() < 0.75)
    log = []
    matches = [pair for _, pairs in league.fixtures() for pair in pairs]
    for home, away in matches:
        if rng.random() < 0.9:
            log.append(_try(league.record, home, away, *_score(rng, kind)))
    for _ in range(rng.randint(0, 7)):
        one, two = rng.choice(PLAYERS[:6]), rng.choice(PLAYERS[:6])
        act = rng.randrange(6)
        if act == 0:
            log.append(_try(league.record, one, two, *_score(rng, kind)))
        elif act == 1:
            log.append(_try(league.correct, one, two, *_score(rng, kind)))
        elif act in (2, 3):
            log.append(_try(league.penalise, one, rng.choice([1, 1, 2, 3, 3])))
        elif act == 4:
            log.append(_try(league.form, one, rng.choice([5, 2, 0])))
        elif rng.random() < 0.4:
            log.append(_try(league.withdraw, one))
    rows = [(r.player, r.rank, r.points, r.played, r.won, r.drawn, r.lost, r.scored, r.conceded)
            for r in league.table()]
    return log, rows, league.open_matches()


def _bracket(rng):
    players = PLAYERS[:rng.randint(1, 9)]
    bracket = Bracket(players, rng.random() < 0.5)
    log = [bracket.open_matches()]
    for _ in range(12):
        if bracket.done and rng.random() < 0.8:
            break
        pool = [player for pair in bracket.open_matches() for player in pair]
        if not pool or rng.random() < 0.1:
            pool = PLAYERS
        player = rng.choice(pool)
        log.append((player, _try(bracket.win, player), bracket.open_matches(), bracket.current))
    return log, bracket.champion, bracket.third, bracket.done, bracket.eliminated()


def _case(rng):
    kind = rng.randrange(8)
    if kind == 0:
        players = PLAYERS[:rng.randint(0, 9)]
        rounds = list(round_robin(players, rng.choice([1, 1, 2, 3, 0])))
        return rounds, [resting(players, pairs) for pairs in rounds]
    if kind == 1:
        first = date(2024, 2, 19)
        step = rng.choice([1, 7, 7, 3, 0])
        closed = [first + timedelta(days=step * rng.randint(0, 6)) for _ in range(rng.randint(0, 4))]
        if rng.random() < 0.5:
            closed = iter(sorted(closed))
        plan = calendar(round_robin(PLAYERS[:rng.randint(0, 5)]), first, step, closed)
        return [(day.isoformat(), pairs) for day, pairs in plan]
    if kind == 2:
        name = rng.choice(["football", "chess", "volleyball", "darts"])
        settings = {}
        if name == "football":
            settings = rng.choice([{}, {"win": 2}, {"bonus_margin": 2}, {"bonus_margin": 0}])
        return make_scoring(name, **settings).points(*_score(rng, name))
    if kind == 3:
        return seed_order(rng.randint(1, 20))
    if kind == 4:
        return _bracket(rng)
    return _league(rng)


def outcomes(seed, count):
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        try:
            found.append(repr(_case(random.Random(rng.getrandbits(64)))))
        except TournamentError as error:
            found.append(f"{type(error).__name__}: {error}")
        except Exception as error:
            found.append(type(error).__name__)
    return found
