"""The unchanged project's first run, traced: it goes on behind tests that end the interpreter, or never end."""

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

import pytest

from .budget import HANG
from .forks import Answer
from .heard import Heard
from .session import Driver, collect_and, key_of
from .telling import Tell, listen, outlived
from .trace import IMPORT, MONITORED, Line, Recorder
from .unloadable import Broken, broken_by, broken_in, stopped_by
from .zygote import Project

_PASSING = 60.0  # processor seconds of a test that is known to pass
_LONGEST, _SHORTEST = 5.0, 0.5  # seconds that a failing test is waited for
_TRACED = 0.4  # the share of the time in which all passing tests are traced
_LOADING, _LOADING_AGAIN = 0.6, 10.0  # the share of the time that loading may take; seconds to see where it stops
_GRACE = 2.0  # seconds after which a test is ended from outside that did not end by itself


@dataclass(frozen=True)
class Course:
    """What is run, and until when (monotonic): behind `half` most passing tests run untraced, behind `soft` none.

    `careful`: from the test numbered `first` on, each has a process of its own and tells each line at once.
    `marks`: the project's modules may be marked, to see their lines.
    """

    project: Project
    tree: str
    failing: frozenset[str]
    half: float
    soft: float
    hard: float
    first: int = 0
    careful: bool = False
    marks: bool = False

    def limits(self, key: str, late: int) -> tuple[float, float]:
        """Seconds that a test may compute and may take in all: fewer, the less is left and the more were late."""
        left = self.hard - time.monotonic()
        if self.failing and key not in self.failing:
            return min(_PASSING, max(left / 2, _SHORTEST)), max(left / 2, _SHORTEST)
        share = 0.5**late  # a failing test may be endless, and there may be more of them
        most = max(_SHORTEST, left / 8)
        return max(_SHORTEST, min(2 * HANG, most) * share), max(_SHORTEST, min(_LONGEST, most) * share)

    def asks(self, key: str) -> bool:
        """Whether this is a test that shall be mended."""
        return not self.failing or key in self.failing

    def traces(self, key: str) -> bool:
        """The failing tests, those that stand beside them, and for a while all."""
        beside = key.split("::")[0] in {one.split("::")[0] for one in self.failing}
        return beside or self.asks(key) or time.monotonic() < self.half


def first_run(project: Project, tree: str, failing: frozenset[str], seconds: float) -> Heard:
    """Runs everything once, within `seconds`; the failing tests always, passing ones while there is time.

    Once more, and followed line by line, where marks showed nothing: a program may be loaded in its own way.
    """
    began = time.monotonic()
    heard = _first_run(project, tree, failing, seconds, marks=not MONITORED)
    failed = [n for n, outcome in heard.outcomes.items() if outcome.status == "failed"]
    if MONITORED or not failed or any(heard.lines.get(n) for n in failed):
        return heard
    return _first_run(project, tree, failing, max(seconds - (time.monotonic() - began), _SHORTEST), marks=False)


def _first_run(project: Project, tree: str, failing: frozenset[str], seconds: float, *, marks: bool) -> Heard:
    now = time.monotonic()
    course = Course(project, tree, failing, now + seconds * _TRACED, now + seconds / 2, now + seconds, marks=marks)
    heard = Heard(hard=course.hard, until=now + seconds * _LOADING)
    ended = listen(partial(_pass, course), heard.hear, lambda: heard.until)
    if heard.done or time.monotonic() >= course.hard:
        return heard.stopped(ended)
    first = heard.suspected(ended)
    heard.until = course.hard if heard.loaded else min(course.hard, time.monotonic() + _LOADING_AGAIN)
    careful = Course(project, tree, failing, course.half, course.soft, course.hard, first, careful=True)
    listen(partial(_pass, careful), heard.hear, lambda: heard.until)
    return heard.stopped(ended)


def _pass(course: Course, tell: Tell) -> None:
    """One session in this process: loads all tests, runs those from `first` on, and tells what comes of each."""
    number = IMPORT
    loading: list[Broken | None] = []
    heard = (lambda line: tell({"line": line, "number": number})) if course.careful else None
    recorder = Recorder(course.tree, heard, marks=course.marks)

    def loop(driver: Driver, items: list[pytest.Item]) -> None:
        nonlocal number, loading
        recorder.stop()
        loading = [stopped_by(error, course.tree) for error in driver.errors]
        keys = [key_of(item, course.project.style) for item in items]
        imported = list(recorder.lines[IMPORT])
        tell({"nodes": [item.nodeid for item in items], "keys": keys, "imported": imported, **_troubles(driver)})
        late = 0
        for number, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            if number >= course.first and (course.asks(keys[number]) or time.monotonic() <= course.soft):
                item.session._setupstate.teardown_exact(item)  # of the test before one that was left out
                late += _run(course, driver, recorder, number, item, following, tell, late)

    def _troubles(driver: Driver) -> Answer:
        compiled = [broken_by(error, course.tree) for error in driver.errors]
        broken = [*(one or more for one, more in zip_longest(compiled, loading)), *broken_in(driver.said, course.tree)]
        return {"broken": [tuple(one) for one in broken if one], "troubles": driver.troubles, "said": driver.said}

    recorder.start()
    driver = collect_and(loop, course.project.arguments, course.project.style, plain=False)
    tell({"done": True, **_troubles(driver)})


def _run(
    course: Course, driver: Driver, recorder: Recorder, number: int, item: pytest.Item, following: pytest.Item | None,
    tell: Tell, late: int,
) -> bool:  # fmt: skip
    """Whether it was ended because it took too long; `late` are those before it."""
    computing, clock = course.limits(key := key_of(item, course.project.style), late)
    tell({"begins": number, "within": clock + _GRACE})
    recorder.switch(number)
    traced = course.traces(key)

    def work() -> bool:
        if traced:
            recorder.start()
        outcome = driver.run(item, None if course.careful else following, computing, clock)
        recorder.stop()
        frames = [(recorder.project_file(file) or "", line, name) for file, line, name in outcome.frames]
        plain = (outcome.status, outcome.seconds, outcome.error, outcome.message, frames, outcome.waited)
        lines: list[Line] = list(recorder.lines[number])
        text = source_text(item) if outcome.status == "failed" else ""
        tell({"outcome": plain, "number": number, "lines": lines, "text": text})
        return outcome.error == "TimeUp"

    if not course.careful:
        return work()
    ended = outlived(work, clock + _GRACE)
    tell({"ended": ended, "number": number, "text": source_text(item)})
    return False


def source_text(item: pytest.Item) -> str:
    """The test's own source and its parameters, as Python text to take literals from."""
    function: Callable[..., object] | None = getattr(item, "function", None)
    try:
        text = inspect.cleandoc("\n" + inspect.getsource(function)) if function else ""
    except (OSError, TypeError):
        text = ""
    call = getattr(item, "callspec", None)
    values = call.params.values() if call else ()
    plain = [value for value in values if type(value) in (int, float, str, bool)]
    return f"{text}\n_ = {plain!r}\n"
