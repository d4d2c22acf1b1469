"""What the tools that drive runs take. What is not known is refused, so that a slip does not pass for a choice."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.core.attempts import MOST_ATTEMPTS
from loopwright.core.config import FallbackAgents
from loopwright.core.errors import Invalid
from loopwright.core.names import Mode
from loopwright.core.record import first_problem
from loopwright.core.state import Iterations, Limits, OnError, Parallel, Policy, SandboxName, TaskMode, Tokens
from loopwright.skills.findings import Dimension
from loopwright.surfaces.commands import CommandField, CommandRow, create_input
from loopwright.surfaces.mcp import debugging
from loopwright.surfaces.mcp.debugging import MOST_EXPRESSIONS, MOST_HITS, MOST_SECONDS, MOST_STATEMENTS, MOST_TESTS

LONGEST = 100_000
"""Characters of a text; what is longer belongs into a file of the project."""

Text = Annotated[str, Field(min_length=1, max_length=LONGEST)]
Word = Annotated[str, Field(min_length=1, max_length=500)]
Words = Annotated[tuple[Word, ...] | None, Field(strict=False)]
Minutes = Annotated[float | None, Field(gt=0, le=5_259_600, description="Maximum working time, in minutes.")]
TokenLimit = Annotated[Tokens | None, Field(description="Maximum tokens the agent may use.")]
Model = Annotated[Word | None, Field(description="Model that the agent works with; default: its own.")]
Effort = Annotated[Word | None, Field(description="How much that model thinks: low, high, …; default: its own.")]
Cost = Annotated[float | None, Field(gt=0, description="Maximum cost of the agent, in US dollars.")]

Dimensions = Annotated[tuple[Dimension, ...] | None, Field(strict=False, min_length=1)]
RunStatus = Literal["created", "running", "paused", "completed", "failed", "user_exit", "pending"]
"""Of any kind; `pending` is a tuning session's word for created."""

LIMITS = ("max_iterations", "max_minutes", "max_tokens", "max_cost")


