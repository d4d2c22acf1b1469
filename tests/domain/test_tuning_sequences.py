"""Random courses of a tuning session: whatever its steps come back with, it ends, and the rules hold all the way."""

import json
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.skills.findings import DIMENSIONS, SEVERITIES, Finding, FixLevel
from loopwright.skills.score import count_issues
from loopwright.workflows.tuning.commands import choose, edit, stop
from loopwright.workflows.tuning.model import FINISHED, RANKS, TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import (
    EndOutcome,
    FailureOutcome,
    InterruptionOutcome,
    IterationOutcome,
    ProposalOutcome,
    RefusalOutcome,
    ReportOutcome,
    TuningOutcome,
    TuningStepDone,
    VerifyOutcome,
)
from loopwright.workflows.tuning.reducer import begin_step, end_step
from loopwright.workflows.tuning.selector import may_be_fixed, next_steps, select_ready
from loopwright.workflows.tuning.state_reader import read_tuning
from tests.domain.tuning_making import AT, SCOPED, applied, created, diagnosed, finding, offer
from tests.tiers import examples

POOL: tuple[Finding, ...] = (
    finding("a", "context", "critical"), finding("b", "memory", "high", "likely"), finding("c", "memory", "low"),
    finding("a", "dataflow", "medium"), finding("a", "dataflow", "high", line=9), finding("d", "dataflow"),
    finding("d", "dataflow", confidence="hint", line=20), finding("e", "agent", "high"),
    finding("f", "agent", confidence="hint"),
)  # fmt: skip
"""Two are the same thing in two places, two the same once surely and once perhaps."""
DEATHS = 3
"""Runners that die in one course: one that always dies gets nowhere."""
LEVELS: tuple[FixLevel, ...] = ("mechanical", "template", "agent")


@dataclass
class Course:
    data: st.DataObject
    deaths: int = 0
    ids: dict[str, str] = field(default_factory=dict)

    def some(self, *of: Finding) -> tuple[Finding, ...]:
        return tuple(self.data.draw(st.lists(st.sampled_from(of), unique_by=id))) if of else ()

    def outcome(self, state: TuningState, step: TuningStep) -> TuningOutcome:
        kind = self.data.draw(st.sampled_from(("well",) * 12 + ("fails", "fails for good", "dies", "refuses", "slips")))
        if kind == "dies" and self.deaths < DEATHS:
            self.deaths += 1
            return InterruptionOutcome("the runner died")
        if kind.startswith("fails") and step.name not in ("action-complete", "action-next-iteration"):
            return FailureOutcome("it did not work", recoverable=kind == "fails")
        return self.good(state, step, kind)

    def good(self, state: TuningState, step: TuningStep, kind: str) -> TuningOutcome:
        fix = step.fix or ""
        if step.dimension is not None:
            found = self.some(*(one for one in POOL if one.dimension == step.dimension))
            return diagnosed(step.dimension, *found, problem="a slip" if kind == "slips" else None)
        match step.name:
            case "action-init":
                return SCOPED
            case "action-report":
                levels = {one.fingerprint: self.data.draw(st.sampled_from(LEVELS)) for one in self.some(*POOL)}
                return ReportOutcome(levels, f"tree-{self.data.draw(st.integers(0, 20))}")
            case "action-propose-fixes":
                return self.proposals(state)
            case "action-apply-fix":
                again = self.data.draw(st.booleans())
                return RefusalOutcome(fix, "it has changed", again) if kind == "refuses" else applied(state, fix)
            case "action-verify":
                passed, found = kind != "refuses", self.some(*POOL)
                fixable: dict[str, FixLevel] = {one.fingerprint: "mechanical" for one in found}
                return VerifyOutcome(fix, passed, () if passed else ("no",), found if passed else (), fixable)
            case "action-next-iteration":
                return IterationOutcome()
            case "action-fail":
                left = tuple(f.fix_id for f in state.applied_fixes if f.verification_result == "pending")
                return EndOutcome(failed=True, undone=left)
            case _:
                return EndOutcome()

    def proposals(self, state: TuningState) -> ProposalOutcome:
        first, wanted = len(state.proposed_fixes) + 1, self.some(*may_be_fixed(state))
        offers = tuple(offer(f"FIX-{n:03}", one) for n, one in enumerate(wanted, first))
        return ProposalOutcome(offers, {one.fingerprint: "no repair" for one in self.some(*may_be_fixed(state))})

    def interfered(self, state: TuningState) -> TuningState:
        """What a person does meanwhile."""
        what = self.data.draw(st.sampled_from(("nothing",) * 30 + ("limit", "words", "stop")))
        if what == "limit":
            return edit(state, {"max_iterations": self.data.draw(st.integers(1, 4))})
        if what == "words":
            return edit(state, {"user_issue_description": "the agent forgets about d"})
        return stop(state, AT) if what == "stop" else state

    def check(self, state: TuningState) -> None:
        counted = Counter(issue.severity for issue in state.issues)
        assert state.issues_by_severity.model_dump() == {one: counted[one] for one in SEVERITIES}
        assert state.issues_by_severity == count_issues(state.engine.findings)
        assert [issue.priority for issue in state.issues] == list(range(1, len(state.issues) + 1))
        ids = [issue.id for issue in state.issues]
        assert len(set(ids)) == len(ids)
        assert all(set(issue.related_issues) <= set(ids) - {issue.id} for issue in state.issues)
        for print, id in self.ids.items():
            assert state.engine.issue_of[print] == id, "the same thing keeps its id"
        self.ids = dict(state.engine.issue_of)
        assert len(set(self.ids.values())) == len(self.ids)
        self._check_the_gate(state)
        assert TuningState.model_validate_json(state.model_dump_json()) == state
        assert read_tuning(json.loads(state.model_dump_json()), fallback_id="?", now=AT) == (state, ())

    def _check_the_gate(self, state: TuningState) -> None:
        results = [state.diagnosis.of(one) for one in state.engine.dimensions]
        ran = all(result is not None and result.status == "completed" for result in results)
        if not ran:
            assert state.quality_gate == "fail", "a dimension that did not run never passes"
        if state.issues_by_severity.critical:
            assert state.quality_gate == "fail"
        if state.error_count >= state.max_errors and state.status not in FINISHED:
            assert next_steps(state) == (TuningStep("action-fail"),)


