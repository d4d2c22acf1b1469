"""What kind of goal a run has, and so what has to show that it was reached. Pure."""

import re
from collections.abc import Collection

from loopwright.core.state import Baseline, RunState
from loopwright.evidence.proof import NamedTest, ProofKind, ProofPolicy

TESTS = r"(?:(?:all|the|these|those|our|its|any|every|failing|broken|red|unit|python) )*(?:tests?|test suite|suite)"
GREEN_TESTS = re.compile(
    rf"(?:please )?(?:(?:make|get|let|have|keep) {TESTS} (?:to )?(?:pass|passing|green|succeed|work)(?: again)?"
    rf"|(?:fix|repair|mend) {TESTS})[.!]?"
    r"|请?(?:修好|修复)(?:所有|全部)?(?:失败的)?测试|请?[让使](?:所有|全部)?(?:失败的)?测试(?:全部|都)?通过",
    re.IGNORECASE,
)
KEPT_COVERAGE = re.compile(r",? and keep (?:the )?coverage(?=[.!]?$)", re.IGNORECASE)


def asks_only_for_green_tests(goal: str) -> bool:
    """Whether passing tests are the whole goal, so that a green project has reached it. In English and Chinese."""
    return GREEN_TESTS.fullmatch(" ".join(goal.split())) is not None


def is_reached_by_green_tests(goal: str) -> bool:
    """Whether tests that pass again show the goal: what shall only be kept needs no test of its own."""
    return asks_only_for_green_tests(KEPT_COVERAGE.sub("", " ".join(goal.split())))


def goal_kind(goal: str, policy: ProofPolicy) -> ProofKind:
    if policy != "auto":
        return policy
    return "mend" if is_reached_by_green_tests(goal) else "change"


def named_for_goal(goal: str, engine: RunState) -> tuple[NamedTest, ...]:
    """Tests that are said to show the goal: by its own words, or by an agent."""
    words = f" {goal} "
    baseline = engine.baseline
    failed = [key for key, test in baseline.tests.items() if test.status == "failed"] if baseline else []
    by_goal = (NamedTest(test=key, by="the goal") for key in failed if _is_named_in(key, words))
    return (*by_goal, *(engine.named or ()))


def _is_named_in(key: str, words: str) -> bool:
    """Whether the words hold the test's key, or its plain name as a word of its own."""
    name = key.rpartition("::")[2].split("[")[0]
    edges = "`'\"“”‘’ \n\t.,;:()"
    return key in words or (len(name) > len("test") and any(word.strip(edges) == name for word in words.split()))


def named_tests(names: Collection[str], by: str, baseline: Baseline | None) -> tuple[NamedTest, ...]:
    """The tests of the first run that an agent's words mean: the key itself, its end, or its plain name."""
    keys = baseline.tests if baseline else ()
    found = (key for name in names for key in keys if key == name or key.endswith((f"::{name}", f"/{name}")))
    return tuple(NamedTest(test=key, by=by) for key in dict.fromkeys(found))
