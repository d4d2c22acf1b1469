"""States of cycles for tests, made by the rules themselves."""

from collections.abc import Iterable

from loopwright.core.cycle_names import CycleStep, Role
from loopwright.core.outcomes import Change, ValidationOutcome
from loopwright.core.state import RunSettings
from loopwright.evidence.testing import TestResult, TestStatus
from loopwright.reports.block import PhaseStatus
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.commands import take_up
from loopwright.workflows.cycle.model import CycleState, PlanTask
from loopwright.workflows.cycle.outcomes import (
    AggregationOutcome,
    AnalysisOutcome,
    BaselineOutcome,
    CycleOutcome,
    CycleStepDone,
    ExplorationOutcome,
    ImplementationOutcome,
    JudgementOutcome,
    PlanOutcome,
)
from loopwright.workflows.cycle.reducer import begin_step, end_step
from loopwright.workflows.cycle.selector import CycleFacts, select_ready
from loopwright.workflows.cycle.standing import steps_under_way

AT = "2026-01-22T10:00:00+08:00"
TREE = "tree-1"


def created(*, interactive: bool = False, parallel: int = 2, max_iterations: int = 5) -> CycleState:
    state = CycleState(
        cycle_id="cycle-v1-20260122T100000-abc12345", title="Implement OAuth authentication",
        description="Add OAuth2 login support with Google and GitHub providers",
        task_history=("Implement OAuth authentication",), created_at=AT, updated_at=AT, max_iterations=max_iterations,
    )  # fmt: skip
    settings = RunSettings(mode="interactive" if interactive else "auto", agent="scripted")
    return state.evolve(engine=state.engine.evolve(parallel=parallel, settings=settings))


def running(*, interactive: bool = False, parallel: int = 2, max_iterations: int = 5) -> CycleState:
    return take_up(created(interactive=interactive, parallel=parallel, max_iterations=max_iterations), AT)


def report(role: Role, status: PhaseStatus = "success", **parts: object) -> PhaseReport:
    return PhaseReport.model_validate({"phase": role, "status": status, "summary": f"{role} did its part", **parts})


def task(id: str, *files: str, after: Iterable[str] = ()) -> PlanTask:
    return PlanTask(id=id, description=f"do {id}", files=files, depends_on=tuple(after))


def judged(*failing: str, passing: Iterable[str] = ("tests/test_a.py::test_ok",), tree: str = TREE) -> JudgementOutcome:
    results = (*(_result(key, "failed") for key in failing), *(_result(key, "passed") for key in passing))
    reasons = (f"{len(failing)} failed: {', '.join(failing)}",) if failing else ()
    return JudgementOutcome(
        ValidationOutcome(tree, tree, not failing, True, results, 80.0, reasons=reasons), report("vas")
    )


def _result(key: str, status: TestStatus) -> TestResult:
    suite, _, name = key.rpartition("::")
    return TestResult(test_name=name, suite=suite, status=status)


def usual(step: CycleStep, tasks: tuple[PlanTask, ...] = (task("TASK-001", "src/a.py"),)) -> CycleOutcome:
    """What a step comes back with when all goes well."""
    match step.name:
        case "ra.analyse":
            return AnalysisOutcome(report("ra"), "# Requirements", ("an empty name",), ("ra/requirements.md",))
        case "ep.explore":
            return ExplorationOutcome(report("ep"), "one package", files=("ep/exploration.md",))
        case "ep.plan":
            return PlanOutcome(report("ep"), tasks, ("ep/plan.json",))
        case "cd.implement":
            return ImplementationOutcome(report("cd"), True, (Change("src/a.py", "modify"),))
        case "vas.baseline":
            return BaselineOutcome(True, "pytest", None)
        case "vas.validate":
            return judged()
        case "aggregation":
            return AggregationOutcome()


def begun(state: CycleState, tree: str = TREE) -> CycleState:
    """With every step under way that can be."""
    for step in select_ready(state, CycleFacts(tree)):
        state = begin_step(state, step, AT)
    return state


def ended(state: CycleState, step: CycleStep, outcome: CycleOutcome, tree: str = TREE, at: str = AT) -> CycleState:
    return end_step(state, CycleStepDone(step, outcome, at, tree=tree))


def driven(state: CycleState, outcomes: dict[str, CycleOutcome] | None = None, tree: str = TREE) -> CycleState:
    """Driven to rest, each step as usual but for those whose key has an outcome of its own."""
    special = outcomes or {}
    while state.status == "running":
        state = begun(state, tree)
        if not state.engine.under_way:
            break
        step = steps_under_way(state)[0]
        state = ended(state, step, special.get(step.key, usual(step)), tree)
    return state
