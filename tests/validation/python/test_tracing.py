"""Only what the project runs is traced, and all of that: each line here runs at a moment of its own."""

import gc
from pathlib import Path

import pytest

from loopwright.evidence.python.injected import loopwright_tracing
from tests.validation.projects import PYTEST, lay_out, run, statuses

MOMENTS = """
called set_up torn_down finished module_torn_down shared held fixed described condition threaded unit unit_set_up given
after cached
"""

ODD = (
    "\n".join(f"def {name}():\n    return True\n\n" for name in MOMENTS.split())
    + """
class Ending:
    def __init__(self, end):
        self.end = end
    def __del__(self):
        self.end()

class Trouble(Exception):
    def __str__(self):
        return f"it is {described()}"
"""
)

TESTS = """
    import sys, threading, unittest
    import pytest
    import odd

    @pytest.fixture
    def resource():
        odd.set_up()
        yield odd.Ending(odd.fixed)
        odd.torn_down()
    @pytest.fixture(scope="module")
    def shared():
        odd.shared()
        yield
        odd.module_torn_down()
    def test_called():
        assert odd.called()
    def test_resource(resource):
        pass
    def test_shared(shared):
        pass
    def test_finalizer(request):
        request.addfinalizer(odd.finished)
    def test_held():
        held = odd.Ending(odd.held)
    def test_described():
        raise odd.Trouble()
    @pytest.mark.skipif("not odd.condition()", reason="odd")
    def test_condition():
        pass
    def test_threaded():
        thread = threading.Thread(target=odd.threaded)
        thread.start()
        thread.join()
    class TestUnit(unittest.TestCase):
        def setUp(self):
            odd.unit_set_up()
        def test_unit(self):
            odd.unit()
    @pytest.mark.parametrize("value", (odd.given() for _ in range(2)))
    def test_given(value):
        assert value
    def test_trace_function_of_its_own():
        before = sys.gettrace()
        sys.settrace(None)
        sys.settrace(before)
    def test_after():
        assert odd.after()
    def test_cached(pytestconfig):
        assert odd.cached()
"""

HOOKED = """
    import odd
    def pytest_runtest_logfinish(nodeid):
        if nodeid.endswith("test_called"):
            odd.hooked()
"""


@pytest.mark.parametrize("conftest", ["", HOOKED])
def test_every_line_is_seen_at_whatever_moment_it_runs(tmp_path: Path, conftest: str) -> None:
    hooked = "def hooked():\n    return True\n" if conftest else ""
    lay_out(tmp_path, {"tests/test_odd.py": TESTS, "tests/conftest.py": conftest, "pytest.ini": "[pytest]\n"})
    (tmp_path / "odd.py").write_text(f"{ODD}\n{hooked}")
    measured = run(tmp_path, f"PYTHONPATH=. {PYTEST}")
    assert [key for key, status in statuses(measured).items() if status != "passed"] == [
        "tests/test_odd.py::test_described"
    ]
    assert measured.coverage is not None
    assert measured.coverage.files == {"odd.py": 100.0}


def test_a_trace_function_that_is_not_ours_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[object] = [None]
    monkeypatch.setattr("sys.gettrace", lambda: held[-1])
    monkeypatch.setattr("sys.settrace", held.append)
    held.append("ours")
    trace = loopwright_tracing.TraceRest()
    trace.rest()
    assert held[-1] is None
    held.append("a debugger's")
    assert trace.wake()
    assert held[-1] == "a debugger's"
    trace.rest()
    assert held[-1] == "a debugger's"
    assert not trace.wake()
    gc.callbacks.pop()


def test_what_runs_while_garbage_is_collected_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[object] = ["ours"]
    monkeypatch.setattr("sys.gettrace", lambda: held[-1])
    monkeypatch.setattr("sys.settrace", held.append)
    seen: list[object] = []

    class Ending:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            seen.append(held[-1])

    trace = loopwright_tracing.TraceRest()
    trace.rest()
    Ending()
    gc.collect()
    assert seen == ["ours"]
    assert held[-1] is None
    gc.callbacks.pop()
