"""ra, the Requirements Analyst: what is asked for, as a document that the others work from."""

from functools import partial
from typing import NamedTuple

from loopwright.core.cycle_names import CycleStep
from loopwright.core.errors import Invalid
from loopwright.core.threads import run_in_thread
from loopwright.evidence.goals import acceptance_criteria, list_criteria
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.documents import edge_cases_in, section_items
from loopwright.workflows.cycle.messages import compose_news
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.outcomes import AnalysisOutcome, CycleOutcome
from loopwright.workflows.cycle.roles.documents import (
    ask_role,
    describe_tests,
    find_reported,
    keep_documents,
    list_failures,
    read_previous,
    read_written,
)
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.cycle.templates import requirements_of

MAIN, CASES = "requirements.md", "edge-cases.md"
EDGE_CASES = ("edge cases", "edge case", "边界情况", "边界条件", "边缘情况", "极端情况")
MOST_CASES = 200
CRITERIA = "Acceptance criteria of the goal. Each is a requirement in its own words, with its number as the source:"


class _Written(NamedTuple):
    text: str
    cases: str


async def analyse_task(session: CycleSession, step: CycleStep) -> CycleOutcome:
    if not session.able("ra").plans:
        return await _from_templates(session)
    state = session.state()
    last = read_previous(session.folder("ra"), MAIN)
    report, found = await ask_role(session, "ra", step, _order(session, state), partial(_take, session, state, last))
    files = [MAIN]
    if found.cases:
        files.append(CASES)
    if found.text == find_reported(report, "#"):
        keep_documents(session, {f"ra/{MAIN}": found.text})
    return AnalysisOutcome(report, found.text, _cases(found), tuple(f"ra/{name}" for name in files))


def _order(session: CycleSession, state: CycleState) -> str:
    folder = session.folder("ra")
    criteria = list_criteria(acceptance_criteria(state.description), CRITERIA)
    values = {"folder": str(folder), "tests": describe_tests(session), "criteria": criteria}
    if state.requirements is None:
        return session.prompts.render("analyse", **values)
    return session.prompts.render(
        "analyse_again",
        news=compose_news(state, "ra"),
        version=state.requirements.version,
        documents=str(folder.parent),
        **values,
    )


def _take(session: CycleSession, state: CycleState, last: str, report: PhaseReport) -> _Written:
    """The documents, if they can be taken: an extension has to be found in them."""
    folder = session.folder("ra")
    text = read_written(folder, MAIN)
    if not text or text == last:
        text = find_reported(report, "#") or text
    if not text:
        raise Invalid(f"there is no {MAIN} in {folder}, or it is empty")
    record = state.iteration
    if text == last and (state.requirements is None or (record is not None and record.extension)):
        raise Invalid(f"{MAIN} is unchanged; it does not cover what the user adds")
    return _Written(text, read_written(folder, CASES))


def _cases(found: _Written) -> tuple[str, ...]:
    cases = edge_cases_in(found.cases) or section_items(found.text, *EDGE_CASES)
    return tuple(cases[:MOST_CASES])


async def _from_templates(session: CycleSession) -> CycleOutcome:
    """Without a model: what the goal, the failing tests and the tree say by themselves."""
    state = session.state()
    survey = await run_in_thread(session.surveyor.survey)
    found = requirements_of(state.description or state.title, list_failures(session), survey)
    keep_documents(session, {f"ra/{MAIN}": found.text, f"ra/{CASES}": found.cases_text})
    words = f"requirements from the goal and the failing tests, without a model: {found.summary}"
    names = (f"ra/{MAIN}", f"ra/{CASES}")
    report = PhaseReport(phase="ra", status="success", summary=words, files_written=names)
    return AnalysisOutcome(report, found.text, found.edge_cases, names, clarifies=False)
