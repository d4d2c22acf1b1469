"""A pytest plugin that writes down what happens to every test. Works with pytest 7 to 9, and with xdist."""

from __future__ import annotations

import inspect
import os
import sys
from typing import TYPE_CHECKING, Any  # Any: private parts of pytest that differ between its versions

import pluggy
import pytest
from _pytest.assertion import rewrite

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    import coverage

    from loopwright.evidence.python.injected import loopwright_probe as probe
    from loopwright.evidence.python.injected import loopwright_reach as reach
    from loopwright.evidence.python.injected import loopwright_sources as sources
    from loopwright.evidence.python.injected import loopwright_tracing as tracing

    Around = Generator[None, Any, Any]
    Report = pytest.CollectReport | pytest.TestReport
else:
    import loopwright_probe as probe
    import loopwright_reach as reach
    import loopwright_sources as sources
    import loopwright_tracing as tracing

NEUTRAL = frozenset({
    "cache_dir", "console_output_style", "junit_family", "junit_suite_name", "log_cli", "log_cli_level", "markers",
    "minversion", "norecursedirs", "python_classes", "python_files", "python_functions", "testpaths",
    "verbosity_assertions",
})  # fmt: skip
"""Settings that say how to look, or what to collect: they give no test another meaning."""

_PLUGGY = [int(part) for part in pluggy.__version__.split(".")[:2]]
if _PLUGGY >= [1, 2]:
    around = pytest.hookimpl(tryfirst=True, wrapper=True)
else:  # slow; what its `yield` gives and what it returns means nothing
    around = pytest.hookimpl(tryfirst=True, hookwrapper=True)

FOLDERS = tuple(getattr(pytest, name) for name in ("Session", "Dir", "Package") if hasattr(pytest, name))
WALKING = (
    "pytest_ignore_collect",
    "pytest_collect_directory",
    "pytest_collect_file",
    "pytest_pycollect_makemodule",
    "pytest_collectstart",
    "pytest_plugin_registered",
)
"""Hooks that are called while folders are collected."""

