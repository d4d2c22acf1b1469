"""The worker's work: `python -m <package>.start ORDER ANSWER`, both paths of JSON files.

It may be killed at any time: the answer is replaced whole. A search that does not end in time answers with what it has.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from . import sandbox
from .baseline import Baseline, measure_baseline, plain_run, probe_variables, select_failing
from .budget import TimeUp, limit_clock_time
from .executor import CandidateExecutor, select_guards
from .fork_server import CollectedProject
from .forks import Answer, ask_forked
from .localize import SuspectLocation, rank_statements, rerank_by_edits, select_leading
from .mutation import measure_mutants
from .overlay import lay_over
from .patch import NOTHING, PatchProof, describe_edit, prove_patches
from .pool import EditVocabulary
from .probes import ExpressionProbe, compile_expressions, is_inside, lines_of
from .sandbox import keep_writing_inside
from .search import CandidateSearch, PartialFix
from .session import ItemOutcome, SessionDriver, collect_and_run, key_of, load_plugins
from .stream import CandidateStream, LocationTally
from .tree import relocate
from .type_inference import TypePrior

_TEST_SECONDS = 20.0  # for one test
_SHARE = 0.75  # of the time that is given; the rest ends what was begun, and answers
_LINES, _MESSAGE = 12, 1_200
_CODE = 200
_NEAR = 3


def rerun_tests(project: CollectedProject, order: Answer) -> Answer:
    """The chosen tests, run again; all that fail, where none were chosen."""
    return _asked(project, order, None)


def probe_line(project: CollectedProject, order: Answer) -> Answer:
    """The same, with a watch on one line; `probe` is the order for it."""
    asked = order["probe"]
    path = Path(order["tree"], asked["file"])
    try:
        lines = lines_of(str(path))
        expressions = compile_expressions(asked["expressions"], lines.get(asked["line"], ""))
    except OSError:
        return {"refused": f"place: there is no file {asked['file']} in the project"}
    except SyntaxError as error:
        return {"refused": f"place: {asked['file']} is not valid Python: line {error.lineno}, {error.msg}"}
    except ValueError as error:
        return {"refused": str(error)}
    if trouble := _misplaced(asked["file"], asked["line"], asked["func"], lines):
        return {"refused": f"place: {trouble}"}
    code = path.read_text(encoding="utf-8", errors="replace").splitlines()[asked["line"] - 1].strip()
    func = _shown(lines[asked["line"]])
    answer = _asked(project, order, ExpressionProbe(str(path), asked["line"], expressions, asked["hits"]))
    if func == "<module>" and not any(test["reached"] for test in answer.get("tests", ())):
        answer["notes"] = [*answer["notes"], "a line outside all functions runs when its file is imported"]
    return {**answer, "code": code[:_CODE], "place": f"{asked['file']}:{func}:{asked['line']}"}


def rank_suspects(project: CollectedProject, order: Answer) -> Answer:
    """All statements that a failing test ran, most suspicious first; the first `limit` of them."""
    baseline = _measure(project, order, _SHARE)
    if not baseline.keys:
        return {"refused": _none("; ".join(baseline.troubles))}
    found = _rank(baseline, order)
    return {
        "statements": [
            {"rank": n, **_place(one), "code": one.code[:_CODE], "score": round(one.score, 3), "raised": one.frames}
            for n, one in enumerate(found[: order["limit"]], start=1)
        ],
        "total": len(found),
        "failing_tests": len(baseline.spectrum.failing),
        "passing_tests": len(baseline.spectrum.passing),
        "collected": len(baseline.keys),
        "notes": [*(one.words for one in baseline.broken), *baseline.troubles],
    }


def _place(one: SuspectLocation) -> Answer:
    counts = {"failing": len(one.failing), "passing": len(one.passing)}
    return {"file": one.file, "line": one.line, "func": one.func, "code": one.code, "score": one.score, **counts}


def _measure(project: CollectedProject, order: Answer, share: float) -> Baseline:
    seconds = order["seconds"] * share
    return measure_baseline(project, order["tree"], order["failing"], seconds, Path(order["kept"]))


def _rank(baseline: Baseline, order: Answer) -> list[SuspectLocation]:
    return rank_statements(baseline.spectrum, baseline.sources, {(file, line) for file, line in order["changed"]})


def _asked(project: CollectedProject, order: Answer, watch: ExpressionProbe | None) -> Answer:
    seconds, began = order["seconds"], time.monotonic()
    answer = ask_forked(lambda: _run_look(project, order, watch, time.monotonic() + seconds * _SHARE), seconds)
    if answer is not None:
        return answer
    what = "the expressions, or the tests," if watch else "the tests"
    if (took := time.monotonic() - began) >= seconds:
        return {"refused": f"{what} did not finish within {round(seconds, 1):g} seconds; ask for fewer tests"}
    how = f"ended the interpreter after {took:.1f} seconds; ask for fewer tests, to see which does it"
    return {"refused": f"{what} {how}"}


def _run_look(project: CollectedProject, order: Answer, watch: ExpressionProbe | None, deadline: float) -> Answer:
    """In a forked child. Tests that nobody named are told of only if they fail."""
    named: Sequence[str] = order["failing"]
    found: Answer = {"tests": [], "notes": []}
    counts: Counter[str] = Counter()

    def loop(driver: SessionDriver, items: list[pytest.Item]) -> None:
        keys = [key_of(item, project.style) for item in items]
        if not keys:
            found["refused"] = _none("; ".join(driver.troubles))
        elif unknown := [name for name in named if not select_failing(keys, [name])]:
            found["refused"] = f"tests: none is called {unknown[0]!r}; the first of {len(keys):,} is {keys[0]!r}"
        if "refused" in found:
            return
        wanted = {n for name in named for n in select_failing(keys, [name])}
        chosen = [items[n] for n in sorted(wanted)] if named else items
        for n, (item, following) in enumerate(zip(chosen, [*chosen[1:], None], strict=True)):
            left = deadline - time.monotonic()
            if left <= 0:
                found["notes"].append(f"time ran out: {len(chosen) - n:,} of {len(chosen):,} tests were not run")
                break
            seconds = min(_TEST_SECONDS, left)
            with watch or nullcontext():
                outcome = driver.run(item, following, seconds, seconds)
            counts[outcome.status] += 1
            if named or outcome.status == "failed":
                found["tests"].append(_told(key_of(item, project.style), outcome, order["tree"], watch))

    driver = collect_and_run(loop, project.arguments, project.style, plain=False)
    if not driver.began:
        return {"refused": _none(driver.said)}
    return {**found, "counts": dict(counts), "notes": [*found["notes"], *driver.troubles]}


def _told(key: str, outcome: ItemOutcome, tree: str, watch: ExpressionProbe | None) -> Answer:
    frames = [frame for frame in outcome.frames if is_inside(frame[0], tree)]
    file, line, func = frames[-1] if frames else ("", 0, "")
    lines = outcome.message.splitlines()[:_LINES]
    return {
        "test": key,
        "status": outcome.status,
        "error": outcome.error,
        "message": "\n".join(lines)[:_MESSAGE],
        "place": f"{file[len(tree) + 1 :]}:{line} in {func}" if frames else "",
        **({"reached": watch.reached, "hits": watch.hits} if watch else {}),
    }


def _none(why: str) -> str:
    return f"no tests were collected on the copy of the project{f': {why.strip()[-_MESSAGE:]}' if why.strip() else ''}"


def _misplaced(file: str, line: int, func: str | None, lines: dict[int, str]) -> str | None:
    """What is wrong with a place, and where a probe could stand instead."""
    if line not in lines:
        near = sorted(sorted(lines, key=lambda one: abs(one - line))[:_NEAR])
        where = f"the nearest that do: {', '.join(map(str, near))}" if near else "the file has none that does"
        return f"nothing runs at line {line} of {file} ({where})"
    there = _shown(lines[line])
    if func is not None and _shown(func) != there and not there.endswith(f".{func}"):
        own = [number for number, name in lines.items() if f".{_shown(name)}".endswith(f".{func}")]
        better = f"; {func} has the lines {min(own)} to {max(own)}" if own else ""
        return f"line {line} of {file} lies in {there}, not in {func}{better}"
    return None


def _shown(func: str) -> str:
    return func.replace(".<locals>", "")


_HYPOTHESES = 10
_GUARDING = 2.0  # seconds
_GUARDED = 40  # places whose tests a candidate is screened with
_CANDIDATES = 20_000
_ALONE = 3
_ALONE_WORDS = "without the tests before it: they leave something behind, or it depends on chance"
_NAMED = 3  # troubles with edits
_MENDS = 3  # edits of a trial that are told
_TALLIED = ("offered", "tried", "turned", "survived", "exhausted", "kinds")
_LATEST = 0.5  # seconds behind the end of its time that a search may still need to come to its own end
_CANDIDATE_SHARE = 0.8  # of the time that is left; the rest confirms


def main(said: Sequence[str]) -> None:
    """`said` is what there was to say at the start; it stands first in the answer's notes."""
    order: Answer = json.loads(Path(sys.argv[1]).read_text())
    sandbox.die_with_parent()
    isolated = bool(order.get("isolate")) and sandbox.isolate_process()
    if not order["laid_out"]:
        trees = [order["pristine"], *order["trees"], *order["confirming"]]
        if not isolated or not lay_over(order["origin"], trees, order["left_out"]):
            _write(Path(sys.argv[2]), {"needs_copies": True})
            return
        os.chdir(order["tree"])
    if order.get("isolate"):
        keep_writing_inside([os.path.dirname(order["tree"])])
    relocate(order["origin"], order["tree"])
    if order["root_on_path"]:
        sys.path.insert(0, order["tree"])
    if order["mode"] != "run" and not order.get("bare") and not load_plugins(order["tree"]):
        _write(Path(sys.argv[1]), {**order, "bare": True, "laid_out": True})
        os.execv(sys.executable, [sys.executable, "-m", f"{__package__}.start", *sys.argv[1:]])
    answer = _MODES[order["mode"]](order)
    _write(Path(sys.argv[2]), {**answer, "notes": [*said, *answer.get("notes", ())]})


