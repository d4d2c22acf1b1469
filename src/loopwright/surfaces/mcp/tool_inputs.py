"""What the tools that drive runs take. What is not known is refused, so that a slip does not pass for a choice."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.core.errors import Invalid
from loopwright.core.record import first_problem
from loopwright.core.state import Iterations, Limits, Mode, OnError, Parallel, Policy, TaskMode, Tokens
from loopwright.skills.findings import Dimension
from loopwright.surfaces.mcp import debugging
from loopwright.surfaces.mcp.debugging import MOST_EXPRESSIONS, MOST_HITS, MOST_SECONDS, MOST_STATEMENTS, MOST_TESTS

LONGEST = 100_000
"""Characters of a text; what is longer belongs into a file of the project."""

Text = Annotated[str, Field(min_length=1, max_length=LONGEST)]
Word = Annotated[str, Field(min_length=1, max_length=500)]
Words = Annotated[tuple[Word, ...] | None, Field(strict=False)]
Minutes = Annotated[float | None, Field(gt=0, le=5_259_600, description="Limit of working time, in minutes.")]
TokenLimit = Annotated[Tokens | None, Field(description="Limit of the agent's tokens.")]
Cost = Annotated[float | None, Field(gt=0, description="Limit of the agent's cost, in US dollars.")]

Dimensions = Annotated[tuple[Dimension, ...] | None, Field(strict=False, min_length=1)]
RunStatus = Literal["created", "running", "paused", "completed", "failed", "user_exit", "pending"]
"""Of any kind; `pending` is a tuning session's word for created."""

LIMITS = ("max_iterations", "max_minutes", "max_tokens", "max_cost")


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


A = TypeVar("A", bound=Arguments)


class Budgeted(Arguments):
    """`limits` holds those that were given."""

    max_iterations: Annotated[Iterations | None, Field(description="Limit of DEVELOP, DEBUG and VALIDATE steps.")] = (
        None
    )
    max_minutes: Minutes = None
    max_tokens: TokenLimit = None
    max_cost: Cost = None

    @property
    def limits(self) -> Limits:
        return Limits(**{name: getattr(self, name) for name in LIMITS})


class Start(Budgeted):
    task: Annotated[Text, Field(description="What shall be done, as you would tell a colleague.")]
    title: Annotated[Word | None, Field(description="Its name in lists; default: the task's first words.")] = None
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    agent: Annotated[
        Word | None,
        Field(description="Who does the work: auto, builtin, codex, claude, …; default: the project's own."),
    ] = None
    permissions: Annotated[Policy | None, Field(description="What an agent may do without asking a person.")] = None
    test_command: Annotated[Word | None, Field(description="How the tests are run; default: detected.")] = None
    min_mutation_score: Annotated[
        float | None, Field(ge=0, le=100, description="Percent of the changed lines' mutants that must be killed.")
    ] = None
    min_diff_coverage: Annotated[
        float | None, Field(ge=0, le=100, description="Percent of the changed lines that the new tests must run.")
    ] = None
    start: Annotated[bool, Field(description="False: only create it; `resume` starts it.")] = True

    @property
    def settings(self) -> dict[str, Any]:  # Any: by name, checked by the fields above
        """The settings that were given."""
        given = self.model_dump(exclude_none=True)
        return {
            name: value for name, value in given.items() if name not in ("task", "title", "project", "auto", "start")
        }


class StartLoop(Start):
    auto: Annotated[bool, Field(description="False: a person chooses every step from a menu.")] = True


class Roles(Arguments):
    ra: Annotated[Word | None, Field(description="Requirements analyst.")] = None
    ep: Annotated[Word | None, Field(description="Exploration planner.")] = None
    cd: Annotated[Word | None, Field(description="Code developer.")] = None
    vas: Annotated[Word | None, Field(description="Validation archivist.")] = None


class StartCycle(Start):
    auto: Annotated[bool, Field(description="False: decisions wait for somebody who makes them.")] = True
    max_iterations: Annotated[Iterations | None, Field(description="Limit of iterations; default 5.")] = None
    roles: Annotated[Roles | None, Field(description="Who plays a role, where it is not `agent`.")] = None
    parallel: Annotated[Parallel | None, Field(description="Agents at work at the same time, 1 to 4.")] = None


