"""What the roles of a cycle are told, put together from the prompts beside them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from loopwright.core.cycle_names import CycleStep, Role, step_of
from loopwright.core.prompts import Prompts
from loopwright.core.text import clip_text, plural
from loopwright.reports.discoveries import list_types
from loopwright.workflows.cycle.model import CycleState, FeedbackEntry, PlanTask
from loopwright.workflows.cycle.standing import cycle_goal
from loopwright.workflows.orders import MessageTexts, Surroundings, budget_words, done_words, shorten_goal

PACKAGE = "loopwright.workflows.cycle.roles"
FOLDER = "cycle"
"""Where a project keeps its own prompts for cycles, in its folder of prompts."""

REQUIRED = {
    "contract": frozenset({"who", "goal", "rules", "step", "order"}),
    "reminder": frozenset({"step", "order"}),
    "report": frozenset({"role"}),
    "report_again": frozenset({"role"}),
    "report_text": frozenset({"role"}),
    "reads": frozenset({"project", "folder"}),
    "works": frozenset({"project"}),
    "analyse": frozenset({"folder"}),
    "analyse_again": frozenset({"folder", "news"}),
    "explore": frozenset({"folder"}),
    "explore_again": frozenset({"folder", "news"}),
    "plan": frozenset({"folder", "documents"}),
    "mend": frozenset({"problem"}),
    "implement": frozenset({"task", "task_id"}),
    "debug": frozenset({"failing", "task_id"}),
    "conflict": frozenset({"task_id", "files"}),
    "validate": frozenset({"measured", "folder"}),
    "again": frozenset({"problem"}),
}
"""What a project's own prompt may not leave out."""

RULES: dict[Role, str] = {"ra": "reads", "ep": "reads", "cd": "works", "vas": "reads"}

NO_NEWS = "- nothing"

NEWS_SHOWN, NEWS_LENGTH, FILES_SHOWN = 10, 600, 20
"""Entries of the feedback in a message, characters of each, and files that one names; the documents hold all of it."""


def cycle_prompts(prompts: Path | None = None) -> Prompts:
    """The prompts of a cycle, with those of a project's folder of prompts in their places. Invalid names the file."""
    own = prompts / FOLDER if prompts is not None else None
    return Prompts(PACKAGE, REQUIRED, own if own is not None and own.exists() else None)


def compose_message(
    prompts: Prompts, *, state: CycleState, role: Role, step: CycleStep, order: str, around: Surroundings, folder: str
) -> MessageTexts:
    """A message as a session needs it that knows nothing, and as one does that has heard who it is, goal and rules.

    `folder` is the role's own, absolute.
    """
    goal = state.description or state.title
    left = budget_words(state.engine, state.current_iteration, state.max_iterations)
    report = prompts.render("report", role=role)
    iteration = str(max(state.current_iteration, 1))
    place = {"project": around.project, "folder": folder}
    if RULES[role] == "works":
        place["test_command"] = around.tests_words
    whole = prompts.render(
        "contract",
        who=prompts.render(role),
        goal=goal,
        done=done_words(state.engine, cycle_goal(state)),
        rules=prompts.render(RULES[role], **place),
        rule_files=around.rules,
        left=left,
        step=step.key,
        iteration=iteration,
        order=order,
        report=report,
    )
    short = prompts.render(
        "reminder",
        role=role,
        goal=shorten_goal(goal),
        left=left,
        step=step.key,
        iteration=iteration,
        order=order,
        report=prompts.render("report_again", role=role),
    )
    return MessageTexts(whole, short, prompts.render("report_text", role=role, folder=folder, types=list_types()))


def wrap_ups(prompts: Prompts, step: str) -> tuple[str, str]:
    """The orders to a role whose time is up: first to say where it is, then to finish now."""
    return prompts.render("converge", step=step), prompts.render("finish", step=step)


def implement_order(prompts: Prompts, state: CycleState, task: PlanTask, documents: Path) -> str:
    """One task of the plan, as cd is told; `documents` is the cycle's progress folder."""
    return prompts.render(
        "implement",
        task=task.description,
        task_id=task.id,
        files=_files(task.files) or "not known",
        documents=str(documents),
        news=_news_for_cd(state),
    )


def debug_order(
    prompts: Prompts,
    state: CycleState,
    task: PlanTask,
    documents: Path,
    failing: str,
    hypotheses: str,
    attempt: str = "",
) -> str:
    """A task that stands for failing tests, which are quoted; `hypotheses` as lines, or empty: nothing can measure.

    `attempt`: a section on the turn before.
    """
    return prompts.render(
        "debug",
        task=task.description,
        task_id=task.id,
        failing=failing,
        attempt=attempt,
        documents=str(documents),
        folder=str(documents / "cd"),
        hypotheses=hypotheses or "- none yet",
        tools=f"{prompts.render('debugger')}\n\n" if hypotheses else "",
        news=_news_for_cd(state, bugs=False),
    )


def _news_for_cd(state: CycleState, *, bugs: bool = True) -> str:
    news = compose_news(state, "cd", bugs=bugs)
    return "" if news == NO_NEWS else f"\nWhat came back to you from earlier work:\n{news}"


