"""The `engine` key of a state file: everything the seed schema has no place for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from loopwright.core.cycle_names import Role
from loopwright.core.names import Mode
from loopwright.core.record import Items, Record, Timestamp, bound_range, is_absent, is_empty, remember_last
from loopwright.core.text import plural
from loopwright.evidence.failures import Attempt
from loopwright.evidence.objections import RunReview
from loopwright.evidence.proof import NamedTest, Proof, ProofPolicy


class MenuEntry(Record):
    """`blocked`: why it cannot be chosen now. One entry is `preselected`."""

    name: str
    words: str
    blocked: str | None = None
    preselected: bool = False


class Menu(Record):
    """Open until a choice is taken. `choice` was made, but the runner has not taken it yet."""

    since: Timestamp
    entries: Items[MenuEntry]
    choice: str | None = Field(default=None, exclude_if=is_absent)

    @property
    def free(self) -> tuple[str, ...]:
        """The names that can be chosen."""
        return tuple(entry.name for entry in self.entries if not entry.blocked)


SCHEMA = 1
"""Version of the state and journal format; a higher one is refused."""

Outcome = Literal["succeeded", "unproven", "unverified", "exhausted", "stalled", "over_budget", "stopped", "failed"]
ENDS_COMPLETED: frozenset[Outcome] = frozenset({"succeeded", "unproven", "unverified"})
"""Outcomes of a run whose status is completed."""

OnError = Literal["continue", "pause", "fail_fast"]
Require = Literal["all", "no_new_failures"]
SandboxName = Literal["none", "bwrap", "landlock", "auto", "required"]
"""`auto`: landlock where the kernel has it, else none; `required`: the first there is, and no run without one."""
Policy = Literal["ask", "workspace", "read-only", "all"]
"""What an agent may do without asking a person (see policy/permissions.py)."""

MOST_ITERATIONS = 1_000_000
Iterations = Annotated[int, *bound_range(1, MOST_ITERATIONS)]
Tokens = Annotated[int, *bound_range(1, 10**15)]

INCIDENTS_KEPT = 50
CHECKPOINTS_KEPT = 200
SIGHTINGS_KEPT = 20


class LoopTask(Record):
    """A task in the API: what to do. Its progress is in the DevelopTask with the same id.

    `proof`: what proves it, if different from the run's. `planned`: the agent itself proposed it.
    """

    task_id: str = Field(min_length=1)
    description: str = Field(min_length=1)
    tool: str = "codex"
    mode: Literal["analysis", "write", "review"] = "write"
    prompt_template: str = ""
    order: int = 0
    created_at: Timestamp
    updated_at: Timestamp
    command: str | None = Field(default=None, exclude_if=is_absent)
    on_error: OnError | None = Field(default=None, exclude_if=is_absent)
    depends_on: Items[str] | None = Field(default=None, exclude_if=is_absent)
    allow_test_changes: bool | None = Field(default=None, exclude_if=is_absent)
    proof: ProofPolicy | None = Field(default=None, exclude_if=is_absent)
    planned: bool | None = Field(default=None, exclude_if=is_absent)


class Waiting(Record):
    """A question that only a person can answer; `by_resuming`: a problem to fix before the loop is resumed."""

    question: str
    options: Items[str] = ()
    since: Timestamp
    by_resuming: bool | None = Field(default=None, exclude_if=is_absent)


class PermissionRequest(Record):
    """Something an agent wants to do that its policy leaves to a person.

    `kind` as ACP names it (edit, execute, fetch, …), `paths` as the agent gave them, `command` if it is one.
    `reason`: why it asks.
    """

    id: str = Field(min_length=1)
    agent: str
    action: str
    title: str
    kind: str = "other"
    paths: Items[str] = ()
    command: str | None = None
    reason: str = ""
    since: Timestamp
    answer: Literal["allow", "deny"] | None = None


DeliveryWay = Literal["order", "steered", "interrupted", "task"]
"""With the next order; into the turn under way; in a turn that was cut off for it; as a task or an extension."""


class PersonMessage(Record):
    """What a person tells the agent. `now`: the turn under way is cut off where it cannot be told within it.

    `role`: the only one that gets it, in a cycle. `why` it is undelivered, in words. `answer`: what the turn that had
    it came to. `task`: what it became, where no turn was left to hear it.
    """

    id: str
    text: str
    at: Timestamp
    now: bool = False
    role: Role | None = Field(default=None, exclude_if=is_absent)
    status: Literal["queued", "sending", "delivered", "answered", "undelivered"] = "queued"
    way: DeliveryWay | None = Field(default=None, exclude_if=is_absent)
    agent: str = ""
    delivered_at: Timestamp | None = Field(default=None, exclude_if=is_absent)
    answer: str = ""
    why: str = ""
    task: str | None = Field(default=None, exclude_if=is_absent)


class Parked(Record):
    """Waiting for the agent's limit to reset."""

    until: Timestamp
    reason: str


