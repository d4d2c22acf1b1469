"""The tools that agents report with: what each takes, and when it may be called. Pure.

Loaded by the server that an agent starts for every session: it needs nothing but records.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
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

from loopwright.core.errors import Invalid
from loopwright.core.names import ActionName
from loopwright.core.record import Items, Record
from loopwright.core.text import clean_line, clip_text
from loopwright.reports.block import (
    ListEntry,
    PhaseStatus,
    ReportStatus,
    read_choices,
    read_json,
    read_json_entries,
    read_phase_status,
    read_status,
)
from loopwright.reports.discoveries import TYPES, list_types, read_entry
from loopwright.reports.phase import (
    MOST_ENTRIES,
    MOST_IDS,
    STEPS,
    names_step,
    read_blockers,
    read_decisions,
    read_issues,
)
from loopwright.skills.findings import SEVERITIES

MOST_FILES, MOST_OPTIONS = 500, 10
SHOWN_BY = "Names of tests that failed before this run and prove the goal, if you added none."
LONGEST, PLACE_LENGTH, BUG_LENGTH, LINE_LENGTH = 2_000, 500, 500, 300
"""Characters of a message, a task or a hypothesis; of a place; of a bug's name; of a title or an option."""


def bound_length(most: int, *, blank: bool = False) -> tuple[object, ...]:
    """What makes an `Annotated[str, *…]` a text of at most that many characters, its ends stripped."""

    def check(value: str) -> str:
        value = value.strip()
        if not value and not blank:
            raise ValueError("must not be blank")
        if len(value) > most:
            raise ValueError(f"has {len(value):,} characters; at most {most:,} are accepted")
        return value

    return AfterValidator(check), WithJsonSchema({"type": "string", "maxLength": most})


Words = Annotated[str, *bound_length(LONGEST)]
Line = Annotated[str, *bound_length(LINE_LENGTH)]
Note = Annotated[str, *bound_length(LONGEST, blank=True)]
Bug = Annotated[str, *bound_length(BUG_LENGTH, blank=True)]
Place = Annotated[str, *bound_length(PLACE_LENGTH, blank=True)]


class ReportOrder(Record):
    """What the agent is to do in this turn; reports are held against it. `debugs`: the debugger can be asked."""

    turn: int
    action: str
    debugs: bool = False


class ReportPart(Record):
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


class UpdatedFile(ReportPart):
    bare = "path"
    path: Annotated[str, *bound_length(500)] = Field(description="Path relative to the project.")
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


def as_files(given: object) -> object:
    """Also an object of paths and descriptions."""
    if isinstance(given, dict) and "path" not in given:
        return [{"path": key, "description": value} for key, value in given.items()]
    return [given] if isinstance(given, dict) else as_list(given)


class ReportCall(ReportPart):
    """The arguments of one call. `name` is the tool's, `only` the action it belongs to."""

    name: ClassVar[str]
    words: ClassVar[str]
    taken: ClassVar[str]
    only: ClassVar[str | None] = None


SHOWN = 300
"""Characters that are shown of a finding."""


def _listed(read: Callable[[Iterable[ListEntry]], Sequence[object]]) -> Callable[[object], object]:
    """What was given, in the form in which it is kept; as it is where it is no list at all."""

    def kept(given: object) -> object:
        entries = read_json_entries(given)
        if entries is None:
            return given
        return [each.model_dump() if isinstance(each, Record) else each for each in read(entries)]

    return kept


Ids = Annotated[Items[Line], Field(max_length=MOST_IDS), BeforeValidator(as_list)]


class BlockerPart(ReportPart):
    bare = "description"
    description: Words = Field(description="What blocks you.")
    tasks: Ids = Field(default=(), description="Ids of the plan's tasks that it blocks.")


class DecisionPart(ReportPart):
    bare = "description"
    description: Words = Field(description="The question.")
    options: Items[Line] = Field(default=(), max_length=MOST_OPTIONS, description="The answers to choose from.")
    recommended: Annotated[str, *bound_length(300, blank=True)] = Field(
        default="", description="The option you recommend, verbatim."
    )
    tasks: Ids = Field(default=(), description="Ids of the plan's tasks that wait for the answer.")


