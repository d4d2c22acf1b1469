"""The border of an iteration: what is still wrong, who hears of it, and how the next one opens. Pure."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from loopwright.core.cycle_names import ROLES, Role, step_of
from loopwright.core.text import clip_text, plural
from loopwright.evidence.proof import TESTS_KEPT, proof_order
from loopwright.workflows.cycle.model import (
    FEEDBACK_KEPT,
    AgentState,
    Border,
    CycleState,
    FeedbackEntry,
    FeedbackType,
    IterationRecord,
    PlanTask,
    version_of,
)
from loopwright.workflows.cycle.plan import make_plan
from loopwright.workflows.cycle.selector import is_validated
from loopwright.workflows.cycle.standing import (
    derive_standing,
    has_failed,
    is_held,
    list_tasks,
    plan_settled,
    role_status,
    with_record,
)

FIRST_CALLED: tuple[Role, ...] = ("ra", "ep")
"""The roles whose input is the task itself."""

NAMED = 10
"""Tests that a sentence names; the others are counted."""

MOST_MENDS = 20
"""Tasks that one iteration's failing tests become; the last one takes what is left."""

_COUNTS = re.compile(r"\d+ failed(?: that did not fail in the first run)?: ")
"""How a reason begins that counts failing tests."""

_BLOCKER = re.compile(r"^BLK-\d+: ", re.MULTILINE)

PLAN_WORDS = ("plan", "计划")


def open_iteration(
    state: CycleState, at: str, *, called: Iterable[Role] = FIRST_CALLED, extension: str | None = None
) -> CycleState:
    """The next iteration, in which the roles `called` have something to do."""
    record = IterationRecord(number=state.current_iteration + 1, started_at=at, extension=extension)
    state = _begun_anew(state) if extension and state.engine.checkpoints else state
    agents = {role: _fresh(state.agents.of(role)) for role in ROLES}
    engine = state.engine.evolve(
        called=tuple(role for role in ROLES if role in set(called)),
        over=(),
        done=(),
        tries={},
        wrote={},
        under_way=(),
        objections=(),
    )
    return derive_standing(
        state.evolve(
            iterations=(*state.iterations, record),
            current_iteration=record.number,
            agents=state.agents.evolve(**agents),
            engine=engine,
        )
    )


def _begun_anew(state: CycleState) -> CycleState:
    """What a user adds has to be shown against the product as it is now."""
    engine = state.engine
    proven = (*(engine.proven or ()), *(engine.proof.fail_to_pass if engine.proof else ()))
    return state.evolve(
        engine=engine.evolve(
            start=engine.checkpoints[-1].commit,
            proof=None,
            proof_asked=None,
            proven=tuple(dict.fromkeys(proven))[:TESTS_KEPT] or None,
        )
    )


def close_iteration(state: CycleState, at: str, issues: tuple[str, ...]) -> CycleState:
    """The iteration is over: its record is, and every document has its version, also one that nobody had to change."""
    record = state.iteration
    if record is None:
        return state
    agents = {
        role: agent.evolve(iterations_completed=agent.iterations_completed + 1)
        for role in ROLES
        if (agent := state.agents.of(role)).status != "failed"
    }
    version = version_of(record.number)
    parts = {
        name: part.evolve(version=version)
        for name in ("requirements", "exploration", "plan", "test_results")
        if (part := getattr(state, name)) is not None and part.version != version
    }
    state = with_record(state, record.evolve(completed_at=at, issues_found=issues, resolved=not issues))
    return state.evolve(**parts, agents=state.agents.evolve(**agents))


def issues_found(state: CycleState, tree: str) -> tuple[str, ...]:
    """Everything that keeps the iteration from being clean, in words; `tree` is the work tree's hash now."""
    return tuple(dict.fromkeys(_issues(state, tree)))