def _run(order: Answer) -> Answer:
    failing, passing, apart = (frozenset(order[name]) for name in ("failing", "passing", "apart"))
    return plain_run(_project(order), order["keys"], failing, passing, apart)


def _diagnose(order: Answer) -> Answer:
    """Ranks, tries some edits where that is wanted, ranks again, then probes."""
    deadline = time.monotonic() + order["seconds"]
    baseline = _measure(_project(order), order, 0.6)
    if not baseline.spectrum.failing:
        return _nothing_fails(baseline, order)
    locations = _suspicious(baseline, order)
    tallies, mends = _trials(baseline, order, locations, time.monotonic() + (deadline - time.monotonic()) / 2)
    helped = {point: one.helped for point, one in tallies.items()}
    chosen = select_leading(rerank_by_edits(locations, helped) if helped else locations, _HYPOTHESES)
    places = {(one.file, one.line): one.point for one in chosen}
    probed = probe_variables(baseline, order["tree"], places, max(1.0, deadline - time.monotonic()))
    first = baseline.spectrum.outcomes[min(baseline.spectrum.failing)]
    return {
        "active_bug": _bug(baseline),
        "locations": [
            *_unreadable(baseline),
            *(_plain(one, tallies.get(one.point, LocationTally())) for one in chosen),
        ],
        "mends": mends,
        "probes": probed.hits,
        "first_error": first.error,
        "notes": [
            *_unreadable_words(baseline),
            *baseline.troubles,
            *(f"{key} passes {_ALONE_WORDS}" for key in probed.passed[:_ALONE]),
        ],
    }