class ToolInput(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


A = TypeVar("A", bound=ToolInput)


class BudgetInput(ToolInput):
    """`limits` holds those that were given."""

    max_iterations: Annotated[Iterations | None, Field(description="Maximum DEVELOP, DEBUG and VALIDATE steps.")] = None
    max_minutes: Minutes = None
    max_tokens: TokenLimit = None
    max_cost: Cost = None

    @property
    def limits(self) -> Limits:
        return Limits(**{name: getattr(self, name) for name in LIMITS})


class StartInput(BudgetInput):
    task: Annotated[Text, Field(description="What to do, as you would tell a colleague.")]
    title: Annotated[Word | None, Field(description="Its title in lists; default: the task's first words.")] = None
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    agent: Annotated[
        Word | None,
        Field(description="Agent that does the work: auto, builtin, codex, claude, …; default: the project's setting."),
    ] = None
    model: Model = None
    effort: Effort = None
    fallback: Annotated[
        FallbackAgents | None,
        Field(description="Agents that take over, in order, when the one at work cannot go on: codex, codex:MODEL."),
    ] = None
    permissions: Annotated[Policy | None, Field(description="What an agent may do without asking a person.")] = None
    test_command: Annotated[Word | None, Field(description="Command that runs the tests; default: detected.")] = None
    min_mutation_score: Annotated[
        float | None, Field(ge=0, le=100, description="Percent of mutants of the changed lines that must be killed.")
    ] = None
    min_diff_coverage: Annotated[
        float | None, Field(ge=0, le=100, description="Percent of the changed lines that the new tests must run.")
    ] = None
    worktree: Annotated[
        bool | None, Field(description="Work in a git worktree on a branch loopwright/ID, not in the user's files.")
    ] = None
    commit: Annotated[bool | None, Field(description="Commit what each task changed, in its worktree.")] = None
    sandbox: Annotated[
        SandboxName | None,
        Field(description="What agents and tests run in: auto, landlock, bwrap, required, none."),
    ] = None
    start: Annotated[bool, Field(description="False: only create it; `resume` starts it.")] = True

    @property
    def settings(self) -> dict[str, Any]:  # Any: by name, checked by the fields above
        """The settings that were given."""
        given = self.model_dump(exclude_none=True)
        return {
            name: value for name, value in given.items() if name not in ("task", "title", "project", "auto", "start")
        }


class StartLoopInput(StartInput):
    auto: Annotated[bool, Field(description="False: a person chooses every step from a menu.")] = True
    attempts: Annotated[
        int | None,
        Field(
            ge=2,
            le=MOST_ATTEMPTS,
            description="So many loops attempt the same, each in a worktree, and the best proven one is chosen.",
        ),
    ] = None
    parallel: Annotated[
        int | None, Field(ge=1, le=MOST_ATTEMPTS, description="Attempts that run at once; default 2.")
    ] = None
    agents: Annotated[Words, Field(description="Agents dealt to the attempts in turn: codex, codex:MODEL@EFFORT.")] = (
        None
    )
    run_all: Annotated[bool | None, Field(description="True: every attempt ends, also once one has succeeded.")] = None
    review: Annotated[
        Word | None, Field(description="Agent that reviews the work before the end: codex, codex:MODEL@EFFORT.")
    ] = None


class RolesInput(ToolInput):
    ra: Annotated[Word | None, Field(description="Requirements analyst.")] = None
    ep: Annotated[Word | None, Field(description="Exploration planner.")] = None
    cd: Annotated[Word | None, Field(description="Code developer.")] = None
    vas: Annotated[Word | None, Field(description="Validation archivist.")] = None


class StartCycleInput(StartInput):
    auto: Annotated[bool, Field(description="False: decisions wait for someone to make them.")] = True
    max_iterations: Annotated[Iterations | None, Field(description="Maximum iterations; default 5.")] = None
    roles: Annotated[
        RolesInput | None, Field(description="Agents of roles that `agent` does not play: codex, codex:MODEL@EFFORT.")
    ] = None
    parallel: Annotated[Parallel | None, Field(description="Agents working in parallel, 1 to 4.")] = None


class DiagnoseInput(ToolInput):
    path: Annotated[Word, Field(description="The skill's folder or SKILL.md, in the project.")]
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    dimensions: Annotated[Dimensions, Field(description="Only these; default: all.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="Maximum findings shown.")] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class StartTuningInput(ToolInput):
    path: Annotated[Word, Field(description="The skill's folder or SKILL.md, in the project.")]
    description: Annotated[Text | None, Field(description="What goes wrong with it, in the user's words.")] = None
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    dimensions: Annotated[Dimensions, Field(description="Only these; default: all.")] = None
    fix: Annotated[
        Literal["none", "mechanical", "all"],
        Field(description="What to fix: nothing, what has one right answer, or with an `agent` also what it writes."),
    ] = "none"
    agent: Annotated[
        Word | None, Field(description="Agent that reviews the meaning; default: none, only exact checks.")
    ] = None
    model: Model = None
    effort: Effort = None
    refuter: Annotated[
        Word | None, Field(description="Agent that tries to refute its findings; default: the same, in a new session.")
    ] = None
    max_tokens: Annotated[int | None, Field(gt=0, description="Maximum tokens the agents may use.")] = None
    max_cost: Annotated[float | None, Field(gt=0, description="Maximum cost of the agents, in US dollars.")] = None
    choose: Annotated[bool, Field(description="True: only fixes taken with `choose` are applied.")] = False
    max_iterations: Annotated[Iterations | None, Field(description="Rounds of fixing; default 5.")] = None
    start: Annotated[bool, Field(description="False: only create it; `resume` starts it.")] = True

    @property
    def limit(self) -> dict[str, Any]:  # Any: by name, checked by the fields above
        """The limits that were given."""
        given = self.model_dump(include={"max_tokens", "max_cost"}, exclude_none=True)
        rounds = {} if self.max_iterations is None else {"max_iterations": self.max_iterations}
        return {**rounds, "limits": given}


class ListRunsInput(ToolInput):
    kind: Annotated[Literal["loop", "cycle", "tuning"] | None, Field(description="Only this kind.")] = None
    status: Annotated[RunStatus | None, Field(description="Only this status.")] = None
    project: Annotated[Word | None, Field(description="Only this project; default: all.")] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class RunInput(ToolInput):
    id: Annotated[Word, Field(description="Id of a loop, a cycle or a tuning session, see `list`.")]
    project: Annotated[Word | None, Field(description="Only needed if several projects have that id.")] = None


class ResumeInput(RunInput):
    auto: Annotated[
        bool | None,
        Field(description="For a loop or cycle: True takes every step by itself, False asks; default: unchanged."),
    ] = None

    @property
    def mode(self) -> Mode | None:
        return None if self.auto is None else "auto" if self.auto else "interactive"


class WaitInput(RunInput):
    seconds: Annotated[float, Field(gt=0, le=3600, description="Maximum wait.")] = 45


class DiffInput(RunInput):
    iteration: Annotated[int | None, Field(ge=1, description="For a cycle: only what this iteration changed.")] = None
    checkpoint: Annotated[int | None, Field(ge=1, description="Only what this checkpoint changed.")] = None
    max_chars: Annotated[int, Field(ge=100, le=500_000, description="Longer output is cut.")] = 20_000


class AnswerInput(RunInput):
    text: Annotated[Text, Field(description="The answer to the question it is waiting on.")]
    resume: Annotated[bool, Field(description="False: only save it; `resume` delivers it.")] = True


class ExtendInput(RunInput, BudgetInput):
    task: Annotated[Text | None, Field(description="For a cycle: what to add to its task.")] = None


class DecideInput(RunInput):
    decision: Annotated[Word, Field(description="Id of a pending decision.")]
    option: Annotated[Text, Field(description="One of its options.")]
    resume: Annotated[bool, Field(description="False: only save it; `resume` continues the cycle.")] = True


class DocumentsInput(RunInput):
    name: Annotated[
        Word | None, Field(description="Document to show, such as ra/requirements.md; default: a list.")
    ] = None
    version: Annotated[Word | None, Field(description="Version to show; default: the current one.")] = None
    max_chars: Annotated[int, Field(ge=100, le=500_000, description="Longer output is cut.")] = 20_000


class FindingsInput(RunInput):
    dimension: Annotated[Dimension | None, Field(description="Only this dimension.")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class FixesInput(RunInput):
    fix: Annotated[Word | None, Field(description="Fix to show with its diff; default: a list of all.")] = None
    max_chars: Annotated[int, Field(ge=100, le=500_000, description="A longer diff is cut.")] = 20_000


class AddTaskInput(RunInput):
    description: Annotated[Text, Field(description="What to do.")]
    tool: Annotated[
        Word | None, Field(description="Who does it: bash, codex, codex:MODEL@EFFORT; default: the loop's agent.")
    ] = None
    mode: Annotated[
        TaskMode | None, Field(description="write (default), or analysis and review, which are read-only.")
    ] = None
    command: Annotated[Text | None, Field(description="Command of a bash task.")] = None
    on_error: Annotated[OnError | None, Field(description="What to do on failure; default: continue.")] = None
    depends_on: Annotated[Words, Field(description="Ids of tasks that must be completed first.")] = None
    prompt_template: Annotated[Text | None, Field(description="Hints for the agent.")] = None

    @property
    def fields(self) -> dict[str, Any]:  # Any: by name, checked by the fields above
        own = self.model_dump(exclude_none=True)
        return {name: value for name, value in own.items() if name not in RunInput.model_fields}


def derive_input(row: CommandRow) -> type[RunInput]:
    """What a command of the table takes, beside the run it is about."""

    def type_of(field: CommandField) -> Any:  # Any: a type
        if field.type is str:
            return Word if f"{{{field.name}_id}}" in row.route else Text
        return Annotated[tuple[Word, ...], Field(strict=False)] if field.is_list else field.type

    return create_input(f"{row.tool_name.title().replace('_', '')}Input", RunInput, row.fields, type_of)


def read_input(kind: type[A], given: dict[str, Any] | None) -> A:
    """The arguments of a call. Invalid names the one that does not fit, and what would."""
    try:
        return kind.model_validate(given or {})
    except ValidationError as error:
        raise Invalid(_told(kind, error)) from error


def _told(kind: type[ToolInput], error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    match problem["type"]:
        case "extra_forbidden":
            return f"{where}: unknown argument; available: {', '.join(kind.model_fields)}"
        case "missing":
            return f"{where}: is missing; {kind.model_fields[where].description or 'it is required'}"
        case _:
            return first_problem(error)


Names = Annotated[tuple[Word, ...], Field(strict=False, max_length=MOST_TESTS)]


class DebugInput(ToolInput):
    id: Annotated[
        Word | None, Field(description="Id of a loop whose failing tests to use; default: all that fail.")
    ] = None
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    test_command: Annotated[Word | None, Field(description="Command that runs the tests; default: detected.")] = None

    @property
    def question(self) -> dict[str, Any]:  # Any: by name, checked by the fields of each kind
        """What the debugger is asked, without where."""
        own = self.model_dump()
        return {name: value for name, value in own.items() if name not in DebugInput.model_fields}


class RerunInput(DebugInput):
    tests: Annotated[Names, Field(description=debugging.TESTS)] = ()


class RankInput(DebugInput):
    limit: Annotated[int, Field(ge=1, le=MOST_STATEMENTS, description=debugging.STATEMENTS)] = 20


class ProbeInput(DebugInput):
    place: Annotated[Word, Field(description=debugging.PLACE)]
    expressions: Annotated[
        tuple[Word, ...], Field(strict=False, max_length=MOST_EXPRESSIONS, description=debugging.EXPRESSIONS)
    ] = ()
    tests: Annotated[Names, Field(description=debugging.TESTS)] = ()
    hits: Annotated[int, Field(ge=1, le=MOST_HITS, description=debugging.HITS)] = 5


class SearchFixInput(DebugInput):
    seconds: Annotated[float, Field(ge=1, le=MOST_SECONDS, description=debugging.SECONDS)] = 40
