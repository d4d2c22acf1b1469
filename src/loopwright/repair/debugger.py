"""The Debugger port for Python projects: prepares copies, starts the worker, and reads its answer."""

import importlib.util
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from loopwright.core.errors import Invalid
from loopwright.core.ids import next_hypothesis_id
from loopwright.core.private_files import read_regular
from loopwright.core.text import plural
from loopwright.core.threads import check_cancelled, run_in_thread
from loopwright.evidence.debugging import (
    DebugRequest,
    Diagnosis,
    Patch,
    ProbedTest,
    ProbeHit,
    ProbeOrder,
    ProbeResult,
    RankedStatement,
    RerunResult,
    RerunResults,
    SearchFindings,
    Spectrum,
    TrialEdit,
    anchor,
    find_owner,
)
from loopwright.evidence.hypotheses import EvidenceCriteria, Hypothesis, HypothesisStatus
from loopwright.evidence.proof import SURVIVORS_KEPT, Mutants, Mutation, MutationOrder, Survivor
from loopwright.evidence.rivals import (
    Comparison,
    Rival,
    comparison_words,
    holds_patch,
    new_rival_ids,
    patch_of,
    rival_lines,
)
from loopwright.evidence.secret_results import ResultFilter
from loopwright.processes.process import Patience, ProcessResult, run_group
from loopwright.processes.sandbox import SandboxNeeds
from loopwright.repair import PROGRESS
from loopwright.repair.baseline_cache import BaselineCache
from loopwright.repair.command import SuiteCommand, parse_command
from loopwright.repair.tree import copy_tree, survey_project

_SECONDS = 10.0
_DIFF = (
    "git", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "safe.directory=*", "diff", "--unified=0",
    "--ignore-submodules=all",
    "--relative", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
    "HEAD", "--", "*.py",
)  # fmt: skip
_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_FILE = re.compile(r"\+\+\+ b/(.*?)\t?$")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


async def changed_lines(root: Path, marker: str) -> list[tuple[str, int]]:
    """Path below `root` and line, as the files are now; around what was only taken out. [] where there is no commit.

    A file that git does not know yet says nothing: all of it is new. `marker` tags git's process.
    """
    try:
        done = await run_group(_DIFF, cwd=root, marker=marker, patience=Patience(_SECONDS), env=_ENVIRONMENT)
    except Invalid:  # there is no git
        return []
    return list(_read_diff(done.output)) if done.exit_code == 0 and not done.truncated else []


