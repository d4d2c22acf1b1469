"""Random cases for slotcal."""

import random
from datetime import date, datetime, time, timedelta, timezone

import slotcal
from slotcal import Calendar, Rule, Span

BASE = datetime(2024, 5, 6, 7, tzinfo=timezone.utc)
ZONES = [timezone.utc, timezone(timedelta(hours=2)), timezone(timedelta(hours=-3, minutes=-30))]


def _try(call):
    try:
        return repr(call())
    except Exception as error:
        if isinstance(error, slotcal.BookingError):
            return f"{type(error).__name__}: {error}"
        return type(error).__name__


def _show(spans):
    return [f"{span.start:%d %H:%M}/{span.end:%d %H:%M}" for span in spans]


def _span(rng):
    start = BASE + timedelta(minutes=30 * rng.randint(0, 20))
    return Span(start, start + timedelta(minutes=30 * rng.choice([1, 1, 2, 4, 12])))


def _span_case(rng):
    spans = [_span(rng) for _ in range(rng.randint(0, 5))]
    one, two = _span(rng), _span(rng)
    step = timedelta(minutes=rng.choice([0, 30, 45, 60]))
    return " | ".join(
        [
            _try(lambda: _show(slotcal.merge(spans))),
            _try(lambda: _show(slotcal.gaps(spans, one))),
            _try(lambda: slotcal.total(spans)),
            _try(lambda: (one.overlaps(two), one.contains(two.start), one.clip(two) and _show([one.clip(two)]))),
            _try(lambda: _show(one.split(step))),
            _try(lambda: Span(one.end, two.start).length),
        ]
    )


def _text_case(rng):
    moment = rng.choice(["2024-05-06 10:30", "2024-05-06T23:59Z", " 2024-01-01 00:00+05:30", "2024-05-06", "x", ""])
    zone = rng.choice(ZONES)
    length = "".join(rng.choice(["1", "30", "0", "d", "h", "m", "H", " "]) for _ in range(rng.randint(0, 6)))
    length = rng.choice([length, "1h30m", "2d", "90m", "1d1h1m"])
    return _try(lambda: slotcal.parse_moment(moment, zone)) + _try(lambda: slotcal.parse_duration(length))


def _rule(rng, start=None):
    unit = rng.choice(["day", "day", "week", "week", "month", "month", "year"])
    start = start or rng.choice([date(2024, 1, 31), date(2023, 12, 30), date(2024, 5, 8), date(2024, 2, 29), date(2024, 5, 6)])
    weekdays = tuple(rng.sample(slotcal.WEEKDAYS, rng.randint(1, 3))) if unit == "week" and rng.random() < 0.6 else ()
    return dict(
        start=start,
        unit=unit,
        every=rng.choice([1, 1, 2, 3, 0]) if rng.random() < 0.5 else 1,
        until=rng.choice([None, start + timedelta(days=rng.choice([0, 7, 60, 200]))]),
        count=rng.choice([None, 0, 1, 4, 7]),
        weekdays=weekdays,
        skip=frozenset(start + timedelta(days=rng.randint(0, 9)) for _ in range(rng.choice([0, 0, 2]))),
    )


def _rule_case(rng):
    options = _rule(rng)
    if rng.random() < 0.3:
        options.update(unit="month", weekdays=(), count=rng.choice([3, 6]), until=None, start=date(2024, rng.choice([1, 3, 8]), rng.choice([29, 30, 31])))
    first = rng.choice([None, options["start"] + timedelta(days=rng.randint(0, 40))])
    last = rng.choice([None, options["start"] + timedelta(days=rng.choice([0, 10, 90, 400]))])
    months = rng.randint(-14, 30)
    return _try(lambda: [str(day) for day in Rule(**options).dates(first, last)]) + str(slotcal.add_months(options["start"], months))


def _moment(rng, day, minutes, zone):
    moment = datetime.combine(day, time(7)) + timedelta(minutes=minutes)
    kind = rng.randrange(4)
    if kind == 0:
        return moment
    if kind == 1:
        return moment.replace(tzinfo=rng.choice(ZONES))
    if kind == 2:
        return moment.isoformat(" ")
    return moment.isoformat() + rng.choice(["", "Z", "+01:00"])


def _calendar_case(rng):
    zone = rng.choice(ZONES)
    calendar = Calendar(zone, closes=time(rng.choice([12, 18])), pause=timedelta(minutes=rng.choice([0, 0, 15, 60])))
    log = []
    for _ in range(rng.randint(3, 12)):
        day = date(2024, 5, rng.choice([3, 4, 6, 6, 6, 7]))
        minutes = 30 * rng.randint(0, 16)
        start = _moment(rng, day, minutes, zone)
        end = _moment(rng, day, minutes + rng.choice([30, 60, 60, 120, 0]), zone)
        room = rng.choice("AAB")
        target = rng.randint(1, 4)
        step = rng.randrange(9)
        if step < 4:
            log.append(_try(lambda: calendar.book(room, f"t{minutes}", start, end)))
        elif step == 4:
            log.append(_try(lambda: calendar.cancel(target)))
        elif step == 5:
            log.append(_try(lambda: calendar.move(target, start, end)))
        elif step == 6:
            options = _rule(rng, day)
            at = time(rng.choice([8, 9, 13]))
            log.append(_try(lambda: len(calendar.book_series(room, "s", Rule(**options), at, timedelta(hours=1), day + timedelta(days=20)))))
        elif step == 7:
            length = rng.choice([None, timedelta(minutes=45), timedelta(hours=2)])
            log.append(_try(lambda: _show(calendar.free(room, day, length))))
        else:
            log.append(_try(lambda: calendar.load(day)))
    log.append(_try(lambda: [(b.number, b.title, b.room, _show([b.span])) for b in calendar.bookings()][:12]))
    log.append(_try(lambda: _show(calendar.free("A", date(2024, 5, 6)))))
    log.append(_try(lambda: calendar.load(date(2024, 5, 6))))
    return repr(log)


def outcomes(seed, count):
    rng = random.Random(seed)
    kinds = [_span_case, _span_case, _text_case, _rule_case, _rule_case, _calendar_case, _calendar_case, _calendar_case]
    results = []
    for _ in range(count):
        case = random.Random(rng.random())
        results.append(case.choice(kinds)(case))
    return results
