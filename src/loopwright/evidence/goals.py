"""What kind of goal a run has, and so what has to show that it was reached. Pure."""

import re
from collections.abc import Collection

from loopwright.core.state import Baseline
from loopwright.evidence.proof import NamedTest, ProofGoal, ProofKind, ProofPolicy
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.loop.model import DevelopTask, LoopState

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


READING_MODES = frozenset({"analysis", "review"})


def loop_goal(state: LoopState) -> ProofGoal:
    """Every kind that the goal or a task of the loop has. Tasks that failed have none: they keep it from succeeding.

    What an agent planned for itself serves the loop's own goal, whatever its tool or mode.
    """
    run = state.engine.settings.proof
    tasks = state.skill_state.develop.tasks if state.skill_state else ()
    kinds = {_task_kind(state, task, run) for task in tasks if task.status == "completed"}
    return ProofGoal(frozenset(kinds) or frozenset({_goal_kind(state.description or state.title, run)}), _named(state))


def cycle_goal(state: CycleState) -> ProofGoal:
    """A cycle's goal is its whole task, extensions included."""
    return ProofGoal(frozenset({_goal_kind(state.description, state.engine.settings.proof)}), _named(state))


def _task_kind(state: LoopState, task: DevelopTask, run: ProofPolicy) -> ProofKind:
    definition = state.engine.task(task.id)
    own = definition.proof if definition else None
    if own is not None and own != "auto":
        return own
    if definition and definition.planned:
        return _goal_kind(state.description or state.title, run)
    if task.tool == "bash":
        return "commands"
    if task.mode in READING_MODES:
        return "reading"
    return _goal_kind(state.description or state.title, run)


def _goal_kind(goal: str, policy: ProofPolicy) -> ProofKind:
    if policy != "auto":
        return policy
    return "mend" if is_reached_by_green_tests(goal) else "change"


def _named(state: LoopState | CycleState) -> tuple[NamedTest, ...]:
    """Tests that are said to show the goal: by its own words, or by an agent."""
    words = f" {state.description} "
    baseline = state.engine.baseline
    failed = [key for key, test in baseline.tests.items() if test.status == "failed"] if baseline else []
    by_goal = (NamedTest(test=key, by="the goal") for key in failed if _is_named_in(key, words))
    return (*by_goal, *(state.engine.named or ()))


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
