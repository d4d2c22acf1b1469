"""Threads that parse at once do not disturb each other."""

import gc
import threading

from loopwright.core.syntax import parse_python

SOURCE = "\n".join(f"x{n} = [a for a in range({n}) if (a, b, {{1: 2}})]" for n in range(300))


def test_threads_parse_at_once() -> None:
    """The fault needs a collection that lets another thread go on while a tree is made: those are frequent here."""
    before, problems = gc.get_threshold(), []

    def parse() -> None:
        try:
            for _ in range(6):
                parse_python(SOURCE)
        except SystemError as problem:
            problems.append(problem)

    gc.callbacks.append(wait := lambda *_: threading.Event().wait(1e-5))
    gc.set_threshold(50)
    try:
        threads = [threading.Thread(target=parse) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(wait)
    assert not problems
