"""The departure board of a stop."""

from dataclasses import dataclass
from datetime import timedelta

from .clock import DAY, clock_text
from .model import line_order


@dataclass(frozen=True)
class Departure:
    minute: int
    line: str
    destination: str

    def text(self):
        return f"{clock_text(self.minute)} {self.line} {self.destination}"


def running_trips(table, day):
    """Trips a passenger can meet on a calendar day, in its own minutes.

    The late buses of the evening before are still on the road after midnight.
    """
    trips = list(table.trips_on(day))
    for trip in table.trips_on(day - timedelta(days=1)):
        if trip.calls[-1].arrive >= DAY:
            trips.append(trip.shifted(-DAY))
    return trips


def departures(table, stop, day, after=0, limit=None):
    """Buses that leave the stop on this day at or after a minute.

    The end of a trip is no departure, even where a trip ends where it began.
    """
    found = []
    for trip in running_trips(table, day):
        for call in trip.calls[:-1]:
            if call.stop == stop and call.leave >= max(after, 0):
                found.append(Departure(call.leave, trip.line, trip.destination))
    found.sort(key=lambda d: (d.minute, line_order(d.line), d.destination))
    return found if limit is None else found[:limit]


def board_text(table, stop, day, after=0, limit=5):
    rows = departures(table, stop, day, after, limit)
    if not rows:
        return f"{stop}: no more buses"
    width = max(len(row.line) for row in rows)
    lines = [stop]
    for row in rows:
        time = clock_text(row.minute)
        lines.append(f"{time}  {row.line.rjust(width)}  {row.destination}")
    return "\n".join(lines)


def headways(table, stop, line, day):
    """Gaps in minutes between the departures of one line."""
    minutes = [d.minute for d in departures(table, stop, day) if d.line == line]
    return [later - earlier for earlier, later in zip(minutes, minutes[1:])]
