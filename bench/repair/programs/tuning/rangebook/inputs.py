"""Random spans, rules and booking sequences for rangebook."""
import random
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice

FIRST = date(2024, 1, 1)


def _try(call):
    try:
        return call()
    except Exception as error:
        return (type(error).__name__, str(error))


def _span(r, width=40, longest=8):
    from rangebook import Span
    start = FIRST + timedelta(days=r.randint(0, width))
    return Span(start, start + timedelta(days=r.choice([0, 1, 1, 2, 3, 7, r.randint(0, longest)])))


def _spans(r):
    return [_span(r, r.choice([10, 20]), r.choice([4, 15])) for _ in range(r.randint(0, 5))]


def _show(spans):
    return [str(span) for span in spans] if isinstance(spans, list) else spans


def _rule(r):
    from rangebook import Rule
    start = r.choice([date(2024, 1, 31), date(2024, 2, 29), date(2023, 12, 30), FIRST + timedelta(days=r.randint(0, 90))])
    unit = r.choice(["day", "week", "month", "month", "year", "hour"] if r.random() < 0.2 else ["day", "week", "month", "year"])
    names = tuple(r.sample(["mon", "Tuesday", "fri", "SUN"], r.randint(1, 3))) if unit == "week" and r.random() < 0.5 else ()
    until = start + timedelta(days=r.choice([0, 7, 60, 365, -1])) if r.random() < 0.4 else None
    skip = frozenset({start + timedelta(days=r.randint(0, 9))})
    return Rule(start, unit, r.choice([1, 1, 2, 3, 0 if r.random() < 0.2 else 1]), names, until,
                r.choice([None, None, 0, 1, 4]), skip)


def _case(r):
    import rangebook
    from rangebook.days import next_weekday
    from rangebook.recur import first_after
    from rangebook.spans import total_days
    kind = r.random()
    if kind < 0.1:
        day = FIRST + timedelta(days=r.randint(0, 800))
        text = r.choice(["2024-02-30", "29.2.2024", "1.1", "9.13.2024", " 2024-05-09 ", "x"])
        return (str(rangebook.add_months(day, r.randint(-30, 30))), str(next_weekday(day, r.randint(0, 6))),
                _try(lambda: str(rangebook.parse_day(text))))
    if kind < 0.35:
        one, two = _spans(r), _spans(r)
        window = _span(r, 10, 30)
        a, b = _span(r, 6), _span(r, 6)
        return (_show(rangebook.merge(one)), _show(rangebook.subtract(one, two)), total_days(one + two), str(a & b), a.overlaps(b),
                _show(rangebook.free(window, two, r.randint(1, 4))), [d.day for d in a])
    if kind < 0.6:
        rule = _try(lambda: _rule(r))
        if isinstance(rule, tuple):
            return rule
        days = [str(day) for day in islice(rangebook.occurrences(rule), 8)]
        after = None
        if rule.until is not None or rule.count is not None:
            after = str(first_after(rule, rule.start + timedelta(days=r.randint(-1, 40))))
        return days, after
    rates = {
        "a": rangebook.Rate(Decimal(r.choice(["60", "49.99"])), r.choice([0, 25]), r.choice([0, 50, 33]), tuple(_spans(r)), r.randint(1, 3), Decimal("12.5")),
        "b": rangebook.Rate(Decimal("80"), 10),
    }
    house = rangebook.House(rates, _spans(r)[:1])
    log = []
    for _ in range(r.randint(3, 10)):
        act = r.random()
        if act < 0.5:
            made = _try(lambda: house.book(r.choice(["a", "a", "b", "c"] if r.random() < 0.1 else "ab"), r.choice(["Al", "Bo"]), _span(r), r.randint(1, 4)))
            log.append(made if isinstance(made, tuple) else (made.number, str(made.span), str(house.price(made))))
        elif act < 0.8:
            number = r.randint(1, 5)
            span = None if r.random() < 0.3 else _span(r)
            known = [b for b in house.bookings if b.number == number]
            if known and r.random() < 0.6:
                span = rangebook.Span(known[0].span.start, known[0].span.end + timedelta(days=r.randint(0, 2)))
            made = _try(lambda: house.change(number, span, r.choice([None, None, "a", "b"])))
            log.append(made if isinstance(made, tuple) else (made.room, str(made.span)))
        elif act < 0.9:
            log.append(_try(lambda: house.cancel(r.randint(1, 5)).guest))
        window = _span(r, 20, 30)
        log.append((_show(house.vacancies("a", window, r.randint(1, 3))), str(house.occupancy(window)),
                    [str(d) for d in house.cleaning("a", window)], house.arrivals(window.start), house.departures(window.end)))
    return log


def outcomes(seed, count):
    r = random.Random(seed)
    seeds = [r.getrandbits(48) for _ in range(count)]
    return [repr(_try(lambda: _case(random.Random(seed)))) for seed in seeds]