def longest(iterations: int) -> int:
    """Steps of the longest course: each iteration has all there is, and a try more for each error and death."""
    each = len(DIMENSIONS) + 2 + 2 * len(POOL) + 1
    return 1 + (iterations + 1) * each + 3 + DEATHS + 2


@settings(max_examples=examples(150))
@given(
    data=st.data(), level=st.sampled_from([*RANKS]), choosing=st.booleans(), limit=st.integers(1, 4),
    dimensions=st.lists(st.sampled_from(DIMENSIONS), min_size=1, unique=True),
)  # fmt: skip
def test_every_course_ends_and_keeps_the_rules(
    data: st.DataObject, level: str, choosing: bool, limit: int, dimensions: list[str]
) -> None:
    course = Course(data)
    wanted = tuple(one for one in DIMENSIONS if one in dimensions)
    state = created(
        level=next(one for one in RANKS if one == level), choosing=choosing, max_iterations=limit, dimensions=wanted
    )
    taken = 0
    while state.status not in FINISHED:
        steps = select_ready(state, ())
        if not steps:
            assert state.engine.waiting is not None, "it stands still only for a person"
            options = state.engine.waiting.options
            state = choose(state, data.draw(st.lists(st.sampled_from(options), unique=True)))
            continue
        for step in steps:
            state = begin_step(state, step, AT)
        for step in data.draw(st.permutations(steps)):
            taken += 1
            if state.status in FINISHED:
                continue
            outcome = course.outcome(state, step)
            done = TuningStepDone(step=step, outcome=outcome, begun=AT, at=AT)
            state = end_step(state, done)
            course.check(state)
            if state.status not in FINISHED:
                state = course.interfered(state)
        assert taken <= longest(4), "it goes on and on"
    course.check(state)
    assert next_steps(state) == select_ready(state, ()) == ()
    assert state.iteration_count <= 4
    assert (state.engine.under_way, state.pending_fixes, state.current_action) == ((), (), None)
    assert (state.status == "failed") == (state.engine.reason is not None)
    assert state.error_count < 3 or state.status == "failed"
    held = [fix for fix in state.applied_fixes if fix.verification_result == "pass"]
    assert all(fix.success == fix.rollback_available == (fix in held) for fix in state.applied_fixes)