OPTIONS = (
    "keyword",
    "markexpr",
    "deselect",
    "ignore",
    "ignore_glob",
    "runxfail",
    "pythonwarnings",
    "importmode",
    "noconftest",
    "override_ini",
    "plugins",
    "strict_markers",
)
"""Options that do, wherever they were given."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """We set where the cache lies, which is an unknown setting, and may be an error, for a command without one."""
    if pluginmanager.is_blocked("cacheprovider"):
        parser.addini("cache_dir", "unused")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    order = probe.read_order()
    if order is None:
        return
    options = early_config.known_args_namespace
    # xdist starts workers that read the same environment, and names their run in it.
    is_worker = os.environ.get("PYTEST_XDIST_TESTRUNUID") != order["xdist"]
    has_workers = not is_worker and bool(getattr(options, "numprocesses", None) or getattr(options, "tx", None))
    measures_itself = getattr(options, "cov_source", None) and not getattr(options, "no_cov", False)
    if not has_workers:
        probe.restore_environment(order)
    measuring = None if has_workers or measures_itself else probe.start_coverage(order)
    manager: Any = early_config.pluginmanager
    if hasattr(rewrite, "rewrite_asserts") and hasattr(manager, "_importconftest"):
        rewrite.rewrite_asserts = tracing.unobserved()(rewrite.rewrite_asserts)
        manager._importconftest = tracing.observed()(manager._importconftest)
    observer = (Worker if is_worker else Observer)(order, measuring)
    early_config.pluginmanager.register(observer, "loopwright")
    if not has_workers:
        early_config.pluginmanager.register(Watched(order, is_worker=is_worker), "loopwright_watched")
    if measuring is not None and sys.version_info < (3, 12):
        early_config.pluginmanager.register(Resting(), "loopwright_resting")
    if order["only"] or order["without"]:
        early_config.pluginmanager.register(Selection(order), "loopwright_selection")
    copy = None if has_workers else reach.read_copy()
    if copy is not None and copy["changed"]:
        early_config.pluginmanager.register(Tracing(copy), "loopwright_reach")


class Selection:
    """Keeps to the tests of an order, and loads no other test file; what has no file of its own name is kept."""

    def __init__(self, order: probe.Order) -> None:
        self._only, self._without = frozenset(order["only"]), frozenset(order["without"])
        self._files = frozenset(os.path.join(os.path.realpath(order["root"]), i.split("::")[0]) for i in self._only)

    def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
        path = os.path.realpath(str(collection_path))
        return True if self._only and os.path.isfile(path) and path not in self._files else None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        dropped = [item for item in items if not self._keeps(item.nodeid)]
        items[:] = [item for item in items if self._keeps(item.nodeid)]
        if dropped:
            config.hook.pytest_deselected(items=dropped)

    def _keeps(self, nodeid: str) -> bool:
        named = (nodeid, nodeid.split("::")[0])  # a file that could not be loaded
        return not (self._only and self._only.isdisjoint(named)) and nodeid not in self._without


class Watched:
    """Lets a test be ended that does not end; in the process that runs the tests.

    Tells what is not a test's own time: setting up and tearing down what it shares with others.
    """

    def __init__(self, order: probe.Order, *, is_worker: bool) -> None:
        self._log = probe.Log(order["folder"])
        self._bell = probe.Bell(order)
        self._is_worker = is_worker
        self._depth = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._bell.begin()
        if self._is_worker:  # the start is told by another process
            self._log.write("runs", id=nodeid)

    @around
    def pytest_runtest_setup(self) -> Around:
        self._bell.is_armed = True
        try:
            return (yield)
        finally:
            self._bell.is_armed = False

    pytest_runtest_call = pytest_runtest_setup

    @around
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> Around:
        is_last = nextitem is None or nextitem.parent is not item.parent
        self._bell.is_armed = True
        self._share(begins=is_last)
        try:
            return (yield)
        finally:
            self._share(ends=is_last)
            self._bell.is_armed = False

    @around
    def pytest_fixture_setup(self, fixturedef: Any) -> Around:
        is_shared = fixturedef.scope != "function"
        self._share(begins=is_shared)
        try:
            return (yield)
        finally:
            self._share(ends=is_shared)

    def _share(self, *, begins: bool = False, ends: bool = False) -> None:
        self._depth -= ends
        if (begins or ends) and not self._depth:
            self._log.write("shared", begins=begins)
        self._depth += begins


class Resting:
    """Traces no more of a test than its fixtures and itself, and what becomes of their objects."""

    def __init__(self) -> None:
        self._trace = tracing.TraceRest()
        self._are_familiar: bool | None = None

    def pytest_plugin_registered(self) -> None:
        self._are_familiar = None

    @around
    def pytest_runtest_protocol(self, item: pytest.Item) -> Around:
        if self._are_familiar is None:
            self._are_familiar = tracing.are_familiar(item.config.pluginmanager.hook)
        if self._are_familiar and _is_plain(item):
            self._trace.rest()
        try:
            return (yield)
        finally:
            self._trace.wake()

    @around
    def pytest_pyfunc_call(self) -> Around:
        is_woken = self._trace.wake()
        try:
            return (yield)
        finally:
            if is_woken:
                self._trace.rest()

    pytest_fixture_setup = pytest_pyfunc_call

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None:  # what is told of a failure asks its objects
            self._trace.wake()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        has_more = type(item) is not pytest.Function or item.fixturenames or item.cls
        if has_more or nextitem is None or nextitem.parent is not item.parent:
            self._trace.wake()


class Tracing:
    """Tells which changed code each test reaches."""

    def __init__(self, copy: dict[str, Any]) -> None:
        self._reach = reach.Reach(copy)
        probe.Log(copy["folder"]).write("executable", lines=self._reach.executable())

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        self._reach.begin(item.nodeid)
        try:
            yield
        finally:
            fixtures: dict[str, Any] = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
            for part in (item.getparent(pytest.Module), *(one for several in fixtures.values() for one in several)):
                self._reach.rests_on(part)
            self._reach.end()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, None, None]:
        with self._reach.shared(fixturedef):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, None, None]:
        if isinstance(collector, pytest.Module):
            with self._reach.shared(collector, is_loading=True):
                yield
        else:
            yield


class Worker:
    """Knows the tests' sources and coverage, also in a process that only runs what another one tells it to."""

    def __init__(self, order: probe.Order, measuring: coverage.Coverage | None) -> None:
        self._log = probe.Log(order["folder"])
        self._order = order
        self._measuring = measuring
        self._sources = sources.Sources(order["root"], order["material"])
        self._opened = probe.OpenedFiles(order["root"]) if order["opens"] else None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._opened is not None:
            self._log.write("opened", files=self._opened.by_file())
        # pytest-cov, where the project has it, has combined its data by now.
        plugin = session.config.pluginmanager.getplugin("_cov")
        measuring = self._measuring or getattr(getattr(plugin, "cov_controller", None), "cov", None)
        if measuring is not None:
            probe.finish_coverage(measuring, self._order, self._log)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        with tracing.unobserved():
            self._log.write("sources", digests=self._digests(session))
            self._log.write("imports", files=self._sources.imports())
            self._sources.forget()

    def _digests(self, session: pytest.Session) -> dict[str, str]:
        modules = {m.nodeid: m for item in session.items if (m := item.getparent(pytest.Module)) is not None}
        digests = {nodeid: sources.file_digest(module.path) for nodeid, module in modules.items()}
        # the settings that can give tests another meaning, as text that is the same in every run
        config = session.config
        raw = config._inicfg if hasattr(config, "_inicfg") else config.inicfg  # the public name warns since pytest 9.1
        given = {name: str(getattr(value, "value", value)) for name, value in raw.items() if name not in NEUTRAL}
        options = {name: getattr(config.option, name, None) for name in OPTIONS}
        ours = ("loopwright_", "cache_dir=")
        for name, value in options.items():
            if isinstance(value, list):
                options[name] = [str(one) for one in value if not str(one).startswith(ours)]
        settings = repr((sorted(given.items()), sorted((name, str(value)) for name, value in options.items() if value)))
        plugins = [p for p in config.pluginmanager.get_plugins() if self._is_plugin_of_the_project(p)]
        digests.update({item.nodeid: self._digest(item, plugins, settings) for item in session.items})
        return digests

    @around
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Around:
        is_walk = isinstance(collector, FOLDERS) and not self._takes_part(collector.config.pluginmanager.hook)
        with tracing.unobserved() if is_walk else tracing.observed():
            return (yield)

    def _takes_part(self, hooks: Any) -> bool:
        """Whether the project itself has a say in which files are collected."""
        found = (hook for name in WALKING if (hook := getattr(hooks, name, None)) is not None)
        return any(self._is_plugin_of_the_project(one.plugin) for hook in found for one in hook.get_hookimpls())

    def _is_plugin_of_the_project(self, plugin: object) -> bool:
        module = plugin if inspect.ismodule(plugin) else sys.modules.get(type(plugin).__module__)
        return self._sources.is_ours(module)

    def _digest(self, item: pytest.Item, plugins: list[object], settings: str) -> str:
        reaching = [plugin for plugin in plugins if _reaches(plugin, item)]
        function = getattr(item, "function", None)
        if function is None:
            examples = getattr(getattr(item, "dtest", None), "examples", ())  # of a doctest
            told = "".join(f"{example.source}\0{example.want}\0" for example in examples)
            return self._sources.digest((), around=reaching, also=told + settings)
        module, cls = getattr(item, "module", None), getattr(item, "cls", None)
        fixtures: dict[str, Any] = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        named = [fixture.func for name in sorted(fixtures) for fixture in fixtures[name]]
        parameters, whole = _parameters(item)
        marks = [mark for mark in item.iter_markers() if mark.name != "parametrize"]
        return self._sources.digest(
            [function, *sources.setups_of(cls, module), *named],
            cls=cls,
            around=[*sources.packages_of(module), *reaching],
            also=parameters
            + (repr([(mark.name, _plain(mark.args), _plain(mark.kwargs)) for mark in marks]) if marks else "")
            + settings,
            # Parameters that are told in full need not be told again, with those of the other cases.
            without="parametrize" if whole else "",
        )


