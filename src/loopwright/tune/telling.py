"""The outcome of a step in a few words, as the journal and whoever looks name it."""

from typing import assert_never

from loopwright.domain.tuning_outcomes import (
    Applied,
    Broken,
    Diagnosed,
    Ended,
    Failed,
    Iterated,
    Proposed,
    Refused,
    Reported,
    Scoped,
    TuningOutcome,
    Verified,
)
from loopwright.domain.words import plural


def told(outcome: TuningOutcome) -> str:
    match outcome:
        case Scoped():
            return f"{outcome.name}: {plural(len(outcome.digests), 'file')}, about {outcome.size:,} tokens"
        case Diagnosed(problem=problem, findings=findings):
            return f"failed: {problem}" if problem else plural(sum(f.counts for f in findings), "finding")
        case Reported():
            return f"{len(outcome.fixable)} can be mended without a model"
        case Proposed():
            return f"proposed {plural(len(outcome.offers), 'fix')}"
        case Applied():
            return f"applied {outcome.fix.id}"
        case Refused():
            return f"{outcome.fix_id} was not applied: {outcome.reason}"
        case Verified():
            return "holds" if outcome.passed else f"rolled back: {'; '.join(outcome.reasons)}"
        case Iterated():
            return "diagnosing again"
        case Ended():
            return "too many errors" if outcome.failed else "the course is over"
        case Failed():
            return f"failed: {outcome.message}"
        case Broken():
            return outcome.reason
        case _:
            assert_never(outcome)