class Diagnose(Arguments):
    path: Annotated[Word, Field(description="The skill's folder, or its SKILL.md; from the project, or absolute.")]
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    dimensions: Annotated[Dimensions, Field(description="Only these; default: all.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="Findings that are shown.")] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class StartTuning(Arguments):
    path: Annotated[Word, Field(description="The skill's folder, or its SKILL.md; from the project, or absolute.")]
    description: Annotated[Text | None, Field(description="What goes wrong with it, in the user's words.")] = None
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    dimensions: Annotated[Dimensions, Field(description="Only these; default: all.")] = None
    fix: Annotated[
        Literal["none", "mechanical", "all"],
        Field(description="What is mended: nothing, what is a fact, or with an `agent` also what that writes."),
    ] = "none"
    agent: Annotated[
        Word | None, Field(description="Who is asked about the meaning; without one only what is exact is looked at.")
    ] = None
    refuter: Annotated[
        Word | None, Field(description="Who tries to refute what it finds; default: the same, in a session anew.")
    ] = None
    max_tokens: Annotated[int | None, Field(gt=0, description="Limit of the agents' tokens.")] = None
    max_cost: Annotated[float | None, Field(gt=0, description="Limit of the agents' cost, in US dollars.")] = None
    choose: Annotated[bool, Field(description="True: nothing is applied that is not taken with `choose`.")] = False
    max_iterations: Annotated[Iterations | None, Field(description="Rounds of mending; default 5.")] = None
    start: Annotated[bool, Field(description="False: only create it; `resume` starts it.")] = True

    @property
    def limit(self) -> dict[str, Any]:  # Any: by name, checked by the fields above
        """The limits that were given."""
        given = self.model_dump(include={"max_tokens", "max_cost"}, exclude_none=True)
        rounds = {} if self.max_iterations is None else {"max_iterations": self.max_iterations}
        return {**rounds, "limits": given}


class ListRuns(Arguments):
    kind: Annotated[Literal["loop", "cycle", "tuning"] | None, Field(description="Only those of this kind.")] = None
    status: Annotated[RunStatus | None, Field(description="Only those with this status.")] = None
    project: Annotated[Word | None, Field(description="Only this project's; default: all.")] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class OneRun(Arguments):
    id: Annotated[Word, Field(description="Id of a loop, a cycle or a tuning session, see `list`.")]
    project: Annotated[Word | None, Field(description="Only needed where several projects have that id.")] = None


class Resume(OneRun):
    auto: Annotated[
        bool | None,
        Field(description="Of a loop or cycle: True takes every step by itself, False asks; default: as it was."),
    ] = None

    @property
    def mode(self) -> Mode | None:
        return None if self.auto is None else "auto" if self.auto else "interactive"


class Pause(OneRun):
    now: Annotated[bool, Field(description="Cancel the action under way too, instead of letting it finish.")] = False


class Wait(OneRun):
    seconds: Annotated[float, Field(gt=0, le=3600, description="How long at most.")] = 45


class Diff(OneRun):
    iteration: Annotated[int | None, Field(ge=1, description="Of a cycle: only what this iteration changed.")] = None
    checkpoint: Annotated[int | None, Field(ge=1, description="Only what this checkpoint changed.")] = None
    max_chars: Annotated[int, Field(ge=100, le=500_000, description="What is longer is cut.")] = 20_000


class Answer(OneRun):
    text: Annotated[Text, Field(description="The answer to the question it waits with.")]
    resume: Annotated[bool, Field(description="False: only keep it; `resume` hands it over.")] = True


class Extend(OneRun, Budgeted):
    task: Annotated[Text | None, Field(description="Of a cycle: what is added to its task.")] = None


class Decide(OneRun):
    decision: Annotated[Word, Field(description="Id of a decision that is pending.")]
    option: Annotated[Text, Field(description="One of its options.")]
    resume: Annotated[bool, Field(description="False: only keep it; `resume` lets the cycle run on.")] = True


class Resolve(OneRun):
    blocker: Annotated[Word, Field(description="Id of a blocker that is open.")]
    resolution: Annotated[Text, Field(description="What was done about it.")]
    workaround: Annotated[bool, Field(description="True: it is still there, and got round.")] = False


class ReadDocuments(OneRun):
    name: Annotated[Word | None, Field(description="Shows this one, such as ra/requirements.md; default: a list.")] = (
        None
    )
    version: Annotated[Word | None, Field(description="As it was in that version; default: as it is now.")] = None
    max_chars: Annotated[int, Field(ge=100, le=500_000, description="What is longer is cut.")] = 20_000


class ReadFindings(OneRun):
    dimension: Annotated[Dimension | None, Field(description="Only of this one.")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class ReadFixes(OneRun):
    fix: Annotated[Word | None, Field(description="Shows this one with its diff; default: a list of all.")] = None
    max_chars: Annotated[int, Field(ge=100, le=500_000, description="A diff that is longer is cut.")] = 20_000


class Choose(OneRun):
    fixes: Annotated[
        tuple[Word, ...], Field(strict=False, description="Ids of those to apply; the others never are. None: [].")
    ]


class RollBack(OneRun):
    fix: Annotated[Word, Field(description="Id of a fix that is in the skill's files.")]


class AddTask(OneRun):
    description: Annotated[Text, Field(description="What shall be done.")]
    tool: Annotated[Word | None, Field(description="Who does it: bash, or an agent's name; default: the loop's.")] = (
        None
    )
    mode: Annotated[TaskMode | None, Field(description="write (default), or analysis and review, which only read.")] = (
        None
    )
    command: Annotated[Text | None, Field(description="What a bash task runs.")] = None
    on_error: Annotated[OnError | None, Field(description="What a failure does; default: continue.")] = None
    depends_on: Annotated[Words, Field(description="Ids of tasks that have to be completed before.")] = None
    prompt_template: Annotated[Text | None, Field(description="Hints for the agent.")] = None

    @property
    def fields(self) -> dict[str, Any]:  # Any: by name, checked by the fields above
        own = self.model_dump(exclude_none=True)
        return {name: value for name, value in own.items() if name not in OneRun.model_fields}


def read(kind: type[A], given: dict[str, Any] | None) -> A:
    """The arguments of a call. Invalid names the one that does not fit, and what would."""
    try:
        return kind.model_validate(given or {})
    except ValidationError as error:
        raise Invalid(_told(kind, error)) from error


def _told(kind: type[Arguments], error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    match problem["type"]:
        case "extra_forbidden":
            return f"{where}: there is no such argument; there are {', '.join(kind.model_fields)}"
        case "missing":
            return f"{where}: is missing; {kind.model_fields[where].description or 'it has to be given'}"
        case _:
            return first_problem(error)


Names = Annotated[tuple[Word, ...], Field(strict=False, max_length=MOST_TESTS)]


class Debugging(Arguments):
    id: Annotated[
        Word | None, Field(description="Id of a loop, whose failing tests are meant; default: all that fail.")
    ] = None
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    test_command: Annotated[Word | None, Field(description="How the tests are run; default: detected.")] = None

    @property
    def question(self) -> dict[str, Any]:  # Any: by name, checked by the fields of each kind
        """What the debugger is asked, without where."""
        own = self.model_dump()
        return {name: value for name, value in own.items() if name not in Debugging.model_fields}


class RunTests(Debugging):
    tests: Annotated[Names, Field(description=debugging.TESTS)] = ()


class Rank(Debugging):
    limit: Annotated[int, Field(ge=1, le=MOST_STATEMENTS, description=debugging.STATEMENTS)] = 20


class Watch(Debugging):
    place: Annotated[Word, Field(description=debugging.PLACE)]
    expressions: Annotated[
        tuple[Word, ...], Field(strict=False, max_length=MOST_EXPRESSIONS, description=debugging.EXPRESSIONS)
    ] = ()
    tests: Annotated[Names, Field(description=debugging.TESTS)] = ()
    hits: Annotated[int, Field(ge=1, le=MOST_HITS, description=debugging.HITS)] = 5


class SearchFix(Debugging):
    seconds: Annotated[float, Field(ge=1, le=MOST_SECONDS, description=debugging.SECONDS)] = 40
