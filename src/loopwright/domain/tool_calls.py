"""The tools that agents report with: what each takes, and when it may be called. Pure.

Loaded by the server that an agent starts for every session: it needs nothing but records.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from loopwright.domain.calls import (
    MOST_FILES,
    MOST_OPTIONS,
    SHOWN_BY,
    Bug,
    Call,
    Line,
    Note,
    Order,
    Part,
    Place,
    UpdatedFile,
    Words,
    as_files,
    as_list,
    bounded,
)
from loopwright.domain.choices import read_choices
from loopwright.domain.errors import Invalid
from loopwright.domain.phase_calls import ReportFinding, ReportPhaseResult
from loopwright.domain.phase_entries import STEPS, is_meant
from loopwright.domain.record import Items
from loopwright.domain.review_calls import JUDGE_TOOLS, REVIEW_TOOLS, EndReview
from loopwright.domain.statuses import ReportStatus, read_status

MOST_TASKS, MOST_HYPOTHESES = 7, 8


class ProposedTask(Part):
    bare = "description"
    description: Words = Field(description="What shall be done, small enough for one turn of work.")


class ProposedHypothesis(Part):
    bare = "description"
    description: Words = Field(description="The suspected cause.")
    testable_condition: Note = Field(default="", description="What would show it.")
    logging_point: Place = Field(default="", description="Where to look, as file:function:line.")


def _choices(given: object) -> object:
    return list(read_choices(given)) if isinstance(given, str) else given


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
    files_updated: Annotated[Items[UpdatedFile], BeforeValidator(as_files)] = Field(
        default=(), max_length=MOST_FILES, description="The files you changed."
    )
    next_action_needed: Annotated[str, *bounded(100, blank=True)] = Field(
        default="", description="A hint: DEVELOP, DEBUG, VALIDATE, COMPLETE or WAITING_INPUT."
    )
    shown_by: Annotated[Items[Line], BeforeValidator(as_list)] = Field(
        default=(), max_length=MOST_OPTIONS, description=SHOWN_BY
    )
    proof: Annotated[str, *bounded(20, blank=True)] = Field(
        default="", description="preserve or none: proposed to a person where no test can show the goal."
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
"""For the orders of a loop."""

STEP_TOOLS: Mapping[str, type[Call]] = {call.name: call for call in (ReportPhaseResult, ReportFinding)}
"""For the orders of a cycle."""

TUNING, REVIEWING, JUDGING = "action-", "action-diagnose-", "action-verify"
"""What the names of a tuning session's steps begin with. Fixes are not reported on: the files tell it all."""
NO_REPORT = "Nothing is reported here: the files that you leave are the result. End your turn when they are right"


def tools_for(action: str) -> Mapping[str, type[Call]]:
    """Those that this order is reported with."""
    if action.startswith(REVIEWING):
        return REVIEW_TOOLS
    if action.startswith(TUNING):
        return JUDGE_TOOLS if action == JUDGING else {}
    return STEP_TOOLS if action in STEPS else TOOLS


def read_call(order: Order, tool: str, arguments: JsonValue) -> Call:
    """The call, if that tool takes these arguments under this order; else Invalid says what would be right."""
    tools = tools_for(order.action)
    if not tools:
        raise Invalid(f"{NO_REPORT}.")
    if tool not in tools:
        raise Invalid(f"No tool is named {tool!r}; there are {', '.join(tools)}.")
    kind = tools[tool]
    if kind.only not in (None, order.action):
        raise Invalid(f"{tool} is for {kind.only}, and your order is {order.action}: leave it out.")
    try:
        call = kind.model_validate(arguments)
    except ValidationError as error:
        raise Invalid(f"Not recorded: {_told(error)}. Mend this and call {tool} again.") from error
    return _on_order(order, call)


def _on_order(order: Order, call: Call) -> Call:
    """The call with the order's own name. Invalid where it is a result of something else."""
    if isinstance(call, ReportActionResult) and call.action != order.action:
        raise Invalid(f"Not recorded: action was {call.action!r}, and your order is {order.action}. Report on that.")
    if isinstance(call, EndReview):
        return call.evolve(action=order.action)
    if not isinstance(call, ReportPhaseResult):
        return call
    if not is_meant(order.action, call.phase):
        raise Invalid(f"Not recorded: phase was {call.phase!r}, and your order is {order.action}. Report on that.")
    return call.evolve(phase=order.action)


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
            return f"{where} {limits['error']}" if problem["loc"] else str(limits["error"])
        case _:
            return f"{where}: {problem['msg']}"


def answer(call: Call) -> str:
    """What the agent is told of a call that was taken."""
    match call:
        case ReportActionResult():
            return call.taken.format(action=call.action, status=call.status)
        case ReportPhaseResult():
            return call.taken.format(phase=call.phase, status=call.status)
        case ProposeTasks():
            return call.taken.format(count=len(call.tasks))
        case ProposeHypotheses():
            return call.taken.format(count=len(call.hypotheses))
        case _:
            return call.taken
