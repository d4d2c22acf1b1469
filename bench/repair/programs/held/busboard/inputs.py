"""Random cases for busboard."""

import random
from datetime import date, timedelta

import busboard
from busboard import board, clock, journey, reader

STOPS = ["Alm", "Bach", "Cedar", "Dorf", "Elm"]
LINES = ["1", "2", "10", "N1", "X"]
BASE = date(2024, 4, 29)
SPANS = ["Mon-Fri", "Sat,Sun", "Mon-Sun", "Fri-Mon", "wed", "Tue,Thu", "Mon-Xyz", "sun-tue"]
TIMES = ["6:00", "25:10", "7:5", "x", "", "7:60", "0:00", "12:34z", "123:00", " 8:15 "]


def attempt(call):
    try:
        return call()
    except busboard.TimetableError as error:
        return f"TimetableError: {error}"
    except Exception as error:
        return type(error).__name__


def time_text(minutes):
    return f"{minutes // 60}:{minutes % 60:02d}"


def timetable_text(rng):
    rows = []
    names = ["S1", "S2"][: rng.randint(1, 2)]
    for name in names:
        start = BASE + timedelta(days=rng.randint(-3, 1))
        end = start + timedelta(days=rng.randint(0, 9))
        rows.append(f"service {name} {rng.choice(SPANS[:5])} {start} {end}")
        if rng.random() < 0.5:
            day = BASE + timedelta(days=rng.randint(0, 4))
            rows.append(f"except {name} {rng.choice('+-')}{day}")
    if rng.random() < 0.5:
        rows.append(f"change {rng.choice(STOPS)} {rng.randint(0, 9)}")
    for _ in range(rng.randint(1, 4)):
        rows.append(f"line {rng.choice(LINES)} {rng.choice(names)}")
        stops = rng.sample(STOPS, rng.randint(2, 4))
        if rng.random() < 0.3:
            stops.append(stops[0])
        columns = rng.randint(1, 3)
        start = rng.choice([360, 420, 1380, 1430, 1450])
        clocks = [start + 30 * column + rng.randint(0, 4) for column in range(columns)]
        for index, stop in enumerate(stops):
            cells = []
            for column in range(columns):
                now = clocks[column]
                if 0 < index < len(stops) - 1 and rng.random() < 0.15:
                    cells.append("-")
                elif rng.random() < 0.15:
                    cells.append(f"{time_text(now)}/{time_text(now + 4)}")
                    now += 4
                else:
                    cells.append(time_text(now))
                clocks[column] = now + rng.randint(2, 9)
            rows.append("  " + stop + " " + " ".join(cells))
    if rng.random() < 0.15:
        rows.append(rng.choice(["bus", "  Elm 1:00", "line", "line 1 S9", "service S1 Mon 2024-01-01 2024-01-02", "change Elm x"]))
    return "\n".join(rows)


def table_case(rng):
    text = timetable_text(rng)
    table = attempt(lambda: busboard.read_timetable(text))
    if isinstance(table, str):
        return table
    day = BASE + timedelta(days=rng.randint(-1, 5))
    after = rng.choice([0, 0, 365, 420, 1385, 1432])
    stop, other = rng.choice(STOPS), rng.choice(STOPS)
    return [
        attempt(lambda: board.board_text(table, stop, day, after, rng.choice([1, 3, 9]))),
        attempt(lambda: [row.text() for row in busboard.departures(table, other, day)]),
        attempt(lambda: journey.journey_text(busboard.find_journey(table, stop, other, day, after))),
        attempt(lambda: board.headways(table, stop, "1", day)),
        table.lines_at(stop),
        [name for name, service in table.services.items() if service.runs_on(day)],
    ]


def change_case(rng):
    rows = ["service D Mon-Sun 2024-01-01 2024-12-31"]
    if rng.random() < 0.6:
        rows.append(f"change Cedar {rng.choice([0, 1, 4, 8])}")
    first = 360 + rng.randint(0, 3)
    rows += ["line 1 D", f"  Alm {time_text(first)}", f"  Cedar {time_text(first + 10)}", f"  Dorf {time_text(first + 20)}"]
    rows.append("line 2 D")
    starts = sorted(rng.sample(range(360, 400), 3))
    for index, stop in enumerate(["Bach", "Cedar", "Elm"]):
        rows.append("  " + stop + " " + " ".join(time_text(start + 7 * index) for start in starts))
    table = busboard.read_timetable("\n".join(rows))
    pair = rng.choice([("Alm", "Elm"), ("Alm", "Elm"), ("Bach", "Dorf"), ("Cedar", "Elm"), ("Alm", "Dorf")])
    after = rng.choice([0, 360, 362, 370])
    return attempt(lambda: journey.journey_text(busboard.find_journey(table, *pair, BASE, after)))


def outcomes(seed, count):
    source = random.Random(seed)
    results = []
    for _ in range(count):
        rng = random.Random(source.getrandbits(48))
        kind = rng.random()
        if kind < 0.55:
            case = table_case(rng)
        elif kind < 0.75:
            case = change_case(rng)
        elif kind < 0.85:
            text = rng.choice(SPANS)
            case = [text, attempt(lambda: sorted(reader.parse_days(text)))]
        elif kind < 0.95:
            text = rng.choice(TIMES + [time_text(rng.randint(0, 1700))])
            case = [text, attempt(lambda: clock.clock_text(clock.parse_time(text)))]
        else:
            case = clock.span_text(rng.choice([0, 59, 60, 61, 120, rng.randint(0, 300)]))
        results.append(repr(case))
    return results
