"""Spans of time, recurring dates, bookings and free slots.

Spans are half-open: a span from 10:00 to 11:00 does not touch one from 11:00 on.
Inside the module all moments are aware and in UTC.
"""

import calendar as _calendar
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone

UTC = timezone.utc
WEEKDAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")


class BookingError(ValueError):
    """A booking or a rule that cannot be."""


class Conflict(BookingError):
    def __init__(self, booking):
        super().__init__(f"taken by {booking.title!r}")
        self.booking = booking


# -- moments


def as_utc(moment, zone=UTC):
    """The same moment in UTC; one without an offset is taken to be in ``zone``."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(UTC)


def parse_moment(text, zone=UTC):
    """Read ``2024-05-01 10:30``, with ``T``, ``Z`` or an offset if there is one."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BookingError(f"not a moment: {text!r}") from None
    return as_utc(moment, zone)


def parse_duration(text):
    """Read ``1h30m``, ``45m``, ``2d`` or ``1d12h``."""
    sizes = {"d": 86400, "h": 3600, "m": 60}
    seconds = 0
    digits = ""
    for char in text.strip().lower():
        if char.isdigit():
            digits += char
        elif char in sizes and digits:
            seconds += int(digits) * sizes.pop(char)
            digits = ""
        else:
            raise BookingError(f"not a duration: {text!r}")
    if digits or not seconds:
        raise BookingError(f"not a duration: {text!r}")
    return timedelta(seconds=seconds)


# -- spans


@dataclass(frozen=True, order=True)
class Span:
    start: datetime
    end: datetime

    def __post_init__(self):
        if self.end <= self.start:
            raise BookingError("a span must end after it starts")

    @property
    def length(self):
        return self.end - self.start

    def overlaps(self, other):
        return self.start < other.end and other.start < self.end

    def contains(self, moment):
        return self.start <= moment < self.end

    def clip(self, other):
        """The part of this span inside the other one, or None."""
        if not self.overlaps(other):
            return None
        return Span(max(self.start, other.start), min(self.end, other.end))

    def widen(self, before=timedelta(0), after=timedelta(0)):
        return Span(self.start - before, self.end + after)

    def split(self, step):
        """Yield pieces of this length from the start on; a shorter rest is left out."""
        if step <= timedelta(0):
            raise BookingError("pieces must have a length")
        start = self.start
        while start + step <= self.end:
            yield Span(start, start + step)
            start += step


def merge(spans):
    """Sorted spans in which those that overlap or touch are one."""
    result = []
    for span in sorted(spans):
        if result and span.start <= result[-1].end:
            last = result.pop()
            span = Span(last.start, max(last.end, span.end))
        result.append(span)
    return result


def gaps(spans, window):
    """Yield what is left of the window without the spans."""
    start = window.start
    for span in merge(spans):
        if span.start >= window.end:
            break
        if span.start > start:
            yield Span(start, span.start)
        start = max(start, span.end)
    if start < window.end:
        yield Span(start, window.end)


def total(spans):
    """Time covered, with overlapping parts counted once."""
    return sum((span.length for span in merge(spans)), timedelta(0))


# -- recurring dates


