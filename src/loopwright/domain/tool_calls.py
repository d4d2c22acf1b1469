"""The tools that agents report with: what each takes, and when it may be called. Pure.

Loaded by the server that an agent starts for every session: it needs nothing but records.
"""

import json
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import ErrorDetails

from loopwright.domain.choices import read_choices
from loopwright.domain.errors import Invalid
from loopwright.domain.record import Items, Record
from loopwright.domain.statuses import ReportStatus, read_status

MOST_TASKS, MOST_HYPOTHESES, MOST_FILES, MOST_OPTIONS = 7, 8, 500, 10
LONGEST, PLACE_LENGTH, BUG_LENGTH, LINE_LENGTH = 2_000, 500, 500, 300
"""Characters of a message, a task or a hypothesis; of a place; of a bug's name; of a title or an option."""


def bounded(most: int, *, blank: bool = False) -> tuple[object, ...]:
    """What makes an `Annotated[str, *…]` a text of at most that many characters, its ends stripped."""

    def check(value: str) -> str:
        value = value.strip()
        if not value and not blank:
            raise ValueError("must not be blank")
        if len(value) > most:
            raise ValueError(f"has {len(value):,} characters; at most {most:,} are taken")
        return value

    return AfterValidator(check), WithJsonSchema({"type": "string", "maxLength": most})


Words = Annotated[str, *bounded(LONGEST)]
Line = Annotated[str, *bounded(LINE_LENGTH)]
Note = Annotated[str, *bounded(LONGEST, blank=True)]
Bug = Annotated[str, *bounded(BUG_LENGTH, blank=True)]
Place = Annotated[str, *bounded(PLACE_LENGTH, blank=True)]


class Order(Record):
    """What the agent is to do in this turn; reports are held against it."""

    turn: int
    action: str


class Part(Record):
    """Something an agent wrote: keys that nobody asked for are left out."""

    model_config = ConfigDict(extra="ignore")
    bare: ClassVar[str]
    """The field that a plain text stands for."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: object) -> object:
        if isinstance(given, str):
            return {cls.bare: given}
        return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given


class ProposedTask(Part):
    bare = "description"
    description: Words = Field(description="What shall be done, small enough for one turn of work.")


class ProposedHypothesis(Part):
    bare = "description"
    description: Words = Field(description="The suspected cause.")
    testable_condition: Note = Field(default="", description="What would show it.")
    logging_point: Place = Field(default="", description="Where to look, as file:function:line.")


class UpdatedFile(Part):
    bare = "path"
    path: Annotated[str, *bounded(500)] = Field(description="Path relative to the project.")
    description: Place = Field(default="", description="What changed there.")


def as_list(given: object) -> object:
    """A list, also where it comes as JSON text, as one of its entries, or as an object that numbers them."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return [given]
    if isinstance(given, dict) and "description" not in given:
        return list(given.values())
    return [given] if isinstance(given, (dict, str)) else given


def _files(given: object) -> object:
    """Also an object of paths and descriptions."""
    if isinstance(given, dict) and "path" not in given:
        return [{"path": key, "description": value} for key, value in given.items()]
    return [given] if isinstance(given, dict) else as_list(given)


def _choices(given: object) -> object:
    return list(read_choices(given)) if isinstance(given, str) else given


class Call(Part):
    """The arguments of one call. `name` is the tool's, `only` the action it belongs to."""

    name: ClassVar[str]
    words: ClassVar[str]
    taken: ClassVar[str]
    only: ClassVar[str | None] = None


class ReportActionResult(Call):
    name = "report_action_result"
    words = (
        "Report how the action you were ordered to do has ended. Call it exactly once, as the last thing in your turn. "
        "It takes the place of the ACTION_RESULT block."
    )
    taken = "Recorded: {action} {status}. Your report is complete; end your turn now."
    bare = "message"
    action: Annotated[str, AfterValidator(str.upper), *bounded(40)] = Field(
        description="The action of your order: INIT, DEVELOP or DEBUG."
    )
    status: Annotated[ReportStatus, BeforeValidator(read_status)] = Field(
        description="success: it is done. failed: you could not do it. needs_input: only a person can decide."
    )
    message: Words = Field(description="One or two sentences for a person: what you did; or your question.")
    files_updated: Annotated[Items[UpdatedFile], BeforeValidator(_files)] = Field(
        default=(), max_length=MOST_FILES, description="The files you changed."
    )
    next_action_needed: Annotated[str, *bounded(100, blank=True)] = Field(
        default="", description="A hint: DEVELOP, DEBUG, VALIDATE, COMPLETE or WAITING_INPUT."
    )
    options: Annotated[Items[Line], BeforeValidator(_choices)] = Field(
        default=(), max_length=MOST_OPTIONS, description="With needs_input: the answers to choose from."
    )


