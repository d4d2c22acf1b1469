from .board import Departure, departures
from .model import Call, Service, Timetable, Trip, TimetableError
from .journey import Leg, find_journey
from .reader import read_timetable

__all__ = [
    "Call",
    "Departure",
    "Leg",
    "Service",
    "Timetable",
    "TimetableError",
    "Trip",
    "departures",
    "find_journey",
    "read_timetable",
]
