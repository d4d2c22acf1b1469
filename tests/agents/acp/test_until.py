"""Times in the words of errors: read right, or not at all."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.acp.errors import FAR, parse_retry_time

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 1, 22, 10, 30, tzinfo=ZONE)


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=ZONE)  # type: ignore[misc, arg-type]  # the parts of a date


@pytest.mark.parametrize(
    ("words", "time"),
    [
        ("try again at Jan 1st, 2100 12:00 AM.", at(2100, 1, 1)),
        ("You've hit your usage limit. Upgrade to Pro, or try again at Feb 3rd, 2026 9:05 PM.", at(2026, 2, 3, 21, 5)),
        ("or try again at 3:45 PM.", at(2026, 1, 22, 15, 45)),
        ("or try again at 9:15 AM.", at(2026, 1, 23, 9, 15)),
        ("Please try again in 20s. Visit https://x.example/7", NOW + timedelta(seconds=20)),
        ("Please retry in 37.5s.", NOW + timedelta(seconds=37.5)),
        ("try again in 3 days 2 hours 5 minutes", NOW + timedelta(days=3, hours=2, minutes=5)),
        ("try again in 1 day, 2 hours and 5 minutes.", NOW + timedelta(days=1, hours=2, minutes=5)),
        ("try again in 6m0s", NOW + timedelta(minutes=6)),
        ("try again in 1h30m", NOW + timedelta(hours=1, minutes=30)),
        ("try again in 250ms", NOW + timedelta(milliseconds=250)),
        ("retry-after: 30", NOW + timedelta(seconds=30)),
        ("Retry after 30 seconds", NOW + timedelta(seconds=30)),
        ('"retryDelay": "41s"', NOW + timedelta(seconds=41)),
        ("retry in 41s", NOW + timedelta(seconds=41)),
        ("Your limit resets 7pm (UTC)", datetime(2026, 1, 22, 19, tzinfo=UTC)),
        ("5-hour limit reached ∙ resets 3pm", at(2026, 1, 22, 15)),
        ("resets Mar 3 at 9am", at(2026, 3, 3, 9)),
        ("resets Jan 3, 5pm", at(2027, 1, 3, 17)),
        ("resets at 2026-01-23T04:00:00Z", datetime(2026, 1, 23, 4, tzinfo=UTC)),
        ("available again 2026-01-23 04:00", at(2026, 1, 23, 4)),
        ("resets at 1800000000", datetime.fromtimestamp(1800000000, UTC)),
        ("Claude AI usage limit reached|1800000000", datetime.fromtimestamp(1800000000, UTC)),
        ("resets_at 1800000000123", datetime.fromtimestamp(1800000000, UTC)),
        ("wait until 14:00", at(2026, 1, 22, 14)),
        ("Usage limit reached. Try again later.", None),
        ("try again at the end of the month", None),
        ("try again at 25:00", None),
        ("try again at 13:61 PM", None),
        ("try again at Feb 31st, 2026", None),
        ("resets at 2020-01-01T00:00:00Z", None),
        ("resets at 1500000000", None),
        ("at 5pm we had lunch", None),
        ("retry 0 s", None),
        ("", None),
    ],
)
def test_what_agents_say(words: str, time: datetime | None) -> None:
    found = parse_retry_time(words, NOW)
    assert found == time
    assert found is None or found.tzinfo is not None


def test_a_named_zone_counts_and_an_unknown_one_does_not() -> None:
    told = parse_retry_time("resets 7pm (Europe/Berlin)", NOW)
    assert told is not None
    assert told.utcoffset() == timedelta(hours=1)
    assert parse_retry_time("resets 7pm (Mars/Olympus)", NOW) == at(2026, 1, 22, 19)


@pytest.mark.parametrize(("hour", "half"), list(product(range(1, 13), ("AM", "PM"))))
def test_every_time_of_day_is_the_next_one(hour: int, half: str) -> None:
    time = parse_retry_time(f"try again at {hour}:00 {half}", NOW)
    assert time is not None
    assert time.hour == hour % 12 + (12 if half == "PM" else 0)
    assert NOW < time <= NOW + timedelta(days=1)


@given(
    st.text(alphabet=st.sampled_from("try again at in resets until 0123456789:-/|apm()JanFeb,.TZ+ \n"), max_size=200)
)
def test_no_words_break_it_and_what_is_read_lies_ahead(words: str) -> None:
    time = parse_retry_time(f"try again {words}", NOW)
    assert time is None or NOW < time < NOW + FAR


@given(st.text(max_size=300))
def test_nor_any_other_text(words: str) -> None:
    time = parse_retry_time(f"resets at {words}", NOW)
    assert time is None or (time.tzinfo is not None and NOW < time < NOW + FAR)


@given(st.integers(1, 10_000_000))
def test_seconds_are_seconds(seconds: int) -> None:
    assert parse_retry_time(f"try again in {seconds} seconds", NOW) == NOW + timedelta(seconds=seconds)