def _trials(
    baseline: Baseline, order: Answer, locations: Sequence[SuspectLocation], deadline: float
) -> tuple[Mapping[str, LocationTally], Sequence[Answer]]:
    """What the likeliest edits showed at each place, and those that turned every failing test."""
    if not order["trials"]:
        return {}, ()
    likely = select_leading(locations, _GUARDED)
    stream = CandidateStream(
        locations, frozenset(one.point for one in likely), _pool(baseline), order["tree"], frozenset()
    )
    mends: list[Answer] = []
    late = deadline + _LATEST - time.monotonic()
    guards = _guards(baseline, likely, deadline)
    with CandidateExecutor(baseline, order["trees"], guards) as executor, suppress(TimeUp), limit_clock_time(late):
        if _is_ready(executor, stream, order, deadline):
            found = CandidateSearch(executor, stream, order["trials"], deadline, whole=True).go()
            mends = [describe_edit(one.candidate) for one in found if one.turned >= executor.targets][:_MENDS]
    return stream.tallies, mends


def _is_ready(executor: CandidateExecutor, stream: CandidateStream, order: Answer, deadline: float) -> bool:
    """Whether there are tests to judge edits by; then what is known of the values orders the stream."""
    executor.calibrate(max(1.0, deadline - time.monotonic()) / 3)
    if not executor.targets - executor.odd:
        return False
    stream.sense = TypePrior(executor.kinds(order["tree"], (deadline - time.monotonic()) / 8))
    return True


