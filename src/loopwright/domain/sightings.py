"""What is kept of a validation for stall detection: digests of each failure, without what differs by chance."""

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from loopwright.domain.engine_state import SIGHTINGS_KEPT, Sighting
from loopwright.domain.loop import Hypothesis, SkillState, TestResult
from loopwright.domain.outcomes import Validated
from loopwright.domain.record import Items

FAILURES_KEPT = 16
"""Failures of one validation that are kept, those with the smallest digests, so that a large set is sampled alike."""

WIDTH = 6
"""Hex digits of each of a failure's three digests."""

TEXT_LOOKED_AT = 2000

BY_CHANCE = re.compile(
    r"""0x[0-9a-f]+                                                        # addresses
    | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b     # UUIDs
    | \b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d([.,]\d+)?)?(z|[+-]\d\d:?\d\d)?  # moments
    | \b\d+(\.\d+)?\s?(ns|µs|us|ms|s|sec|secs|seconds)\b                   # durations
    | (/private)?(/var)?/tmp/[^\s'"]*                                      # temporary files
    | :\d+(:\d+)?\b | \bline\s\d+(,\scolumn\s\d+)?                         # places in files that grow and shrink
    | \b(pid|goroutine|port)\s?[=:]?\s?\d+                                 # numbers the system gives out
    """,
    re.VERBOSE | re.IGNORECASE,
)
NUMBER = re.compile(r"\d+(\.\d+)?")
OWN_LINE = re.compile(r'^>(.*)$|^[ \t]*File ".*\n(.*)$', re.MULTILINE)
"""The first line that a Python trace quotes is the test's own: it does not change when the program is rewritten."""

PLACE = re.compile(r'(?<![\w.-])[\w-][\w.-]{0,99}(?::|", line )\d+')
"""A file's name with a line; those in files of tests change less often than those in the program."""


class Failure(NamedTuple):
    """Digests of one failure: the test, what kind of failure it is, and its very numbers."""

    test: str
    kind: str
    numbers: str


def failures(sighting: Sighting) -> tuple[Failure, ...]:
    """The failures that were kept; for a sighting of an earlier version all of them as one."""
    text = sighting.failures
    if not text:
        return (Failure(sighting.failing, "", ""),) if sighting.failing else ()
    cut = [text[at : at + WIDTH] for at in range(0, len(text), WIDTH)]
    return tuple(Failure(*cut[n : n + 3]) for n in range(0, len(cut), 3))


def sighting(outcome: Validated, failing: Sequence[str], skill: SkillState) -> Sighting:
    """What this validation saw; `failing` are the keys of the tests that have to be repaired."""
    results = {result.key: result for result in outcome.results}
    sample = sorted((key for key in failing if key in results), key=_name)[:FAILURES_KEPT]
    return Sighting(
        failing=_digest("\n".join(sorted(failing)), 16) if failing else "",
        tree=outcome.tree,
        failures="".join(_failure(results[key]) for key in sample),
        failed=len(failing),
        passed=sum(result.status == "passed" for result in outcome.results),
        coverage=outcome.coverage,
        tasks=sum(task.status == "completed" and bool(task.files_changed) for task in skill.develop.tasks),
        ideas=ideas(skill.debug.hypotheses),
    )


def fruitless(last: Sighting, skill: SkillState) -> Sighting:
    """What a DEBUG that changed nothing leaves behind, so that there is nothing to validate."""
    return Sighting(failing=last.failing, tree=last.tree, tested=False, ideas=ideas(skill.debug.hypotheses))


def remembered(known: Items[Sighting], new: Sighting) -> Items[Sighting]:
    """With one more, as many as are kept."""
    return (*known, new)[-SIGHTINGS_KEPT:]


def ideas(hypotheses: Sequence[Hypothesis]) -> int:
    """Different causes that were named, and of these again those that were judged."""
    named = ((" ".join(re.findall(r"\w+", h.description.lower())), h.status != "pending") for h in hypotheses)
    return len({(words, seen) for words, judged in named for seen in {False, judged}})


def _failure(result: TestResult) -> str:
    """The three digests of a Failure in a row."""
    said, trace = (result.error_message or "")[:TEXT_LOOKED_AT], result.stack_trace or ""
    message = BY_CHANCE.sub("…", said)
    line = OWN_LINE.search(trace)
    quoted = (line[1] or line[2] or "").strip() if line else ""
    places = (place[0] for place in PLACE.finditer(f"{said}\n{trace}"))
    own = next((place for place in places if "test" in place.lower() or "spec" in place.lower()), "")
    kind, numbers = _words(NUMBER.sub("#", message)), _words(message)
    return _name(result.key) + _digest(f"{kind}\n{quoted}", WIDTH) + _digest(f"{numbers}\n{quoted}\n{own}", WIDTH)


def _name(key: str) -> str:
    return _digest(key, WIDTH)


def _words(text: str) -> str:
    """The words in an order of their own: sets are printed in any order."""
    return " ".join(sorted(re.findall(r"[\w.#…]+", text.lower())))


def _digest(text: str, width: int) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:width]
