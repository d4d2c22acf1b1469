"""The text format.

    # a comment
    service WD  Mon-Fri  2024-01-01 2024-12-31
    except WD  -2024-05-01 +2024-05-04
    change Station 5
    line 7 WD
      Station      6:00  7:00
      Market       6:08  7:08/7:15
      Harbour      6:20  -

A column under `line` is a trip; `-` means the trip does not call there, and
`7:08/7:15` is a stay with arrival and departure.
"""

from datetime import date

from .clock import parse_time
from .model import Call, Service, Timetable, TimetableError, Trip

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def parse_days(text):
    """'Mon-Fri,Sun' to weekday numbers; a span may wrap over Sunday."""
    found = set()
    for part in text.lower().split(","):
        first, dash, last = part.partition("-")
        try:
            start = DAYS.index(first.strip())
            end = DAYS.index(last.strip()) if dash else start
        except ValueError:
            raise TimetableError(f"not a weekday: {part!r}") from None
        day = start
        found.add(day)
        while day != end:
            day = (day + 1) % 7
            found.add(day)
    return frozenset(found)


class _Reader:
    def __init__(self):
        self.table = Timetable()
        self.line = None
        self.columns = []

    def read(self, text):
        for number, raw in enumerate(text.splitlines(), start=1):
            body = raw.split("#", 1)[0].rstrip()
            if not body:
                continue
            try:
                if body[0].isspace():
                    self.stop_row(body.split())
                else:
                    self.finish_line()
                    self.keyword(body.split())
            except (ValueError, IndexError) as error:
                raise TimetableError(f"row {number}: {error}") from None
        self.finish_line()
        return self.table

    def keyword(self, words):
        kind, name = words[0], words[1]
        if kind == "service":
            days = parse_days(words[2])
            start, end = (date.fromisoformat(word) for word in words[3:5])
            self.table.add_service(Service(name, days, start, end))
        elif kind == "except":
            service = self.table.services.get(name)
            if service is None:
                raise TimetableError(f"no service {name}")
            for word in words[2:]:
                target = service.added if word[0] == "+" else service.removed
                target.add(date.fromisoformat(word[1:]))
        elif kind == "change":
            self.table.change_minutes[name] = int(words[2])
        elif kind == "line":
            self.line = (name, words[2])
        else:
            raise TimetableError(f"unknown word {kind!r}")

    def stop_row(self, words):
        if self.line is None:
            raise TimetableError("a stop outside of a line")
        stop, times = words[0], words[1:]
        if not self.columns:
            self.columns = [[] for _ in times]
        if len(times) != len(self.columns):
            raise TimetableError(f"{stop} has {len(times)} times")
        for column, text in zip(self.columns, times):
            if text == "-":
                continue
            arrive, slash, leave = text.partition("/")
            first = parse_time(arrive)
            column.append(Call(stop, first, parse_time(leave) if slash else first))

    def finish_line(self):
        if self.line is not None:
            line, service = self.line
            for calls in self.columns:
                self.table.add_trip(Trip(line, service, tuple(calls)))
        self.line = None
        self.columns = []


def read_timetable(text):
    return _Reader().read(text)
