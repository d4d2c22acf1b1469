"""The Debugger port for Python projects: prepares copies, starts the worker, and reads its answer."""

import asyncio
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from loopwright.domain.debugging import DebugRequest, Diagnosis, Findings
from loopwright.domain.errors import Invalid
from loopwright.domain.looking import Probed, ProbeOrder, RanTests, Spectrum
from loopwright.domain.loop import Hypothesis
from loopwright.domain.loop_rivals import holds_patch
from loopwright.domain.mutants import Mutation, MutationOrder
from loopwright.domain.suspects import anchor
from loopwright.repair import answers, looks
from loopwright.repair.changes import changed_lines
from loopwright.repair.command import Command, parse
from loopwright.repair.kept import Kept, files_below
from loopwright.repair.search import PROGRESS, cores
from loopwright.repair.tree import copy_tree
from loopwright.workspace.patience import Patience
from loopwright.workspace.process import Finished, run_group

_WORKER = "repair_worker"  # the name under which a worker imports this folder
_LENT = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")
_DIAGNOSIS_SECONDS = 90.0
_SHORTEST = 1.0  # seconds, however long it took to copy the project
_GRACE = 10.0
_OUTPUT_CAP = 64_000

NOTHING: answers.Plain = {}


class PythonDebugger:
    """`marker` and `project` tag the worker's processes (see workspace.process); `say` hears how far a search is.

    Without `project` they carry that of each request. `kept` spares who asks about the same files again a first run.
    """

    def __init__(
        self,
        marker: str,
        say: Callable[[str], None] = lambda words: None,
        project: Path | None = None,
        kept: Kept | None = None,
    ) -> None:
        self._marker = marker
        self._say = say
        self._project = project
        self._kept = kept or Kept()

    def supports(self, test_command: str | None) -> bool:
        """Whether these are plain pytest or unittest runs."""
        return test_command is not None and parse(test_command, Path.cwd()) is not None

    async def diagnose(self, request: DebugRequest) -> Diagnosis:
        """Ranked places with spectrum, frames and probe values; Invalid for a command that is not supported."""
        seconds = min(request.budget_seconds, _DIAGNOSIS_SECONDS)
        return answers.diagnosis(request, await self._ask("diagnose", request, seconds))

    async def search(self, request: DebugRequest) -> Findings:
        """Tries edits until one holds in a fresh process; the project itself is only read."""
        return answers.findings(request, await self._ask("search", request, request.budget_seconds))

    async def mutate(self, order: MutationOrder, say: Callable[[str], None]) -> Mutation:
        """Tries mutants of the changed lines on copies, in processes of their own."""
        request = DebugRequest(project=order.project, python=order.python, test_command=order.test_command, failing=())
        more = order.model_dump(mode="json", include={"tests", "lines", "reached", "most"})
        return answers.mutation(order, await self._ask("mutate", request, order.seconds, more, say))

    async def run_tests(self, request: DebugRequest) -> RanTests:
        """Runs the failing tests again; Invalid says what can not be done, here and below."""
        return looks.ran_tests(await self._looked("tests", request, {}))

    async def rank(self, request: DebugRequest, limit: int) -> Spectrum:
        """The most suspicious statements that the failing tests ran."""
        return looks.spectrum(await self._looked("rank", request, {"limit": limit}), request.failing)

    async def probe(self, request: DebugRequest, order: ProbeOrder) -> Probed:
        """What is there each time that the failing tests come to a line."""
        answer = await self._looked("watch", request, {"probe": order.model_dump()})
        return looks.probed(answer, request, order)

    async def _looked(self, mode: str, request: DebugRequest, more: answers.Plain) -> answers.Plain:
        answer = await self._ask(mode, request, request.budget_seconds, more)
        if words := answer.get("refused"):
            raise Invalid(str(words))
        if "tests" not in answer and "statements" not in answer:  # the worker came to no answer
            raise Invalid("; ".join(answer["notes"]))
        return answer

    async def _ask(
        self,
        mode: str,
        request: DebugRequest,
        seconds: float,
        more: answers.Plain = NOTHING,
        say: Callable[[str], None] | None = None,
    ) -> answers.Plain:
        began, origin = time.monotonic(), Path(request.project).resolve()
        command = parse(request.test_command, origin)
        if command is None:
            raise Invalid(f"Cannot debug with {request.test_command!r} (expected a plain pytest or unittest command)")
        with tempfile.TemporaryDirectory(prefix="repair-", ignore_cleanup_errors=True) as name:
            room = Path(name).resolve()
            trees = [room / f"lane{n}" for n in range(cores() if mode in ("search", "mutate") or request.trials else 1)]
            await asyncio.to_thread(_prepare, origin, room, trees)
            measured = room / "measured"
            key = (origin, request.python, request.test_command, request.failing, files_below(room / "pristine"))
            self._kept.fetch(key, measured)
            left = max(seconds - (time.monotonic() - began), _SHORTEST)
            changed = await changed_lines(origin, self._marker)
            order = {**_order(mode, request, command, origin, room, trees, left), "changed": changed, **more}
            (room / "order.json").write_text(json.dumps(order))
            argv = (request.python, "-m", f"{_WORKER}.start", str(room / "order.json"), str(room / "answer.json"))
            finished = await run_group(
                argv,
                cwd=trees[0],
                marker=self._marker,
                project=self._project or origin,
                patience=Patience(seconds + _GRACE),
                env=_environment(room, command),
                output_cap=_OUTPUT_CAP,
                on_output=partial(_hear, say or self._say),
            )
            self._kept.keep(key, measured)
            return _read(room / "answer.json", finished)


