"""Runs one loop after the other in processes that have loaded everything before: python launcher.py FOLDER

`PYTHONPATH` says which package; it may be an old one. A line of JSON is a loop: `arguments`, `cwd`, `environment`, and
`out`, the file for what is printed. It is answered by a line with the exit status. What was measured of the same
files, by the tests or by the debugger, is kept in the FOLDER and not measured again for the next reader.
"""

import hashlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any  # parsed JSON, and the classes of either package

SECONDS = 180
PLACES = "<root>", "<project>"
"""The folder that was measured and the project's, in what is kept."""


def main() -> None:
    keep_measurements(Path(sys.argv[1]))
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os._exit(run(json.loads(line), writing))
        os.close(writing)
        with os.fdopen(reading) as told:
            loaded = told.read().split()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for name in loaded:  # so that the next one need not
            importlib.import_module(name)
        print(status, flush=True)


def run(loop: dict[str, Any], writing: int) -> int:
    """The command, in a process of its own. What it has loaded is told at its end."""
    signal.alarm(SECONDS)
    known = set(sys.modules)
    os.chdir(loop["cwd"])
    os.environ.update(loop["environment"])
    sys.argv[1:] = loop["arguments"]
    with open(loop["out"], "wb") as out, open(os.devnull, "rb") as nothing:
        for file, number in ((nothing, 0), (out, 1), (out, 2)):
            os.dup2(file.fileno(), number)
    try:
        importlib.import_module("loopwright.surfaces.cli.main").run_command_line()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    sys.stdout.flush()
    with os.fdopen(writing, "w") as told:
        told.write("\n".join(name for name in set(sys.modules) - known if name.startswith("loopwright.")))
    return code


def keep_measurements(folder: Path) -> None:
    """Makes the debugger and the test runs answer from the folder where they have been asked the same before."""
    debugger: Any = importlib.import_module("loopwright.repair.debugger")
    running: Any = importlib.import_module("loopwright.evidence.run")
    diagnose, test = debugger.PythonDebugger.diagnose, running.ProjectTests.run

    async def kept(kind: Any, asked: object, root: Path, measure: Callable[[], Awaitable[Any]]) -> Any:
        places = {str(root.resolve()): PLACES[0], os.getcwd(): PLACES[1]}
        files = [path.read_text() for path in sorted(root.glob("*.py"))]
        key = _replaced(json.dumps([kind.__name__, str(asked), files]), places)
        path = folder / hashlib.sha256(key.encode()).hexdigest()
        if path.exists():
            return kind.model_validate_json(_replaced(path.read_text(), {new: old for old, new in places.items()}))
        measured = await measure()
        path.write_text(_replaced(measured.model_dump_json(), places))
        return measured

    async def diagnose_once(self: object, request: Any) -> Any:
        asked = request.model_dump_json(exclude={"loop", "log"})
        return await kept(debugger.Diagnosis, asked, Path(), lambda: diagnose(self, request))

    async def test_once(self: object, order: Any) -> Any:
        asked = [order.command, order.at, order.only, order.changed]
        return await kept(running.TestRun, asked, order.at or Path(), lambda: test(self, order))

    debugger.PythonDebugger.diagnose, running.ProjectTests.run = diagnose_once, test_once


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    main()
