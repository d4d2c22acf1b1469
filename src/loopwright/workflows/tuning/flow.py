"""TUNE as a declaration for the kernel: what is ready, who does it, how it lands."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import assert_never

from loopwright.core.agent_failures import TABLE
from loopwright.core.errors import AgentError, Conflict, Corrupt, Invalid, NotFound, WorkspaceError
from loopwright.core.names import TuningStepName
from loopwright.core.protocol import Control
from loopwright.core.status_table import control_signal
from loopwright.core.text import plural
from loopwright.core.threads import look_in_thread, run_in_thread
from loopwright.skills.diagnosis import (
    diagnose_skill,
    list_fixable,
    load_skill,
    rules_of,
    split_accepted,
)
from loopwright.skills.files import Rewrite, SkillFiles, digest
from loopwright.skills.findings import Proposal
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.fixes.diff import render_file_diff
from loopwright.skills.fixes.edits import contents_of, rebase_edit
from loopwright.skills.review.cards import cards_of
from loopwright.skills.review.report_check import carry_findings
from loopwright.workflows.run_flow import RunFlow
from loopwright.workflows.tuning.agent_fixes import write_fixes
from loopwright.workflows.tuning.commands import list_unverified
from loopwright.workflows.tuning.gate import judge_fix
from loopwright.workflows.tuning.model import RANKS, FileAction, FileChange, Fix, TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import (
    ApplyOutcome,
    DiagnosisOutcome,
    EndOutcome,
    FailureOutcome,
    FixOffer,
    InterruptionOutcome,
    IterationOutcome,
    ProposalOutcome,
    RefusalOutcome,
    ReportOutcome,
    ScopeOutcome,
    TuningOutcome,
    TuningStepDone,
    VerifyOutcome,
)
from loopwright.workflows.tuning.publish import files_of, publish
from loopwright.workflows.tuning.reducer import begin_step, end_step
from loopwright.workflows.tuning.review import recheck_findings, review_dimension
from loopwright.workflows.tuning.selector import may_be_fixed, select_ready, still_holds
from loopwright.workflows.tuning.session import TuningSession, undo_fixes


def fix_of(proposal: Proposal, files: Mapping[str, bytes], id: str, issue_ids: Sequence[str]) -> Fix:
    """The proposal as a fix of these files. Conflict where they are not what it was made for; Invalid for no texts."""
    changes = tuple(_change(file, files.get(file), new) for file, new in contents_of(proposal, files).items())
    return Fix(
        id=id,
        issue_ids=tuple(issue_ids),
        strategy=proposal.strategy,
        description=proposal.description,
        rationale=proposal.rationale,
        changes=changes,
        risk=proposal.risk,
        estimated_impact=proposal.estimated_impact,
        verification_steps=proposal.verification_steps,
    )


def rewrite_of(proposal: Proposal, files: Mapping[str, bytes]) -> Rewrite:
    """What has to be written, on the condition that the files are still these. Conflict, Invalid."""
    contents = contents_of(proposal, files)
    return Rewrite(contents, {file: digest(files[file]) if file in files else None for file in contents})


def _change(file: str, old: bytes | None, new: bytes | None) -> FileChange:
    action: FileAction = "create" if old is None else "delete" if new is None else "modify"
    diff = render_file_diff(file, old, new)
    return FileChange(
        file=file,
        action=action,
        old_content=None if old is None else old.decode(),
        new_content=None if new is None else new.decode(),
        diff=diff,
    )


def describe_outcome(outcome: TuningOutcome) -> str:
    match outcome:
        case ScopeOutcome():
            return f"{outcome.name}: {plural(len(outcome.digests), 'file')}, about {outcome.size:,} tokens"
        case DiagnosisOutcome(problem=problem, findings=findings):
            return f"failed: {problem}" if problem else plural(sum(f.counts for f in findings), "finding")
        case ReportOutcome():
            return f"{len(outcome.fixable)} can be fixed without a model"
        case ProposalOutcome():
            return f"proposed {plural(len(outcome.offers), 'fix')}"
        case ApplyOutcome():
            return f"applied {outcome.fix.id}"
        case RefusalOutcome():
            return f"{outcome.fix_id} was not applied: {outcome.reason}"
        case VerifyOutcome():
            return "holds" if outcome.passed else f"rolled back: {'; '.join(outcome.reasons)}"
        case IterationOutcome():
            return "diagnosing again"
        case EndOutcome():
            return "too many errors" if outcome.failed else "the course is over"
        case FailureOutcome():
            return f"failed: {outcome.message}"
        case InterruptionOutcome():
            return outcome.reason
        case _:
            assert_never(outcome)


Handler = Callable[[TuningSession, TuningStep], Awaitable[TuningOutcome]]
NO_REPAIR = "no repair is known for it"


async def run_init(session: TuningSession, step: TuningStep) -> TuningOutcome:
    """What the skill is."""
    files, skill = await session.read()
    return ScopeOutcome(
        name=skill.name,
        mode=skill.mode,
        phases=tuple(dict.fromkeys(phase.file for phase in skill.phases)),
        specs=tuple(path for path, page in skill.pages.items() if page.kind == "spec"),
        size=sum(page.tokens for page in skill.pages.values()),
        digests=files.digests,
    )


async def diagnose_dimension(session: TuningSession, step: TuningStep) -> TuningOutcome:
    files, skill = await session.read()
    dimension = step.dimension
    assert dimension is not None, step
    since, engine = session.clock.monotonic(), session.state().engine
    found = await look_in_thread(diagnose_skill, skill, (dimension,), engine.accepted)
    told, reviewed = carry_findings(skill, (one for one in engine.findings if one.dimension == dimension)), False
    if engine.reviewer is not None and not engine.standings:
        told, reviewed = await review_dimension(session, files, skill, dimension, found.findings)
    kept, silenced = split_accepted(skill, told, engine.accepted)
    checked = (*(rule.rule for rule in rules_of((dimension,))), *(card.id for card in cards_of(dimension) if reviewed))
    return DiagnosisOutcome(
        dimension=dimension,
        findings=(*found.findings, *kept),
        checked=checked,
        silenced=(*found.silenced, *silenced),
        took=(session.clock.monotonic() - since) * 1000,
        digests=files.digests,
        problem=found.problems.get(dimension),
        reviewed=reviewed,
    )


async def run_report(session: TuningSession, step: TuningStep) -> TuningOutcome:
    files, skill = await session.read()
    return ReportOutcome(await look_in_thread(list_fixable, skill, session.state().engine.findings), files.tree)


async def propose_fixes(session: TuningSession, step: TuningStep) -> TuningOutcome:
    """A fix for each finding that the chosen level may mend; an agent is asked for what nothing else mends."""
    state = session.state()
    files, skill = await session.read()
    wanted = may_be_fixed(state)
    own = await look_in_thread(propose_mechanical_fixes, skill, wanted)
    proposals = [one for one in own if RANKS[one.level] <= RANKS[state.engine.level]]
    mended = {print for one in proposals for print in one.fingerprints}
    left = tuple(finding for finding in wanted if finding.fingerprint not in mended)
    if left and state.engine.level == "agent":
        written = await write_fixes(session, left, proposals)
        return ProposalOutcome(_offers(state, files, [*proposals, *written.proposals]), tried=written.tried)
    return ProposalOutcome(_offers(state, files, proposals), {finding.fingerprint: NO_REPAIR for finding in left})


def _offers(state: TuningState, files: SkillFiles, proposals: list[Proposal]) -> tuple[FixOffer, ...]:
    """With ids that go on from those there are."""
    first = len(state.proposed_fixes) + 1
    offers = []
    for number, proposal in enumerate(proposals, first):
        known = (state.engine.issue_of.get(print) for print in proposal.fingerprints)
        fix = fix_of(proposal, files.files, f"FIX-{number:03}", tuple(id for id in known if id))
        offers.append(FixOffer(fix, proposal))
    return tuple(offers)


async def apply_fix(session: TuningSession, step: TuningStep) -> TuningOutcome:
    """Into the files, if they are what the fix was made for, but for the fixes that were applied since."""
    state, id = session.state(), step.fix or ""
    proposal = state.engine.proposals[id]
    files = (await session.read()).files
    changed = [file for file in proposal.files if files.digests.get(file) != state.engine.digests.get(file)]
    if changed:
        return RefusalOutcome(id, f"{', '.join(changed)} changed since the diagnosis")
    moved = _moved(state, id)
    if moved is None:
        return RefusalOutcome(id, "another fix changed the same place first", again=True)
    fix, backup = fix_of(moved, files.files, id, _fix(state, id).issue_ids), session.backup(id)
    digests = await run_in_thread(session.skills.apply, session.root, rewrite_of(moved, files.files), backup)
    session.bus.publish("activity", f"applied {id}: {fix.description}")
    return ApplyOutcome(fix, str(backup.relative_to(session.project)), proposal.edits, digests)


def _fix(state: TuningState, id: str) -> Fix:
    return next(fix for fix in state.proposed_fixes if fix.id == id)


def _moved(state: TuningState, id: str) -> Proposal | None:
    """The proposal for the files after the fixes that came before it; None where one of these lies in its way."""
    proposal = state.engine.proposals[id]
    before = [edit for fix, edits in state.engine.edits.items() if fix != id for edit in edits]
    moved = [rebase_edit(edit, before) for edit in proposal.edits]
    edits = tuple(edit for edit in moved if edit is not None)
    return proposal.evolve(edits=edits) if len(edits) == len(moved) else None


async def verify_fix(session: TuningSession, step: TuningStep) -> TuningOutcome:
    """Diagnoses the whole skill from scratch; what does not hold is rolled back at once."""
    state, id = session.state(), step.fix or ""
    session.last = None
    files, skill = await session.read()
    found = await look_in_thread(diagnose_skill, skill, state.engine.dimensions, state.engine.accepted)
    before, proposal = load_skill(_without(files, _fix(state, id))), _moved(state, id) or state.engine.proposals[id]
    told = [one for one in state.engine.findings if one.review is not None]
    mended = [one for one in told if one.counts and one.fingerprint in proposal.fingerprints]
    others = carry_findings(skill, (one for one in told if one not in mended))
    now = (*found.findings, *others)
    reasons = (
        *judge_fix(proposal, before, skill, state.engine.findings, now),
        *(f"the {dimension} dimension could not be diagnosed: {why}" for dimension, why in found.problems.items()),
    )
    if not reasons:
        left = await recheck_findings(session, files, skill, mended)
        reasons = tuple(f"{one.rule} can still happen in {one.file}: {one.message}" for one in left)
    if not reasons:
        mendable = await look_in_thread(list_fixable, skill, now)
        return VerifyOutcome(id, True, (), now, mendable, silenced=found.silenced)
    digests = await run_in_thread(session.skills.roll_back, session.root, session.backup(id))
    session.note("rolled_back", f"{id} did not hold and was rolled back: {'; '.join(reasons)}")
    return VerifyOutcome(id, False, reasons, (), {}, digests)


def _without(files: SkillFiles, fix: Fix) -> SkillFiles:
    """The files as they were before that fix."""
    was = {change.file: change.old_content for change in fix.changes}
    kept = {file: data for file, data in files.files.items() if file not in was}
    return replace(files, files=kept | {file: text.encode() for file, text in was.items() if text is not None})


async def next_iteration(session: TuningSession, step: TuningStep) -> TuningOutcome:
    session.last = None
    return IterationOutcome()


async def run_complete(session: TuningSession, step: TuningStep) -> TuningOutcome:
    return EndOutcome()


async def run_fail(session: TuningSession, step: TuningStep) -> TuningOutcome:
    """After too many errors: nothing unverified stays in the files."""
    undone = [fix.fix_id for fix in list_unverified(session.state())]
    for id in reversed(undone):
        await undo_fix(session, id)
    return EndOutcome(failed=True, undone=tuple(undone))


async def undo_fix(session: TuningSession, fix: str) -> None:
    """Puts back what a fix has changed, as far as it got."""
    with suppress(NotFound):  # nothing was touched yet
        await run_in_thread(session.skills.roll_back, session.root, session.backup(fix))
        session.bus.publish("activity", f"rolled back {fix}")


HANDLERS: dict[TuningStepName, Handler] = {
    "action-init": run_init,
    "action-diagnose-context": diagnose_dimension,
    "action-diagnose-memory": diagnose_dimension,
    "action-diagnose-dataflow": diagnose_dimension,
    "action-diagnose-agent": diagnose_dimension,
    "action-report": run_report,
    "action-propose-fixes": propose_fixes,
    "action-apply-fix": apply_fix,
    "action-verify": verify_fix,
    "action-next-iteration": next_iteration,
    "action-complete": run_complete,
    "action-fail": run_fail,
}


GONE = (NotFound, Invalid, Corrupt)
"""Trying again does not help."""


class TuningFlow(RunFlow[TuningState]):
    """One session's workflow; its diagnoses run side by side."""

    def __init__(self, session: TuningSession) -> None:
        super().__init__(session)
        self._session = session
        self._landing = asyncio.Lock()
        self._begun: dict[TuningStep, str] = {}

    async def ready(self, state: TuningState, running: tuple[TuningStep, ...]) -> tuple[TuningStep, ...]:
        return select_ready(state, running)

    def begin(self, choice: TuningStep) -> bool:
        """Commits the begin, unless the latest state would not choose this any more."""
        at = self._session.now()
        begun = self.commit_begin(
            lambda state: still_holds(state, choice),
            lambda state: begin_step(state, choice, at),
            "step_started",
            step=choice.name,
            fix=choice.fix,
        )
        if begun is not None:
            self._begun[choice] = at
            self._session.bus.publish("action", choice.name)
        return begun is not None

    async def perform(self, choice: TuningStep) -> TuningOutcome:
        try:
            return await HANDLERS[choice.name](self._session, choice)
        except asyncio.CancelledError:
            if choice.name == "action-apply-fix" and choice.fix:  # what is left of it is told where all is closed
                await undo_fixes(self._session, (choice.fix,))
            raise
        except AgentError as error:
            return FailureOutcome(str(error), TABLE[error.kind].then != "fails")
        except GONE as error:
            return FailureOutcome(str(error), recoverable=False)
        except (Conflict, WorkspaceError, OSError) as error:
            return FailureOutcome(str(error), recoverable=True)

    def interrupted(self, choice: TuningStep) -> TuningOutcome:
        return InterruptionOutcome("cancelled by a person")

    async def finish(self, choice: TuningStep, outcome: TuningOutcome, elapsed: float) -> None:
        """One step after the other: the history then has the order of the journal."""
        async with self._landing:
            await self._finish(choice, outcome, elapsed)

    async def _finish(self, choice: TuningStep, outcome: TuningOutcome, elapsed: float) -> None:
        session, at = self._session, self._session.now()
        words = describe_outcome(outcome)
        done = TuningStepDone(
            step=choice,
            outcome=outcome,
            begun=self._begun.pop(choice, at),
            at=at,
            elapsed=elapsed,
            incidents=session.noted(),
            usage=session.spent(),
            files=files_of(outcome),
        )
        state = session.commit(
            lambda latest: latest if control_signal(latest) is Control.STOP_EXIT else end_step(latest, done),
            "step_finished",
            step=choice.name,
            fix=choice.fix,
            result=words,
            at=at,
        )
        publish(session.store, state)
        session.bus.publish("result", f"{choice.name}: {words}")