class ReportPhaseResult(ReportCall):
    name = "report_phase_result"
    words = (
        "Report how the step in your order ended. Call it exactly once, at the end of your turn. "
        "It replaces the PHASE_RESULT block."
    )
    taken = "Recorded: {phase} {status}. Your report is complete; end your turn now."
    bare = "summary"
    phase: Annotated[str, *bound_length(60)] = Field(description="The phase of your order: ra, ep, cd or vas.")
    status: Annotated[PhaseStatus, BeforeValidator(read_phase_status)] = Field(
        description="success: it is done. partial: some of it; say in issues what is missing. failed: you could not."
    )
    summary: Words = Field(description="One or two sentences for a person: what you did, or why you could not.")
    files_written: Annotated[Items[UpdatedFile], BeforeValidator(as_files)] = Field(
        default=(), max_length=MOST_FILES, description="The files you wrote."
    )
    issues: Annotated[Items[Words], BeforeValidator(_listed(read_issues))] = Field(
        default=(), max_length=MOST_ENTRIES, description="What is wrong or missing, one sentence each."
    )
    blockers: Annotated[Items[BlockerPart], BeforeValidator(_listed(read_blockers))] = Field(
        default=(), max_length=MOST_ENTRIES, description="Only what someone else must resolve before you can continue."
    )
    decisions: Annotated[Items[DecisionPart], BeforeValidator(_listed(read_decisions))] = Field(
        default=(), max_length=MOST_ENTRIES, description="Only what a person must choose."
    )
    shown_by: Annotated[Items[Line], BeforeValidator(as_list)] = Field(
        default=(), max_length=MOST_OPTIONS, description=SHOWN_BY
    )


class ReportFinding(ReportCall):
    name = "report_discovery"
    words = (
        "At any time: one fact about the project that the other roles can use, with its source. Types, and the keys"
        f" their data needs: {list_types()}."
    )
    taken = "Recorded."
    bare = "type"
    type: str = Field(description="The type of the fact.", json_schema_extra={"enum": list(TYPES)})
    data: Annotated[dict[str, JsonValue], WithJsonSchema({"type": "object"})] = Field(
        description="The fact, with the keys its type needs."
    )

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: object) -> object:
        """As the board takes it; also where the data comes as JSON text, or beside the type."""
        if not isinstance(given, dict):
            raise ValueError("must be an object with type and data")
        told = {key: value for key, value in given.items() if value is not None}
        if isinstance(data := told.get("data"), str):
            told["data"] = read_json(data)
        try:
            found = read_entry(told)
        except Invalid as error:
            raise ValueError(str(error)) from error
        return {"type": found.type, "data": found.data}

    @property
    def title(self) -> str:
        """The fact in a line."""
        said = ", ".join(f"{key}: {value}" for key, value in self.data.items())
        return clip_text(clean_line(f"{self.type}: {said}"), SHOWN)


MOST_QUOTES, QUOTE_LENGTH = 8, 1_500


def _whole_number(given: object) -> object:
    """A line's number, also as text; None where it is none: the quote says where it is."""
    words = str(given).strip()
    return int(words) if words.isdecimal() and len(words) < 9 else None


class QuotedPlace(ReportPart):
    bare = "quote"
    file: Annotated[str, *bound_length(500, blank=True)] = Field(
        default="", description="Path relative to the skill's folder."
    )
    quote: Annotated[str, *bound_length(QUOTE_LENGTH)] = Field(description="Text of that file, copied exactly.")


class MissingThing(ReportPart):
    bare = "what"
    what: Words = Field(description="What is missing.")
    searched_for: Annotated[Items[Annotated[str, *bound_length(200)]], BeforeValidator(as_list)] = Field(
        default=(),
        max_length=MOST_QUOTES,
        description="Words that a file of the skill would contain if it were there; none does.",
    )


Quotes = Annotated[Items[QuotedPlace], BeforeValidator(as_list), Field(max_length=MOST_QUOTES)]


class ReportSkillFinding(ReportCall):
    name = "report_finding"
    words = (
        "Report one fault of the skill. Every quote must occur exactly in its file, and every search is run; a"
        " report that fails either check is rejected."
    )
    taken = "Recorded. Report the next one, or call end_review."
    bare = "claim"
    card: Annotated[str, *bound_length(60)] = Field(description="The card of your order that it belongs to, by its id.")
    severity: Annotated[str, *bound_length(20)] = Field(
        description="critical: a run does harm. high: a usual run ends wrong. medium: in a usual situation two runs"
        " differ. low: it is rare or cheap to fix.",
        json_schema_extra={"enum": [*SEVERITIES]},
    )
    claim: Words = Field(description="What is wrong, in one sentence.")
    evidence: Quotes = Field(default=(), description="Where it is.")
    other_side: Quotes = Field(default=(), description="If two places disagree: the other one.")
    absent: Annotated[Items[MissingThing], BeforeValidator(as_list), Field(max_length=MOST_QUOTES)] = Field(
        default=(), description="If something is missing: what, and what you searched for."
    )
    scenario: Words = Field(description="What a model that follows the skill will do wrong, step by step.")
    fix: Words = Field(description="What to change, in one sentence.")


