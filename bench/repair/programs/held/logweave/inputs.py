"""Random cases for logweave."""

import asyncio
import random
import warnings
from datetime import datetime, timedelta, timezone

import logweave
from logweave import Record

START = datetime(2024, 5, 1, 10, 0, tzinfo=timezone.utc)
ZONES = [timezone.utc, timezone(timedelta(hours=2)), timezone(timedelta(hours=-5, minutes=-30))]
LEVELS = ["DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
MESSAGES = ["tick", "tick", "Disk full", "a\nb", ""]
LINES = [
    "2024-05-01T10:00:{:02d} INFO started",
    "2024-05-01T10:00:{:02d}Z warning disk low",
    "2024-05-01T12:00:{:02d}+02:00 [err] crash",
    "2024-05-01T10:00:{:02d},5 Critical stop",
    "  at line {}",
    "\tmore {}",
    "garbage {}",
    "",
    "2024-05-01T10:00:{:02d} LOUD x",
    "2024-05-01T10:00:{:02d} debug",
]


class Feed:
    def __init__(self, items):
        self.items = list(items)
        self.given = 0
        self.closed = False

    def __aiter__(self):
        return self

    async def __anext__(self):
        await asyncio.sleep(0)
        if self.closed or self.given == len(self.items):
            raise StopAsyncIteration
        self.given += 1
        item = self.items[self.given - 1]
        if isinstance(item, Exception):
            raise item
        return item

    async def aclose(self):
        await asyncio.sleep(0)
        self.closed = True


def records(rng, ordered=True, failing=True):
    second = rng.randint(-2, 5)
    result = []
    for _ in range(rng.randint(0, 6)):
        second += rng.choice([0, 0, 1, 2, 7, 40]) if ordered else rng.randint(-4, 6)
        moment = (START + timedelta(seconds=second)).astimezone(rng.choice(ZONES))
        result.append(Record(moment, rng.choice(LEVELS), rng.choice("st"), rng.choice(MESSAGES)))
    if failing and rng.random() < 0.25:
        result.insert(rng.randint(0, len(result)), OSError("gone"))
    return result


def shown(record):
    return logweave.format_record(record)


def stages(rng):
    result = []
    for _ in range(rng.randint(0, 3)):
        kind = rng.randint(0, 4)
        if kind == 0:
            result.append(logweave.at_least(rng.choice(["info", "Warning", "ERR", "debug"])))
        elif kind == 1:
            result.append(logweave.matching(rng.choice(["TICK", "d*l", "", "a*b", "."]), rng.choice([None, None, "s"])))
        elif kind == 2:
            result.append(logweave.take(rng.randint(-1, 5)))
        elif kind == 3:
            result.append(logweave.reorder(rng.choice([0, 2, 5])))
        else:
            result.append(logweave.fold_repeats(rng.choice([None, 1, 5])))
    return result


def run(work, tail=None):
    """What a coroutine collects, and how it ends."""
    log = []
    try:
        log.append(asyncio.run(work(log)))
    except logweave.LogError as error:
        log.append(f"LogError: {error}")
    except Exception as error:
        log.append(f"{type(error).__name__}: {error}" if isinstance(error, (OSError, ValueError)) else type(error).__name__)
    if tail is not None:
        log.append(tail())
    return log


def merge_case(rng):
    feeds = [Feed(records(rng)) for _ in range(rng.randint(0, 4))]
    seen = []
    report = (lambda index, error: seen.append((index, str(error)))) if rng.random() < 0.6 else None
    steps = stages(rng)

    async def work(log):
        async for record in logweave.pipeline(logweave.merge(feeds, report), *steps):
            log.append(shown(record))
        return [feed.closed for feed in feeds]

    return run(work, lambda: seen)


def read_case(rng):
    lines = [rng.choice(LINES).format(number) + rng.choice(["", "\n", "\r\n"]) for number in range(rng.randint(0, 7))]
    zone = rng.choice(ZONES)
    strict = rng.random() < 0.4

    async def work(log):
        async for record in logweave.read_records(Feed(lines), "app", zone, strict):
            log.append(shown(record))
        return "end"

    return run(work)


def stage_case(rng):
    feed = Feed(records(rng, ordered=False))
    steps = stages(rng)

    async def work(log):
        async for record in logweave.pipeline(feed, *steps):
            log.append(shown(record))
        return feed.closed

    return run(work)


def count_case(rng):
    if rng.random() < 0.5:
        feeds = {name: Feed(records(rng)) for name in rng.sample(["web", "db", "mail"], rng.randint(1, 3))}

        async def work(log):
            return logweave.counts_text(await logweave.count_levels(feeds))

        return run(work)
    feed = Feed(records(rng, ordered=rng.random() < 0.85, failing=False))
    length = rng.choice([1, 5, 10, 60, 0])

    async def work(log):
        return [(start.isoformat(), count) for start, count in await logweave.histogram(feed, length)]

    return run(work)


def outcomes(seed, count):
    source = random.Random(seed)
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            rng = random.Random(source.getrandbits(48))
            kind = rng.choice([merge_case, merge_case, read_case, stage_case, count_case])
            results.append(repr(kind(rng)))
    return results
