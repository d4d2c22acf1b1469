"""The tools that the roles of a cycle report with. Pure; loaded like tool_calls."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue, WithJsonSchema, model_validator

from loopwright.domain.block import read_json
from loopwright.domain.calls import (
    MOST_FILES,
    MOST_OPTIONS,
    SHOWN_BY,
    Call,
    Line,
    Part,
    UpdatedFile,
    Words,
    as_files,
    as_list,
    bounded,
)
from loopwright.domain.cycle_board import TYPES, read_entry
from loopwright.domain.errors import Invalid
from loopwright.domain.listed import Entry, of_json
from loopwright.domain.phase_entries import MOST_ENTRIES, MOST_IDS, read_blockers, read_decisions, read_issues
from loopwright.domain.record import Items, Record
from loopwright.domain.statuses import PhaseStatus, read_phase_status
from loopwright.domain.words import clean, clipped

SHOWN = 300
"""Characters that are shown of a finding."""


def _listed(read: Callable[[Iterable[Entry]], Sequence[object]]) -> Callable[[object], object]:
    """What was given, in the form in which it is kept; as it is where it is no list at all."""

    def kept(given: object) -> object:
        entries = of_json(given)
        if entries is None:
            return given
        return [each.model_dump() if isinstance(each, Record) else each for each in read(entries)]

    return kept


Ids = Annotated[Items[Line], Field(max_length=MOST_IDS), BeforeValidator(as_list)]


class ToldBlocker(Part):
    bare = "description"
    description: Words = Field(description="What keeps you from going on.")
    tasks: Ids = Field(default=(), description="Ids of the plan's tasks that it keeps.")


class ToldDecision(Part):
    bare = "description"
    description: Words = Field(description="The question.")
    options: Items[Line] = Field(default=(), max_length=MOST_OPTIONS, description="The answers to choose from.")
    recommended: Annotated[str, *bounded(300, blank=True)] = Field(
        default="", description="The option that you recommend, word for word."
    )
    tasks: Ids = Field(default=(), description="Ids of the plan's tasks that wait for the answer.")


class ReportPhaseResult(Call):
    name = "report_phase_result"
    words = (
        "Report how the step you were ordered to do has ended. Call it exactly once, as the last thing in your turn. "
        "It takes the place of the PHASE_RESULT block."
    )
    taken = "Recorded: {phase} {status}. Your report is complete; end your turn now."
    bare = "summary"
    phase: Annotated[str, *bounded(60)] = Field(description="The phase of your order: ra, ep, cd or vas.")
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
    blockers: Annotated[Items[ToldBlocker], BeforeValidator(_listed(read_blockers))] = Field(
        default=(), max_length=MOST_ENTRIES, description="Only what somebody else has to settle before you can go on."
    )
    decisions: Annotated[Items[ToldDecision], BeforeValidator(_listed(read_decisions))] = Field(
        default=(), max_length=MOST_ENTRIES, description="Only what a person has to choose."
    )
    shown_by: Annotated[Items[Line], BeforeValidator(as_list)] = Field(
        default=(), max_length=MOST_OPTIONS, description=SHOWN_BY
    )


class ReportFinding(Call):
    name = "report_discovery"
    words = (
        "At any time: one fact about the project that the other roles can build on, with its source. Types, and the "
        "keys that their data needs: "
        + "; ".join(f"{name} ({', '.join(each.required)})" for name, each in TYPES.items())
        + "."
    )
    taken = "Recorded."
    bare = "type"
    type: str = Field(description="The type of the fact.", json_schema_extra={"enum": list(TYPES)})
    data: Annotated[dict[str, JsonValue], WithJsonSchema({"type": "object"})] = Field(
        description="The fact, by the keys that its type needs."
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
        return clipped(clean(f"{self.type}: {said}"), SHOWN)