def _hear(say: Callable[[str], None], output: str) -> None:
    for line in output.splitlines():
        if line.startswith(PROGRESS):
            say(line.removeprefix(PROGRESS))


def _prepare(origin: Path, room: Path, trees: list[Path]) -> None:
    for name in ("home", "tmp", "lib/lent"):
        (room / name).mkdir(parents=True)
    (room / "lib" / _WORKER).symlink_to(Path(__file__).resolve().parent)
    for module in _LENT:
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin is not None:
            found = Path(spec.origin)
            found = found.parent if found.name == "__init__.py" else found
            (room / "lib" / "lent" / (found.name if found.suffix else module)).symlink_to(found)
    for tree in (room / "pristine", *trees):
        copy_tree(origin, tree)


def _environment(room: Path, command: Command) -> dict[str, str]:
    home = str(room / "home")
    given = dict(command.environment)
    path = given.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    return {
        **given,
        "HOME": home,
        "XDG_CACHE_HOME": f"{home}/.cache",
        "XDG_CONFIG_HOME": f"{home}/.config",
        "XDG_DATA_HOME": f"{home}/.local/share",
        "XDG_STATE_HOME": f"{home}/.local/state",
        "TMPDIR": str(room / "tmp"),
        "PYTHONPATH": os.pathsep.join([str(room / "lib"), *filter(None, [path])]),
        "PYTHONSAFEPATH": "1",  # for the worker's own imports; it takes this back before the project's
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTEST_ADDOPTS": "",
        "PYTHONWARNINGS": "",
    }


def _order(
    mode: str, request: DebugRequest, command: Command, origin: Path, room: Path, trees: list[Path], seconds: float
) -> dict[str, object]:
    unsettled = [one for one in request.hypotheses if not holds_patch(one)]
    open_ones = [one for one in unsettled if one.status in ("pending", "inconclusive")]
    return {
        "mode": mode,
        "origin": str(origin),
        "tree": str(trees[0]),
        "trees": [str(tree) for tree in trees],
        "pristine": str(room / "pristine"),
        "arguments": list(command.arguments),
        "style": command.style,
        "root_on_path": command.root_on_path,
        "isolate": sys.platform == "linux",
        "failing": list(request.failing),
        "listed": _anchors(open_ones),
        "points": [one.logging_point for one in open_ones],
        "rejected": _anchors([one for one in request.hypotheses if one.status == "rejected"]),
        "tried": list(request.tried),
        "round": request.round,
        "trials": request.trials,
        "kept": str(room / "measured"),
        "seconds": seconds,
    }


def _anchors(hypotheses: list[Hypothesis]) -> list[list[str]]:
    found = [anchor(one) for one in hypotheses]
    return [list(one) for one in found if one is not None]


def _read(path: Path, finished: Finished) -> answers.Plain:
    """The worker's answer, or one that says why there is none."""
    if path.exists():
        answer: answers.Plain = json.loads(path.read_text())
        return answer
    why = "ran out of time" if finished.cut is not None else f"ended with {finished.exit_code}"
    last = finished.output.strip().splitlines()[-1:] or ["(it printed nothing)"]
    return {"locations": [], "notes": [f"the repair worker {why}: {last[0][:300]}"]}