def _read_diff(diff: str) -> Iterator[tuple[str, int]]:
    file = ""
    for line in diff.splitlines():
        if found := _FILE.match(line):
            file = found[1]
        elif file and (hunk := _HUNK.match(line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            yield from ((file, n) for n in (range(first, first + count) if count else (first, first + 1)))


Plain = Mapping[str, Any]  # Any: parsed JSON from the worker

_CRITERIA = EvidenceCriteria(
    confirm="A small edit of this statement turns a failing test green, and no passing test fails in a fresh process; "
    "none of another statement does so and behaves differently.",
    reject="Every small edit that is known for this statement was tried, and none turned a failing test.",
)
_CONDITION = "Some small edit of this statement makes at least one failing test pass and breaks none that passes."
_LOADED = EvidenceCriteria(confirm="Python loads the file.", reject="The file is loaded, and the tests still fail.")
_LOADS = "Once this is fixed, Python can load the file and the tests can be collected."
_BYSTANDERS = 3


def build_diagnosis(request: DebugRequest, answer: Plain) -> Diagnosis:
    """New hypotheses, numbered on; places that the request already names are not repeated."""
    known = {anchor(one) for one in request.hypotheses} | {one.logging_point for one in request.hypotheses}
    places = [one for one in answer["locations"] if _anchor(one) not in known and one["point"] not in known]
    fresh = _numbered(request.hypotheses, places)
    ids = {hypothesis.logging_point: hypothesis.id for hypothesis in (*request.hypotheses, *fresh)}
    hits = [
        ProbeHit.model_validate({**hit, "hid": ids[hit["hid"]]})
        for hit in answer.get("probes", ())
        if hit["hid"] in ids
    ]
    return Diagnosis(
        active_bug=answer.get("active_bug", ""),
        hypotheses=tuple(_with_values(one, hits) for one in fresh),
        probes=tuple(hits),
        mends=tuple(TrialEdit.model_validate(one) for one in answer.get("mends", ())),
        note="; ".join(answer.get("notes", ())),
    )


def build_findings(request: DebugRequest, answer: Plain) -> SearchFindings:
    """Verdicts on the request's hypotheses, new ones for places that showed something, and the best patch."""
    patches: Sequence[Plain] = answer.get("patches", ())
    cause = patches[0]["point"] if patches else None
    places = {one["point"]: one for one in answer["locations"]}
    found = _comparison(request, answer) if patches else None
    verdict = partial(_judged, cause=cause, what=patches[0]["description"] if patches else "", found=found)
    judged = [verdict(one, _place_of(one, places)) for one in request.hypotheses]
    named = {place["point"] for one in request.hypotheses if (place := _place_of(one, places)) is not None}
    news = [one for point, one in places.items() if point not in named and (point == cause or one["turned"])]
    ours = [one["point"] for one in patches]
    news.sort(key=lambda one: (one["point"] != cause, one["point"] not in ours, -one["survived"], -one["turned"]))
    news = news[: max(_BYSTANDERS, sum(one["point"] in ours for one in news))]
    added = [verdict(one, places[one.logging_point]) for one in _numbered(request.hypotheses, news)]
    everything = [*judged, *added]
    ids = {one.logging_point: one.id for one in everything}
    ids |= {place["point"]: one.id for one in judged if (place := _place_of(one, places)) is not None}
    made = [_patch(one, ids.get(one["point"], "")) for one in patches]
    seconds, tried = answer.get("seconds", 0.0), answer.get("candidates", 0)
    speed = []
    if tried and seconds:
        rate = f"{tried / seconds:.0f} a second, {answer['cold']} with a fresh import"
        speed = [f"{plural(tried, 'edit')} tried in {seconds:.1f} s ({rate})"]
    near = [f"close, and not right: {words}" for words in answer.get("nearest", ())]
    compared = [comparison_words(found), *rival_lines(found)] if found else []
    return SearchFindings(
        hypotheses=tuple(everything),
        patch=made[0] if made else None,
        rivals=tuple(made[1:]),
        comparison=found,
        tried=tuple(answer.get("refuted", ())),
        candidates=answer.get("candidates", 0),
        note="; ".join([*speed, *near, *compared, *answer.get("notes", ())]),
    )


def _comparison(request: DebugRequest, answer: Plain) -> Comparison | None:
    """How the patch compares; None where there was no time to find out."""
    if "comparison" not in answer:
        return None
    patch, *others = answer["patches"]
    ids = new_rival_ids(filter(None, map(patch_of, request.hypotheses)), len(others))
    kept = ("description", "fingerprint", "file", "diff", "gives", "alike")
    rivals = tuple(
        Rival(id=id, place=one["point"], **{name: one[name] for name in kept})
        for id, one in zip(ids, others, strict=True)
    )
    return Comparison(tried=answer["candidates"], gives=patch["gives"], rivals=rivals, **answer["comparison"])


def build_mutation(order: MutationOrder, answer: Plain) -> Mutation:
    """The figure with the first survivors; where the worker came to none, why."""
    if "killed" not in answer:
        return Mutation(trouble=answer.get("trouble") or "; ".join(answer.get("notes", ())) or "no answer came")
    survivors = [Survivor(file=file, line=line, change=change) for file, line, change in answer["survivors"]]
    total = answer["killed"] + len(survivors)
    return Mutation(
        mutants=Mutants(
            killed=answer["killed"],
            total=total,
            survivors=tuple(survivors[:SURVIVORS_KEPT]),
            made=answer["made"] if answer["made"] > total else None,
        ),
        note="; ".join(answer["notes"]),
    )


def _numbered(known: Sequence[Hypothesis], places: Sequence[Plain]) -> list[Hypothesis]:
    ids = [one.id for one in known]
    made: list[Hypothesis] = []
    for rank, place in enumerate(places, start=1):
        ids.append(next_hypothesis_id(tuple(ids)))
        made.append(
            Hypothesis(
                id=ids[-1],
                description=_description(place),
                testable_condition=_CONDITION if "says" not in place else _LOADS,
                logging_point=place["point"],
                evidence_criteria=_CRITERIA if "says" not in place else _LOADED,
                likelihood=float(rank),
                evidence=_evidence(place),
            )
        )
    return made


def _description(place: Plain) -> str:
    if "says" in place:
        return f"`{place['code']}` ({place['file']}, line {place['line']}) cannot be loaded: {place['says']}"
    raised = f", and {' and '.join(place['exceptions'])} came from it" if place["exceptions"] else ""
    changed = "; it was changed since the last commit" if place["changed"] else ""
    turned = f"; {place['turned']} of {plural(place['tried'], 'edit')} tried here turned a failing test"
    return (
        f"`{place['code']}` in {place['func']} ({place['file']}:{place['line']}) may be wrong: "
        f"{_count_tests(place['failing'], 'failing')} and {_count_tests(place['passing'], 'passing')} ran it"
        f"{raised}{changed}{turned if place['turned'] else ''}"
    )


_MEASURED = {
    "candidates_tried": "tried",
    "candidates_that_turned_a_test": "turned",
    "candidates_that_broke_nothing": "survived",
    "kinds_tried": "kinds",
}


def _count_tests(count: int, kind: str) -> str:
    return plural(count, f"{kind} test") if count else f"no {kind} tests"


def _evidence(place: Plain) -> dict[str, JsonValue]:
    kept = ("file", "line", "func", "code", "exceptions", "says")
    return {
        **{name: place[name] for name in kept if name in place},
        "suspiciousness": place["score"],
        "failing_tests": place["failing"],
        "passing_tests": place["passing"],
        **({"changed_since_last_commit": True} if place["changed"] else {}),
        **({name: place[kept] for name, kept in _MEASURED.items()} if place["tried"] else {}),
    }


def _with_values(hypothesis: Hypothesis, hits: Sequence[ProbeHit]) -> Hypothesis:
    seen: list[JsonValue] = [dict(hit.data) for hit in hits if hit.hid == hypothesis.id]
    return hypothesis.evolve(evidence={**(hypothesis.evidence or {}), "probe_values": seen}) if seen else hypothesis


def _judged(
    hypothesis: Hypothesis, place: Plain | None, cause: str | None, what: str, found: Comparison | None
) -> Hypothesis:
    """The verdict by what was measured at the place; settled ones and those not reached stay as they are."""
    settled = hypothesis.status in ("rejected", "confirmed") or holds_patch(hypothesis)
    if place is None or settled or not place["tried"]:
        return hypothesis
    status, reason = _verdict(place, cause, found)
    evidence = {**(hypothesis.evidence or {}), **_evidence(place), "outcome": reason}
    if status == "pending":
        return hypothesis.evolve(evidence=evidence)
    named = {}
    if place["point"] == cause:
        wrong = "is plausibly wrong" if found and found.is_plausible else "was wrong"
        named = {"description": f"`{place['code']}` {wrong}: {what}"}
    return hypothesis.evolve(status=status, verdict_reason=reason, evidence=evidence, **named)


def _verdict(place: Plain, cause: str | None, found: Comparison | None) -> tuple[HypothesisStatus, str]:
    tried, offered = plural(place["tried"], "edit"), place["offered"]
    if place["point"] == cause:
        held = "a patch here turned failing tests and broke none, in a fresh process"
        if found is None:
            return "confirmed", held
        words = comparison_words(found)
        if not found.is_plausible:
            return "confirmed", f"{held}; {words}"
        if found.elsewhere:
            return "inconclusive", f"{words}; the tests confirm neither this edit nor this place"
        return "confirmed", f"{words}; the tests confirm this place, not this edit"
    if place["turned"]:
        return "inconclusive", f"{place['turned']} of {tried} turned a failing test, none became the patch"
    if place["exhausted"]:
        return "rejected", f"every known edit was tried ({place['tried']:,}), and none turned a failing test"
    if cause is not None:
        return "pending", f"{tried} tried before a patch was found elsewhere; none turned a failing test"
    return "inconclusive", f"{tried} tried (at least {offered:,} are possible), and none turned a failing test"


def _place_of(hypothesis: Hypothesis, places: Mapping[str, Plain]) -> Plain | None:
    where = anchor(hypothesis)
    if where is None:
        return places.get(hypothesis.logging_point)
    return next((place for place in places.values() if _anchor(place) == where), None)


def _anchor(place: Plain) -> tuple[str, str, str]:
    return place["file"], place["func"], place["code"]


def _patch(plain: Plain, hypothesis: str) -> Patch:
    known = {name: value for name, value in plain.items() if name in Patch.model_fields}
    return Patch.model_validate({**known, "hypothesis": hypothesis})


MOST_TESTS, MOST_HITS = 50, 100
"""How many are told of: whoever asked reads all of it."""


def build_rerun_results(answer: Plain) -> RerunResults:
    told = answer.get("tests", ())
    return RerunResults(
        tests=tuple(RerunResult.model_validate(test) for test in told[:MOST_TESTS]),
        note=_note(answer, len(told)),
        **{name: answer.get("counts", {}).get(name, 0) for name in ("passed", "failed", "skipped")},
    )


def build_spectrum(answer: Plain, asked: Sequence[str]) -> Spectrum:
    failing, collected = answer.get("failing_tests", 0), answer.get("collected", 0)
    which = "none of the tests that failed before fails" if asked else "no test fails"
    none = [] if failing else [f"{which} on the copy of the project ({collected:,} collected)"]
    return Spectrum(
        statements=tuple(RankedStatement.model_validate(one) for one in answer.get("statements", ())),
        total=answer.get("total", 0),
        failing_tests=failing,
        passing_tests=answer.get("passing_tests", 0),
        note="; ".join([*none, *answer.get("notes", ())]),
    )


def build_probe_result(answer: Plain, request: DebugRequest, order: ProbeOrder) -> ProbeResult:
    told = answer.get("tests", ())
    hid = find_owner(request.hypotheses, order.file, order.line)
    left = MOST_HITS
    tests: list[ProbedTest] = []
    for test in told[:MOST_TESTS]:
        hits = [{**hit, "hid": hid} for hit in test["hits"][:left]]
        left -= len(hits)
        tests.append(ProbedTest.model_validate({**test, "hits": hits}))
    return ProbeResult(
        place=answer.get("place", f"{order.file}:{order.line}"),
        code=answer.get("code", ""),
        tests=tuple(tests),
        note=_note(answer, len(told), reached=not tests or any(test.reached for test in tests)),
    )


def _note(answer: Plain, count: int, *, reached: bool = True) -> str:
    passed = answer.get("counts", {}).get("passed", 0)
    none = [f"no test fails on the copy of the project ({passed:,} passed)"] if not count else []
    many = [f"{count - MOST_TESTS:,} more tests are not shown; name the ones you want"] if count > MOST_TESTS else []
    unreached = [] if reached else ["none of these tests reached that line"]
    return "; ".join([*none, *many, *unreached, *answer.get("notes", ())])


_WORKER = "repair_worker"  # the name under which a worker imports this folder
_LENT = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")
_DIAGNOSIS_SECONDS = 90.0
_SHORTEST = 1.0  # seconds, however long it took to copy the project
_GRACE = 10.0
_OUTPUT_CAP = 64_000

NOTHING: Plain = {}


class PythonDebugger:
    """`marker` and `project` tag the worker's processes (see processes.process); `say` hears how far a search is.

    Without `project` they carry that of each request. `kept` spares who asks about the same files again a first run.
    `results`: what keeps secrets out of all that is told of the tests.
    """

    def __init__(
        self,
        marker: str,
        say: Callable[[str], None] = lambda words: None,
        project: Path | None = None,
        kept: BaselineCache | None = None,
        results: ResultFilter | None = None,
    ) -> None:
        self._results = results or ResultFilter()
        self._marker = marker
        self._say = say
        self._project = project
        self._kept = kept or BaselineCache()

    def supports(self, test_command: str | None) -> bool:
        """Whether these are plain pytest or unittest runs."""
        return test_command is not None and parse_command(test_command, Path.cwd()) is not None

    async def diagnose(self, request: DebugRequest) -> Diagnosis:
        """Ranked places with spectrum, frames and probe values; Invalid for a command that is not supported."""
        seconds = min(request.budget_seconds, _DIAGNOSIS_SECONDS)
        return build_diagnosis(request, await self._ask("diagnose", request, seconds))

    async def search(self, request: DebugRequest) -> SearchFindings:
        """Tries edits until one holds in a fresh process; the project itself is only read."""
        return build_findings(request, await self._ask("search", request, request.budget_seconds))

    async def mutate(self, order: MutationOrder, say: Callable[[str], None]) -> Mutation:
        """Tries mutants of the changed lines on copies, in processes of their own."""
        request = DebugRequest(project=order.project, python=order.python, test_command=order.test_command, failing=())
        real = self._results.real_key
        tests, reached = tuple(map(real, order.tests)), {real(key): lines for key, lines in order.reached.items()}
        asked = order.evolve(tests=tests, reached=reached)
        more = asked.model_dump(mode="json", include={"tests", "lines", "reached", "most"})
        return build_mutation(order, await self._ask("mutate", request, order.seconds, more, say))

    async def run_tests(self, request: DebugRequest) -> RerunResults:
        """Runs the failing tests again; Invalid says what cannot be done, here and below."""
        return build_rerun_results(await self._looked("tests", request, {}))

    async def rank(self, request: DebugRequest, limit: int) -> Spectrum:
        """The most suspicious statements that the failing tests ran."""
        return build_spectrum(await self._looked("rank", request, {"limit": limit}), request.failing)

    async def probe(self, request: DebugRequest, order: ProbeOrder) -> ProbeResult:
        """What is there each time that the failing tests come to a line."""
        answer = await self._looked("watch", request, {"probe": order.model_dump()})
        return build_probe_result(answer, request, order)

    async def _looked(self, mode: str, request: DebugRequest, more: Plain) -> Plain:
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
        more: Plain = NOTHING,
        say: Callable[[str], None] | None = None,
    ) -> Plain:
        began, origin = time.monotonic(), Path(request.project).resolve()
        command = parse_command(request.test_command, origin)
        if command is None:
            raise Invalid(f"Cannot debug with {request.test_command!r} (expected a plain pytest or unittest command)")
        with tempfile.TemporaryDirectory(prefix="repair-", ignore_cleanup_errors=True) as name:
            room = Path(name).resolve()
            lanes = min(2, len(os.sched_getaffinity(0))) if mode in ("search", "mutate") or request.trials else 1
            trees = [room / f"lane{n}" for n in range(lanes)]
            signs, left_out = await run_in_thread(survey_project, str(origin), check_cancelled)
            await run_in_thread(_prepare, room, trees)
            measured = room / "measured"
            request = request.evolve(failing=self._results.real_keys(request.failing))
            key = (origin, request.python, request.test_command, request.failing, *signs)
            self._kept.fetch(key, measured)
            changed = await changed_lines(origin, self._marker)
            more = {"left_out": left_out, "laid_out": False, "changed": changed, **more}

            async def work() -> Plain:
                left = max(seconds - (time.monotonic() - began), _SHORTEST)
                order = {**_order(mode, request, command, origin, room, trees, left), **more}
                (room / "order.json").write_text(json.dumps(order))
                (room / "answer.json").unlink(missing_ok=True)
                argv = (request.python, "-m", f"{_WORKER}.start", str(room / "order.json"), str(room / "answer.json"))
                finished = await run_group(
                    argv,
                    cwd=trees[0],
                    marker=self._marker,
                    project=self._project or origin,
                    patience=Patience(seconds + _GRACE),
                    env=_environment(room, command),
                    needs=SandboxNeeds(writable=(room,), readable=(origin,)),
                    output_cap=_OUTPUT_CAP,
                    on_output=partial(_hear, say or self._say),
                )
                return _read(room / "answer.json", finished)

            answer = await work()
            if answer.get("needs_copies"):
                await run_in_thread(_copy, origin, room, trees)
                more["laid_out"] = True
                answer = await work()
            self._kept.keep(key, measured)
            return self._results.masked_answer(answer)


def _hear(say: Callable[[str], None], output: str) -> None:
    for line in output.splitlines():
        if line.startswith(PROGRESS):
            say(line.removeprefix(PROGRESS))


def _prepare(room: Path, trees: list[Path]) -> None:
    own = [room / name for name in ("home", "tmp", "lib/lent", "pristine")]
    for place in (*own, *trees, *_confirming(room, trees)):
        place.mkdir(parents=True)
    (room / "lib" / _WORKER).symlink_to(Path(__file__).resolve().parent)
    for module in _LENT:
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin is not None:
            found = Path(spec.origin)
            found = found.parent if found.name == "__init__.py" else found
            (room / "lib" / "lent" / (found.name if found.suffix else module)).symlink_to(found)


def _confirming(room: Path, trees: list[Path]) -> list[Path]:
    """Where patches are tried in fresh processes, as many at a time as there are lanes."""
    return [room / f"confirm{n}" / "tree" for n in range(len(trees))]


def _copy(origin: Path, room: Path, trees: list[Path]) -> None:
    for tree in (room / "pristine", *trees):
        copy_tree(origin, tree, check_cancelled)


def _environment(room: Path, command: SuiteCommand) -> dict[str, str]:
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
    mode: str, request: DebugRequest, command: SuiteCommand, origin: Path, room: Path, trees: list[Path], seconds: float
) -> dict[str, object]:
    unsettled = [one for one in request.hypotheses if not holds_patch(one)]
    open_ones = [one for one in unsettled if one.status in ("pending", "inconclusive")]
    return {
        "mode": mode,
        "origin": str(origin),
        "tree": str(trees[0]),
        "trees": [str(tree) for tree in trees],
        "pristine": str(room / "pristine"),
        "confirming": [str(tree) for tree in _confirming(room, trees)],
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
    return [list(found) for one in hypotheses if (found := anchor(one)) is not None]


def _read(path: Path, finished: ProcessResult) -> Plain:
    """The worker's answer, or one that says why there is none."""
    with suppress(OSError):
        answer: Plain = json.loads(read_regular(path))
        return answer
    why = "ran out of time" if finished.cut is not None else f"ended with {finished.exit_code}"
    last = finished.output.strip().splitlines()[-1:] or ["(it printed nothing)"]
    return {"locations": [], "notes": [f"the repair worker {why}: {last[0][:300]}"]}
