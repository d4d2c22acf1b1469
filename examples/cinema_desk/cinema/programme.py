"""What is shown when and where."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from cinema.halls import Hall

CLEANING = timedelta(minutes=20)


class Clash(Exception):
    """Two screenings want the same hall at the same time."""


@dataclass(frozen=True)
class Film:
    title: str
    minutes: int
    three_d: bool = False


@dataclass(frozen=True)
class Screening:
    film: Film
    hall: Hall
    starts_at: datetime

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + timedelta(minutes=self.film.minutes)

    @property
    def hall_free_at(self) -> datetime:
        return self.ends_at + CLEANING

    def clashes_with(self, other: "Screening") -> bool:
        if self.hall != other.hall:
            return False
        return self.starts_at < other.hall_free_at and other.starts_at < self.hall_free_at


class Programme:
    def __init__(self) -> None:
        self._screenings: list[Screening] = []

    def add(self, screening: Screening) -> Screening:
        for planned in self._screenings:
            if screening.clashes_with(planned):
                raise Clash(f"{screening.film.title} clashes with {planned.film.title} in {planned.hall.name}")
        self._screenings.append(screening)
        self._screenings.sort(key=lambda planned: (planned.starts_at, planned.hall.name))
        return screening

    def on(self, day: date) -> list[Screening]:
        return [screening for screening in self._screenings if screening.starts_at.date() == day]

    def next_showing(self, title: str, now: datetime) -> Screening | None:
        for screening in self._screenings:
            if screening.film.title == title and screening.starts_at >= now:
                return screening
        return None
