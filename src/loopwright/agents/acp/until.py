"""When an agent says that it can be asked again, read from the words of its error. Pure."""

import re
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

FAR = timedelta(days=365 * 200)
"""What lies further ahead is a mistake of reading."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "w": 604_800.0}

_LEAD = re.compile(r"try(?:ing)? again|retry(?:ing)?|resets?|available again|wait|until", re.IGNORECASE)
"""Words before a time at which, or after which, it goes on."""

_SPAN = re.compile(
    r"(\d{1,9}(?:\.\d{1,9})?)\s*(milliseconds?|ms|weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])",
    re.IGNORECASE,
)
_BARE = re.compile(r"\W{0,3}(?:after|in|for)?\W{0,4}(\d{1,9}(?:\.\d{1,9})?)(?![\w:/-])", re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?")
_EPOCH = re.compile(r"(?<!\d)(1\d{9}|[2-4]\d{9})(?:\d{3})?(?!\d)")
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])\.?m\b|(?<!\d)(\d{1,2}):(\d\d)(?!\d)", re.IGNORECASE
)
_DATE = re.compile(
    rf"\b({'|'.join(_MONTHS)})[a-z]{{0,6}}\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:|\s*[ap]m)(?:,?\s+(\d{{4}}))?",
    re.IGNORECASE,
)
_ZONE = re.compile(r"\(?\b(UTC|GMT|[A-Z][A-Za-z]+/[A-Za-z_]+(?:/[A-Za-z_]+)?)\b\)?")
_REACH = 120
"""Characters after the leading word in which the time is looked for."""


def until(text: str, now: datetime) -> datetime | None:
    """The time that is named after such words as "try again", with its offset; None where none can be read.

    A time of day is the next one; where no zone is named, it is that of `now`.
    """
    for lead in _LEAD.finditer(text):
        told = text[lead.end() : lead.end() + _REACH]
        time = _iso(told, now) or _epoch(told) or _dated(told, now) or _after(told, now) or _at(told, now)
        if (known := _ahead(time, now)) is not None:
            return known
    epoch = re.search(r"\|(\d{10})(?:\d{3})?\b", text)  # claude: "usage limit reached|1749924000"
    return _ahead(_epoch(epoch[1]), now) if epoch else None


def _ahead(time: datetime | None, now: datetime) -> datetime | None:
    if time is None or not now < time < now + FAR:
        return None
    return time


def _iso(told: str, now: datetime) -> datetime | None:
    found = _ISO.search(told)
    if found is None:
        return None
    try:
        time = datetime.fromisoformat(found[0])
    except ValueError:
        return None
    return time if time.tzinfo is not None else time.replace(tzinfo=now.tzinfo)


def _epoch(told: str) -> datetime | None:
    found = _EPOCH.search(told)
    return None if found is None else datetime.fromtimestamp(int(found[1]), ZoneInfo("UTC"))


def _after(told: str, now: datetime) -> datetime | None:
    """Spans one after another: "1 day, 2 hours and 5 minutes"; a bare number counts seconds, as in HTTP."""
    end, seconds = 0, 0.0
    for span in _SPAN.finditer(told):
        if len(told[end : span.start()].strip()) > 12:
            break
        unit = span[2].lower()
        seconds += float(span[1]) * (0.001 if unit.startswith(("ms", "milli")) else _SECONDS[unit[0]])
        end = span.end()
    if not end and (bare := _BARE.match(told)):
        seconds = float(bare[1])
    return now + timedelta(seconds=seconds) if 0 < seconds < FAR.total_seconds() else None


def _dated(told: str, now: datetime) -> datetime | None:
    """A month and a day, with a year and a time of day where they are told."""
    found = _DATE.search(told)
    if found is None:
        return None
    hour, minute = _clock(told[found.end() :]) or (0, 0)
    month, day = _MONTHS.index(found[1].lower()) + 1, int(found[2])
    zone = _zone(told, now)
    years = (int(found[3]),) if found[3] else (now.year, now.year + 1)
    for year in years:
        try:
            time = datetime(year, month, day, hour, minute, tzinfo=zone)
        except ValueError:
            continue
        if time > now:
            return time
    return None


def _at(told: str, now: datetime) -> datetime | None:
    """The next time that a clock shows this."""
    clock = _clock(told)
    if clock is None:
        return None
    local = now.astimezone(_zone(told, now))
    time = local.replace(hour=clock[0], minute=clock[1], second=0, microsecond=0)
    return time if time > now else time + timedelta(days=1)


def _clock(told: str) -> tuple[int, int] | None:
    found = _CLOCK.search(told)
    if found is None:
        return None
    hour, minute = int(found[1] or found[4]), int(found[2] or found[5] or 0)
    if found[3]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
    return (hour, minute) if hour < 24 and minute < 60 else None


def _zone(told: str, now: datetime) -> tzinfo | None:
    found = _ZONE.search(told)
    if found is None:
        return now.tzinfo
    try:
        return ZoneInfo("UTC" if found[1] == "GMT" else found[1])
    except (ZoneInfoNotFoundError, ValueError):
        return now.tzinfo
