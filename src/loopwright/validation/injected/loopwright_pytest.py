"""A pytest plugin that writes down what happens to every test. Works with pytest 7 to 9, and with xdist."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any  # Any: private parts of pytest that differ between its versions

import pytest

if TYPE_CHECKING:
    from loopwright.validation.injected import loopwright_probe as probe
else:
    import loopwright_probe as probe


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
    observer = (Worker if is_worker else Observer)(order, measuring)
    early_config.pluginmanager.register(observer, "loopwright")


class Worker:
    """Knows the tests' sources and coverage, also in a process that only runs what another one tells it to."""

    def __init__(self, order: dict[str, Any], measuring: Any) -> None:
        self._log = probe.Log(order["folder"])
        self._order = order
        self._measuring = measuring
        self._sources = probe.Sources(order["root"])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        # pytest-cov, where the project has it, has combined its data by now.
        plugin = session.config.pluginmanager.getplugin("_cov")
        measuring = self._measuring or getattr(getattr(plugin, "cov_controller", None), "cov", None)
        if measuring is not None:
            probe.finish_coverage(measuring, self._order, self._log)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        modules = {m.nodeid: m for item in session.items if (m := item.getparent(pytest.Module)) is not None}
        digests = {nodeid: probe.file_digest(module.path) for nodeid, module in modules.items()}
        self._log.write("sources", digests={**digests, **{i.nodeid: self._digest(i) for i in session.items}})

    def _digest(self, item: pytest.Item) -> str:
        function = getattr(item, "function", None)
        if function is None:
            docstring = getattr(getattr(item, "dtest", None), "docstring", None)
            return self._sources.digest((), also=docstring or "")
        fixtures: dict[str, Any] = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        named = [fixture.func for name in sorted(fixtures) for fixture in fixtures[name]]
        around = probe.setups_of(getattr(item, "cls", None), getattr(item, "module", None))
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        plain = {name: _plain(value) for name, value in sorted(parameters.items())}
        return self._sources.digest([function, *around, *named], also=repr(plain) if plain else "")


class Observer(Worker):
    """Writes starts and results as they come; with xdist, those that the workers report."""

    def __init__(self, order: dict[str, Any], measuring: Any) -> None:
        super().__init__(order, measuring)
        self._reports: dict[str, list[Any]] = {}
        self._log.write("begin")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome == "passed":
            return
        path = os.path.join(str(self._order["root"]), report.nodeid)
        self._log.write("sources", digests={report.nodeid: probe.file_digest(path)})
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

    def _write_result(self, nodeid: str, reports: list[Any]) -> None:
        status = probe.worst_of([report.outcome for report in reports])
        told = next((report for report in reports if report.outcome == status), None)
        message, trace = ("", "") if told is None or status == "passed" else _words(told)
        duration = sum(getattr(report, "duration", 0) for report in reports) * 1000
        self._log.write("result", id=nodeid, status=status, ms=duration, message=message, trace=trace)


def _words(report: Any) -> tuple[str, str]:
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


def _plain(value: object) -> str:
    """A parameter as text that is the same in every run."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(_plain, value)) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_plain(key)}: {_plain(item)}" for key, item in value.items()) + "}"
    return type(value).__qualname__
