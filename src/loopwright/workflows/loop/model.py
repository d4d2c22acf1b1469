"""LoopState and its parts, with the names they have in the files."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.names import Mode as Mode
from loopwright.core.record import Items, Record, Timestamp, is_absent, remember_last
from loopwright.core.state import ENDS_COMPLETED, DevelopTask, EngineState, Iterations
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.rivals import AppliedPatch, patch_of
from loopwright.evidence.testing import TestResult

CurrentAction = Literal["init", "develop", "debug", "validate", "review", "complete"]

ERRORS_KEPT = 100
ACTIONS_KEPT = 200
TITLE_LENGTH = 100


class Develop(Record):
    total: int = 0
    completed: int = 0
    current_task: str | None = None
    tasks: Items[DevelopTask] = ()
    last_progress_at: Timestamp | None = None

    @model_validator(mode="after")
    def _counts_are_counted(self) -> Self:
        done, ids = count_tasks(self.tasks)
        if (self.total, self.completed) != (len(self.tasks), done):
            raise ValueError(f"develop says {self.completed}/{self.total}, its tasks say {done}/{len(self.tasks)}")
        if ids != len(self.tasks):
            raise ValueError("two tasks share an id")
        return self


@remember_last
def count_tasks(tasks: tuple[DevelopTask, ...]) -> tuple[int, int]:
    """How many are completed, and how many ids they have."""
    return sum([task.status == "completed" for task in tasks]), len({task.id for task in tasks})


class Debug(Record):
    active_bug: str | None = None
    hypotheses_count: int = 0
    hypotheses: Items[Hypothesis] = ()
    confirmed_hypothesis: str | None = None
    iteration: int = Field(default=0, ge=0)
    last_analysis_at: Timestamp | None = None

    @model_validator(mode="after")
    def _counts_are_counted(self) -> Self:
        if self.hypotheses_count != len(self.hypotheses):
            raise ValueError(f"hypotheses_count is {self.hypotheses_count}, not {len(self.hypotheses)}")
        return self


class Validate(Record):
    """The last validation; `pass_rate` and `coverage` in percent."""

    pass_rate: float = Field(default=0, ge=0, le=100)
    coverage: float = Field(default=0, ge=0, le=100)
    test_results: Items[TestResult] = ()
    passed: bool = False
    failed_tests: Items[str] = ()
    last_run_at: Timestamp | None = None

    @model_validator(mode="after")
    def _passed_means_passed(self) -> Self:
        if self.passed and self.failed_tests:
            raise ValueError("validation cannot have passed with failed tests")
        return self


class ErrorEntry(Record):
    action: str
    message: str
    timestamp: Timestamp


class Summary(Record):
    """How the loop ended. `duration` in milliseconds."""

    duration: float = 0
    iterations: int = 0
    develop: dict[str, Any] = Field(default_factory=dict)  # Any: free-form in the source schema
    debug: dict[str, Any] = Field(default_factory=dict)
    validate_: dict[str, Any] = Field(default_factory=dict, alias="validate")


class SkillState(Record):
    """What the runner knows; nobody else writes it."""

    current_action: CurrentAction | None = None
    last_action: str | None = None
    completed_actions: Items[str] = ()
    mode: Mode = "auto"
    develop: Develop = Develop()
    debug: Debug = Debug()
    validate_: Validate = Field(default=Validate(), alias="validate")
    errors: Items[ErrorEntry] = Field(default=(), max_length=ERRORS_KEPT)
    summary: Summary | None = Field(default=None, exclude_if=is_absent)


class LoopState(Record):
    """One loop: API fields on top, the runner's `skill_state`, and what only this engine knows in `engine`."""

    loop_id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    description: str
    max_iterations: Iterations = 10
    status: LoopStatus = "created"
    current_iteration: int = Field(default=0, ge=0)
    created_at: Timestamp
    updated_at: Timestamp
    completed_at: Timestamp | None = Field(default=None, exclude_if=is_absent)
    failure_reason: str | None = Field(default=None, exclude_if=is_absent)
    tags: Items[str] | None = Field(default=None, exclude_if=is_absent)
    priority: Literal["low", "medium", "high"] | None = Field(default=None, exclude_if=is_absent)
    notes: str | None = Field(default=None, exclude_if=is_absent)
    skill_state: SkillState | None = Field(default=None, exclude_if=is_absent)
    engine: EngineState = EngineState()

    @model_validator(mode="after")
    def _an_end_is_an_end(self) -> Self:
        finished = self.status in FINISHED
        if finished and self.completed_at is None:
            raise ValueError(f"a loop that is {self.status} needs completed_at")
        if finished and self.engine.outcome is None:
            raise ValueError(f"a loop that is {self.status} needs an outcome")
        if not finished and (self.completed_at or self.failure_reason or self.engine.outcome):
            raise ValueError(f"a loop that is {self.status} cannot carry an end")
        if self.status == "failed" and not self.failure_reason:
            raise ValueError("a failed loop needs failure_reason")
        if self.status == "completed" and self.engine.outcome not in ENDS_COMPLETED:
            raise ValueError("a completed loop is succeeded, unproven or unverified")
        if self.status == "failed" and self.engine.outcome == "succeeded":
            raise ValueError("a failed loop has not succeeded")
        return self

    @property
    def mode(self) -> Mode:
        """What the next step goes by; `skill_state.mode` tells what the runner went by."""
        return self.engine.settings.mode


def applied_patches(skill: SkillState | None) -> tuple[AppliedPatch, ...]:
    found = (patch_of(one) for one in (skill.debug.hypotheses if skill else ()))
    return tuple(patch for patch in found if patch is not None)