def _guards(baseline: Baseline, likely: Sequence[SuspectLocation], deadline: float) -> frozenset[int]:
    return select_guards(baseline, likely, min((deadline - time.monotonic()) / 6, _GUARDING))


def _pool(baseline: Baseline) -> EditVocabulary:
    return EditVocabulary.of(baseline.sources.values(), baseline.facts)


def _search(order: Answer) -> Answer:
    deadline = time.monotonic() + order["seconds"]
    baseline = _measure(_project(order), order, 0.5)
    if not baseline.spectrum.failing:
        return _nothing_fails(baseline, order)
    locations = _suspicious(baseline, order)
    anchors = {tuple(anchor) for anchor in order["listed"]}
    listed = frozenset(one.point for one in locations if one.anchor in anchors or one.point in order["points"])
    stream = CandidateStream(locations, listed, _pool(baseline), order["tree"], frozenset(order["tried"]))
    search: CandidateSearch | None = None
    found = NOTHING
    proof = PatchProof(baseline, order["pristine"], deadline)
    late = deadline + _LATEST - time.monotonic()
    guards = _guards(baseline, select_leading(locations, _GUARDED), deadline)
    with CandidateExecutor(baseline, order["trees"], guards) as executor, suppress(TimeUp), limit_clock_time(late):
        if _is_ready(executor, stream, order, deadline):
            share = (deadline - time.monotonic()) * _CANDIDATE_SHARE
            search = CandidateSearch(executor, stream, _CANDIDATES, time.monotonic() + share)
            found = prove_patches(search, proof, executor)
        else:
            proof.notes.append("no failing test fails each time: no edit can be judged by them")
    if proof.patches and not found["patches"]:
        found = {"patches": proof.patches[:1]}  # the time was up before it was compared with others
    if search:
        search.fold()  # what was tried counts, also where the time was up in the middle of it
    return {
        "active_bug": _bug(baseline),
        "locations": [
            _plain(one, stream.tallies[one.point])
            for one in locations
            if one.point in listed or stream.tallies[one.point].turned > 0
        ],
        **found,
        "refuted": proof.refuted,
        "nearest": [_near(one, executor) for one in search.nearest] if search and not proof.patches else [],
        **({"candidates": search.tried, "cold": search.cold, "seconds": search.seconds} if search else {}),
        "notes": [
            *_unreadable_words(baseline),
            *baseline.troubles,
            *executor.notes,
            *proof.notes,
            *stream.troubles[:_NAMED],
        ],
    }


