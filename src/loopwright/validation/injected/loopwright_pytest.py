"""A pytest plugin that writes down what happens to every test. Works with pytest 7 to 9, and with xdist."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any  # Any: private parts of pytest that differ between its versions

import pytest

if TYPE_CHECKING:
    from loopwright.validation.injected import loopwright_probe as probe
else:
    import loopwright_probe as probe


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    order = probe.take_order()
    if order is not None:
        early_config.pluginmanager.register(Observer(order, _start_coverage(early_config, order)), "loopwright")


def pytest_configure(config: pytest.Config) -> None:
    order = getattr(config, "workerinput", {}).get("loopwright")
    if order is not None:
        config.pluginmanager.register(WorkerObserver(json.loads(order)), "loopwright")


def _start_coverage(config: pytest.Config, order: dict[str, Any]) -> Any:
    """Our own measuring, unless the project measures by itself: then its plugin is asked for one more report."""
    options = config.known_args_namespace
    if getattr(options, "numprocesses", None) or getattr(options, "tx", None):
        return None  # the tests run in other processes
    if getattr(options, "cov_source", None) and not getattr(options, "no_cov", False):
        reports = options.cov_report or {"term": None}
        options.cov_report = {**reports, "json": reports.get("json", probe.report_file(order))}
        return None
    return probe.start_coverage(order)


class WorkerObserver:
    """Knows the tests' sources, also in a process that only runs what another one tells it to."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._log = probe.Log(order["folder"])
        self._sources = probe.Sources(order["root"])

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


class Observer(WorkerObserver):
    """Writes starts and results as they come; with xdist, those that the workers report."""

    def __init__(self, order: dict[str, Any], measuring: Any) -> None:
        super().__init__(order)
        self._measuring = measuring
        self._reports: dict[str, list[Any]] = {}
        self._log.write("begin", cwd=os.getcwd(), coverage=probe.report_file(order))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["loopwright"] = json.dumps(self._order)

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
        if nodeid in self._reports:
            self._write_result(nodeid, self._reports.pop(nodeid))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        for nodeid, reports in self._reports.items():  # a worker died over them
            self._write_result(nodeid, reports)
        if self._measuring is not None:
            probe.finish_coverage(self._measuring, self._order)
        self._log.write("end", status=int(exitstatus))

    def _write_result(self, nodeid: str, reports: list[Any]) -> None:
        status = probe.outcome_of({str(n): report.outcome for n, report in enumerate(reports)})
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
