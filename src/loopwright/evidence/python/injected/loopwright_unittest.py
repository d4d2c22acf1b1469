"""`python -m loopwright_unittest …` is `python -m unittest …`, and writes down what happens to every test."""

from __future__ import annotations

import importlib.util
import sys
import time
import unittest
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any  # Any: what unittest hands on without looking at it

if TYPE_CHECKING:
    from _typeshed import OptExcInfo

    from loopwright.evidence.python.injected import loopwright_probe as probe
    from loopwright.evidence.python.injected import loopwright_reach as reach
    from loopwright.evidence.python.injected import loopwright_sources as sources

    Tests = unittest.TestSuite | unittest.TestCase
else:
    import loopwright_probe as probe
    import loopwright_reach as reach
    import loopwright_sources as sources


Suite = unittest.TestSuite


def key_of(test: object) -> str:
    """`module.Class::method`; for what could not be loaded, the module's name."""
    cls = type(test)
    if cls.__module__ == "unittest.loader":
        return str(getattr(test, "_testMethodName", test))
    if (
        isinstance(test, unittest.TestCase)
        and test.id() == f"{cls.__module__}.{cls.__qualname__}.{test._testMethodName}"
    ):
        return f"{cls.__module__}.{cls.__qualname__}::{test._testMethodName}"
    name = str(test.id()) if hasattr(test, "id") else str(test)
    phase, _, holder = name.partition(" (")  # an error around a class is named "setUpClass (module.Class)"
    return f"{holder.rstrip(')')}::{phase}" if holder else name


class Result(unittest.TextTestResult):
    log: probe.Log
    bell: probe.Bell
    reach: reach.Reach | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._statuses: list[str] = []
        self._told: tuple[str, str] = ("", "")
        self._running: object = None
        self._since = 0.0

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._statuses, self._told, self._running, self._since = [], ("", ""), test, time.perf_counter()
        self.log.write("start", id=key_of(test))
        if self.reach is not None:
            self.reach.begin(key_of(test))
        self.bell.begin()
        self.bell.is_armed = True

    def stopTest(self, test: unittest.TestCase) -> None:
        self.bell.is_armed = False
        if self.reach is not None:
            self.reach.rests_on(type(test))
            self.reach.rests_on(type(test).__module__)
            self.reach.end()
        self._write(test)
        self._running = None
        super().stopTest(test)

    def addFailure(self, test: unittest.TestCase, err: OptExcInfo) -> None:
        super().addFailure(test, err)
        self._note(test, "failed", *self._words(test, err))

    def addError(self, test: unittest.TestCase, err: OptExcInfo) -> None:
        super().addError(test, err)
        self._note(test, "failed", *self._words(test, err))

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: OptExcInfo | None) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            message, trace = self._words(subtest, err)
            self._note(test, "failed", f"{subtest._subDescription()}: {message}", trace)  # type: ignore[attr-defined]

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        if test is self._running or self._running is None:  # else it is one of several sub-tests
            self._note(test, "skipped", reason, "")

    def addExpectedFailure(self, test: unittest.TestCase, err: OptExcInfo) -> None:
        super().addExpectedFailure(test, err)
        self._note(test, "skipped", "expected to fail", "")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self._note(test, "failed", "unexpected success", "")

    def _words(self, test: unittest.TestCase, err: OptExcInfo) -> tuple[str, str]:
        kind, value, _ = err
        trace: str = self._exc_info_to_string(err, test)  # type: ignore[attr-defined]  # the text that it prints
        return f"{getattr(kind, '__name__', kind)}: {value}", trace[-probe.TRACE_KEPT :]

    def _note(self, test: object, status: str, message: str, trace: str) -> None:
        if "failed" not in self._statuses:
            self._told = message, trace
        self._statuses.append(status)
        if self._running is None:  # around a class or module, where no test starts or stops
            self._write(test)
            self._statuses = []

    def _write(self, test: object) -> None:
        message, trace = self._told
        elapsed = (time.perf_counter() - self._since) * 1000 if self._running is not None else 0
        status = probe.worst_of(self._statuses)
        self.log.write("result", id=key_of(test), status=status, ms=elapsed, message=message, trace=trace)


