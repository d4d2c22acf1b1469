"""Bodies that requests bring. What is not known is refused, so that a slip does not pass for a choice."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.requests import ClientDisconnect

from loopwright.core.attempts import MOST_ATTEMPTS
from loopwright.core.config import FallbackAgents
from loopwright.core.cycle_names import Role
from loopwright.core.names import Mode
from loopwright.core.run import Waiver
from loopwright.core.state import Iterations, Limits, OnError, Parallel, Policy, Require, SandboxName, TaskMode, Tokens
from loopwright.evidence.proof import ProofPolicy
from loopwright.skills.findings import Dimension
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.gate import UnreadableBody
from loopwright.workflows.tuning.model import MAX_ITERATIONS


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Words = Annotated[str, AfterValidator(_not_blank)]
Texts = Annotated[tuple[str, ...], Field(strict=False)]


def with_example(example: examples.Example) -> ConfigDict:
    """With the example that stands in /openapi.json."""
    return ConfigDict(json_schema_extra={"examples": [example]})


def add_example(model: type[BaseModel], example: Mapping[str, Any]) -> None:  # Any: JSON
    """To a model that was made at run time."""
    model.model_config = {**model.model_config, **with_example(dict(example))}
    model.model_rebuild(force=True)


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @property
    def given(self) -> dict[str, Any]:  # Any: as parsed
        """What the request named."""
        return self.model_dump(exclude_unset=True)


class StatusBody(Body):
    """The status that is asked for."""

    status: str


class NewRun(Body):
    """Settings that are not given are the project's own. `model` and `effort` are those of `agent`.

    `fallback`: agents that take over from it, in order, as in codex or codex:MODEL@EFFORT.
    """

    title: Words
    description: str = ""
    max_iterations: Iterations | None = None
    mode: Mode = "auto"
    agent: str | None = Field(None, min_length=1)
    model: Words | None = None
    effort: Words | None = None
    fallback: FallbackAgents | None = None
    permissions: Policy | None = None
    test_command: str | None = Field(None, min_length=1)
    max_minutes: float | None = Field(None, gt=0)
    max_tokens: Tokens | None = None
    max_cost: float | None = Field(None, gt=0)
    require: Require | None = None
    proof: ProofPolicy | None = None
    min_coverage: float | None = Field(None, ge=0, le=100)
    min_mutation_score: float | None = Field(None, ge=0, le=100)
    min_diff_coverage: float | None = Field(None, ge=0, le=100)
    allow_test_changes: bool | None = None
    allow_environment_changes: bool | None = None
    park: bool | None = None
    worktree: bool | None = None
    commit: bool | None = None
    sandbox: SandboxName | None = None

    @property
    def task(self) -> str:
        return self.description.strip() or self.title

    @property
    def settings(self) -> dict[str, Any]:  # Any: as parsed
        """Those that were given."""
        return self.model_dump(exclude={"title", "description", "mode"}, exclude_none=True)


class NewLoop(NewRun):
    """`attempts`: so many loops attempt the same, each in a worktree, at most `parallel` at once; the answer is the
    first of them. `agents` are dealt to them in turn. `run_all`: none is stopped because another has succeeded.
    `review`: agent that reviews the work before the end, as in claude or codex:MODEL@EFFORT; none: nobody.
    """

    model_config = with_example(examples.NEW_LOOP)

    attempts: int | None = Field(None, ge=2, le=MOST_ATTEMPTS)
    parallel: int | None = Field(None, ge=1, le=MOST_ATTEMPTS)
    agents: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(strict=False)] | None = None
    run_all: bool | None = None
    review: str | None = Field(None, min_length=1)


class NewCycle(NewRun):
    """`roles`: agents of roles that `agent` does not play, as in codex or codex:MODEL@EFFORT.

    `parallel`: agents at once.
    """

    model_config = with_example(examples.NEW_CYCLE)

    roles: dict[Role, Annotated[str, Field(min_length=1)]] | None = None
    parallel: Parallel | None = None


class NewTuning(Body):
    """`path`: the skill's folder, in the project. `fix`: what may be fixed; `choose`: only what a person
    chooses. `agent` reviews the meaning with that `model` and `effort`, `refuter` (default: another session of it)
    tries to refute that, and with `fix` all the agent writes the remaining fixes.
    """

    model_config = with_example(examples.NEW_TUNING)

    path: Words
    description: str = ""
    dimensions: Annotated[tuple[Dimension, ...], Field(strict=False)] | None = None
    fix: Literal["none", "mechanical", "all"] = "none"
    agent: str | None = Field(None, min_length=1)
    model: Words | None = None
    effort: Words | None = None
    refuter: str | None = Field(None, min_length=1)
    choose: bool = False
    max_iterations: Iterations = MAX_ITERATIONS
    max_tokens: Tokens | None = None
    max_cost: float | None = Field(None, gt=0)


class TuningFields(Body):
    """Not once it has ended."""

    model_config = with_example({"max_iterations": 3})

    max_iterations: Iterations | None = None
    user_issue_description: str | None = None


class LoopFields(Body):
    """Title and description cannot change while the loop runs."""

    model_config = with_example({"priority": "high", "tags": ["ledger"]})

    title: Words | None = None
    description: str | None = None
    max_iterations: Iterations | None = None
    tags: Texts | None = None
    priority: Literal["low", "medium", "high"] | None = None
    notes: str | None = None


class CycleFields(Body):
    """The title cannot change while the cycle runs. Use `extend` to change the task."""

    model_config = with_example({"max_iterations": 8})

    title: Words | None = None
    max_iterations: Iterations | None = None


class NewLimits(Body):
    """What is not given stays as it is. Cost in US dollars."""

    model_config = with_example({"max_iterations": 20})

    max_iterations: Iterations | None = None
    max_minutes: float | None = Field(None, gt=0)
    max_tokens: Tokens | None = None
    max_cost: float | None = Field(None, gt=0)

    @property
    def limits(self) -> Limits:
        return Limits(**self.model_dump(include=set(NewLimits.model_fields)))


class Reopening(NewLimits):
    """`proof`: what must prove the goal from now on."""

    proof: ProofPolicy | None = None
    allow_environment_changes: bool | None = None

    @property
    def waiver(self) -> Waiver:
        return Waiver(self.proof, self.allow_environment_changes)


class Verdict(Body):
    """One request, the only open one, or `every` open one."""

    model_config = with_example({"answer": "allow", "request": "p1"})

    answer: Literal["allow", "deny"]
    request: str | None = Field(None, min_length=1)
    every: bool = False


class TaskFields(Body):
    """What shall be done, and by whom; a command is what the tool bash runs."""

    model_config = with_example({"description": "Make total() and balance() add up"})

    description: Words | None = None
    tool: str | None = Field(None, min_length=1)
    mode: TaskMode | None = None
    prompt_template: str | None = None
    command: str | None = None
    on_error: OnError | None = None
    depends_on: Texts | None = None
    allow_test_changes: bool | None = None
    proof: ProofPolicy | None = None


class NewTask(TaskFields):
    """`tool` is by default the loop's own agent."""

    model_config = with_example(examples.NEW_TASK)

    description: Words
    mode: TaskMode = "write"
    prompt_template: str = ""