class ProposeTasks(Call):
    name = "propose_tasks"
    words = "During INIT: propose the development tasks that reach the goal, in the order they shall be done."
    taken = "Recorded {count} tasks. Now call report_action_result."
    only = "INIT"
    bare = "tasks"
    tasks: Annotated[Items[ProposedTask], BeforeValidator(as_list)] = Field(
        min_length=1, max_length=MOST_TASKS, description=f"At most {MOST_TASKS} tasks."
    )


class ProposeHypotheses(Call):
    name = "propose_hypotheses"
    words = (
        "During DEBUG: propose new suspected causes of the failures, most likely first. Known ones need no repeating."
    )
    taken = "Recorded {count} hypotheses. Now call report_action_result."
    only = "DEBUG"
    bare = "hypotheses"
    hypotheses: Annotated[Items[ProposedHypothesis], BeforeValidator(as_list)] = Field(
        min_length=1, max_length=MOST_HYPOTHESES, description=f"At most {MOST_HYPOTHESES} suspected causes."
    )
    active_bug: Bug = Field(default="", description="The bug, in one sentence.")


class ReportDiscovery(Call):
    name = "report_discovery"
    words = "At any time: something about the project worth knowing later that is not obvious from its files."
    taken = "Recorded."
    bare = "title"
    title: Line = Field(description="The discovery in a few words.")
    text: Annotated[str, *bounded(10_000, blank=True)] = Field(default="", description="The discovery in full.")


TOOLS: Mapping[str, type[Call]] = {
    call.name: call for call in (ReportActionResult, ProposeTasks, ProposeHypotheses, ReportDiscovery)
}


def read_call(order: Order, tool: str, arguments: JsonValue) -> Call:
    """The call, if that tool takes these arguments under this order; else Invalid says what would be right."""
    if tool not in TOOLS:
        raise Invalid(f"No tool is named {tool!r}; there are {', '.join(TOOLS)}.")
    kind = TOOLS[tool]
    if kind.only not in (None, order.action):
        raise Invalid(f"{tool} is for {kind.only}, and your order is {order.action}: leave it out.")
    try:
        call = kind.model_validate(arguments)
    except ValidationError as error:
        raise Invalid(f"Not recorded: {_told(error)}. Mend this and call {tool} again.") from error
    if isinstance(call, ReportActionResult) and call.action != order.action:
        raise Invalid(f"Not recorded: action was {call.action!r}, and your order is {order.action}. Report on that.")
    return call


def _told(error: ValidationError) -> str:
    """What is wrong with the arguments, the first few places of it."""
    problems = error.errors(include_url=False)
    # A list is also told to be too short when its entries are what is wrong.
    told = [problem for problem in problems if problem["type"] != "too_short"] or problems
    return "; ".join(_place(problem) for problem in told[:3])


def _place(problem: ErrorDetails) -> str:
    where = ".".join(str(part) for part in problem["loc"]) or "arguments"
    limits = problem.get("ctx", {})
    match problem["type"]:
        case "missing":
            return f"{where} is missing"
        case "too_long":
            return f"{where} has {limits['actual_length']} entries, and at most {limits['max_length']} are taken"
        case "too_short":
            return f"{where} is empty"
        case "value_error":
            return f"{where} {limits['error']}"
        case _:
            return f"{where}: {problem['msg']}"


def answer(call: Call) -> str:
    """What the agent is told of a call that was taken."""
    match call:
        case ReportActionResult():
            return call.taken.format(action=call.action, status=call.status)
        case ProposeTasks():
            return call.taken.format(count=len(call.tasks))
        case ProposeHypotheses():
            return call.taken.format(count=len(call.hypotheses))
        case _:
            return call.taken
