"""What a task's words alone decide."""

import re

TESTS = r"(?:(?:all|the|these|those|our|its|any|every|failing|broken|red|unit|python) )*(?:tests?|test suite|suite)"
GREEN_TESTS = re.compile(
    rf"(?:please )?(?:(?:make|get|let|have|keep) {TESTS} (?:to )?(?:pass|passing|green|succeed|work)(?: again)?"
    rf"|(?:fix|repair|mend) {TESTS})(?:,? and keep (?:the )?coverage)?[.!]?",
    re.IGNORECASE,
)


def asks_only_for_green_tests(goal: str) -> bool:
    """Whether passing tests are the whole goal, so that a green project has reached it already."""
    return GREEN_TESTS.fullmatch(" ".join(goal.split())) is not None