class RelievedAgent(Record):
    """One whose limit others have taken over at, as it is chosen, until one of them has done something.

    `reason` and `until`: of the limit, as the agent told it.
    """

    agent: str
    reason: str
    until: str | None = None


class LastValidation(Record):
    """`tree` is the hash taken before the tests ran, `left` the one after; `tests` counts all, `skipped` those
    among them that did not run.

    `reasons` say why it did not pass; `touched` are project files that changed meanwhile. `measured`: when the
    tests ran, if they were not run for it (`at INIT`).
    """

    tree: str
    left: str
    passed: bool
    at: Timestamp
    tests: int = 0
    skipped: int | None = Field(default=None, exclude_if=is_absent)
    reasons: Items[str] = ()
    touched: Items[str] | None = Field(default=None, exclude_if=is_absent)
    measured: str | None = Field(default=None, exclude_if=is_absent)


class Sighting(Record):
    """What one validation saw, for stall detection (see workflows/loop/stall.py), in digests and counts.

    `failing`: digest of the names of the failing tests, empty when none fails; `failures`: digests of each of them, up
    to a cap. `tested` is False for a DEBUG that changed nothing: only `ideas` is news there. `tasks` are completed ones
    that changed files, `ideas` causes that were named or judged. `failed` is None in sightings of an earlier version.
    """

    failing: str
    tree: str
    failures: str = ""
    failed: int | None = None
    passed: int = 0
    coverage: float = 0
    tasks: int = 0
    ideas: int = 0
    tested: bool = True


class BaselineTest(Record):
    """`source`: digest of the test's own function and fixtures; empty if unknown."""

    status: Literal["passed", "failed", "skipped"]
    source: str = ""


class CommittedTests(Record):
    """Tests that were another in the user's commit than in the work tree that the run found: gone, skipped, changed.

    `commit`: its files, as a snapshot. `tests`: keys in the baseline that it speaks for.
    """

    commit: str
    tests: Items[str] = ()


class Baseline(Record):
    """The first test run, which every later one is compared with.

    `commit` holds the files it ran on; `touched` are those that the run itself changed. `endless`: tests that
    did not end on their own, with the seconds they get from then on. `committed`: tests that count as they were
    committed. `material`: files that were measured to be the tests', whatever they are called. `from_files`: reports
    told the results, and no test framework itself; None where that was not asked yet.
    """

    tree: str
    at: Timestamp
    tests: dict[str, BaselineTest] = Field(default_factory=dict)
    commit: str | None = Field(default=None, exclude_if=is_absent)
    touched: Items[str] | None = Field(default=None, exclude_if=is_absent)
    endless: dict[str, float] | None = Field(default=None, exclude_if=is_absent)
    committed: CommittedTests | None = Field(default=None, exclude_if=is_absent)
    material: Items[str] = Field(default=(), exclude_if=lambda value: not value)
    from_files: bool | None = Field(default=None, exclude_if=is_absent)


class Checkpoint(Record):
    """A snapshot of the work tree; `n` counts up within the loop, `commit` is in the private repository.

    `rev` is the state commit that belongs to it.
    """

    n: int
    rev: int
    commit: str
    tree: str
    action: str
    at: Timestamp


class Incident(Record):
    """Something that was reverted or repaired, and why."""

    kind: str
    message: str
    at: Timestamp