class JudgeFinding(ReportCall):
    name = "judge_finding"
    words = "Say whether the files refute one claim. A refutation needs at least one quote that shows it."
    taken = "Recorded. Judge the next one, or call end_review."
    bare = "why"
    id: Annotated[str, *bound_length(20)] = Field(description="The claim's id, as in F1.")
    verdict: Annotated[str, *bound_length(20)] = Field(
        description="refuted: the quotes show that it is wrong. stands: you tried and could not refute it.",
        json_schema_extra={"enum": ["refuted", "stands"]},
    )
    quotes: Quotes = Field(default=(), description="What shows it.")
    why: Words = Field(description="In one sentence.")


class EndReview(ReportCall):
    """`action`: of the order, by who takes it."""

    name = "end_review"
    words = "Call it exactly once, at the end of your turn, when there is nothing more to report."
    taken = "Your review is complete; end your turn now."
    bare = "summary"
    action: Annotated[str, *bound_length(60, blank=True)] = Field(default="", description="Leave it out.")
    summary: Annotated[str, *bound_length(500, blank=True)] = Field(
        default="", description="In one sentence, optional."
    )


class ReportObjection(ReportCall):
    name = "report_objection"
    words = (
        "Report one fault by which the work fails its task. The quote must stand in the file as it is now, or in a line"
        " that the diff removes; else the objection is dropped."
    )
    taken = "Recorded. Report the next one, or call end_review."
    bare = "why"
    file: Annotated[str, *bound_length(500)] = Field(description="Path relative to the project.")
    line: Annotated[int | None, BeforeValidator(_whole_number)] = Field(
        default=None, description="The line where the quote begins."
    )
    quote: Annotated[str, *bound_length(QUOTE_LENGTH)] = Field(description="Code at that place, copied exactly.")
    why: Words = Field(description="Why the work fails its task: the input, what happens, and what should happen.")


REVIEW_TOOLS: Mapping[str, type[ReportCall]] = {call.name: call for call in (EndReview, ReportSkillFinding)}
"""For the order to review one dimension; the one that ends the turn first."""
JUDGE_TOOLS: Mapping[str, type[ReportCall]] = {call.name: call for call in (EndReview, JudgeFinding)}
"""For the order to refute."""
WORK_REVIEW_TOOLS: Mapping[str, type[ReportCall]] = {call.name: call for call in (EndReview, ReportObjection)}
"""For the order to review a loop's work."""


MOST_TASKS, MOST_HYPOTHESES = 7, 8


class ProposedTask(ReportPart):
    bare = "description"
    description: Words = Field(description="What to do, small enough for one turn of work.")


class ProposedHypothesis(ReportPart):
    bare = "description"
    description: Words = Field(description="The suspected cause.")
    testable_condition: Note = Field(default="", description="What would confirm it.")
    logging_point: Place = Field(default="", description="Where to look, as file:function:line.")


def _choices(given: object) -> object:
    return list(read_choices(given)) if isinstance(given, str) else given


class ReportActionResult(ReportCall):
    name = "report_action_result"
    words = (
        "Report how the action in your order ended. Call it exactly once, at the end of your turn. "
        "It replaces the ACTION_RESULT block."
    )
    taken = "Recorded: {action} {status}. Your report is complete; end your turn now."
    bare = "message"
    action: Annotated[str, AfterValidator(str.upper), *bound_length(40)] = Field(
        description="The action of your order: INIT, DEVELOP or DEBUG."
    )
    status: Annotated[ReportStatus, BeforeValidator(read_status)] = Field(
        description="success: it is done. failed: you could not do it. needs_input: only a person can decide."
    )
    message: Words = Field(description="One or two sentences for a person: what you did; or your question.")
    files_updated: Annotated[Items[UpdatedFile], BeforeValidator(as_files)] = Field(
        default=(), max_length=MOST_FILES, description="The files you changed."
    )
    next_action_needed: Annotated[str, *bound_length(100, blank=True)] = Field(
        default="", description="A hint: DEVELOP, DEBUG, VALIDATE, COMPLETE or WAITING_INPUT."
    )
    shown_by: Annotated[Items[Line], BeforeValidator(as_list)] = Field(
        default=(), max_length=MOST_OPTIONS, description=SHOWN_BY
    )
    proof: Annotated[str, *bound_length(20, blank=True)] = Field(
        default="", description="preserve or none: proposed to a person if no test can prove the goal."
    )
    disputes: Annotated[Items[Words], BeforeValidator(as_list)] = Field(
        default=(), max_length=MOST_OPTIONS, description="Objections of a review that do not hold, as `O1: why`."
    )
    options: Annotated[Items[Line], BeforeValidator(_choices)] = Field(
        default=(), max_length=MOST_OPTIONS, description="With needs_input: the answers to choose from."
    )


