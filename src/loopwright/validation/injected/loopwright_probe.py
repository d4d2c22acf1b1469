"""What both test runners share. This folder is imported by the project's own Python: standard library, Python 3.8.

A probe writes one JSON line for everything that happens, so that what was measured survives any death.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import os
import sys
import time
import warnings
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any  # Any: `coverage` and the frameworks' objects, which need not be installed

ORDER = "LOOPWRIGHT_PROBE"
TRACE_KEPT = 8000

SETUPS = (
    "setUpModule", "tearDownModule", "setUpClass", "tearDownClass", "setUp", "tearDown", "asyncSetUp", "asyncTearDown",
    "setup_module", "teardown_module", "setup_class", "teardown_class", "setup_method", "teardown_method",
    "setup_function", "teardown_function",
)  # fmt: skip


def read_order() -> dict[str, Any] | None:
    """What loopwright asks of this process, or None."""
    text = os.environ.get(ORDER)
    return None if text is None else dict(json.loads(text))


def restore_environment(order: Mapping[str, Any]) -> None:
    """Makes the environment what it was without us, so that tests that start Python measure nothing for us."""
    del os.environ[ORDER]
    for name, value in order["restore"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Log:
    """Appends lines to a file of this process.

    Holds the system's own functions, because tests replace them, and no open file, because tests close all.
    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, f"{time.time_ns()}-{os.getpid()}.jsonl")
        self._owner = os.getpid()
        self._system = (os.open, os.write, os.close, os.getpid, json.dumps)

    def write(self, kind: str, **fields: object) -> None:
        open_, write, close, getpid, dumps = self._system
        if getpid() != self._owner:  # a fork of a test that came back to us
            return
        file = open_(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            write(file, dumps({"kind": kind, **fields}).encode() + b"\n")
        finally:
            close(file)


class Sources:
    """Digests of tests' own sources; comments and layout do not count."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root) + os.sep
        self._files: dict[str, dict[int, ast.AST]] = {}
        self._texts: dict[tuple[str, int], str] = {}

    def digest(self, functions: Iterable[object], also: str = "") -> str:
        """One digest of all functions that belong to the project; "" when there is nothing to tell."""
        texts = [text for text in map(self._text, functions) if text]
        return _digest("\0".join([*texts, also]).encode("utf-8", "replace")) if texts or also else ""

    def _text(self, function: object) -> str:
        function = inspect.unwrap(getattr(function, "__func__", function))  # type: ignore[arg-type]  # any object will do
        code = getattr(function, "__code__", None)
        if code is None:
            return ""
        place = (code.co_filename, code.co_firstlineno)
        if place not in self._texts:
            node = self._functions_of(code.co_filename).get(code.co_firstlineno)
            self._texts[place] = "" if node is None else ast.dump(node)
        return self._texts[place]

    def _functions_of(self, file: str) -> dict[int, ast.AST]:
        """Functions of a file of the project, by the line of their first decorator."""
        if file not in self._files:
            real = os.path.realpath(file)
            ours = real.startswith(self._root) and f"{os.sep}site-packages{os.sep}" not in real
            self._files[file] = _functions(real) if ours else {}
        return self._files[file]


def setups_of(cls: type | None, module: object) -> list[object]:
    """The set-up and tear-down functions around a test, inherited ones included."""
    holders = [module] if cls is None else [module, *cls.__mro__]
    return [vars(holder)[name] for holder in holders for name in SETUPS if name in getattr(holder, "__dict__", {})]


def file_digest(path: object) -> str:
    """Digest of a test file as a whole, for those whose tests can not be loaded."""
    try:
        return _digest(Path(str(path)).read_bytes())
    except OSError:
        return ""


def start_coverage(order: Mapping[str, Any]) -> Any:
    """Starts measuring the project's own lines, by the project's own settings; None where that can not be done."""
    try:
        import coverage
    except ImportError:
        return None
    if coverage.Coverage.current() is not None or sys.gettrace() is not None:
        return None  # someone else is measuring, or debugging
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = os.path.join(order["folder"], f"coverage-{os.getpid()}.data")
            measuring = coverage.Coverage(data_file=data, messages=False)
            if not any(measuring.get_option(f"run:{name}") for name in ("source", "source_pkgs", "include")):
                measuring.set_option("run:source", [order["root"]])
            # Tests are not measured; leaving them out already here saves most of the time that measuring takes.
            tests = [f"{order['root']}/**/{name}" for name in ("test_*.py", "*_test.py", "conftest.py")]
            omitted: Any = measuring.get_option("run:omit")
            measuring.set_option("run:omit", [*(omitted or ()), *tests])
            measuring.start()
        except (coverage.CoverageException, ImportError):  # settings it refuses, or a plugin that is not installed
            return None
    return measuring


def finish_coverage(measuring: Any, order: Mapping[str, Any], log: Log) -> None:
    """Stops measuring and writes coverage's own JSON report."""
    import coverage

    file = os.path.join(order["folder"], f"coverage-{os.getpid()}.json")
    log.write("coverage", cwd=os.getcwd(), file=file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            measuring.stop()
            measuring.json_report(outfile=file, ignore_errors=True)
        except coverage.CoverageException:  # nothing was measured
            return


def worst_of(statuses: Collection[str]) -> str:
    """The outcome of a test by those of its phases."""
    return next((worst for worst in ("failed", "skipped") if worst in statuses), "passed")


def _functions(file: str) -> dict[int, ast.AST]:
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    return {
        min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]): node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