class Observer(Worker):
    """Writes starts and results as they come; with xdist, those that the workers report."""

    def __init__(self, order: probe.Order, measuring: coverage.Coverage | None) -> None:
        super().__init__(order, measuring)
        self._reports: dict[str, list[pytest.TestReport]] = {}
        self._log.write("begin")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome == "passed" or report.nodeid in self._order["without"]:
            return
        path = os.path.join(str(self._order["root"]), report.nodeid)
        self._log.write("sources", digests={report.nodeid: sources.file_digest(path)})
        self._write_result(report.nodeid or "collection", [report])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._log.write("start", id=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "setup":  # the first phase, also of a rerun
            self._reports[report.nodeid] = []
        self._reports.setdefault(report.nodeid, []).append(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        reports = self._reports.pop(nodeid, [])
        if reports and all(str(report.outcome) != "rerun" for report in reports):
            self._write_result(nodeid, reports)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        for nodeid, reports in self._reports.items():
            if any(report.outcome == "failed" for report in reports):  # a worker died over it; others were cut short
                self._write_result(nodeid, reports)
        super().pytest_sessionfinish(session, exitstatus)
        self._log.write("end", status=int(exitstatus))

    def _write_result(self, nodeid: str, reports: Sequence[Report]) -> None:
        status = probe.worst_of([report.outcome for report in reports])
        message, trace = "", ""
        if status != "passed":
            message, trace = _words(next(report for report in reports if report.outcome == status))
        duration = sum(getattr(report, "duration", 0) for report in reports) * 1000
        self._log.write("result", id=nodeid, status=status, ms=duration, message=message, trace=trace)


def _words(report: Report) -> tuple[str, str]:
    """One line, and the whole story."""
    if report.outcome == "skipped":
        reason = getattr(report, "wasxfail", None)
        if reason is not None:
            return f"expected to fail: {reason}".rstrip(": "), ""
        return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr), ""
    crash = getattr(report.longrepr, "reprcrash", None)
    trace = report.longreprtext[-probe.TRACE_KEPT :]
    lines = [line for line in trace.splitlines() if line.strip()] or ["failed"]
    message = crash.message if crash is not None else lines[-1].lstrip("E ")
    return message if report.when in ("call", "collect", "???") else f"in {report.when}: {message}", trace


def _is_plain(item: pytest.Item) -> bool:
    """Whether nothing of the project runs but the test and its fixtures: no class or condition of its own."""
    is_function = type(item) is pytest.Function and (item.cls is None or type(item.cls) is type)
    return is_function and not any(mark.name in ("skipif", "xfail") for mark in item.iter_markers())


def _reaches(plugin: object, item: pytest.Item) -> bool:
    """Whether a plugin of the project has a say in this test: a conftest.py only in those below it."""
    file = getattr(plugin, "__file__", None)
    if file is None or os.path.basename(file) != "conftest.py":
        return True
    return str(getattr(item, "path", "")).startswith(os.path.dirname(file) + os.sep)


def _parameters(item: pytest.Item) -> tuple[str, bool]:
    """The test's parameters as text, and whether that is all there is to know of them."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    plain = {name: _plain(value) for name, value in sorted(parameters.items())}
    return (repr(plain) if plain else ""), bool(plain) and not any(OPAQUE in text for text in plain.values())


OPAQUE = "\0"


def _plain(value: object) -> str:
    """A parameter as text that is the same in every run; what has no such text is named by its type."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(_plain, value)) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_plain(key)}: {_plain(item)}" for key, item in value.items()) + "}"
    return OPAQUE + type(value).__qualname__
