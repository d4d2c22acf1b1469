"""CycleState and its parts, with the names they have in the files."""

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from loopwright.core.agent_names import complete_name
from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.names import CycleStatus
from loopwright.core.record import Items, Record, Timestamp, is_absent
from loopwright.core.state import ENDS_COMPLETED, MAX_ITERATIONS, Iterations, Parallel, RunState
from loopwright.evidence.failures import Attempt
from loopwright.evidence.rivals import AppliedPatch


class CycleStepUnderWay(Record):
    """A step in progress; `step` is its key (see cycle_names). `lane`: which of cd's work trees it uses."""

    step: str
    at: Timestamp
    lane: int | None = Field(default=None, exclude_if=is_absent)


class Border(Record):
    """How an iteration ended: the hash of its tree, and a digest of its issues."""

    tree: str
    issues: str


class CycleEngine(RunState):
    """`roles`: which agent plays which role. `called`: roles that have something to do in this iteration.

    Of this iteration: `over`, the roles that have done all of it, in that order; `done`, keys of the steps that ended
    well; `tries`, by key how often one failed, or was validated anew; `wrote`, by role the files it wrote;
    `objections`, what vas says against the result. `analysed`, `explored`, `planned`: the last iteration in which each
    was done (0: never).
    `holds`: by id of a blocker or decision the keys of the steps that wait for it; `recommended`: by id of a decision
    the option that the role would take. `mends`: tasks of the plan that stand for an issue, not for a requirement.
    `half`: by key of a step the commit with what was done of it, unmerged, when its runner died. `worked`: tasks that
    have measurably changed something, also where a try of theirs failed afterwards. `queue`: extensions
    that wait for the border of the iteration. `proof_asked`: cd was told that no test shows the goal; `proven`: tests
    that have shown it before a user extended it. `patches`: edits that the embedded debugger has put in, and how they
    compare with others. `attempt`: the last turn of cd that changed files, until a validation passes. `counted`: until
    when working time is in the budget's account; steps may run side by side.
    """

    roles: dict[Role, str] = Field(default_factory=dict)
    parallel: Parallel = 2
    under_way: Items[CycleStepUnderWay] = ()
    called: Items[Role] = ()
    over: Items[Role] = ()
    done: Items[str] = ()
    tries: dict[str, int] = Field(default_factory=dict)
    wrote: dict[Role, Items[str]] = Field(default_factory=dict)
    analysed: int = 0
    explored: int = 0
    planned: int = 0
    holds: dict[str, Items[str]] = Field(default_factory=dict)
    recommended: dict[str, str] = Field(default_factory=dict)
    mends: Items[str] = ()
    half: dict[str, str] = Field(default_factory=dict)
    worked: Items[str] | None = Field(default=None, exclude_if=is_absent)
    queue: Items[str] = ()
    objections: Items[str] = ()
    last_border: Border | None = None
    proof_asked: bool | None = Field(default=None, exclude_if=is_absent)
    proven: Items[str] | None = Field(default=None, exclude_if=is_absent)
    patches: Items[AppliedPatch] | None = Field(default=None, exclude_if=is_absent)
    attempt: Attempt | None = Field(default=None, exclude_if=is_absent)
    limits_in_a_row: int = 0
    counted: Timestamp | None = None

    def agent_of(self, role: Role) -> str:
        """The name of the agent that plays the role."""
        return self.roles.get(role, self.settings.agent)

    def choice_of(self, role: Role) -> str:
        """The same, with the model and effort that are chosen for it."""
        return complete_name(self.agent_of(role), self.settings)


Phase = Literal["init", "ra", "ep", "cd", "vas", "aggregation", "complete"]
AgentStatus = Literal["idle", "running", "waiting", "completed", "failed"]
Effort = Literal["small", "medium", "large"]
PlanStatus = Literal["pending", "in_progress", "completed", "blocked"]
FeedbackType = Literal["requirement_update", "bug_report", "issue_fix", "clarification"]
DecisionStatus = Literal["pending", "made", "implemented"]
BlockerStatus = Literal["open", "resolved", "workaround"]
ChangeAction = Literal["create", "modify", "delete"]

FINISHED: frozenset[CycleStatus] = frozenset({"completed", "failed"})
TITLE_LENGTH = 100
CHANGES_KEPT, ERRORS_KEPT, FEEDBACK_KEPT = 500, 100, 200
"""Entries that the state holds, the last ones; all of them are in the logs and in the journal."""

_VERSION = re.compile(r"1\.(0|[1-9]\d{0,6})\.0")


def version_of(iteration: int) -> str:
    """The version that documents have in an iteration: 1.0.0, 1.1.0, 1.2.0, …"""
    return f"1.{max(iteration, 1) - 1}.0"


