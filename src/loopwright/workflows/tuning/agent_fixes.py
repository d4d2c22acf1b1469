"""Fixes that an agent writes: in a copy of the skill, taken as a diff, and judged like every other."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from loopwright.core.errors import AgentError, AgentTrouble, Invalid, NotFound
from loopwright.core.protocol import Message
from loopwright.core.run import charge_budget
from loopwright.core.spending import sum_of
from loopwright.core.threads import look_in_thread
from loopwright.policy.permissions import turn_policy
from loopwright.skills.files import SkillFiles
from loopwright.skills.findings import Finding, Proposal
from loopwright.skills.fixes.edits import measure_change
from loopwright.workflows.tuning.messages import mend_order
from loopwright.workflows.tuning.model import TuningState
from loopwright.workflows.tuning.session import TuningSession

AT_ONCE = 3
"""Findings of one file that are mended in one turn: what does not hold takes no more along."""
TURNS = 8
"""Turns in one iteration; the rest comes in the next one."""
LINES = 40
"""Lines that may change for each finding."""


ONLY_THIS_TURN: frozenset[AgentTrouble] = frozenset({"died", "timeout", "protocol"})
"""Trouble that says nothing about the next turn."""


class AgentFixes(NamedTuple):
    """`tried`: by fingerprint why a turn came to nothing."""

    proposals: list[Proposal]
    tried: dict[str, str]


async def write_fixes(session: TuningSession, left: Sequence[Finding], others: Sequence[Proposal]) -> AgentFixes:
    """A proposal for each group of findings that the agent has found a change for. AgentError.

    `others` are proposed already: what would touch the same files waits for the next iteration.
    """
    state, since = session.state(), session.clock.monotonic()
    taken = {file for proposal in others for file in proposal.files}
    written = AgentFixes([], {})
    for group in [group for group in _groups(left) if group[0].file not in taken][:TURNS]:
        if group[0].file in taken:
            continue
        if reached := charge_budget(state, session.clock.monotonic() - since, session.cost).engine.budget.reached:
            session.note("over_budget", f"the {reached.words} is used up: the other fixes are not written")
            break
        try:
            came = await _mended(session, state, group)
        except AgentError as error:
            if not written.proposals:
                raise
            session.note("no_fix", f"{state.engine.agent} writes no more fixes: {error}")
            break
        if isinstance(came, str):
            session.note("no_fix", came)
            written.tried.update({finding.fingerprint: came for finding in group})
        elif overlap := taken.intersection(came.files):
            session.note("put_off", f"a change to {', '.join(sorted(overlap))} waits: another fix comes first")
        else:
            taken.update(came.files)
            written.proposals.append(came)
    return written


def _groups(findings: Sequence[Finding]) -> Iterator[list[Finding]]:
    """By file, in the order of their urgency, so many at once."""
    ranked = {finding.fingerprint: n for n, finding in enumerate(findings)}
    by_file = [list(group) for _, group in groupby(sorted(findings, key=lambda f: f.file), key=lambda f: f.file)]
    by_file.sort(key=lambda group: min(ranked[finding.fingerprint] for finding in group))
    for group in by_file:
        group.sort(key=lambda finding: ranked[finding.fingerprint])
        yield from (group[n : n + AT_ONCE] for n in range(0, len(group), AT_ONCE))


async def _mended(session: TuningSession, state: TuningState, group: Sequence[Finding]) -> Proposal | str:
    """What the agent makes of it; in words why that is nothing that can be proposed. AgentError."""
    agent, lines = state.engine.agent or "", LINES * len(group)
    about = f"for {', '.join(finding.rule for finding in group)} in {group[0].file}"
    with session.skills.copied(session.root) as folder:
        before = await look_in_thread(session.skills.read, folder)
        session.bus.publish("activity", f"{agent} writes a fix {about}")
        try:
            await _asked(session, state, group, folder, lines)
            after = await look_in_thread(session.skills.read, folder)
        except AgentError as error:
            if error.kind not in ONLY_THIS_TURN:
                raise
            return f"{agent} did not finish {about}: {error}"
        except (NotFound, Invalid) as error:  # it has taken SKILL.md away
            return f"{agent} left no valid skill {about}: {str(error).replace(str(folder), before.name)}"
    change = measure_change(before.files, after.files)
    if unlike := _no_texts(before, after, change.unreadable):
        return f"{agent} wrote something that is not a plain text file {about}: {', '.join(unlike)}"
    if change.lines == 0:
        return f"{agent} changed nothing {about}"
    if change.lines > lines:
        return f"{agent} changed {change.lines} lines {about}; at most {lines} may change"
    return Proposal(
        fingerprints=tuple(finding.fingerprint for finding in group),
        rule=group[0].rule,
        strategy=group[0].strategy,
        level="agent",
        description=f"{agent}: {group[0].advice}",
        rationale=group[0].why,
        edits=change.edits,
        creates=dict(change.creates),
        deletes=change.deletes,
        risk="medium",
        estimated_impact=f"mends {', '.join(finding.rule for finding in group)}",
        verification_steps=("diagnose the whole skill again",),
    )


async def _asked(
    session: TuningSession, state: TuningState, group: Sequence[Finding], folder: Path, lines: int
) -> None:
    """One turn in the copy, at the session's cost. AgentError."""
    known = tuple(dict.fromkeys(why for one in group for why in state.engine.tried.get(one.fingerprint, ())))
    settings = state.engine.settings
    message = Message(
        action="action-propose-fixes",
        text=mend_order(session.prompts, state, group, folder, lines, known),
        seconds=settings.action_timeout,
        silence=settings.silence_timeout,
        policy=turn_policy(settings.permissions, reading=False),
        folder=str(folder),
    )
    async with session.turns(folder) as turns:
        try:
            await turns.ask(state.engine.agent or "", message)
        finally:
            usage = (await turns.spent()).usage
            session.cost = sum_of((session.cost, usage))


def _no_texts(before: SkillFiles, after: SkillFiles, unreadable: Sequence[str]) -> list[str]:
    """What is there after it, and is not read: no UTF-8, a link, too large; unless it was so before."""
    unlike = {name for name in after.unread if before.unread.get(name) != after.unread[name]}
    return sorted(unlike.union(unreadable))