def _near(partial: PartialFix, executor: CandidateExecutor) -> str:
    candidate, baseline, all_of_them = partial.candidate, executor.baseline, len(executor.targets)
    where = f"{candidate.location.file}:{candidate.location.line}"
    cost = f", but breaks {baseline.keys[partial.broke]}" if partial.broke >= 0 else ""
    turned = all_of_them - partial.missing
    return f"{candidate.edit.what} ({where}) turns {turned} of {all_of_them} failing tests{cost}"


def _suspicious(baseline: Baseline, order: Answer) -> list[SuspectLocation]:
    """Ranked places; those rejected before (by file, function and text) are left out."""
    rejected = {tuple(anchor) for anchor in order["rejected"]}
    return [one for one in _rank(baseline, order) if one.anchor not in rejected]


def _nothing_fails(baseline: Baseline, order: Answer) -> Answer:
    """Why there is nothing to search in; what a file that cannot be compiled kept from running is no news then."""
    if baseline.broken:
        return {
            "active_bug": baseline.broken[0].words,
            "locations": _unreadable(baseline),
            "notes": _unreadable_words(baseline),
        }
    return {"active_bug": "", "locations": [], "notes": [_no_failure(baseline, order["failing"]), *baseline.troubles]}


def _no_failure(baseline: Baseline, asked: list[str]) -> str:
    if not baseline.keys:
        return "no tests were collected"
    if not asked:
        passed = len(baseline.spectrum.passing)
        return f"no test fails on the copy of the project: {passed:,} of {len(baseline.keys):,} passed"
    if not select_failing(baseline.keys, asked):
        return f"no test is called {asked[0]!r}; the first of {len(baseline.keys):,} is {baseline.keys[0]!r}"
    return "none of the failing tests failed on the copy of the project"


def _unreadable(baseline: Baseline) -> list[Answer]:
    """Places that keep a file from being compiled: known for sure, and no edit of ours can mend them."""
    untried = {name: getattr(LocationTally(), name) for name in _TALLIED}
    return [
        {
            **untried,
            "passing": 0,
            "exceptions": [],
            "changed": False,
            "file": one.file,
            "line": one.line,
            "func": "<module>",
            "code": one.code,
            "says": one.says,
            "point": f"{one.file}:<module>:{one.line}",
            "score": 1.0,
            "failing": len(baseline.troubles),
        }
        for one in baseline.broken
    ]


def _unreadable_words(baseline: Baseline) -> list[str]:
    what = "what needs this file cannot" if baseline.spectrum.failing else "no edit can"
    return [f"{one.words} ({what} be tested before that is fixed)" for one in baseline.broken]


def _bug(baseline: Baseline) -> str:
    if baseline.broken:
        return baseline.broken[0].words
    failing = sorted(baseline.spectrum.failing)
    outcome = baseline.spectrum.outcomes[failing[0]]
    more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
    first_line = (outcome.message.splitlines() or [""])[0][:160]
    return f"{baseline.keys[failing[0]]}{more}: {outcome.error or 'failed'}{': ' if first_line else ''}{first_line}"


def _plain(location: SuspectLocation, tally: LocationTally) -> Answer:
    return {
        **_place(location),
        "point": location.point,
        "exceptions": location.frames,
        "changed": location.changed,
        **{name: getattr(tally, name) for name in _TALLIED},
    }


def _project(order: Answer) -> CollectedProject:
    return CollectedProject(
        order["arguments"],
        order["style"],
        order["origin"],
        order["root_on_path"],
        order.get("nodes", ()),
        order.get("files", ()),
    )


def _write(path: Path, answer: Answer) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(answer))
    os.replace(part, path)


_MODES: Mapping[str, Callable[[Answer], Answer]] = {
    "run": _run,
    "diagnose": _diagnose,
    "search": _search,
    "mutate": lambda order: measure_mutants(_project(order), order),
    "tests": lambda order: rerun_tests(_project(order), order),
    "rank": lambda order: rank_suspects(_project(order), order),
    "watch": lambda order: probe_line(_project(order), order),
}