class Runner(unittest.TextTestRunner):
    resultclass = Result
    order: probe.Order

    def run(self, test: Tests) -> unittest.TextTestResult:
        only, without = frozenset(self.order["only"]), frozenset(self.order["without"])
        test = _selected(test, only, without) if only or without else test
        known = sources.Sources(self.order["root"], self.order["material"])
        Result.log.write("sources", digests=_digests(known, test))
        Result.log.write("imports", files=known.imports())
        return super().run(test)


def _digests(known: sources.Sources, suite: Tests) -> dict[str, str]:
    digests: dict[str, str] = {}
    for test in _flat(suite):
        cls = type(test)
        module = sys.modules.get(cls.__module__)
        if cls.__module__ == "unittest.loader":
            try:
                spec = importlib.util.find_spec(key_of(test))
            except (ImportError, ValueError, AttributeError, SyntaxError):
                spec = None
            digests[key_of(test)] = sources.file_digest(spec.origin) if spec is not None and spec.origin else ""
        else:
            digests[cls.__module__] = sources.file_digest(getattr(module, "__file__", ""))
            method = getattr(cls, test._testMethodName, None)
            digests[key_of(test)] = known.digest(
                [method, *sources.setups_of(cls, module)], cls=cls, around=sources.packages_of(module)
            )
    return digests


def _selected(suite: Tests, only: frozenset[str], without: frozenset[str]) -> Tests:
    """Those of the tests that an order keeps to, in suites like before; what could not be loaded stays."""
    if isinstance(suite, unittest.BaseTestSuite):
        return type(suite)(_selected(test, only, without) for test in suite)
    key = key_of(suite)
    is_wanted = not only or key in only or type(suite).__module__ == "unittest.loader"
    return suite if is_wanted and key not in without else Suite()


def _flat(suite: Tests) -> Iterator[unittest.TestCase]:
    if isinstance(suite, unittest.BaseTestSuite):
        for test in suite:
            yield from _flat(test)
    else:
        yield suite


def main() -> None:
    sys.argv[0] = "python -m unittest"
    order = probe.read_order()
    if order is None:
        unittest.main(module=None)
        return
    probe.restore_environment(order)
    Result.log, Result.bell, Runner.order = probe.Log(order["folder"]), probe.Bell(order), order
    Result.log.write("begin")
    copy = reach.read_copy()
    if copy is not None and copy["changed"]:
        Result.reach = reach.Reach(copy)
        Result.log.write("executable", lines=Result.reach.executable())
        _share_set_ups(Result.reach)
    opened = probe.OpenedFiles(order["root"]) if order["opens"] else None
    measuring = probe.start_coverage(order)
    program = unittest.main(module=None, testRunner=Runner, exit=False)
    if measuring is not None:
        probe.finish_coverage(measuring, order, Result.log)
    if opened is not None:
        Result.log.write("opened", files=opened.by_file())
    failed = not program.result.wasSuccessful()
    Result.log.write("end", status=int(failed))
    sys.exit(failed)


def _share_set_ups(reached: reach.Reach) -> None:
    """What is reached while a class or module is set up belongs to each of its tests."""
    suite: Any = unittest.TestSuite  # Any: private parts of it
    set_up_class, set_up_module = suite._handleClassSetUp, suite._handleModuleFixture

    def handle_class(self: Suite, test: Tests, result: Any) -> None:
        if type(test) is getattr(result, "_previousTestClass", None):
            return
        with reached.shared(type(test)):
            set_up_class(self, test, result)

    def handle_module(self: Suite, test: Tests, result: Any) -> None:
        if type(test).__module__ == getattr(getattr(result, "_previousTestClass", None), "__module__", None):
            return
        with reached.shared(type(test).__module__):
            set_up_module(self, test, result)

    suite._handleClassSetUp, suite._handleModuleFixture = handle_class, handle_module


if __name__ == "__main__":
    main()
