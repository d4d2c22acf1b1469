"""What the messages of loops and cycles have in common: what a session has to be told, and what it knows already."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from loopwright.core.context import MeasuredRunContext
from loopwright.core.errors import NotFound, WorkspaceError
from loopwright.core.run import R
from loopwright.core.state import RunState
from loopwright.core.text import clean_line, clip_text, plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.failures import Attempt, SourceReader, describe_attempt
from loopwright.evidence.proof import ProofGoal
from loopwright.evidence.testing import TestResult

GOAL_SHOWN = 200
"""Characters of the goal in a reminder; the first message of a session has all of it."""

RULE_FILES = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    ".cursor/rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".goosehints",
    ".github/copilot-instructions.md",
    "CONTRIBUTING.md",
)
"""Where projects say what agents, and whoever else works on them, have to keep to."""


class MessageTexts(NamedTuple):
    """The texts of a message, as `Message` names them."""

    text: str
    short: str
    by_text: str


def both_ways(texts: MessageTexts) -> str:
    """For an agent whose report could not be read: the short message, and how to report with tools and without."""
    return f"{texts.short}\n\n{texts.by_text}"


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a message says of where the agent works: the folder, how tests are run in its own shell, rule files."""

    project: str
    test_command: str = ""
    rule_files: tuple[str, ...] = ()

    @property
    def rules_line(self) -> str:
        files = ", ".join(self.rule_files)
        return f"- The project has rules of its own. Read them first: {files}.\n" if files else ""

    @property
    def tests_words(self) -> str:
        return f", from {self.project}: `{self.test_command}`" if self.test_command else ""


def look_around(run: MeasuredRunContext[R], command: str, at: Path | None = None) -> Surroundings:
    """`command`: how the tests are run, empty where that is not known; `at`: a copy of the project to work in."""
    root = run.workspace.root
    python = run.tests.interpreter(command) if command else None
    return Surroundings(
        project=str(at or root),
        test_command=shell_command(command, python),
        rule_files=tuple(name for name in RULE_FILES if (root / name).exists()),
    )


def shell_command(command: str, python: str | None) -> str:
    """The test command as an agent's own shell understands it, whose `python` and `pytest` may be others."""
    program, _, rest = command.partition(" ")
    if python is None or not re.fullmatch(r"python[\d.]*|pytest|py\.test", program):
        return command
    module = "" if program.startswith("python") else " -m pytest"
    return " ".join(part for part in (f"{shlex.quote(python)}{module}", rest) if part)


def source_reader(root: Path) -> SourceReader:
    def read(file: str) -> Sequence[str]:
        try:
            return (root / file).read_text("utf-8", "replace").splitlines()
        except (OSError, ValueError):
            return ()

    return read


async def attempt_words(
    run: MeasuredRunContext[R], attempt: Attempt | None, failed: Sequence[TestResult], project: str
) -> str:
    """A section on the last attempt at these failures; empty where there was none, or its checkpoints are gone."""
    if attempt is None:
        return ""
    try:
        diff = await run_in_thread(run.workspace.diff, attempt.before, attempt.after)
    except (NotFound, WorkspaceError):
        return ""
    return f"# The last attempt\n\n{describe_attempt(attempt, diff, failed, project)}\n\n"


def join_parts(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def shorten_goal(goal: str) -> str:
    return clip_text(clean_line(goal), GOAL_SHOWN)


def done_words(engine: RunState, goal: ProofGoal) -> str:
    """What has to be measured for the run to succeed."""
    settings = engine.settings
    parts = ["all tests pass" if settings.require == "all" else "no test fails that passed at first"]
    if not engine.allow_test_changes:
        parts.append("every test of the first run is still there, unchanged")
    if settings.min_coverage > 0:
        parts.append(f"coverage is {settings.min_coverage:g} % or more")
    if "change" in goal.kinds:
        parts.append("a test proves the goal: it failed on the original code, and passes now")
    return f"{'; '.join(parts)}."


def budget_words(engine: RunState, iterations: int, most: int) -> str:
    """What is left of the run's limits, after so many iterations."""
    budget = engine.budget
    parts = [f"{max(most - iterations, 0)} of {plural(most, 'iteration')}"]
    if budget.max_minutes is not None:
        minutes = max(budget.max_minutes - budget.spent_seconds / 60, 0)
        parts.append(f"about {minutes:.0f} of {plural(budget.max_minutes, 'minute')}")
    if budget.max_tokens is not None:
        parts.append(f"{max(budget.max_tokens - (budget.tokens or 0), 0):,} of {budget.max_tokens:,} tokens")
    if budget.max_cost is not None:
        parts.append(f"{max(budget.max_cost - (budget.cost or 0), 0):.2f} of {budget.max_cost:.2f} US dollars")
    return f"Left: {', '.join(parts)}."
