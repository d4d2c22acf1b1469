"""Stall detection on labelled traces: what is found, what is a false alarm, and how late.

    python bench/stall.py [--json] [--half tuning|held-out] [--each]

A trace (bench/traces) is the course of a loop as it was measured; it is replayed through the folds of the engine.
Half of the traces, told by a hash of their names, was never looked at while the rule was made.
"""

import argparse
import hashlib
import json
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loopwright.core.outcomes import Change, Interrupted, ValidationOutcome
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.testing import TestResult
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import ActionOutcome, DebugOutcome, DevelopOutcome
from loopwright.workflows.loop.reducer import end_action
from loopwright.workflows.loop.selector import has_stalled
from tests.domain.loop_making import engine, hypothesis, loop, step, task

TRACES = Path(__file__).parent / "traces"
ONSET = "--- stalled from here"
HALVES = ("tuning", "held-out")
CLASSES = ("progressing", "stuck", "circling")
ENOUGH = 70.0
"""Percent of coverage that a green validation in a trace needs to pass."""


@dataclass(frozen=True)
class Trace:
    """`steps` in the words of the file, a validation with its failing tests; `onset` is the first one in vain."""

    name: str
    words: str
    label: str
    steps: tuple[tuple[str, ...], ...]
    onset: int | None

    @property
    def half(self) -> str:
        return HALVES[hashlib.sha256(self.name.encode()).digest()[0] % 2]


@dataclass(frozen=True)
class Verdict:
    """`found`: the step after which the loop counted as stalled."""

    trace: Trace
    found: int | None

    @property
    def right(self) -> bool:
        """Progress that is left alone, or a stall that is found once it is one."""
        return not self.false_alarm and (self.found is None) is (self.trace.onset is None)

    @property
    def false_alarm(self) -> bool:
        return self.found is not None and (self.trace.onset is None or self.found < self.trace.onset)

    @property
    def delay(self) -> int:
        """Steps in vain until it was found."""
        assert self.found is not None
        assert self.trace.onset is not None
        return self.found - self.trace.onset + 1


def read(path: Path) -> Trace:
    words, label, blank, *lines = path.read_text(encoding="utf-8").splitlines()
    assert label in CLASSES, path
    assert not blank, path
    onset = lines.index(ONSET) if ONSET in lines else None
    good = lines[:onset] if onset is not None else lines
    steps: list[tuple[str, ...]] = []
    for line in lines:
        if line.startswith("  "):
            steps[-1] = (*steps[-1], line.strip())
        elif line != ONSET:
            steps.append((line,))
    return Trace(path.stem, words, label, tuple(steps), onset and sum(not line.startswith("  ") for line in good))


def traces() -> list[Trace]:
    return [read(path) for path in sorted(TRACES.glob("*.trace"))]


def judged(trace: Trace) -> Verdict:
    """Replays a trace until the loop counts as stalled."""
    return Verdict(trace, next((n for n, state in enumerate(replayed(trace)) if has_stalled(state)), None))


def replayed(trace: Trace) -> Iterator[LoopState]:
    """The state after each step."""
    state = loop("running", max_iterations=1000)
    for number, lines in enumerate(trace.steps):
        word, *rest = lines[0].split(" ", 1)
        outcome = OUTCOMES[word](rest[0], lines[1:], state)
        if isinstance(outcome, DevelopOutcome) and state.engine.task(outcome.task_id) is None:
            state = engine(state, tasks=(*state.engine.tasks, task(outcome.task_id, order=number)))
            state = end_action(state, step("DEVELOP", Interrupted("this folds the new task in")))
        state = end_action(state, step(word.upper(), outcome))
        yield state


def developed(text: str, failing: Sequence[str], state: LoopState) -> ActionOutcome:
    id, how, files = text.split(" ", 2)
    return DevelopOutcome(id, how == "done", how, changes(files))