class Reached(NamedTuple):
    """A limit that is used up: which, in words, and how much was spent of it (minutes, tokens, US dollars)."""

    limit: Literal["max_minutes", "max_tokens", "max_cost"]
    words: str
    spent: float


class Budget(Record):
    """Limits (None: no limit) and usage. Cost in US dollars.

    `held`: the limit, in words, that a turn was cut off at because too little is left of it for another request.
    """

    max_minutes: float | None = Field(default=None, gt=0)
    max_tokens: Tokens | None = None
    max_cost: float | None = Field(default=None, gt=0)
    spent_seconds: float = Field(default=0, ge=0)
    tokens: int | None = None
    cost: float | None = None
    held: str | None = Field(default=None, exclude_if=is_absent)

    @property
    def reached(self) -> Reached | None:
        """The first limit that is used up."""
        return next((limit for limit, is_reached in self._limits() if is_reached or limit.words == self.held), None)

    def _limits(self) -> Iterator[tuple[Reached, bool]]:
        if self.max_minutes is not None:
            words = f"time budget of {plural(self.max_minutes, 'minute')}"
            minutes = self.spent_seconds / 60
            yield Reached("max_minutes", words, minutes), minutes >= self.max_minutes
        if self.max_tokens is not None:
            words, tokens = f"budget of {plural(self.max_tokens, 'token')}", self.tokens or 0
            yield Reached("max_tokens", words, tokens), tokens >= self.max_tokens
        if self.max_cost is not None:
            words, cost = f"budget of {self.max_cost:g} US dollars", self.cost or 0
            yield Reached("max_cost", words, cost), cost >= self.max_cost


@dataclass(frozen=True)
class Limits:
    """New limits for a loop; None leaves one as it is. Cost in US dollars."""

    max_iterations: int | None = None
    max_minutes: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None


class RunSettings(Record):
    """What the loop was started with, so that a resumed one continues the same way. Times in seconds.

    `model` and `effort` are those of `agent`; None: its own. `fallback`: agents that take over from it, in order.
    `review`: the agent that reviews a loop's work before its end.

    `per_test_timeout`: for a single test (0: none; None: relative to the others). `test_parallel`: processes that run
    the tests; None: as the command says. `grace_timeout`: how long an agent whose time is up has to wrap up. `park`:
    wait for a usage limit to reset. `worktree`: it works in a git worktree of its own; `commit`: what each task changed
    is committed there. `sandbox`: what agents and tests are put into, and `sandbox_paths` what they see there besides;
    `sandbox_hosts`: hosts with ports that tests reach in it.
    `baseline`: the revision whose tests count where the work tree has others; `worktree`: the work tree's count.
    """

    mode: Mode = "interactive"
    agent: str = "auto"
    model: str | None = Field(default=None, exclude_if=is_absent)
    effort: str | None = Field(default=None, exclude_if=is_absent)
    fallback: Items[str] = Field(default=(), exclude_if=lambda value: not value)
    review: str | None = Field(default=None, exclude_if=is_absent)
    test_command: str | None = None
    test_timeout: float = Field(default=600, gt=0)
    per_test_timeout: float | None = Field(default=None, ge=0, exclude_if=is_absent)
    test_parallel: int | None = Field(default=None, ge=1, exclude_if=is_absent)
    action_timeout: float = Field(default=600, gt=0)
    silence_timeout: float = Field(default=300, ge=0)
    require: Require = "all"
    min_pass_rate: float = Field(default=100, ge=0, le=100)
    min_coverage: float = Field(default=0, ge=0, le=100)
    min_mutation_score: float = Field(default=0, ge=0, le=100, exclude_if=lambda value: value == 0)
    min_diff_coverage: float = Field(default=0, ge=0, le=100, exclude_if=lambda value: value == 0)
    proof: ProofPolicy = Field(default="auto", exclude_if=lambda value: value == "auto")
    allow_environment_changes: bool = Field(default=False, exclude_if=lambda value: not value)
    baseline: str = Field(default="HEAD", exclude_if=lambda value: value == "HEAD")
    permissions: Policy = "workspace"
    grace_timeout: float = Field(default=60, ge=0)
    park: bool = True
    worktree: bool = Field(default=False, exclude_if=lambda value: not value)
    commit: bool = Field(default=False, exclude_if=lambda value: not value)
    sandbox: SandboxName = Field(default="none", exclude_if=lambda value: value == "none")
    sandbox_paths: Items[str] = Field(default=(), exclude_if=lambda value: not value)
    sandbox_hosts: Items[str] = Field(default=(), exclude_if=lambda value: not value)


