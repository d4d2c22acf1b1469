"""Random sequences of calls on caches, chains and memoized functions."""
import random


class _Clock:
    def __init__(self):
        self.now = 100

    def __call__(self):
        return self.now


def _try(call):
    try:
        return call()
    except Exception as error:
        return (type(error).__name__, str(error))


def _state(cache):
    s = cache.stats
    return list(cache), len(cache), cache.weight, (s.hits, s.misses, s.evicted, s.expired, round(s.ratio, 3))


def _act(r, cache, clock):
    key = r.choice("abcde")
    ttl = r.choice([None, None, 0, 1, 5, 20])
    value = r.choice(["", "x", "yy", "zzzz", None, "q" * 7]) if cache.weigh(["1", "2"]) == 1 else r.choice(["", "x", "yy", "zzzz", "q" * 7])
    act = r.random()
    if act < 0.4:
        return _try(lambda: cache.put(key, value, ttl, r.sample(["t", "u"], r.randint(0, 2))))
    if act < 0.6:
        return cache.get(key, "-")
    if act < 0.65:
        return cache.peek(key), key in cache
    if act < 0.72:
        return cache.get_or_make(key, lambda: "m", ttl)
    if act < 0.77:
        return cache.remove(key)
    if act < 0.82:
        return cache.drop_tag(r.choice("tuv"))
    if act < 0.86:
        return cache.touch(key, ttl)
    if act < 0.9:
        return cache.purge()
    if act < 0.91:
        return cache.clear()
    clock.now += r.choice([0, 1, 4, 5, 10, 30])
    return clock.now


def _case(r):
    import larder
    clock, drops = _Clock(), []

    def make(capacity, ttl=None, weigh=None):
        return larder.Larder(capacity, ttl, clock, weigh, lambda *drop: drops.append(drop))

    kind = r.random()
    if kind < 0.55:
        weigh = len if r.random() < 0.4 else None
        cache = make(r.choice([1, 2, 3, 6]), r.choice([None, 10, 0, 3]), weigh)
        log = [_act(r, cache, clock) for _ in range(r.randint(4, 25))]
        return log, _state(cache), drops, cache.stats.line()
    if kind < 0.75:
        calls = []
        cache = make(r.choice([1, 3, 10]), r.choice([None, 10]))

        @larder.memoize(cache, r.choice([None, None, 0, 5]), r.random() < 0.4)
        def work(a, b=2, **more):
            calls.append((a, b, sorted(more.items())))
            return None if a == 0 else (a, b, sorted(more.items()))

        log = []
        for _ in range(r.randint(3, 10)):
            a, b = r.choice([0, 0, 1, 1.0, "x"]), r.choice([2, 3])
            log.append(r.choice([lambda: work(a), lambda: work(a, b), lambda: work(a, b=b), lambda: work(b=b, a=a), lambda: work(a, c=b, d=1),
                                 lambda: work(a, d=1, c=b), lambda: work.forget(a), lambda: work.forget(a, b=b)])())
            clock.now += r.choice([0, 0, 0, 5])
        return log, calls, len(cache)
    if kind < 0.9:
        chain = larder.Chain(*[make(r.choice([1, 2, 5]), r.choice([None, 5])) for _ in range(r.randint(1, 3))])
        log = []
        for _ in range(r.randint(4, 15)):
            key = r.choice("abc")
            log.append(r.choice([lambda: chain.get(key, "-"), lambda: chain.put(key, r.choice([0, None, 5]), r.choice([None, 0, 3])),
                                 lambda: chain.remove(key), lambda: chain.get_or_make(key, lambda: None)])())
            clock.now += r.choice([0, 0, 1, 5])
        return log, [_state(level) for level in chain.levels], drops, chain.stats.line()
    cache = make(4, r.choice([None, 10]))
    for _ in range(r.randint(0, 6)):
        cache.put(r.choice(["a", "b", "c", "d", 5]) if r.random() < 0.2 else r.choice("abcd"), r.choice([1, None, [2]]), r.choice([None, 3, 0]), ["t"])
        clock.now += r.choice([0, 0, 2])
    text = _try(lambda: larder.dump(cache))
    if isinstance(text, tuple):
        return text
    clock.now = r.choice([0, 500])
    new = make(r.choice([2, 4]), r.choice([None, 1]))
    count = larder.load(new, text)
    clock.now += r.choice([0, 2, 5, 50])
    return text, count, _state(new), new.drop_tag("t")


def outcomes(seed, count):
    r = random.Random(seed)
    seeds = [r.getrandbits(48) for _ in range(count)]
    return [repr(_try(lambda: _case(random.Random(seed)))) for seed in seeds]
