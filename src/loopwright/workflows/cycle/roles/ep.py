"""ep, the Exploration Planner: what is there, and the work cut into tasks that fit to it."""

from functools import partial
from typing import NamedTuple

from loopwright.core.cycle_names import CycleStep
from loopwright.core.errors import Invalid
from loopwright.core.text import plural
from loopwright.core.threads import in_thread
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.documents import POINTS, RISKS, section_items
from loopwright.workflows.cycle.messages import news
from loopwright.workflows.cycle.model import CycleState, PlanTask
from loopwright.workflows.cycle.outcomes import CycleOutcome, Explored, Planned
from loopwright.workflows.cycle.plan import read_plan, staying
from loopwright.workflows.cycle.roles.documents import asked, discover, failures, found_tests, keep, told, written
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.cycle.templates import discoveries_of, exploration_of, tasks_of

MAIN, PAGE, PLAN = "exploration.md", "architecture.md", "plan.json"
MOST_ITEMS = 200


class _Written(NamedTuple):
    text: str
    page: str


async def explore(session: CycleSession, step: CycleStep) -> CycleOutcome:
    if not session.able("ep").plans:
        return await _explored_by_templates(session)
    report, found = await asked(
        session, "ep", step, _explore_order(session, session.state()), partial(_take_documents, session)
    )
    if found.text == told(report, "#"):
        keep(session, {f"ep/{MAIN}": found.text})
    return Explored(
        report, found.page or found.text, _items(found.text, POINTS), _items(found.text, RISKS),
        tuple(f"ep/{name}" for name, text in ((MAIN, found.text), (PAGE, found.page)) if text),
    )  # fmt: skip


async def plan(session: CycleSession, step: CycleStep) -> CycleOutcome:
    state = session.state()
    if not session.able("ep").plans:
        return await _planned_by_templates(session, state)
    folder = session.folder("ep")
    order = session.prompts.render(
        "plan", folder=str(folder), documents=str(folder.parent), standing=_standing(state)
    )  # fmt: skip
    report, tasks = await asked(session, "ep", step, order, partial(_take_plan, session, state))
    return Planned(report, tasks, (f"ep/{PLAN}",))


def _explore_order(session: CycleSession, state: CycleState) -> str:
    folder = session.folder("ep")
    if state.exploration is None:
        return session.prompts.render("explore", folder=str(folder))
    return session.prompts.render(
        "explore_again", folder=str(folder), documents=str(folder.parent), news=news(state, "ep"),
        version=state.exploration.version,
    )  # fmt: skip


def _take_documents(session: CycleSession, report: PhaseReport) -> _Written:
    folder = session.folder("ep")
    text = written(folder, MAIN) or told(report, "#")
    if not text:
        raise Invalid(f"there is no {MAIN} in {folder}, or it is empty")
    return _Written(text, written(folder, PAGE))


def _items(text: str, headings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(section_items(text, *headings)[:MOST_ITEMS])


def _standing(state: CycleState) -> str:
    """What the planner has to know of the plan that is there, and of what is new."""
    if state.plan is None:
        return "This is the first plan."
    done = [task.id for task in state.plan.tasks if task.status == "completed"]
    kept = f"Completed, and so they stay: {', '.join(done)}. " if done else ""
    return (
        f"plan.json holds the plan as it stands. {kept}Rewrite it whole: what is still to be done, changed as needed, "
        f"and new tasks for what is new; new ids count on.\n\nNew in this iteration:\n{news(state, 'ep')}"
    )


def _take_plan(session: CycleSession, state: CycleState, report: PhaseReport) -> tuple[PlanTask, ...]:
    folder = session.folder("ep")
    text = written(folder, PLAN) or told(report, '"tasks"')
    if not text:
        raise Invalid(f"there is no {PLAN} in {folder}, or it is empty")
    kept = {task.id for task in staying(state.plan, state.engine.mends)}
    tasks = read_plan(text, kept)
    if _adds(state) and all(task.id in kept for task in tasks):
        raise Invalid(f"{PLAN} plans nothing new for what the user adds: all its tasks are already completed")
    return tasks


def _adds(state: CycleState) -> bool:
    """Whether the user has added something since the last plan; a clarification may need no new task."""
    return any(record.extension for record in state.iterations[state.engine.planned :]) and state.plan is not None


async def _explored_by_templates(session: CycleSession) -> CycleOutcome:
    survey = await in_thread(session.surveyor.survey)
    tests = found_tests(session)
    found = exploration_of(survey, tests)
    keep(session, {f"ep/{MAIN}": found.text, f"ep/{PAGE}": found.page})
    discover(session, "ep", discoveries_of(survey, tests))
    names = (f"ep/{MAIN}", f"ep/{PAGE}")
    words = f"explored the tree without a model: {found.summary}"
    report = PhaseReport(phase="ep", status="success", summary=words, files_written=names)
    return Explored(report, found.page, found.integration_points, found.risks, names)


async def _planned_by_templates(session: CycleSession, state: CycleState) -> CycleOutcome:
    """A task for each failing area; for the rest of the goal one task, which only a model can carry out."""
    survey = await in_thread(session.surveyor.survey)
    tasks = tasks_of(state, failures(session), survey, writes=session.able("cd").writes_code)
    words = f"{plural(len(tasks), 'task')} planned from the failing tests, without a model"
    report = PhaseReport(phase="ep", status="success", summary=words, files_written=(f"ep/{PLAN}",))
    return Planned(report, tasks, (f"ep/{PLAN}",))
