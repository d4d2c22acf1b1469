"""What a task's words alone decide."""

import re

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
