"""Earliest arrival with changes."""

from dataclasses import dataclass

from .board import running_trips
from .clock import clock_text, span_text


@dataclass(frozen=True)
class Leg:
    line: str
    start: str
    leave: int
    end: str
    arrive: int

    def text(self):
        return (
            f"{clock_text(self.leave)} {self.start} - "
            f"{clock_text(self.arrive)} {self.end} ({self.line})"
        )


def _hops(trips):
    """Every move between neighbouring stops, in the order of departure."""
    hops = []
    for number, trip in enumerate(trips):
        for here, there in zip(trip.calls, trip.calls[1:]):
            hops.append((here.leave, there.arrive, number, here.stop, there.stop))
    hops.sort()
    return hops


def find_journey(table, origin, goal, day, after=0):
    """The legs of the earliest arrival, or None; an empty list when there.

    Who sits in a bus may stay in it; who changes needs the change time of the
    stop.  Nobody needs time to change at the start of the journey.
    """
    if origin == goal:
        return []
    trips = running_trips(table, day)
    earliest = {origin: after}
    reached_by = {}
    boarded = {}
    for leave, arrive, number, here, there in _hops(trips):
        if goal in earliest and leave >= earliest[goal]:
            break
        if number not in boarded:
            if here not in earliest:
                continue
            ready = earliest[here]
            if here != origin:
                ready += table.change_time(here)
            if ready > leave:
                continue
            boarded[number] = (here, leave)
        if there not in earliest or arrive < earliest[there]:
            earliest[there] = arrive
            start, left = boarded[number]
            reached_by[there] = Leg(trips[number].line, start, left, there, arrive)
    if goal not in reached_by:
        return None
    return _trace(reached_by, origin, goal)


def _trace(reached_by, origin, goal):
    legs = []
    stop = goal
    while stop != origin:
        leg = reached_by[stop]
        legs.append(leg)
        stop = leg.start
    legs.reverse()
    return legs


def journey_text(legs):
    if legs is None:
        return "no way today"
    if not legs:
        return "you are there"
    total = legs[-1].arrive - legs[0].leave
    changes = len(legs) - 1
    word = "change" if changes == 1 else "changes"
    rows = [leg.text() for leg in legs]
    rows.append(f"{span_text(total)}, {changes} {word}")
    return "\n".join(rows)
