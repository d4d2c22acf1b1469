"""Services, trips and the timetable that holds them."""

from dataclasses import dataclass, field
from datetime import date


class TimetableError(ValueError):
    """The timetable contradicts itself."""


@dataclass
class Service:
    """The days on which trips run."""

    name: str
    weekdays: frozenset
    start: date
    end: date
    added: set = field(default_factory=set)
    removed: set = field(default_factory=set)

    def __post_init__(self):
        if self.end < self.start:
            raise TimetableError(f"service {self.name} ends before it starts")

    def runs_on(self, day):
        """Exceptions win over the weekly pattern; both ends belong to it."""
        if day in self.removed:
            return False
        if day in self.added:
            return True
        if not self.start <= day <= self.end:
            return False
        return day.weekday() in self.weekdays


@dataclass(frozen=True)
class Call:
    """One stop of a trip."""

    stop: str
    arrive: int
    leave: int


@dataclass(frozen=True)
class Trip:
    line: str
    service: str
    calls: tuple

    def __post_init__(self):
        if len(self.calls) < 2:
            raise TimetableError(f"line {self.line}: a trip needs two stops")
        before = None
        for call in self.calls:
            if call.leave < call.arrive:
                raise TimetableError(f"line {self.line}: leaves {call.stop} too early")
            if before is not None and call.arrive < before.leave:
                raise TimetableError(f"line {self.line}: reaches {call.stop} too early")
            before = call

    @property
    def destination(self):
        return self.calls[-1].stop

    def shifted(self, minutes):
        calls = tuple(
            Call(call.stop, call.arrive + minutes, call.leave + minutes)
            for call in self.calls
        )
        return Trip(self.line, self.service, calls)


class Timetable:
    def __init__(self):
        self.services = {}
        self.trips = []
        self.change_minutes = {}

    def add_service(self, service):
        if service.name in self.services:
            raise TimetableError(f"service {service.name} twice")
        self.services[service.name] = service

    def add_trip(self, trip):
        if trip.service not in self.services:
            raise TimetableError(f"no service {trip.service}")
        self.trips.append(trip)

    def change_time(self, stop):
        """Minutes a passenger needs to change buses at a stop."""
        return self.change_minutes.get(stop, 2)

    def stops(self):
        return sorted({call.stop for trip in self.trips for call in trip.calls})

    def lines_at(self, stop):
        """Lines that call at a stop, 2 before 10, letters behind."""
        lines = {
            trip.line
            for trip in self.trips
            if any(call.stop == stop for call in trip.calls)
        }
        return sorted(lines, key=line_order)

    def trips_on(self, day):
        return [t for t in self.trips if self.services[t.service].runs_on(day)]


def line_order(line):
    digits = ""
    for letter in line:
        if not letter.isdigit():
            break
        digits += letter
    if digits:
        return (0, int(digits), line[len(digits):])
    return (1, 0, line)