def _issues(state: CycleState, tree: str) -> Iterator[str]:
    last = state.engine.last_validation
    if last is not None and not last.passed and state.engine.tests_found:
        yield from last.reasons or ("the tests do not pass",)
    if not is_validated(state, tree):
        yield f"what is there now was not validated{_because(state, 'vas')}"
    elif has_failed(state, "vas.validate"):
        yield f"vas gave no judgement{_because(state, 'vas')}"
    yield from (f"vas: {words}" for words in state.engine.objections)
    yield from (f"{blocker.id}: {blocker.description}" for blocker in state.coordination.open_blockers)
    for key in state.engine.tries:
        if has_failed(state, key) and key != "vas.validate" and not is_held(state, key):
            yield f"{key} failed{_because(state, step_of(key).role or key)}"
    if state.engine.budget.reached and not plan_settled(state):
        yield "no plan was made"
    for task in list_tasks(state):
        if task.status not in ("completed", "blocked"):
            yield f"{task.id} is not done: {task.description}"


def _because(state: CycleState, phase: str) -> str:
    errors = (error.error for error in reversed(state.phase_errors) if error.phase == phase)
    why = next(errors, "")
    return f": {clip_text(why, 300)}" if why else ""


def missing_proof(state: CycleState) -> str | None:
    """What nothing shows, where everything else is well."""
    proof = state.engine.proof
    return proof_order(proof) if proof is not None and not proof.shown else None


def asks_for_proof(state: CycleState, id: str | None) -> bool:
    """Whether that task is the one order for a proof that is missing."""
    gap = missing_proof(state)
    return bool(state.engine.proof_asked and gap) and any(
        task.id == id and task.id in state.engine.mends and str(gap) in task.description for task in list_tasks(state)
    )


def make_boundary(tree: str, issues: Iterable[str], mends: Iterable[str] = ()) -> Border:
    """Blockers count by their words: one that comes back has another number.

    That a mend has failed is not news: what it was to mend is among the issues itself.
    """
    failed_mends = tuple(f"{id} failed: " for id in mends)
    plain = (_BLOCKER.sub("", words) for words in issues)
    words = "\n".join(words for words in plain if not words.startswith(failed_mends))
    return Border(tree=tree, issues=hashlib.sha256(words.encode(errors="replace")).hexdigest()[:16])


def next_iteration(
    state: CycleState, at: str, *, extension: str | None = None, feedback: tuple[FeedbackEntry, ...] = ()
) -> CycleState:
    """Opens the next iteration of one that is over, with what was found in it and what a user adds."""
    entries = (*_user_says(extension, at), *feedback)
    called = {entry.target for entry in entries}
    called |= {role for role in FIRST_CALLED if role_status(state, role) == "failed"}
    objections = state.engine.objections
    state = add_feedback(state, entries)
    state = open_iteration(state, at, called=[role for role in FIRST_CALLED if role in called], extension=extension)
    if extension:
        description = f"{state.description}\n\n--- ITERATION {state.current_iteration} ---\n{extension}"
        state = state.evolve(task_history=(*state.task_history, extension), description=description)
    return derive_standing(_with_mends(state, objections, at))


def collect_feedback(state: CycleState, at: str) -> tuple[FeedbackEntry, ...]:
    """Who hears of what is wrong."""
    return tuple(
        FeedbackEntry(timestamp=at, source=source, target=target, content=content, type=kind)
        for source, target, content, kind in _routed(state)
    )


def add_feedback(state: CycleState, entries: Iterable[FeedbackEntry]) -> CycleState:
    log = (*state.coordination.feedback_log, *entries)[-FEEDBACK_KEPT:]
    if log == state.coordination.feedback_log:
        return state
    return state.evolve(coordination=state.coordination.evolve(feedback_log=log))


def _routed(state: CycleState) -> Iterator[tuple[str, Role, str, FeedbackType]]:
    """(source, target, content, type) of every finding; a table in words: see the pages."""
    if found := _bugs(state):
        yield "vas", "cd", "; ".join(found), "bug_report"
    for words in state.engine.objections:
        yield "vas", "cd", words, "bug_report"
    for blocker in state.coordination.open_blockers:
        about = f"{blocker.id}: {blocker.description}"
        if blocker.reported_by != "ra":
            yield blocker.reported_by, "ra", about, "clarification"
        if blocker.reported_by == "cd" and any(word in blocker.description.lower() for word in PLAN_WORDS):
            yield "cd", "ep", about, "clarification"


