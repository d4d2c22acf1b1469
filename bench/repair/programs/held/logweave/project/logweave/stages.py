"""Stages: asynchronous generators that take a stream and give one."""

import re
from datetime import timedelta
from functools import wraps

from .merge import close
from .records import LEVELS, Record, level_name


def stage(function):
    """Turn `f(stream, *options)` into `f(*options)(stream)`.

    The stream is closed when the stage ends, early or not.
    """

    @wraps(function)
    def options(*args, **kwargs):
        async def run(stream):
            inner = function(stream, *args, **kwargs)
            try:
                async for record in inner:
                    yield record
            finally:
                await close(inner)
                await close(stream)

        return run

    return options


def pipeline(stream, *stages):
    for step in stages:
        stream = step(stream)
    return stream


def at_least(level):
    """Only records of this level or above."""
    lowest = LEVELS.index(level_name(level))

    @stage
    async def at_least_stage(stream):
        async for record in stream:
            if LEVELS.index(record.level) >= lowest:
                yield record

    return at_least_stage()


@stage
async def matching(stream, text, source=None):
    """Records with a text in them, in any case; '*' stands for anything."""
    parts = [re.escape(part) for part in text.split("*")]
    pattern = re.compile(".*".join(parts), re.IGNORECASE | re.DOTALL)
    async for record in stream:
        if source is not None and record.source != source:
            continue
        if pattern.search(record.message):
            yield record


@stage
async def take(stream, limit):
    """At most that many records."""
    if limit <= 0:
        return
    left = limit
    async for record in stream:
        yield record
        left -= 1
        if left == 0:
            break


@stage
async def reorder(stream, slack):
    """Sort records that come late by no more than `slack` seconds.

    What comes even later is let through as it is; equal times keep their order.
    """
    waiting = []
    newest = None
    async for record in stream:
        if newest is None or record.time > newest:
            newest = record.time
        waiting.append(record)
        waiting.sort(key=lambda item: item.time)
        border = newest - timedelta(seconds=slack)
        while waiting and waiting[0].time < border:
            yield waiting.pop(0)
    for record in waiting:
        yield record


@stage
async def fold_repeats(stream, within=None):
    """Fold equal records of a source that follow each other.

    The first is kept, then comes one record that says how often it was
    repeated.  With `within`, a repetition that comes more than that many
    seconds after the one before counts as new.
    """
    last = None
    latest = None
    repeats = 0
    async for record in stream:
        if last is not None and _same(last, record):
            gap = (record.time - latest.time).total_seconds()
            if within is None or gap <= within:
                repeats += 1
                latest = record
                continue
        if repeats:
            yield _note(latest, repeats)
        last = latest = record
        repeats = 0
        yield record
    if repeats:
        yield _note(latest, repeats)


def _same(one, two):
    return (one.source, one.level, one.message) == (two.source, two.level, two.message)


def _note(record, repeats):
    times = "once" if repeats == 1 else f"{repeats} times"
    return Record(record.time, record.level, record.source, f"(repeated {times})")
