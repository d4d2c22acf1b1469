"""Fixes that an agent writes: in a copy of the skill, taken as a diff, and judged like every other."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from loopwright.domain.findings import Finding, Proposal
from loopwright.domain.permissions import turn_policy
from loopwright.domain.protocol import Message
from loopwright.domain.skill_files import SkillFiles
from loopwright.domain.spending import added
from loopwright.domain.tuning import TuningState
from loopwright.engine.threads import in_thread
from loopwright.tune.fixes.between import Change, between
from loopwright.tune.messages import mend_order
from loopwright.tune.session import TuningSession

AT_ONCE = 3
"""Findings of one file that are mended in one turn: what does not hold takes no more along."""
TURNS = 8
"""Turns in one iteration; the rest comes in the next one."""
LINES = 40
"""Lines that may change for each finding."""


async def written_by_agent(
    session: TuningSession, files: SkillFiles, left: Sequence[Finding], others: Sequence[Proposal]
) -> list[Proposal]:
    """A proposal for each group of findings that the agent has found a change for. AgentError.

    `others` are proposed already: what would touch the same files waits for the next iteration.
    """
    state = session.state()
    taken = {file for proposal in others for file in proposal.files}
    proposals: list[Proposal] = []
    for group in list(_groups(left))[:TURNS]:
        if group[0].file in taken:
            continue
        proposal = await _mended(session, state, files, group)
        if proposal is None:
            continue
        if overlap := taken.intersection(proposal.files):
            session.note("put_off", f"a change of {', '.join(sorted(overlap))} waits: another fix comes first")
            continue
        taken.update(proposal.files)
        proposals.append(proposal)
    return proposals


def _groups(findings: Sequence[Finding]) -> Iterator[list[Finding]]:
    """By file, in the order of their urgency, so many at once."""
    ranked = {finding.fingerprint: n for n, finding in enumerate(findings)}
    by_file = [list(group) for _, group in groupby(sorted(findings, key=lambda f: f.file), key=lambda f: f.file)]
    by_file.sort(key=lambda group: min(ranked[finding.fingerprint] for finding in group))
    for group in by_file:
        group.sort(key=lambda finding: ranked[finding.fingerprint])
        yield from (group[n : n + AT_ONCE] for n in range(0, len(group), AT_ONCE))


async def _mended(
    session: TuningSession, state: TuningState, files: SkillFiles, group: list[Finding]
) -> Proposal | None:
    """What the agent makes of it; None, with the reason noted, where that is nothing that can be proposed."""
    agent, lines = state.engine.agent or "", LINES * len(group)
    names = ", ".join(finding.rule for finding in group)
    with session.skills.copied(session.root) as folder:
        before = await in_thread(session.skills.read, folder)
        known = [why for finding in group if (why := state.engine.rejected.get(finding.fingerprint))]
        order = mend_order(session.prompts, state, group, folder, lines, known)
        settings = state.engine.settings
        message = Message(
            action="action-propose-fixes", text=order, seconds=settings.action_timeout,
            silence=settings.silence_timeout, policy=turn_policy(settings.permissions, reading=False),
            folder=str(folder),
        )  # fmt: skip
        session.bus.publish("activity", f"{agent} mends {names} in {group[0].file}")
        async with session.turns(folder) as turns:
            try:
                await turns.ask(agent, message)
            finally:
                usage = (await turns.spent()).usage
                session.cost = session.cost.evolve(
                    tokens=added(session.cost.tokens, usage.tokens), cost=added(session.cost.cost, usage.cost)
                )
        after = await in_thread(session.skills.read, folder)
    change = between(before.files, after.files)
    if problem := _problem(change, lines):
        session.note("no_fix", f"{agent} {problem} for {names} in {group[0].file}")
        return None
    return Proposal(
        fingerprints=tuple(finding.fingerprint for finding in group), rule=group[0].rule, strategy=group[0].strategy,
        level="agent", description=f"{agent}: {group[0].advice}", rationale=group[0].why, edits=change.edits,
        creates=dict(change.creates), deletes=change.deletes, risk="medium",
        estimated_impact=f"mends {names}", verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


def _problem(change: Change, lines: int) -> str | None:
    """Why what the agent has done can not be proposed."""
    if change.unreadable:
        return f"wrote what is no text into {', '.join(change.unreadable)}"
    if change.lines == 0:
        return "changed nothing"
    return f"changed {change.lines} lines, more than {lines}," if change.lines > lines else None