class EditedTask(TaskFields):
    """The task's loop, and the changed fields."""

    model_config = with_example({"loop_id": examples.LOOP_ID, "description": "Make total() and balance() add up"})

    loop_id: str


class Choice(TaskFields):
    """A menu entry, where `add` also takes the fields of a task; or, if the loop is not running, a rival of a patch."""

    model_config = with_example({"choice": "develop"})

    choice: Words


class NewOrder(Body):
    """Every task of the loop, once."""

    model_config = with_example({"ordered_task_ids": [examples.TASK_ID]})

    ordered_task_ids: Texts = Field(min_length=1)


class Import(Body):
    """Who does the tasks: by default the loop's own agent, or one that can write code if that cannot."""

    model_config = with_example({"issue_id": "ISS-20260122-1"})

    issue_id: Words
    tool: str | None = Field(None, min_length=1)


class Generation(Body):
    """Who proposes (default: the loop's own agent), and the maximum number of tasks."""

    model_config = with_example({"count": 5})

    tool: str | None = Field(None, min_length=1)
    count: int = Field(5, ge=1, le=50)


Handler = Callable[[Request], Coroutine[Any, Any, Response]]  # Any: as FastAPI has it

NOT_KNOWN = "extra_forbidden"
MISSING = "missing"


class StrictRequest(Request):
    """JSON as RFC 8259 has it, in UTF-8: no NaN, no half characters, nothing nested without end."""

    async def body(self) -> bytes:
        try:
            return await super().body()
        except UnreadableBody as problem:
            raise HTTPException(problem.status, problem.words, {"connection": "close"}) from problem
        except ClientDisconnect as gone:  # nobody hears it, but it is no fault of ours either
            raise HTTPException(400, "the body was cut off") from gone

    async def json(self) -> Any:  # Any: parsed JSON
        try:
            return orjson.loads(await self.body())
        except orjson.JSONDecodeError as error:
            raise HTTPException(400, f"the body is not JSON: {error.msg} (at character {error.pos})") from error


class StrictRoute(APIRoute):
    """A route that reads its body that way."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return strict


class Routes(APIRouter):
    """Where all routes of the API are declared."""

    def __init__(self, *, prefix: str = "", tags: Sequence[str] = ()) -> None:
        super().__init__(prefix=prefix, tags=list(tags), route_class=StrictRoute)


def problem_words(problem: dict[str, Any]) -> str:  # Any: as pydantic tells it
    """One validation problem as a sentence: where, what would be right, and what was given."""
    where = ".".join(str(part) for part in problem["loc"][1:]) or "body"
    if problem["type"] == MISSING:
        return f"{where}: is required"
    if problem["type"] == NOT_KNOWN:
        return f"{where}: is unknown"
    given = repr(problem["input"])
    words = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {words} (got {given if len(given) <= 80 else given[:77] + '…'})"
