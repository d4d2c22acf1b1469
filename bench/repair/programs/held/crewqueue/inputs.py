"""Random cases for crewqueue."""

import asyncio
import random

from crewqueue import Bus, Crew, GiveUp, ManualClock, Retry, TokenBucket

ERRORS = [ValueError, KeyError, ConnectionError, GiveUp]


def _try(call):
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _retry(rng):
    return Retry(
        attempts=rng.choice([1, 2, 3, 5]),
        delay=rng.choice([0, 0.5, 1, 2]),
        factor=rng.choice([1, 2, 3]),
        longest=rng.choice([None, None, 0, 1.5, 4]),
        only=rng.choice([(Exception,), (OSError,), (ValueError, GiveUp)]),
    )


def _crew_case(rng):
    clock = ManualClock(rng.choice([0.0, 10.0]))
    bucket = rng.choice([None, None, TokenBucket(rng.choice([0.25, 1, 4]), rng.randint(1, 3), clock)])
    limits = rng.choice([{}, {"g": 1}, {"g": 1}, {"g": 1, "h": 1}, {"g": 1, "h": 2}, {"g": 0}, {None: 1}])
    crew = Crew(workers=rng.randint(1, 3), clock=clock, limits=limits, bucket=bucket, retry=rng.choice([None, _retry(rng)]))
    log = []
    vetoed = rng.sample("abcdefgh", rng.choice([0, 1, 3, 5]))

    def work(name, seconds, fails, error):
        left = [fails]

        async def function(*args, **options):
            log.append((clock.now(), name, args, sorted(options.items())))
            await clock.sleep(seconds)
            if left[0]:
                left[0] -= 1
                raise error(name)
            return name.upper()

        return function

    async def start(topic, job):
        log.append((topic, job))
        if job in vetoed:
            raise PermissionError(job)

    if rng.random() < 0.7:
        crew.bus.on("job.start", start)
    if rng.random() < 0.5:
        crew.bus.on(rng.choice(["job.*", "job.done", "*", "job.retry"]), lambda topic, **data: log.append((topic, sorted(data.items()))))

    def add(names):
        for name in names:
            function = work(name, rng.choice([0, 1, 1, 2.5]), rng.choice([0, 0, 1, 2, 9]), rng.choice(ERRORS))
            after = [other for other in "abcdefgh" if rng.random() < 0.05]
            options = {"k": 1} if rng.random() < 0.2 else {}
            result = _try(
                lambda: crew.add(
                    name, function, *range(rng.choice([0, 0, 2])), priority=rng.choice([0, 0, 0, 1, -1, 5]),
                    group=rng.choice([None, "g", "g", "h"]), retry=rng.choice([None, _retry(rng)]), after=after, **options,
                ).name
            )
            log.append(result)

    def run():
        outcomes = asyncio.run(crew.run())
        return [(name, o.state, o.value, repr(o.error), o.attempts, o.finished) for name, o in outcomes.items()]

    names = rng.sample("abcdefgh", rng.randint(0, 8))
    cut = rng.randint(0, len(names))
    add(names[:cut])
    log.append(_try(run))
    if not log[-1].startswith("RuntimeError"):
        add(names[cut:])
        log.append(_try(run))
    return repr(log) + repr(clock.now())


def _bucket_case(rng):
    clock = ManualClock()
    log = []
    try:
        bucket = TokenBucket(rng.choice([0, 0.5, 1, 3]), rng.choice([0, 1, 2, 5]), clock)
    except ValueError as error:
        return str(error)
    for _ in range(rng.randint(1, 12)):
        amount = rng.choice([1, 1, 1, 2, 3])
        step = rng.randrange(4)
        if step == 0:
            clock.advance(rng.choice([0, 0.25, 1, 1, 30]))
        elif step == 1:
            log.append(_try(lambda: bucket.take(amount)))
        elif step == 2:
            log.append(_try(lambda: bucket.wait_time(amount)))
        else:
            log.append(repr(bucket.tokens))
    return repr(log)


def _bus_case(rng):
    bus = Bus()
    log = []
    handlers = []
    for index in range(rng.randint(0, 5)):
        broken = rng.random() < 0.2
        once = rng.random() < 0.2
        topic = rng.choice(["a", "a.b", "a.*", "*", "b"])
        if rng.random() < 0.5:
            async def handler(name, index=index, broken=broken):
                await asyncio.sleep(0)
                log.append((index, name))
                if broken:
                    raise KeyError(index)
        else:
            def handler(name, index=index, broken=broken, once=once, topic=topic):
                log.append((index, name))
                if once:
                    log.append(bus.off(topic, handlers[index][1]))
                if broken:
                    raise ValueError(index)
        handlers.append((topic, bus.on(topic, handler)))
    for _ in range(rng.randint(1, 4)):
        if handlers and rng.random() < 0.2:
            pair = rng.choice(handlers)
            log.append(bus.off(*pair))
        name = rng.choice(["a", "a.b", "a.c", "b", "c"])
        log.append(_try(lambda: asyncio.run(bus.emit(name))))
    return repr(log)


def _retry_case(rng):
    retry = _retry(rng)
    error = rng.choice(ERRORS)("x")
    attempt = rng.randint(1, 6)
    return repr((retry.wanted(attempt, error), retry.pause(attempt)))


def outcomes(seed, count):
    rng = random.Random(seed)
    kinds = [_crew_case] * 5 + [_bucket_case, _bus_case, _bus_case, _retry_case]
    results = []
    for _ in range(count):
        case = random.Random(rng.random())
        results.append(case.choice(kinds)(case))
    return results