class ProposeTasks(ReportCall):
    name = "propose_tasks"
    words = "During INIT: propose the development tasks that reach the goal, in order. Else it is a note for people."
    taken = "Recorded {count} tasks. Now call report_action_result."
    only = "INIT"
    bare = "tasks"
    tasks: Annotated[Items[ProposedTask], BeforeValidator(as_list)] = Field(
        min_length=1, max_length=MOST_TASKS, description=f"At most {MOST_TASKS} tasks."
    )


class ProposeHypotheses(ReportCall):
    name = "propose_hypotheses"
    words = (
        "During DEBUG: propose new suspected causes of the failures, most likely first. Do not repeat known ones. Else"
        " it is a note for people."
    )
    taken = "Recorded {count} hypotheses. Now call report_action_result."
    only = "DEBUG"
    bare = "hypotheses"
    hypotheses: Annotated[Items[ProposedHypothesis], BeforeValidator(as_list)] = Field(
        min_length=1, max_length=MOST_HYPOTHESES, description=f"At most {MOST_HYPOTHESES} suspected causes."
    )
    active_bug: Bug = Field(default="", description="The bug, in one sentence.")


class ReportDiscovery(ReportCall):
    name = "report_discovery"
    words = "At any time: something about the project worth knowing later that is not obvious from its files."
    taken = "Recorded."
    bare = "title"
    title: Line = Field(description="The discovery in a few words.")
    text: Annotated[str, *bound_length(10_000, blank=True)] = Field(default="", description="The discovery in full.")


TOOLS: Mapping[str, type[ReportCall]] = {
    call.name: call for call in (ReportActionResult, ProposeTasks, ProposeHypotheses, ReportDiscovery)
}
"""For the orders of a loop."""

STEP_TOOLS: Mapping[str, type[ReportCall]] = {call.name: call for call in (ReportPhaseResult, ReportFinding)}
"""For the orders of a cycle."""

TUNING, REVIEWING, JUDGING = "action-", "action-diagnose-", "action-verify"
"""What the names of a tuning session's steps begin with. Fixes are not reported on: the files tell it all."""
WORK_REVIEW: ActionName = "REVIEW"
NO_REPORT = "Nothing is reported here: the files you leave are the result. End your turn when they are right"


def tools_for(action: str) -> Mapping[str, type[ReportCall]]:
    """Those that this order is reported with."""
    if action.startswith(REVIEWING):
        return REVIEW_TOOLS
    if action.startswith(TUNING):
        return JUDGE_TOOLS if action == JUDGING else {}
    if action == WORK_REVIEW:
        return WORK_REVIEW_TOOLS
    return STEP_TOOLS if action in STEPS else TOOLS


def read_call(order: ReportOrder, tool: str, arguments: JsonValue) -> ReportCall:
    """The call, if that tool takes these arguments under this order; else Invalid says what would be right."""
    tools = tools_for(order.action)
    if not tools:
        raise Invalid(f"{NO_REPORT}.")
    if tool not in tools:
        raise Invalid(f"No tool is named {tool!r}; available: {', '.join(tools)}.")
    kind = tools[tool]
    try:
        call = kind.model_validate(arguments)
    except ValidationError as error:
        raise Invalid(f"Not recorded: {_told(error)}. Fix this and call {tool} again.") from error
    return _on_order(order, call)


def _on_order(order: ReportOrder, call: ReportCall) -> ReportCall:
    """The call with the order's own name. Invalid where it is a result of something else."""
    if isinstance(call, ReportActionResult) and call.action != order.action:
        raise Invalid(f"Not recorded: action was {call.action!r}, and your order is {order.action}. Report on that.")
    if isinstance(call, EndReview):
        return call.evolve(action=order.action)
    if not isinstance(call, ReportPhaseResult):
        return call
    if not names_step(order.action, call.phase):
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
            return f"{where} has {limits['actual_length']} entries, and at most {limits['max_length']} are accepted"
        case "too_short":
            return f"{where} is empty"
        case "value_error":
            return f"{where} {limits['error']}" if problem["loc"] else str(limits["error"])
        case _:
            return f"{where}: {problem['msg']}"


def is_aside(call: ReportCall, action: str) -> bool:
    """Whether it proposes something that this order takes up no proposals for.

    A session keeps the tools it was given at first, so it offers them in every turn, and none of them refuses.
    """
    return call.only not in (None, action)


def answer_call(call: ReportCall, action: str) -> str:
    """What the agent is told of a call that was taken under that order."""
    if is_aside(call, action):
        return f"Kept as a note for people: only {call.only} takes up such proposals. Now carry out your own order."
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
