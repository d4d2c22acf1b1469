"""The messages of the coordination protocol, put together from the prompts."""

from collections.abc import Iterator
from pathlib import Path

from loopwright.core.names import ActionName
from loopwright.core.prompts import Prompts
from loopwright.core.state import DevelopTask
from loopwright.core.text import plural
from loopwright.workflows.loop.model import LoopState, SkillState
from loopwright.workflows.loop.selector import loop_goal
from loopwright.workflows.orders import MessageTexts, Surroundings, budget_words, done_words, join_parts, shorten_goal

PACKAGE = "loopwright.workflows.loop.steps"

REQUIRED = {
    "contract": frozenset({"goal", "project", "action", "order"}),
    "reminder": frozenset({"action", "order"}),
    "report": frozenset({"action"}),
    "report_again": frozenset({"action"}),
    "report_text": frozenset({"action"}),
    "continue": frozenset({"previous", "result", "action"}),
    "selected": frozenset({"action"}),
    "again": frozenset({"problem"}),
    "generate": frozenset({"tasks"}),
    "develop": frozenset({"task"}),
    "examine": frozenset({"task"}),
    "debug": frozenset({"failing", "hypotheses"}),
    "review": frozenset({"goal", "measured", "diff"}),
    "answer": frozenset({"objections"}),
}
"""What a project's own prompt may not leave out."""

BY_TEXT: dict[ActionName, str] = {
    "INIT": 'In place of `{}`, on one line, the tasks: `{"tasks": [{"description": "…"}, {"description": "…"}]}`.',
    "DEBUG": "In place of `{}`, on one line, hypotheses if you have any: "
    '`{"active_bug": "…", "hypotheses": [{"description": "…", "testable_condition": "…", '
    '"logging_point": "file:func:line"}]}`.',
    "REVIEW": "In place of `{}`, on one line, your objections if you have any: "
    '`{"objections": [{"file": "…", "line": 1, "quote": "…", "why": "…"}]}`.',
}
"""How an action's proposals are written into a report that is text."""


def loop_prompts(override: Path | None = None) -> Prompts:
    """The prompts of a loop, those in the folder `override` in place of ours. Invalid names the file."""
    return Prompts(PACKAGE, REQUIRED, override)


def compose_message(
    prompts: Prompts,
    *,
    state: LoopState,
    action: ActionName,
    order: str,
    around: Surroundings,
    continuing: bool = False,
    selected: bool = False,
    previous: tuple[str, str] | None = None,
) -> MessageTexts:
    """A message as a session needs it that knows nothing, and as one does that has heard the goal and the rules."""
    goal = state.description or state.title
    left = budget_words(state.engine, state.current_iteration, state.max_iterations)
    heading = ""
    if selected:
        heading = prompts.render("selected", action=action)
    elif continuing:
        last, result = previous or ("INIT", "success")
        heading = prompts.render("continue", previous=last, result=result, action=action)
    question = state.engine.answer
    told = f"The answer to your question: {question}" if question else ""
    report = prompts.render("report", action=action)
    whole = prompts.render(
        "contract",
        goal=goal,
        done=done_words(state.engine, loop_goal(state)),
        project=around.project,
        rules=around.rules,
        test_command=around.tests_words,
        left=left,
        action=action,
        order=order,
        report=report,
    )
    short = prompts.render(
        "reminder",
        goal=shorten_goal(goal),
        left=left,
        action=action,
        order=order,
        report=prompts.render("report_again", action=action),
    )
    return MessageTexts(
        text=join_parts(heading, told, whole),
        short=join_parts(heading, told, short),
        by_text=prompts.render("report_text", action=action, proposals=BY_TEXT.get(action, "")),
    )


LONGEST = 2500
"""Characters of a brief; the files hold the rest."""

SAID, LINE, SHOWN = 600, 160, 6
"""Characters of what was said last and of a line; items of a list."""


def compose_brief(state: LoopState, folder: str, said: str = "") -> str:
    """What was done, what is open, and where the files are; empty while the loop has only measured.

    `folder` holds the progress files; `said` is what the session before said in a turn that broke off.
    """
    skill = state.skill_state
    begun = skill is not None and bool(
        skill.develop.tasks or skill.errors or {*skill.completed_actions} - {"INIT", "VALIDATE"}
    )
    if not (begun or said.strip()):
        return ""
    lines = ["This work was begun in an earlier session that is gone. What was done so far:"]
    if skill is not None and begun:
        lines += [*_done(skill), *_tasks(skill), *_tests(state)]
        lines.append(f"Details: develop.md, test-results.json, hypotheses.json and changes.log in {folder}")
    lines.append("Look at the files before you go on: something may be half done.")
    text = "\n".join(lines)[: LONGEST - SAID - 100]
    if tail := said.strip()[-SAID:]:
        text += f"\nThe earlier session broke off in the middle of a turn. Its last words were:\n{tail}"
    return text


def _done(skill: SkillState) -> Iterator[str]:
    if skill.completed_actions:
        recent = skill.completed_actions[-2 * SHOWN :]
        yield f"- actions: {'… ' if len(recent) < len(skill.completed_actions) else ''}{', '.join(recent)}"
    if skill.errors:
        yield f"- the last error, in {skill.errors[-1].action}: {_cut(skill.errors[-1].message)}"


def _tasks(skill: SkillState) -> Iterator[str]:
    """How many are done, and those that matter now: what is open, then what was done last."""
    tasks = skill.develop.tasks
    if not tasks:
        return
    yield f"- {skill.develop.completed} of {plural(skill.develop.total, 'task')} completed:"
    over = [task for task in tasks if task.status == "completed"]
    open_ = [task for task in tasks if task.status != "completed"][:SHOWN]
    recent = over[-max(SHOWN - len(open_), 1) :]
    yield from (f"  - {task.status}: {_cut(task.description)}{_files(task)}" for task in (*recent, *open_))


def _files(task: DevelopTask) -> str:
    return f" ({_cut(', '.join(task.files_changed))})" if task.files_changed else ""


def _tests(state: LoopState) -> Iterator[str]:
    last = state.engine.last_validation
    if last is None:
        return
    yield f"- the last test run {'passed' if last.passed else 'did not pass'}" + (
        f": {_cut('; '.join(last.reasons))}" if last.reasons else ""
    )


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"