def conflict_order(prompts: Prompts, task: PlanTask, project: str, files: Sequence[str], told: str) -> str:
    """What cd is told whose work could not be merged; `project` is where both versions are, `told` what git says."""
    shown = "\n".join(f"- {file}" for file in files)
    return prompts.render(
        "conflict",
        task=task.description,
        task_id=task.id,
        project=project,
        files=shown,
        told=clip_text(told, NEWS_LENGTH * NEWS_SHOWN) or "nothing",
    )


def select_feedback(state: CycleState, role: Role) -> tuple[FeedbackEntry, ...]:
    """What was written to the role for this iteration."""
    return tuple(entry for entry in _recent(state) if entry.target == role)


def compose_news(state: CycleState, role: Role, *, bugs: bool = True) -> str:
    """The extension (to ra and ep) and the feedback of this iteration, short: the rest is in the documents.

    `bugs`: what vas has found too, which an order to mend it says itself.
    """
    lines = []
    record = state.iterations[-1] if state.iterations else None
    if role == "cd" and record is not None:
        failed = [error for error in state.phase_errors if error.phase == "cd" and error.timestamp >= record.started_at]
        lines += [f"- an attempt of this iteration counted as failed: {_short(error.error)}" for error in failed[-1:]]
    if record is not None and record.extension and role in ("ra", "ep"):
        lines.append(f"- the user extends the goal: {record.extension}")
    entries = [
        entry
        for entry in select_feedback(state, role)
        if entry.content != (record.extension if record else None) and (bugs or entry.type != "bug_report")
    ]
    lines += [f"- {entry.type} from {entry.source}: {_short(entry.content)}" for entry in entries[:NEWS_SHOWN]]
    if (more := len(entries) - NEWS_SHOWN) > 0:
        lines.append(f"- and {plural(more, 'other')}, see coordination/feedback.md")
    return "\n".join(lines) or NO_NEWS


def _recent(state: CycleState) -> tuple[FeedbackEntry, ...]:
    """The feedback since the iteration before this one ended."""
    if len(state.iterations) < 2:
        return state.coordination.feedback_log
    ended = state.iterations[-2].completed_at
    log = state.coordination.feedback_log
    return tuple(
        e for e in log if ended is None or datetime.fromisoformat(e.timestamp) >= datetime.fromisoformat(ended)
    )


def _short(text: str) -> str:
    return clip_text(" ".join(text.split()), NEWS_LENGTH)


def _files(files: Sequence[str]) -> str:
    more = f" and {plural(len(files) - FILES_SHOWN, 'other')}" if len(files) > FILES_SHOWN else ""
    return ", ".join(files[:FILES_SHOWN]) + more


LONGEST, SAID, LINE, SHOWN = 2500, 600, 160, 8
"""Characters of a brief, of what was said last, and of a line; tasks and tests that it names."""


def cycle_brief(role: Role, state: CycleState, folder: str, said: str = "") -> str:
    """What was done, what is open, and where the documents are; empty for a role that has done nothing yet.

    `folder` holds the documents; `said` is what the session before said in a turn that broke off.
    """
    keys = (*state.engine.done, *state.engine.tries)
    begun = bool(state.agents.of(role).output_files) or any(
        step_of(key).role == role for key in keys if key != "vas.baseline"
    )
    if not (begun or said.strip()):
        return ""
    lines = ["You have worked on this cycle in an earlier session, which is gone. Where it stands:"]
    lines += [f"- iteration {state.current_iteration} of {state.max_iterations}", *_documents(state), *_tasks(state)]
    lines += [*_tests(state), f"Documents of all roles: {folder} (yours may be half written; look before you go on)"]
    text = "\n".join(lines)[: LONGEST - SAID - 100]
    if tail := said.strip()[-SAID:]:
        text += f"\nThe earlier session broke off in the middle of a turn. Its last words were:\n{tail}"
    return text


def _documents(state: CycleState) -> Iterator[str]:
    known = (("requirements", state.requirements), ("exploration", state.exploration), ("plan", state.plan))
    if versions := [f"{name} {part.version}" for name, part in known if part is not None]:
        yield f"- {', '.join(versions)}"


def _tasks(state: CycleState) -> Iterator[str]:
    tasks = state.plan.tasks if state.plan else ()
    if not tasks:
        return
    done = sum(task.status == "completed" for task in tasks)
    yield f"- {done} of {plural(len(tasks), 'task')} completed; open:" if done < len(tasks) else "- all tasks completed"
    left = [task for task in tasks if task.status != "completed"]
    yield from (f"  - {task.id} ({task.status}): {_line(task.description)}" for task in left[:SHOWN])


def _tests(state: CycleState) -> Iterator[str]:
    results = state.test_results
    if results is None:
        return
    yield f"- the last test run: {results.pass_rate:g} % of {plural(results.total_tests, 'test')} pass"
    yield from (f"  - fails: {_line(name)}" for name in results.failed_tests[:SHOWN])


def _line(text: str) -> str:
    return clip_text(" ".join(text.split()), LINE)