def debugged(text: str, failing: Sequence[str], state: LoopState) -> ActionOutcome:
    files, _, words = text.partition(": ")
    known = state.skill_state.debug.hypotheses if state.skill_state else ()
    new = tuple(named(f"H{len(known) + n}", told) for n, told in enumerate(words.split("; "), 1)) if words else ()
    return DebugOutcome((*known, *new), None, None, "looked", changes(files))


def named(id: str, words: str) -> Hypothesis:
    """A cause as it was named; `(rejected)` behind it is a verdict."""
    cause, rejected, _ = words.partition(" (rejected)")
    if not rejected:
        return hypothesis(id, description=cause)
    return hypothesis(id, description=cause, status="rejected", evidence={}, verdict_reason="the probe saw it")


def validated(text: str, failing: Sequence[str], state: LoopState) -> ActionOutcome:
    tree = text.split()[0]
    passing, coverage = re.search(r"\+(\d+)", text), re.search(r"([\d.]+)%", text)
    percent = float(coverage[1]) if coverage else 0.0
    green = tuple(TestResult(test_name=f"green {n}", status="passed") for n in range(int(passing[1]) if passing else 1))
    passed = not failing and (coverage is None or percent >= ENOUGH)
    return ValidationOutcome(tree, tree, passed, True, (*green, *map(failed, failing)), percent)


def failed(line: str) -> TestResult:
    name, _, rest = line.partition(": ")
    message, _, trace = (unfolded(part) for part in rest.partition("  @ "))
    return TestResult(test_name=name, status="failed", error_message=message, stack_trace=trace or None)


def unfolded(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def changes(files: str) -> tuple[Change, ...]:
    return tuple(Change(file, "modify") for file in files.split() if file != "-")


Outcomes = dict[str, Callable[[str, Sequence[str], LoopState], ActionOutcome]]

OUTCOMES: Outcomes = {"develop": developed, "debug": debugged, "validate": validated}


def figures(verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Precision and recall in percent, false alarms, and the median delay in steps."""
    alarms = [v for v in verdicts if v.found is not None]
    stalls = [v for v in verdicts if v.trace.onset is not None]
    hits = [v for v in stalls if v.right]
    result: dict[str, float] = {"traces": len(verdicts), "false_alarms": sum(v.false_alarm for v in verdicts)}
    result["precision"] = 100 * len(hits) / len(alarms) if alarms else 100.0
    for label in CLASSES[1:]:
        of_class = [v for v in stalls if v.trace.label == label]
        result[f"recall_{label}"] = 100 * sum(v.right for v in of_class) / len(of_class) if of_class else 100.0
    result["median_delay_steps"] = statistics.median(v.delay for v in hits) if hits else 0
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--half", choices=HALVES, action="append", help="only this half")
    parser.add_argument("--each", action="store_true", help="name every trace")
    given = parser.parse_args()
    verdicts = [judged(trace) for trace in traces() if trace.half in (given.half or HALVES)]
    halves = {half: figures([v for v in verdicts if v.trace.half == half]) for half in given.half or HALVES}
    halves |= {"all": figures(verdicts)}
    if given.json:
        print(json.dumps(halves))
        return
    for verdict in verdicts if given.each else [v for v in verdicts if not v.right]:
        print(f"{'right' if verdict.right else 'WRONG':6} {told(verdict)}")
    for half, f in halves.items():
        print(
            f"{half:9} {f['traces']:3} traces  {f['false_alarms']} false alarms  precision {f['precision']:5.1f} %  "
            f"found: stuck {f['recall_stuck']:5.1f} %, circling {f['recall_circling']:5.1f} %  "
            f"median delay {f['median_delay_steps']:g} steps"
        )


def told(verdict: Verdict) -> str:
    trace = verdict.trace
    when = "not found" if verdict.found is None else f"found at step {verdict.found + 1} of {len(trace.steps)}"
    since = "" if trace.onset is None else f", stalled from step {trace.onset + 1}"
    return f"{trace.label:11} {trace.name}: {when}{since}"


if __name__ == "__main__":
    main()