def _bugs(state: CycleState) -> tuple[str, ...]:
    """What the last validation found; failing tests are named, and said once."""
    last = state.engine.last_validation
    if last is not None and last.passed and state.engine.proof_asked and (words := missing_proof(state)):
        return (words,)
    if last is None or last.passed or not state.engine.tests_found:
        return ()
    failing = _to_mend(state)
    if not failing:
        return last.reasons or ("the tests do not pass",)
    others = (reason for reason in last.reasons if not _COUNTS.match(reason))
    return (f"{plural(len(failing), 'failing test')}: {_named(failing)}", *others)


def _to_mend(state: CycleState) -> tuple[str, ...]:
    """Failing tests that keep the validation from passing: of those that failed at first nobody asks where any may."""
    failing = state.test_results.failed_tests if state.test_results else ()
    baseline = state.engine.baseline
    if state.engine.settings.require == "all" or baseline is None:
        return failing
    return tuple(key for key in failing if (at_first := baseline.tests.get(key)) is None or at_first.status != "failed")


def _user_says(extension: str | None, at: str) -> tuple[FeedbackEntry, ...]:
    if extension is None:
        return ()
    return (FeedbackEntry(timestamp=at, source="user", target="ra", content=extension, type="requirement_update"),)


def _fresh(agent: AgentState) -> AgentState:
    return AgentState(output_files=agent.output_files, iterations_completed=agent.iterations_completed)


def _with_mends(state: CycleState, objections: tuple[str, ...], at: str) -> CycleState:
    """Work for cd on what was found, a task for each file of failing tests, beside what the plan holds already.

    An open task of an earlier iteration that asks for less or more than was found now is replaced, not doubled.
    """
    found = tuple(_mend_words(state, objections))
    known = {task.description for task in list_tasks(state) if task.status != "completed"}
    new = [words for words in found if words not in known]
    if not new:
        return state
    outdated = {
        task.id
        for task in list_tasks(state)
        if task.id in state.engine.mends and task.status == "pending" and task.description not in found
    }
    first = _next_number(list_tasks(state))
    made = tuple(
        PlanTask(id=f"TASK-{number:03d}", description=words, assigned_to="cd")
        for number, words in enumerate(new, first)
    )
    left = tuple(task for task in list_tasks(state) if task.status != "completed" and task.id not in outdated)
    mends = (*(id for id in state.engine.mends if id not in outdated), *(task.id for task in made))
    plan = make_plan(state.plan, (*left, *made), mends, version_of(state.current_iteration), at)
    return state.evolve(plan=plan, engine=state.engine.evolve(mends=mends))


def _mend_words(state: CycleState, objections: tuple[str, ...]) -> Iterator[str]:
    """By area: a test file, what else was measured, or what vas says against the result.

    What vas says while tests fail is mostly of the same fault: it goes to the tests that it names, or to the only ones.
    """
    areas: dict[str, list[str]] = defaultdict(list)
    found = _bugs(state)
    for test in _to_mend(state) if found else ():
        file = test.partition("::")[0]
        areas[file if file in areas or len(areas) < MOST_MENDS - 1 else "other tests"].append(test)
    left = list(objections)
    for file, failing in areas.items():
        same = [
            words for words in left if len(areas) == 1 or file in words or any(_is_about(key, words) for key in failing)
        ]
        left = [words for words in left if words not in same]
        yield "\n".join([f"Make these tests pass: {_named(failing)}", *(f"vas says: {words}" for words in same)])
    if found and not areas:
        yield f"Mend what the validation found: {'; '.join(found)}"
    if left:
        yield f"Mend what vas says against the result: {'; '.join(left)}"


def _is_about(test: str, words: str) -> bool:
    """Whether the words name the test."""
    return re.search(rf"\b{re.escape(test.rpartition('::')[2].partition('[')[0])}\b", words) is not None


def _next_number(known: tuple[PlanTask, ...]) -> int:
    numbers = [int(task.id[5:]) for task in known if task.id.startswith("TASK-") and task.id[5:].isdecimal()]
    return max(numbers, default=0) + 1


def _named(keys: Iterable[str]) -> str:
    names = tuple(keys)
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
