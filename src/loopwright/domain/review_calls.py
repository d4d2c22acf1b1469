"""The tools that an agent reports with when it reviews a skill, or judges what another has found. Pure.

Loaded like tool_calls by the server that an agent starts for every session.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field

from loopwright.domain.calls import Call, Part, Words, as_list, bounded
from loopwright.domain.findings import SEVERITIES
from loopwright.domain.record import Items

MOST_QUOTES, QUOTE_LENGTH = 8, 1_500


class QuotedPlace(Part):
    bare = "quote"
    file: Annotated[str, *bounded(500, blank=True)] = Field(
        default="", description="Path relative to the skill's folder."
    )
    quote: Annotated[str, *bounded(QUOTE_LENGTH)] = Field(
        description="Text of that file, copied character by character."
    )


class MissingThing(Part):
    bare = "what"
    what: Words = Field(description="What is missing.")
    searched_for: Annotated[Items[Annotated[str, *bounded(200)]], BeforeValidator(as_list)] = Field(
        default=(),
        max_length=MOST_QUOTES,
        description="Words that would stand in some file of the skill if it were there; none of them does.",
    )


Quotes = Annotated[Items[QuotedPlace], BeforeValidator(as_list), Field(max_length=MOST_QUOTES)]


class ReportSkillFinding(Call):
    name = "report_finding"
    words = (
        "Report one fault of the skill. Every quote is looked for in its file, character by character, and every"
        " search is run; a report that fails either check is rejected."
    )
    taken = "Recorded. Report the next one, or call end_review."
    bare = "claim"
    card: Annotated[str, *bounded(60)] = Field(description="The card of your order that it belongs to, by its id.")
    severity: Annotated[str, *bounded(20)] = Field(
        description="critical: a run does harm. high: a usual run ends wrong. medium: in a usual situation two runs"
        " differ. low: it is rare or cheap to mend.",
        json_schema_extra={"enum": [*SEVERITIES]},
    )
    claim: Words = Field(description="What is wrong, in one sentence.")
    evidence: Quotes = Field(default=(), description="Where it stands.")
    other_side: Quotes = Field(default=(), description="Where two places disagree: the other one.")
    absent: Annotated[Items[MissingThing], BeforeValidator(as_list), Field(max_length=MOST_QUOTES)] = Field(
        default=(), description="Where something is missing: what, and what you searched for."
    )
    scenario: Words = Field(description="What a model that follows the skill will do wrong, step by step.")
    fix: Words = Field(description="What to change, in one sentence.")


class JudgeFinding(Call):
    name = "judge_finding"
    words = "Say of one claim whether the files refute it. A refutation needs at least one quote that shows it."
    taken = "Recorded. Judge the next one, or call end_review."
    bare = "why"
    id: Annotated[str, *bounded(20)] = Field(description="The claim's id, as in F1.")
    verdict: Annotated[str, *bounded(20)] = Field(
        description="refuted: the quotes show that it is wrong. stands: you tried and could not refute it.",
        json_schema_extra={"enum": ["refuted", "stands"]},
    )
    quotes: Quotes = Field(default=(), description="What shows it.")
    why: Words = Field(description="In a sentence.")


class EndReview(Call):
    """`action`: of the order, by who takes it."""

    name = "end_review"
    words = "Call it exactly once, as the last thing in your turn: nothing more is to be reported."
    taken = "Your review is complete; end your turn now."
    bare = "summary"
    action: Annotated[str, *bounded(60, blank=True)] = Field(default="", description="Leave it out.")
    summary: Annotated[str, *bounded(500, blank=True)] = Field(default="", description="In a sentence, if you like.")


REVIEW_TOOLS: Mapping[str, type[Call]] = {call.name: call for call in (EndReview, ReportSkillFinding)}
"""For the order to review one dimension; the one that ends the turn first."""
JUDGE_TOOLS: Mapping[str, type[Call]] = {call.name: call for call in (EndReview, JudgeFinding)}
"""For the order to refute."""