class PendingCommit(Record):
    """A task that is done, whose changes are to be committed under these words.

    `files`: those that it changed, where others change some at the same time; none: all that has changed.
    """

    words: str
    task: str | None = None
    files: Items[str] = Field(default=(), exclude_if=lambda value: not value)


class PendingApply(Record):
    """Files of the user's tree that are being replaced: what they hold `before` and `after`, as private commits."""

    before: str
    after: str
    files: Items[str]


class RunBranch(Record):
    """The git worktree of a run, and what has become of its work. `path` is absolute.

    `base`: commit of the user's that the branch began at, on `base_branch` unless HEAD was detached. Nobody works there
    before it `is_ready`. `tip`: its commit when last looked at; `named`: another branch that holds the result. Private
    commits: `start`, what the worktree held at first; `brought`, what a run in the user's own tree had come to when it
    was last put on this branch; `applied`, what was last applied to the user's tree.
    """

    path: str
    name: str
    base: str
    base_branch: str | None = None
    is_ready: bool = False
    start: str | None = Field(default=None, exclude_if=is_absent)
    pending: Items[PendingCommit] = Field(default=(), exclude_if=lambda value: not value)
    brought: str | None = Field(default=None, exclude_if=is_absent)
    tip: str | None = Field(default=None, exclude_if=is_absent)
    named: str | None = Field(default=None, exclude_if=is_absent)
    applying: PendingApply | None = Field(default=None, exclude_if=is_absent)
    applied: str | None = Field(default=None, exclude_if=is_absent)
    applied_files: int | None = Field(default=None, exclude_if=is_absent)
    pull_request: str | None = Field(default=None, exclude_if=is_absent)


class Spent(Record):
    """Folds that happen once in a loop's life, and the counters behind the selector's facts.

    `proof_task`: the task that asks for a proof. `environment_task`: one was made that asks to put back what tests run
    with. `unchanged`: tasks that were carried out and changed nothing.
    `worked`: tasks for which something was changed by a turn that came to no end, or by debugging after they failed.
    """

    threshold_task: bool = False
    fruitless_task: bool = False
    proof_task: str | None = Field(default=None, exclude_if=is_absent)
    environment_task: bool = Field(default=False, exclude_if=lambda value: not value)
    unchanged: Items[str] | None = Field(default=None, exclude_if=is_absent)
    worked: Items[str] | None = Field(default=None, exclude_if=is_absent)
    revived: Items[str] = ()
    failures_in_a_row: int = 0
    limits_in_a_row: int = 0
    fewest_failing: int | None = None


class ModelUsage(Record):
    """What an agent's `turns` with one model came to; None: not known. `cost` in US dollars."""

    agent: str
    model: str
    turns: int = Field(default=0, ge=0)
    tokens: int | None = None
    cost: float | None = None


