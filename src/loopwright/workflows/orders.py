"""What the messages of loops and cycles have in common: what a session has to be told, and what it knows already."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from loopwright.core.agent_names import rule_files_read
from loopwright.core.context import MeasuredRunContext
from loopwright.core.errors import NotFound, WorkspaceError
from loopwright.core.run import R
from loopwright.core.state import RunState
from loopwright.core.text import clean_line, clip_text, plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.failures import Attempt, SourceReader, describe_attempt, fence
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

FOR_PEOPLE = "CONTRIBUTING.md"
"""Of these, what is named and not quoted."""

RULES_SHOWN, RULES_LEAST, RULE_PAGES = 1_600, 200, 20
"""Characters of rules that a message quotes, room below which no further file is begun, and files of a folder."""


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
    """What a message says of where the agent works: the folder, how its own shell runs tests, the project's rules."""

    project: str
    test_command: str = ""
    rules: str = ""

    @property
    def tests_words(self) -> str:
        return f", from {self.project}: `{self.test_command}`" if self.test_command else ""


def look_around(run: MeasuredRunContext[R], agent: str, command: str, at: Path | None = None) -> Surroundings:
    """`command`: how the tests are run, empty where that is not known; `at`: a copy of the project to work in."""
    root = run.workspace.root
    python = run.tests.interpreter(command) if command else None
    return Surroundings(
        project=str(at or root),
        test_command=shell_command(command, python),
        rules=describe_rules(root, agent),
    )


def describe_rules(root: Path, agent: str) -> str:
    """The project's rules as items of a list: quoted as far as there is room, but for those the agent reads by itself.

    What is no text of this project (a link that leads out of it) is left out.
    """
    texts = {name: text for name in RULE_FILES if (text := _rule_text(root, name))}
    own = rule_files_read(agent, texts.keys())
    known = {texts[name] for name in own}
    quoted, named, room = list[str](), list[str](), RULES_SHOWN
    for name, text in texts.items():
        if name in own or text in known:
            continue
        known.add(text)
        if name == FOR_PEOPLE or room < RULES_LEAST:
            named.append(name)
            continue
        shown = text if len(text) <= room else f"{text[:room].rpartition(chr(10))[0] or text[:room]}\n…"
        room -= len(shown)
        quoted.append(f"{name}{'' if shown == text else ' begins (read the rest there)'}:\n\n{fence(shown)}\n")
    lines = ["- Keep to the rules that the people of this project wrote for it:\n", *quoted] if quoted else []
    if named:
        lines.append(f"- Read {'also' if quoted else 'first'} what the project says of itself: {', '.join(named)}.")
    return "".join(f"{line}\n" for line in lines)


def _rule_text(root: Path, name: str) -> str:
    """The beginning of the file, or of all pages of the folder."""
    path = root / name
    files = sorted(path.rglob("*.md*"))[:RULE_PAGES] if path.is_dir() else [path]
    texts = [_beginning(file) for file in files if file.is_file() and file.resolve().is_relative_to(root.resolve())]
    return "\n\n".join(text for text in texts if text and "\0" not in text)


def _beginning(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(4 * RULES_SHOWN).decode("utf-8", "replace").strip()
    except OSError:
        return ""


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
