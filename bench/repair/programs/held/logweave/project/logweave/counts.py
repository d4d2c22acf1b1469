"""Numbers about a stream."""

import asyncio
from collections import Counter
from datetime import datetime, timedelta, timezone

from .records import LEVELS

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def bucket_start(moment, seconds):
    """The start of the interval a moment lies in, in UTC."""
    passed = int((moment - EPOCH).total_seconds() // seconds) * seconds
    return EPOCH + timedelta(seconds=passed)


async def histogram(stream, seconds):
    """Pairs of interval start and number of records, empty intervals too."""
    if seconds < 1:
        raise ValueError("an interval needs at least one second")
    result = []
    async for record in stream:
        start = bucket_start(record.time, seconds)
        if result and start < result[-1][0]:
            raise ValueError("the stream is not sorted")
        while result and result[-1][0] + timedelta(seconds=seconds) < start:
            result.append((result[-1][0] + timedelta(seconds=seconds), 0))
        if result and result[-1][0] == start:
            result[-1] = (start, result[-1][1] + 1)
        else:
            result.append((start, 1))
    return result


async def _count(stream):
    counts = Counter()
    async for record in stream:
        counts[record.level] += 1
    return counts


async def count_levels(streams):
    """Counts by level for each named stream, read side by side.

    A stream that fails has its exception in place of the counts.
    """
    names = list(streams)
    counted = await asyncio.gather(
        *(_count(streams[name]) for name in names), return_exceptions=True
    )
    return dict(zip(names, counted))


def counts_text(counts):
    """A line per stream, worst level first, then a line with the sum."""
    lines = []
    total = Counter()
    for name in sorted(counts):
        found = counts[name]
        if isinstance(found, Exception):
            lines.append(f"{name}: failed ({found})")
            continue
        total.update(found)
        lines.append(f"{name}: {_levels(found)}")
    lines.append(f"total: {_levels(total)}")
    return "\n".join(lines)


def _levels(found):
    parts = [f"{found[level]} {level}" for level in reversed(LEVELS) if found[level]]
    return ", ".join(parts) or "nothing"