class RunState(Record):
    """What a state of any kind keeps beside its own fields, so that a runner can die and another go on.

    `start`: commit of the files as the run found them. `environment`: name of what the workspace remembers of what the
    first tests were run with. `sources`: addresses of the issue and the log that the task was taken from. `named`:
    tests that an agent says show the goal, and `proposed_proof` what it proposes to a person. `proof`: of the last
    validation that passed. `usage`: what each agent spent with each model, where it tells the model.
    """

    schema_: int = Field(default=SCHEMA, alias="schema")
    rev: int = Field(default=0, ge=0)
    digest: str = ""
    journal_bytes: int = Field(default=0, ge=0)
    epoch: int = Field(default=0, ge=0)
    outcome: Outcome | None = None
    waiting: Waiting | None = None
    answer: str | None = None
    interrupt: bool = False
    parked: Parked | None = None
    relieved: RelievedAgent | None = Field(default=None, exclude_if=is_absent)
    asked: Items[PermissionRequest] = ()
    messages: Items[PersonMessage] = Field(default=(), exclude_if=lambda value: not value)
    sessions: dict[str, str] = Field(default_factory=dict)
    settings: RunSettings = RunSettings()
    budget: Budget = Budget()
    usage: Items[ModelUsage] = Field(default=(), exclude_if=is_empty)
    tests_found: bool | None = None
    last_validation: LastValidation | None = None
    run_writes: Items[str] = ()
    baseline: Baseline | None = None
    allow_test_changes: bool = False
    branch: RunBranch | None = Field(default=None, exclude_if=is_absent)
    start: str | None = Field(default=None, exclude_if=is_absent)
    environment: str | None = Field(default=None, exclude_if=is_absent)
    sources: Items[str] = Field(default=(), exclude_if=lambda value: not value)
    named: Items[NamedTest] | None = Field(default=None, exclude_if=is_absent)
    proposed_proof: ProofPolicy | None = Field(default=None, exclude_if=is_absent)
    proof: Proof | None = Field(default=None, exclude_if=is_absent)
    checkpoints: Items[Checkpoint] = Field(default=(), max_length=CHECKPOINTS_KEPT)
    incidents: Items[Incident] = Field(default=(), max_length=INCIDENTS_KEPT)


class FamilyMember(Record):
    """One of several attempts at a goal: its run, and the agent that works on it, as NAME:MODEL@EFFORT."""

    id: str = Field(min_length=1)
    agent: str


class Family(Record):
    """The attempts at one goal, in order; each state holds the same, so that any of them leads to all.

    At most `parallel` run at once. `run_all`: none is stopped because another has succeeded. `winner`: the id of the
    one that was chosen, empty where none was; None until that is settled for the run that says it.
    """

    members: Items[FamilyMember] = Field(min_length=2)
    parallel: int = Field(default=2, ge=1)
    run_all: bool = Field(default=False, exclude_if=lambda value: not value)
    winner: str | None = Field(default=None, exclude_if=is_absent)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(member.id for member in self.members)

    def number(self, id: str) -> int:
        """From 1."""
        return self.ids.index(id) + 1


class EngineState(RunState):
    """The `engine` of a loop. `attempt`: the last turn that changed files, until a validation passes.

    `family`: the attempts that it is one of. `review`: what a second agent has said of the work.
    """

    menu: Menu | None = Field(default=None, exclude_if=is_absent)
    tasks: Items[LoopTask] = ()
    retry: Items[str] = ()
    debug_rounds: int = Field(default=0, ge=0)
    sightings: Items[Sighting] = Field(default=(), max_length=SIGHTINGS_KEPT)
    attempt: Attempt | None = Field(default=None, exclude_if=is_absent)
    spent: Spent = Spent()
    legacy_id: str | None = Field(default=None, exclude_if=is_absent)
    family: Family | None = Field(default=None, exclude_if=is_absent)
    review: RunReview | None = Field(default=None, exclude_if=is_absent)

    @model_validator(mode="after")
    def _task_ids_are_unique(self) -> Self:
        if len(self.tasks_by_id) != len(self.tasks):
            raise ValueError("two tasks share an id")
        return self

    @property
    def tasks_by_id(self) -> Mapping[str, LoopTask]:
        return _index_tasks(self.tasks)

    def task(self, id: str) -> LoopTask | None:
        return self.tasks_by_id.get(id)


@remember_last
def _index_tasks(tasks: tuple[LoopTask, ...]) -> Mapping[str, LoopTask]:
    return {task.task_id: task for task in tasks}


TaskMode = Literal["analysis", "write", "review"]


TaskStatus = Literal["pending", "in_progress", "completed", "failed"]


class DevelopTask(Record):
    """One unit of development work, as the runner sees it."""

    id: str = Field(min_length=1)
    description: str
    tool: str = "codex"
    mode: TaskMode = "write"
    status: TaskStatus = "pending"
    files_changed: Items[str] = ()
    created_at: Timestamp
    completed_at: Timestamp | None = None


Parallel = Annotated[int, *bound_range(1, 4)]


MAX_ITERATIONS = 5