def add_months(day, months):
    """The same day some months later, or the last one of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    last = _calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


@dataclass(frozen=True)
class Rule:
    """Dates every so many days, weeks or months.

    ``until`` is included. ``count`` counts the dates before the skipped ones are
    taken out, as calendars do. ``weekdays`` is for weekly rules only.
    """

    start: date
    unit: str = "day"
    every: int = 1
    until: date | None = None
    count: int | None = None
    weekdays: tuple[str, ...] = ()
    skip: frozenset = field(default_factory=frozenset)

    def __post_init__(self):
        if self.unit not in ("day", "week", "month"):
            raise BookingError(f"no unit {self.unit!r}")
        if self.every < 1:
            raise BookingError("every must be at least 1")
        if self.weekdays and self.unit != "week":
            raise BookingError("weekdays are for weekly rules")
        unknown = [name for name in self.weekdays if name not in WEEKDAYS]
        if unknown:
            raise BookingError(f"no weekday {unknown[0]!r}")

    def _candidates(self):
        """Yield dates in order, without an end."""
        step = 0
        while True:
            if self.unit == "day":
                yield self.start + timedelta(days=step)
            elif self.unit == "month":
                yield add_months(self.start, step)
            elif self.weekdays:
                monday = self.start - timedelta(days=self.start.weekday())
                for number, name in enumerate(WEEKDAYS):
                    day = monday + timedelta(weeks=step, days=number)
                    if name in self.weekdays and day >= self.start:
                        yield day
            else:
                yield self.start + timedelta(weeks=step)
            step += self.every

    def dates(self, first=None, last=None):
        """Yield the dates of the rule from ``first`` to ``last``, both included."""
        if self.until is None and self.count is None and last is None:
            raise BookingError("the rule has no end, so a last date is needed")
        for number, day in enumerate(self._candidates()):
            if self.count is not None and number >= self.count:
                return
            if self.until is not None and day > self.until:
                return
            if last is not None and day > last:
                return
            if day not in self.skip and (first is None or day >= first):
                yield day


# -- bookings


@dataclass
class Booking:
    number: int
    title: str
    span: Span
    room: str


class Calendar:
    """Bookings of several rooms, with opening hours and a pause after each booking."""

    def __init__(self, zone=UTC, opens=time(8), closes=time(18), closed=("sa", "su"), pause=timedelta(0)):
        if closes <= opens:
            raise BookingError("closing comes before opening")
        self.zone = zone
        self.opens = opens
        self.closes = closes
        self.closed = frozenset(closed)
        self.pause = pause
        self._bookings = {}
        self._next = 1

    def span(self, start, end):
        """A span of moments or texts in the zone of the calendar."""
        start, end = (
            parse_moment(value, self.zone) if isinstance(value, str) else as_utc(value, self.zone)
            for value in (start, end)
        )
        return Span(start, end)

    def hours(self, day):
        """The opening hours of a day, or None when it is closed."""
        if WEEKDAYS[day.weekday()] in self.closed:
            return None
        start, end = datetime.combine(day, self.opens), datetime.combine(day, self.closes)
        return Span(as_utc(start, self.zone), as_utc(end, self.zone))

    def bookings(self, room=None, window=None):
        """Bookings by start, of one room or in one window if given."""
        chosen = [
            booking
            for booking in self._bookings.values()
            if (room is None or booking.room == room)
            and (window is None or booking.span.overlaps(window))
        ]
        return sorted(chosen, key=lambda booking: (booking.span.start, booking.number))

    def conflict(self, room, span):
        """The first booking that is in the way, or None."""
        wanted = span.widen(after=self.pause)
        for booking in self.bookings(room):
            if booking.span.widen(after=self.pause).overlaps(span) or booking.span.overlaps(wanted):
                return booking
        return None

    def book(self, room, title, start, end):
        """Book a room inside the opening hours of one day."""
        span = self.span(start, end)
        hours = self.hours(span.start.astimezone(self.zone).date())
        if hours is None or span.start < hours.start or span.end > hours.end:
            raise BookingError("outside of the opening hours")
        in_the_way = self.conflict(room, span)
        if in_the_way is not None:
            raise Conflict(in_the_way)
        booking = Booking(self._next, title, span, room)
        self._bookings[self._next] = booking
        self._next += 1
        return booking

    def book_series(self, room, title, rule, at, length, last=None):
        """Book every date of a rule; all of them or none."""
        made = []
        try:
            for day in rule.dates(last=last):
                start = as_utc(datetime.combine(day, at), self.zone)
                made.append(self.book(room, title, start, start + length))
        except BookingError:
            for booking in made:
                self.cancel(booking.number)
            raise
        return made

    def cancel(self, number):
        if number not in self._bookings:
            raise BookingError(f"no booking {number}")
        del self._bookings[number]

    def move(self, number, start, end):
        """Move a booking; it stays where it was if the new place is taken."""
        if number not in self._bookings:
            raise BookingError(f"no booking {number}")
        old = self._bookings.pop(number)
        try:
            moved = self.book(old.room, old.title, start, end)
        except BookingError:
            self._bookings[number] = old
            raise
        del self._bookings[moved.number]
        self._bookings[number] = Booking(number, old.title, moved.span, old.room)
        return self._bookings[number]

    def free(self, room, day, length=None):
        """Yield free spans of a day, or slots of one length if given."""
        hours = self.hours(day)
        if hours is None:
            return
        taken = [booking.span.widen(after=self.pause) for booking in self.bookings(room)]
        for gap in gaps(taken, hours):
            if length is None:
                yield gap
            else:
                yield from gap.split(length)

    def load(self, day):
        """How much of the opening hours each room is booked, as whole percents."""
        hours = self.hours(day)
        if hours is None:
            return {}
        result = {}
        for room in sorted({booking.room for booking in self._bookings.values()}):
            parts = [booking.span.clip(hours) for booking in self.bookings(room, hours)]
            result[room] = round(100 * (total(parts) / hours.length))
        return result