def iteration_of(version: str) -> int:
    """The iteration that a version is of. ValueError says how one looks."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise ValueError(f"a version looks like 1.0.0, 1.1.0, 1.2.0, … (got {version[:40]!r})")
    return int(found[1]) + 1


def _version(value: str) -> str:
    iteration_of(value)
    return value


Version = Annotated[str, AfterValidator(_version)]


class AgentState(Record):
    """One role in the current iteration. `waiting`: started, and blocked by others or by a person."""

    status: AgentStatus = "idle"
    started_at: Timestamp | None = Field(default=None, exclude_if=is_absent)
    completed_at: Timestamp | None = Field(default=None, exclude_if=is_absent)
    output_files: Items[str] = ()
    last_message: str | None = Field(default=None, exclude_if=is_absent)
    error: str | None = Field(default=None, exclude_if=is_absent)
    iterations_completed: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _a_failure_says_why(self) -> Self:
        if self.status == "failed" and not self.error:
            raise ValueError("a role that failed needs its error")
        return self


class Agents(Record):
    ra: AgentState = AgentState()
    ep: AgentState = AgentState()
    cd: AgentState = AgentState()
    vas: AgentState = AgentState()

    def of(self, role: Role) -> AgentState:
        return {"ra": self.ra, "ep": self.ep, "cd": self.cd, "vas": self.vas}[role]


class PhaseError(Record):
    phase: str
    error: str
    timestamp: Timestamp


class Requirements(Record):
    """`specification` is the whole of requirements.md."""

    version: Version
    specification: str
    edge_cases: Items[str] = ()
    last_updated: Timestamp


class Exploration(Record):
    version: Version
    architecture_summary: str
    integration_points: Items[str] = ()
    identified_risks: Items[str] = ()
    last_updated: Timestamp


class PlanTask(Record):
    """One task of the plan. `files`: what it will change, relative to the project; none if unknown."""

    id: str = Field(min_length=1)
    description: str = Field(min_length=1)
    effort: Effort = "small"
    depends_on: Items[str] = ()
    status: PlanStatus = "pending"
    assigned_to: str | None = Field(default=None, exclude_if=is_absent)
    files: Items[str] = ()


class Plan(Record):
    """`total_estimated_effort` and `critical_path` are computed (see cycle_plan)."""

    version: Version
    tasks: Items[PlanTask] = ()
    total_estimated_effort: str
    critical_path: Items[str] = ()
    last_updated: Timestamp

    @model_validator(mode="after")
    def _tasks_fit_together(self) -> Self:
        ids = [task.id for task in self.tasks]
        if len(set(ids)) != len(ids):
            raise ValueError("two tasks of the plan share an id")
        for task in self.tasks:
            if strange := set(task.depends_on) - set(ids):
                raise ValueError(f"{task.id} depends on {', '.join(sorted(strange))}, which the plan does not have")
        if circle := circle_in({task.id: task.depends_on for task in self.tasks}):
            raise ValueError(f"the tasks of the plan wait for each other: {' → '.join(circle)}")
        return self

    def task(self, id: str) -> PlanTask | None:
        return next((task for task in self.tasks if task.id == id), None)


class ChangeLog(Record):
    """One changed file, as measured."""

    timestamp: Timestamp
    file: str
    action: ChangeAction
    iteration: int
    agent: str
    description: str


class Changes(Record):
    """`total_files` counts every file ever changed; `iteration_markers`: when each iteration changed one."""

    total_files: int = Field(default=0, ge=0)
    changes: Items[ChangeLog] = Field(default=(), max_length=CHANGES_KEPT)
    iteration_markers: dict[str, Timestamp] = Field(default_factory=dict)


class TestResults(Record):
    """The last validation, in counts and percent."""

    __test__ = False

    version: Version
    pass_rate: float = Field(ge=0, le=100)
    coverage: float = Field(ge=0, le=100)
    failed_tests: Items[str] = ()
    total_tests: int = Field(ge=0)
    last_run: Timestamp


class AgentResult(Record):
    """What one role did in an iteration: completed, partial, failed, pending, or unchanged if it had nothing to do."""

    status: str
    files_modified: int = Field(default=0, ge=0)


class IterationRecord(Record):
    number: int = Field(ge=1)
    extension: str | None = Field(default=None, exclude_if=is_absent)
    started_at: Timestamp
    completed_at: Timestamp | None = Field(default=None, exclude_if=is_absent)
    agent_results: dict[str, AgentResult] = Field(default_factory=dict)
    issues_found: Items[str] = ()
    resolved: bool = False


class FeedbackEntry(Record):
    """`source` is a role, `user` or `engine`; `target` a role."""

    timestamp: Timestamp
    source: str
    target: str
    content: str
    type: FeedbackType


class Decision(Record):
    id: str = Field(min_length=1)
    description: str
    options: Items[str] = ()
    made_by: str | None = Field(default=None, exclude_if=is_absent)
    chosen_option: str | None = Field(default=None, exclude_if=is_absent)
    status: DecisionStatus = "pending"

    @model_validator(mode="after")
    def _made_means_chosen(self) -> Self:
        if (self.status == "pending") != (self.chosen_option is None):
            raise ValueError(f"decision {self.id} is {self.status}, and its option is {self.chosen_option!r}")
        return self


class Blocker(Record):
    id: str = Field(min_length=1)
    description: str
    reported_by: str
    status: BlockerStatus = "open"
    resolution: str | None = Field(default=None, exclude_if=is_absent)

    @model_validator(mode="after")
    def _resolved_means_how(self) -> Self:
        if self.status != "open" and not self.resolution:
            raise ValueError(f"blocker {self.id} is {self.status} without a resolution")
        return self


class Coordination(Record):
    """What the roles, the engine and the user say to each other."""

    feedback_log: Items[FeedbackEntry] = Field(default=(), max_length=FEEDBACK_KEPT)
    pending_decisions: Items[Decision] = ()
    blockers: Items[Blocker] = ()

    @property
    def open_blockers(self) -> tuple[Blocker, ...]:
        return tuple(blocker for blocker in self.blockers if blocker.status == "open")

    @property
    def undecided(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.pending_decisions if decision.status == "pending")


class CycleState(Record):
    """One cycle: the seed's fields, and what only this engine knows in `engine`."""

    cycle_id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    description: str
    task_history: Items[str] = ()
    status: CycleStatus = "created"
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None = Field(default=None, exclude_if=is_absent)
    max_iterations: Iterations = MAX_ITERATIONS
    current_iteration: int = Field(default=0, ge=0)
    failure_reason: str | None = Field(default=None, exclude_if=is_absent)
    agents: Agents = Agents()
    current_phase: Phase = "init"
    completed_phases: Items[str] = ()
    phase_errors: Items[PhaseError] = Field(default=(), max_length=ERRORS_KEPT)
    requirements: Requirements | None = Field(default=None, exclude_if=is_absent)
    exploration: Exploration | None = Field(default=None, exclude_if=is_absent)
    plan: Plan | None = Field(default=None, exclude_if=is_absent)
    changes: Changes | None = Field(default=None, exclude_if=is_absent)
    test_results: TestResults | None = Field(default=None, exclude_if=is_absent)
    iterations: Items[IterationRecord] = ()
    coordination: Coordination = Coordination()
    engine: CycleEngine = CycleEngine()

    @model_validator(mode="after")
    def _an_end_is_an_end(self) -> Self:
        finished = self.status in FINISHED
        if finished and (self.completed_at is None or self.engine.outcome is None):
            raise ValueError(f"a cycle that is {self.status} needs completed_at and an outcome")
        if not finished and (self.completed_at or self.failure_reason or self.engine.outcome):
            raise ValueError(f"a cycle that is {self.status} cannot carry an end")
        if self.status == "failed" and not self.failure_reason:
            raise ValueError("a failed cycle needs failure_reason")
        if (self.status == "completed") != (self.engine.outcome in ENDS_COMPLETED):
            raise ValueError(f"a cycle that is {self.status} cannot have the outcome {self.engine.outcome}")
        if self.status == "completed" and self.coordination.open_blockers:
            raise ValueError("a completed cycle has no open blockers")
        return self

    @model_validator(mode="after")
    def _iterations_are_counted(self) -> Self:
        if [record.number for record in self.iterations] != list(range(1, self.current_iteration + 1)):
            raise ValueError(f"current_iteration is {self.current_iteration}, its records say otherwise")
        if any(record.completed_at is None for record in self.iterations[:-1]):
            raise ValueError("an iteration began before the one before it was over")
        return self

    @model_validator(mode="after")
    def _documents_are_of_an_iteration(self) -> Self:
        for part in (self.requirements, self.exploration, self.plan, self.test_results):
            if part is not None and iteration_of(part.version) > max(self.current_iteration, 1):
                raise ValueError(f"version {part.version} is of an iteration that has not begun")
        return self

    @property
    def iteration(self) -> IterationRecord | None:
        """The iteration under way; None before the first and after one that is over."""
        last = self.iterations[-1] if self.iterations else None
        return last if last is not None and last.completed_at is None else None

    @property
    def status_of_roles(self) -> dict[Role, AgentStatus]:
        return {role: self.agents.of(role).status for role in ROLES}


def circle_in(waits_for: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Ids that wait for each other, the first one again at the end; empty where there are none."""
    try:
        TopologicalSorter(waits_for).prepare()
    except CycleError as found:
        circle: list[str] = found.args[1]
        return tuple(reversed(circle))
    return ()
