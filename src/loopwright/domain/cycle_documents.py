"""The documents of a cycle: Markdown and JSON that people read, and that parse back when the state itself is lost.

Pure. Names are those below the progress folder. What only grows is in cycle_logs.
"""

import json
from collections.abc import Mapping

from pydantic import BaseModel

from loopwright.domain.cycle import FINISHED, CycleState, Exploration, Requirements, version_of
from loopwright.domain.cycle_headers import archived_name as archived_name
from loopwright.domain.cycle_headers import archives as archives
from loopwright.domain.cycle_headers import with_header as with_header
from loopwright.domain.cycle_headers import without_header as without_header
from loopwright.domain.cycle_sections import listed_items as listed_items
from loopwright.domain.cycle_sections import section_items as section_items
from loopwright.domain.cycle_summary import render_implementation, render_issues, render_summary
from loopwright.domain.log_words import read_word, word
from loopwright.domain.outcomes import Validated

EDGE_CASES, EXPLORATION, JUDGEMENT = "ra/edge-cases.md", "ep/exploration.md", "vas/summary.md"
KEPT = (EDGE_CASES, EXPLORATION, JUDGEMENT)
"""Documents that hold more than the state does: what is there is kept, under the header of today."""
_TITLE, _NO_CASES = "# Edge cases", "None are known."


def render(
    state: CycleState, since: CycleState | None = None, there: Mapping[str, str] | None = None
) -> dict[str, bytes]:
    """The documents that follow from the state, by name; only those that changed `since` an earlier one.

    `there` holds the texts of those that are KEPT, as they are; without it, those that the state alone can not tell are
    left out.
    """
    texts = {**_of_parts(state, since), **_of_the_whole(state, since)}
    if there is not None:
        texts |= _kept(state, since, there)
    return {name: text.encode(errors="replace") for name, text in texts.items()}


def coverage(validated: Validated, version: str) -> bytes:
    """vas/coverage.json; `percent` by file where that was measured."""
    files = validated.coverage_files
    document = {"version": version, "measured": files is not None, "percent": validated.coverage, "files": files or {}}
    return _json(document).encode(errors="replace")


def edge_cases_in(text: str) -> tuple[str, ...]:
    """What edge-cases.md lists, exactly as it was where it was written here."""
    lines = [line for line in without_header(text).split("\n") if line and line not in (_TITLE, _NO_CASES)]
    if all(line.startswith("- ") for line in lines):
        return tuple(read_word(line[2:]) for line in lines)
    return tuple(listed_items(without_header(text)))


def _of_parts(state: CycleState, since: CycleState | None) -> dict[str, str]:
    """Of each part that changed, the document that is just that part."""
    texts: dict[str, str] = {}
    requirements, exploration = state.requirements, state.exploration
    if requirements and (since is None or since.requirements != requirements):
        texts["ra/requirements.md"] = _headed(requirements, requirements.specification)
        texts[EDGE_CASES] = _edge_cases(requirements)
    if exploration and (since is None or since.exploration != exploration):
        texts["ep/architecture.md"] = _headed(exploration, exploration.architecture_summary)
    if state.plan and (since is None or since.plan != state.plan):
        texts["ep/plan.json"] = _json(state.plan)
    if state.test_results and (since is None or since.test_results != state.test_results):
        texts["vas/test-results.json"] = _json(state.test_results)
    return texts


def _of_the_whole(state: CycleState, since: CycleState | None) -> dict[str, str]:
    """What puts several parts together, for people."""
    texts: dict[str, str] = {}
    version = version_of(state.current_iteration)
    if state.plan or state.changes:
        same = since and (since.plan, since.changes) == (state.plan, state.changes)
        if not same or since is None or since.current_iteration != state.current_iteration:
            texts["cd/implementation.md"] = with_header(render_implementation(state), version)
    parts = (state.plan, state.coordination, state.phase_errors)
    if state.current_iteration and (since is None or (since.plan, since.coordination, since.phase_errors) != parts):
        texts["cd/issues.md"] = with_header(render_issues(state), version)
    if state.status in FINISHED:
        texts["coordination/summary.md"] = render_summary(state)
    return texts


def _kept(state: CycleState, since: CycleState | None, there: Mapping[str, str]) -> dict[str, str]:
    """The role's own text where it says the same as the state, and always where the state does not hold it."""
    texts: dict[str, str] = {}
    requirements, exploration = state.requirements, state.exploration
    cases = without_header(there.get(EDGE_CASES, "")).rstrip()
    changed = requirements and (since is None or since.requirements != requirements)
    if requirements and changed and cases and edge_cases_in(cases) == requirements.edge_cases:
        texts[EDGE_CASES] = _headed(requirements, cases)
    if exploration and (since is None or since.exploration != exploration):
        own = without_header(there.get(EXPLORATION, "")).rstrip()
        texts[EXPLORATION] = _headed(exploration, own or _exploration(exploration))
    results, own = state.test_results, without_header(there.get(JUDGEMENT, "")).rstrip()
    if results and own and (since is None or since.test_results != results):
        texts[JUDGEMENT] = with_header(own, results.version, results.last_run)
    return texts


def _headed(part: Requirements | Exploration, text: str) -> str:
    return with_header(text, part.version, part.last_updated)


def _edge_cases(requirements: Requirements) -> str:
    items = [f"- {word(case)}" for case in requirements.edge_cases] or [_NO_CASES]
    return _headed(requirements, "\n".join([_TITLE, "", *items]))


def _exploration(exploration: Exploration) -> str:
    return "\n".join(
        ["# Exploration", "", exploration.architecture_summary, "", "## Integration points", "",
         *(f"- {word(point)}" for point in exploration.integration_points), "", "## Risks", "",
         *(f"- {word(risk)}" for risk in exploration.identified_risks)]
    )  # fmt: skip


def _json(document: BaseModel | dict[str, object]) -> str:
    value = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
