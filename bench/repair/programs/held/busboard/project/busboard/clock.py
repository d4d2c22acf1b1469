"""Minutes of a service day as plain integers."""

import re

DAY = 24 * 60
_TIME = re.compile(r"([0-9]{1,2}):([0-5][0-9])")


def parse_time(text):
    """'7:05' to 425; hours may pass 24 for trips after midnight."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a time: {text!r}")
    hours, minutes = match.groups()
    return int(hours) * 60 + int(minutes)


def clock_text(minutes):
    """What a clock on the wall shows."""
    hours, rest = divmod(minutes % DAY, 60)
    return f"{hours:02d}:{rest:02d}"


def span_text(minutes):
    """A length of time: '45 min', '1 h', '2 h 05'."""
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02d}" if rest else f"{hours} h"
