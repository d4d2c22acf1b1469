"""ep, the Exploration Planner: what is there, and the work cut into tasks that fit to it."""

from functools import partial
from typing import NamedTuple

from loopwright.core.cycle_names import CycleStep
from loopwright.core.errors import Invalid
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.documents import POINTS, RISKS, section_items
from loopwright.workflows.cycle.messages import NO_NEWS, compose_news
from loopwright.workflows.cycle.model import CycleState, PlanTask
from loopwright.workflows.cycle.outcomes import CycleOutcome, ExplorationOutcome, PlanOutcome
from loopwright.workflows.cycle.plan import keep_tasks, read_plan
from loopwright.workflows.cycle.roles.documents import (
    add_discoveries,
    ask_role,
    find_reported,
    keep_documents,
    list_failures,
    list_found_tests,
    read_written,
)
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.cycle.templates import discoveries_of, exploration_of, tasks_of

MAIN, PAGE, PLAN = "exploration.md", "architecture.md", "plan.json"
MOST_ITEMS = 200


class _Written(NamedTuple):
    text: str
    page: str


async def explore_project(session: CycleSession, step: CycleStep) -> CycleOutcome:
    if not session.able("ep").plans:
        return await _explored_by_templates(session)
    report, found = await ask_role(
        session, "ep", step, _explore_order(session, session.state()), partial(_take_documents, session)
    )
    if found.text == find_reported(report, "#"):
        keep_documents(session, {f"ep/{MAIN}": found.text})
    return ExplorationOutcome(
        report,
        found.page or found.text,
        _items(found.text, POINTS),
        _items(found.text, RISKS),
        tuple(f"ep/{name}" for name, text in ((MAIN, found.text), (PAGE, found.page)) if text),
    )


async def plan_tasks(session: CycleSession, step: CycleStep) -> CycleOutcome:
    state = session.state()
    if not session.able("ep").plans:
        return await _planned_by_templates(session, state)
    folder = session.folder("ep")
    order = session.prompts.render("plan", folder=str(folder), documents=str(folder.parent), standing=_standing(state))
    report, tasks = await ask_role(session, "ep", step, order, partial(_take_plan, session, state))
    return PlanOutcome(report, tasks, (f"ep/{PLAN}",))


def _explore_order(session: CycleSession, state: CycleState) -> str:
    folder = session.folder("ep")
    if state.exploration is None:
        return session.prompts.render("explore", folder=str(folder))
    return session.prompts.render(
        "explore_again",
        folder=str(folder),
        documents=str(folder.parent),
        news=compose_news(state, "ep"),
        version=state.exploration.version,
    )


def _take_documents(session: CycleSession, report: PhaseReport) -> _Written:
    folder = session.folder("ep")
    text = read_written(folder, MAIN) or find_reported(report, "#")
    if not text:
        raise Invalid(f"there is no {MAIN} in {folder}, or it is empty")
    return _Written(text, read_written(folder, PAGE))


def _items(text: str, headings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(section_items(text, *headings)[:MOST_ITEMS])


def _standing(state: CycleState) -> str:
    """What the planner has to know of the plan that is there, and of what is new."""
    if state.plan is None:
        return ""
    done = [task.id for task in state.plan.tasks if task.status == "completed"]
    kept = f"Completed, and so they stay: {', '.join(done)}. " if done else ""
    mends = [task.id for task in state.plan.tasks if task.id in state.engine.mends and task.id not in done]
    if mends:
        kept += f"Made for what the validation found, so they stay, and it needs no others: {', '.join(mends)}. "
    news = compose_news(state, "ep")
    return (
        f"plan.json holds the plan as it stands. {kept}Rewrite it whole: what is still to be done, changed as needed, "
        "and new tasks for what is new; new ids count on."
        + ("" if news == NO_NEWS else f"\n\nNew in this iteration:\n{news}")
    )


def _take_plan(session: CycleSession, state: CycleState, report: PhaseReport) -> tuple[PlanTask, ...]:
    folder = session.folder("ep")
    text = read_written(folder, PLAN) or find_reported(report, '"tasks"')
    if not text:
        raise Invalid(f"there is no {PLAN} in {folder}, or it is empty")
    kept = {task.id for task in keep_tasks(state.plan, state.engine.mends)}
    tasks = read_plan(text, kept)
    if _adds(state) and all(task.id in kept for task in tasks):
        raise Invalid(f"{PLAN} plans nothing new for what the user adds: all its tasks are already completed")
    return tasks


def _adds(state: CycleState) -> bool:
    """Whether the user has added something since the last plan; a clarification may need no new task."""
    return any(record.extension for record in state.iterations[state.engine.planned :]) and state.plan is not None


async def _explored_by_templates(session: CycleSession) -> CycleOutcome:
    survey = await run_in_thread(session.surveyor.survey)
    tests = list_found_tests(session)
    found = exploration_of(survey, tests)
    keep_documents(session, {f"ep/{MAIN}": found.text, f"ep/{PAGE}": found.page})
    add_discoveries(session, "ep", discoveries_of(survey, tests))
    names = (f"ep/{MAIN}", f"ep/{PAGE}")
    words = f"explored the tree without a model: {found.summary}"
    report = PhaseReport(phase="ep", status="success", summary=words, files_written=names)
    return ExplorationOutcome(report, found.page, found.integration_points, found.risks, names)


async def _planned_by_templates(session: CycleSession, state: CycleState) -> CycleOutcome:
    """A task for each failing area; for the rest of the goal one task, which only a model can carry out."""
    survey = await run_in_thread(session.surveyor.survey)
    tasks = tasks_of(state, list_failures(session), survey, writes=session.able("cd").writes_code)
    words = f"{plural(len(tasks), 'task')} planned from the failing tests, without a model"
    report = PhaseReport(phase="ep", status="success", summary=words, files_written=(f"ep/{PLAN}",))
    return PlanOutcome(report, tasks, (f"ep/{PLAN}",))
