"""Random inputs for flowgate."""

import asyncio
import random
import warnings

from flowgate import (
    AllOf, AsyncGate, KeyedLimiter, RuleError, SlidingWindow, TokenBucket, parse_rules,
)


class Clock:
    def __init__(self):
        self.now = 512.0

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        if self.now > 1e6:
            raise TimeoutError
        self.now += max(seconds, 0.125)


def _tick(rng, clock):
    clock.now += rng.choice([0, 0, 0.25, 0.5, 1, 1, 2, 5, 10, 60, -1, -8])


def _limit(rng, clock):
    if rng.random() < 0.5:
        return TokenBucket(rng.randint(1, 6), rng.choice([0.25, 0.5, 1, 2]), clock)
    return SlidingWindow(rng.randint(1, 4), rng.choice([1, 4, 10]), clock)


def _try(function, *args):
    try:
        result = function(*args)
        return repr(result)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


def _steps(rng, clock, limit):
    log = []
    for _ in range(rng.randint(3, 14)):
        act = rng.randrange(10)
        cost = rng.choice([1, 1, 1, 2, 0, 3, 7, -1])
        if act < 5:
            log.append(_try(limit.hit, cost))
        elif act < 7:
            log.append(_try(limit.check, cost))
        elif act == 7:
            limit.give_back(rng.choice([1, 1, 2]))
        elif act == 8 and rng.random() < 0.3:
            limit.reset()
        if rng.random() < 0.6:
            _tick(rng, clock)
    return log


def _rule_text(rng):
    parts = []
    for _ in range(rng.randint(0, 3)):
        part = f"{rng.randint(0, 9) if rng.random() < 0.2 else rng.randint(1, 9)}"
        part += rng.choice(["/", " / ", "/2", "/60", "/ 90 ", "/3"])
        part += rng.choice(["s", "S", "secs", "m", "min", "minutes", "h", "day", "D", "week"])
        part += rng.choice(["", "", " burst 3", " BURST 12", " burst 0", " burst"])
        parts.append(part)
    return rng.choice(["; ", ";", " ; "]).join(parts)


def _keyed(rng):
    clock = Clock()
    keyed = KeyedLimiter(
        rng.choice(["2/s", "2/s burst 3; 4/m", "1/4s", "3/2s burst 3"]), clock,
        rng.choice([1, 2, 3, 1000]), rng.choice([(), ("Root",), ("admin ", "ROOT")]))
    log = []
    for _ in range(rng.randint(4, 16)):
        key = rng.choice(["a", "A ", "b", "c", "root", "Root", "ADMIN", "d", "STRASSE", "straße"])
        act = rng.randrange(8)
        if act < 4:
            log.append(_try(keyed.hit, key, rng.choice([1, 1, 2])))
        elif act == 4:
            log.append(_try(keyed.check, key))
        elif act == 5:
            log.append(_try(keyed.headers, key))
        elif act == 6:
            log.append((key in keyed, len(keyed)))
        else:
            keyed.reset(rng.choice([key, key, None]))
        _tick(rng, clock)
    return log


async def _async(rng):
    clock = Clock()
    if rng.random() < 0.5:
        limit = _limit(rng, clock)
    else:
        limit = AllOf([_limit(rng, clock), _limit(rng, clock)])
    gate = AsyncGate(limit, clock.sleep, rng.choice([None, None, 1, 2]))

    async def work(item):
        await asyncio.sleep(0)
        if item % 4 == 3:
            raise KeyError(item)
        return item * 10, clock.now

    log = []
    for _ in range(rng.randint(1, 5)):
        act = rng.randrange(3)
        cost = rng.choice([1, 1, 2, 9])
        try:
            if act == 0:
                log.append(await gate.acquire(cost))
            elif act == 1:
                result = await gate.run(work, rng.randint(0, 7), cost=cost)
                log.append(result if isinstance(result, tuple) else type(result).__name__)
            else:
                results = await asyncio.gather(
                    *(gate.acquire() for _ in range(rng.randint(0, 4))),
                    return_exceptions=True)
                log.append([one if isinstance(one, float) else type(one).__name__
                            for one in results])
        except Exception as error:
            log.append(f"{type(error).__name__}: {error}")
    try:
        log.append(await gate.map(work, [0, 1, 2][:rng.randint(0, 3)]))
    except Exception as error:
        log.append(f"{type(error).__name__}: {error}")
    return [one if "coroutine" not in repr(one) else "coroutine" for one in log], (
        gate.waiting, gate.waited, clock.now, limit.check(0).remaining)


def _case(rng):
    kind = rng.randrange(6)
    clock = Clock()
    if kind == 0:
        return _steps(rng, clock, _limit(rng, clock))
    if kind == 1:
        return _steps(rng, clock, AllOf([_limit(rng, clock) for _ in range(rng.randint(1, 3))]))
    if kind == 2:
        rules = parse_rules(_rule_text(rng))
        return rules, [str(rule) for rule in rules], [type(r.build(clock)).__name__ for r in rules]
    if kind == 3:
        return asyncio.run(_async(rng))
    return _keyed(rng)


def outcomes(seed, count):
    rng = random.Random(seed)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            try:
                found.append(repr(_case(random.Random(rng.getrandbits(64)))))
            except (RuleError, ValueError) as error:
                found.append(f"{type(error).__name__}: {error}")
            except Exception as error:
                found.append(type(error).__name__)
    return found
