"""Asks an agent what is wrong with a skill, checks its words, and lets another session try to refute them."""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from loopwright.core.agent_turns import AgentTurns
from loopwright.core.errors import AgentError, Conflict, Invalid, NotFound
from loopwright.core.names import TuningStepName
from loopwright.core.protocol import Message
from loopwright.core.run import charge_budget
from loopwright.core.spending import sum_of
from loopwright.core.threads import look_in_thread
from loopwright.reports.tools import JudgeFinding, ReportCall, ReportSkillFinding
from loopwright.skills.detectors import DETECTORS
from loopwright.skills.files import SkillFiles, digest
from loopwright.skills.findings import Dimension, Finding
from loopwright.skills.reader.model import Skill
from loopwright.skills.review.cards import cards_of
from loopwright.skills.review.report_check import MOST, CheckedReports, check_refutation, check_reports
from loopwright.workflows.tuning.agent_fixes import ONLY_THIS_TURN
from loopwright.workflows.tuning.messages import (
    card_words,
    claim_words,
    compose_order,
    described_words,
    open_claim_words,
    refused_words,
)
from loopwright.workflows.tuning.model import DIAGNOSES, TuningState
from loopwright.workflows.tuning.session import TuningSession

MOST_FILES = 80


def skill_facts(skill: Skill, findings: Iterable[Finding]) -> str:
    """Which file leads to which, how long each is, what is read when, and what was found exactly."""
    return "\n".join([*_files(skill), "", *_course(skill), "", *_findings_known(findings)])


def _files(skill: Skill) -> Iterator[str]:
    yield "Files that SKILL.md leads to, with their tokens and what they lead to:"
    for path in skill.reached[:MOST_FILES]:
        named = [one for one in skill.references if one.at.file == path and one.resolved in skill.pages]
        leads = dict.fromkeys(str(one.resolved) for one in named)
        yield f"- {path} ({skill.pages[path].tokens:,}){' → ' + ', '.join(leads) if leads else ''}"
    if len(skill.reached) > MOST_FILES:
        yield f"- and {len(skill.reached) - MOST_FILES} more"
    others = [path for path in skill.pages if path not in skill.reached]
    if others:
        shown = ", ".join(others[:MOST_FILES]) + (" …" if len(others) > MOST_FILES else "")
        yield f"Nothing leads to {shown}: by itself that is no finding."


def _course(skill: Skill) -> Iterator[str]:
    if skill.mode == "autonomous":
        yield "An orchestrator chooses its next action."
    if skill.phases:
        yield f"Its phases: {', '.join(phase.name for phase in skill.phases)}."
    if skill.hosts:
        yield f"It is written for {', '.join(sorted(skill.hosts))}."
    if skill.tools is not None:
        yield f"allowed-tools: {', '.join(sorted(skill.tools)) or 'none'}."


def _findings_known(findings: Iterable[Finding]) -> Iterator[str]:
    told = [f"- {one.file}:{one.line} {one.rule}: {one.message}" for one in findings if one.review is None]
    checks = "; ".join(one.title.lower() for one in DETECTORS)
    yield f"Checked exactly, so not to be reported: {checks}."
    yield "Found of these in the dimension that you review:" if told else "Of these, nothing was found here."
    yield from told


SHOWN = 5
"""Names of files that are told."""

C = TypeVar("C", bound=ReportCall)
_REPORTS, _VERDICTS = TypeAdapter(list[ReportSkillFinding]), TypeAdapter(list[JudgeFinding])


class ReviewOutcome(NamedTuple):
    """`answered`: the dimension's questions were; otherwise an incident says why not."""

    findings: tuple[Finding, ...] = ()
    answered: bool = False


class ReviewSessions:
    """A copy of the skill with one session of each agent in it, kept over the dimensions of a run."""

    def __init__(self, session: TuningSession) -> None:
        self._session = session
        self._open: AsyncExitStack | None = None
        self._turns: dict[tuple[str, bool], AgentTurns] = {}
        self._tree = ""
        self.folder = Path()

    async def at(self, files: SkillFiles) -> Path:
        """The copy, of these files: a fresh one where somebody has changed the last one."""
        if self._open is not None and self._tree != files.tree:
            await self.close()
        if self._open is None:
            self._open = AsyncExitStack()
            self.folder = self._open.enter_context(self._session.skills.copied(self._session.root))
            self._tree = files.tree
        return self.folder

    async def turns(self, name: str, *, judging: bool) -> AgentTurns:
        """The session in which that agent reviews; one in which it judges is new each time: it knows no reasons."""
        assert self._open is not None, "the copy is laid out first"
        key = (name, judging)
        if judging and key in self._turns:
            await self._turns.pop(key).rest()
        if key not in self._turns:
            self._turns[key] = await self._open.enter_async_context(self._session.turns(self.folder))
        return self._turns[key]

    def knows(self, name: str) -> bool:
        """Whether that agent's session of reviewing goes on, so that it has been told how."""
        return (name, False) in self._turns and self._turns[name, False].begun(name)

    async def close(self) -> None:
        self._turns.clear()
        if self._open is not None:
            opened, self._open = self._open, None
            await opened.aclose()


async def review_dimension(
    session: TuningSession, files: SkillFiles, skill: Skill, dimension: Dimension, exact: Sequence[Finding]
) -> ReviewOutcome:
    """What an agent finds in one dimension; confirmed is what another session could not refute. AgentError.

    Conflict where the skill's own files were changed meanwhile.
    """
    state = session.state()
    agent = state.engine.reviewer or ""
    if _note_if_spent(session, state, dimension):
        return ReviewOutcome()
    try:
        found = await _found(session, state, files, skill, dimension, exact)
        if found is None:
            session.note("not_asked", f"{agent} did not finish its review: the meaning of {dimension} is not judged")
            return ReviewOutcome()
        for why in found.refused:
            session.note("finding_refused", f"{agent} reported something that was rejected: {why}")
        judged = await _judged(session, state, files, skill, found.findings)
    except AgentError as error:
        if error.kind not in ONLY_THIS_TURN:
            raise
        session.note("not_asked", f"the meaning of {dimension} is not judged: {error}")
        return ReviewOutcome()
    if (await session.read()).files.tree != files.tree:
        raise Conflict(f"files of the skill were changed while {agent} reviewed it; its review is discarded")
    return ReviewOutcome(judged, answered=True)


async def recheck_findings(
    session: TuningSession, files: SkillFiles, skill: Skill, findings: Sequence[Finding]
) -> tuple[Finding, ...]:
    """Of what agents had found, that which a fresh session says can still happen, or of which nobody says anything."""
    if not findings:
        return ()
    state = session.state()
    named = {f"F{number}": finding for number, finding in enumerate(findings, 1)}
    verdicts = await _verdicts(session, state, files, "still", open_claim_words(named)) or []
    gone = set()
    for verdict in verdicts:
        quotes, wrong = check_refutation(skill, verdict)
        for why in wrong:
            session.note("finding_refused", f"a verdict on {verdict.id} has a false quote: {why}")
        if quotes:
            gone.add(verdict.id)
    return tuple(finding for id, finding in named.items() if id not in gone)


def _note_if_spent(session: TuningSession, state: TuningState, dimension: Dimension) -> bool:
    """Whether the budget is used up, which the session then tells."""
    reached = charge_budget(state, 0, session.cost).engine.budget.reached
    if reached:
        session.note("not_asked", f"the {reached.words} is used up: the meaning of {dimension} is not judged")
    return reached is not None


async def _found(
    session: TuningSession,
    state: TuningState,
    files: SkillFiles,
    skill: Skill,
    dimension: Dimension,
    exact: Sequence[Finding],
) -> CheckedReports | None:
    """What the reviewer reports; what is refused is told back to it once. None where it came to no end."""
    agent, action = state.engine.reviewer or "", DIAGNOSES[dimension]
    folder = await session.reviews.at(files)
    asked = {"cards": card_words(cards_of(dimension)), "most": str(MOST)}
    whole = compose_order(
        session.prompts, "review", folder, facts=skill_facts(skill, exact), described=described_words(state), **asked
    )
    session.bus.publish("activity", f"{agent} reviews {dimension}: {len(cards_of(dimension))} questions")

    async def ask() -> list[ReportSkillFinding] | None:
        told = compose_order(session.prompts, "review_next", folder, **asked) if session.reviews.knows(agent) else whole
        reports = await _asked(session, state, agent, action, told, _REPORTS, files)
        if reports is None:
            return None
        first = check_reports(skill, dimension, agent, reports)
        if not first.refused or not session.reviews.knows(agent):
            return reports
        again = compose_order(session.prompts, "requote", folder, refused=refused_words(first.refused))
        more = await _asked(session, state, agent, action, again, _REPORTS, files)
        return [*reports, *(more or ())]

    reports = await _kept(session, ("review", agent, dimension, whole), folder, files, _REPORTS, ask)
    return None if reports is None else _checked(skill, dimension, agent, reports)


def _checked(skill: Skill, dimension: Dimension, agent: str, reports: list[ReportSkillFinding]) -> CheckedReports:
    """What was refused first and taken when it was reported again is not told."""
    found = check_reports(skill, dimension, agent, reports)
    taken = tuple(f"“{finding.message}”" for finding in found.findings)
    return CheckedReports(found.findings, tuple(why for why in found.refused if not why.startswith(taken)))


async def _judged(
    session: TuningSession, state: TuningState, files: SkillFiles, skill: Skill, findings: Sequence[Finding]
) -> tuple[Finding, ...]:
    """Confirmed, refuted, or a hint where nobody has said anything that holds."""
    if not findings:
        return ()
    refuter = state.engine.refuter or state.engine.reviewer or ""
    named = {f"F{number}": finding for number, finding in enumerate(findings, 1)}
    session.bus.publish("activity", f"{refuter} tries to refute {len(findings)} of its findings")
    verdicts = {one.id: one for one in await _verdicts(session, state, files, "refute", claim_words(named)) or ()}
    return tuple(_after(session, skill, refuter, id, finding, verdicts.get(id)) for id, finding in named.items())


def _after(
    session: TuningSession, skill: Skill, refuter: str, id: str, finding: Finding, verdict: JudgeFinding | None
) -> Finding:
    assert finding.review is not None
    if verdict is None:
        return finding.evolve(review=finding.review.evolve(refuter=refuter, why="nobody has judged it"))
    review = finding.review.evolve(refuter=refuter, why=verdict.why)
    if verdict.verdict.strip().lower() == "stands":
        return finding.evolve(confidence="confirmed", review=review)
    quotes, wrong = check_refutation(skill, verdict)
    for why in wrong:
        session.note("finding_refused", f"{refuter} refutes “{finding.message}” with a false quote: {why}")
    review = review.evolve(against=quotes)
    return finding.evolve(confidence="refuted" if quotes else "hint", review=review)


async def _verdicts(
    session: TuningSession, state: TuningState, files: SkillFiles, prompt: str, claimed: str
) -> list[JudgeFinding] | None:
    """Of a fresh session that knows the claims, and not why they were made."""
    refuter = state.engine.refuter or state.engine.reviewer or ""
    folder = await session.reviews.at(files)
    told = compose_order(session.prompts, prompt, folder, claims=claimed)

    async def ask() -> list[JudgeFinding] | None:
        return await _asked(session, state, refuter, "action-verify", told, _VERDICTS, files, judging=True)

    return await _kept(session, (prompt, refuter, told), folder, files, _VERDICTS, ask)


async def _kept(
    session: TuningSession,
    key: Iterable[str],
    folder: Path,
    files: SkillFiles,
    kind: TypeAdapter[list[C]],
    ask: Callable[[], Awaitable[list[C] | None]],
) -> list[C] | None:
    """The answer of the last time to the same question about the same files, where there is one; it costs nothing."""
    text = "\0".join((*key, files.tree, *files.unread)).replace(str(folder), "")
    name = digest(text.encode("utf-8", "surrogateescape"))
    known = session.answers.get(name)
    if known is not None:
        try:
            return kind.validate_json(known)
        except ValidationError:
            pass
    answer = await ask()
    if answer is not None:
        session.answers.put(name, kind.dump_json(answer))
    return answer


async def _asked(
    session: TuningSession,
    state: TuningState,
    agent: str,
    action: TuningStepName,
    text: str,
    kind: TypeAdapter[list[C]],
    files: SkillFiles,
    *,
    judging: bool = False,
) -> list[C] | None:
    """One turn that only reads, and what it reported; None where it did not say that it is done. AgentError."""
    settings, reviews = state.engine.settings, session.reviews
    message = Message(
        action=action,
        text=text,
        seconds=settings.action_timeout,
        silence=settings.silence_timeout,
        policy="read-only",
        folder="",
    )
    turns = await reviews.turns(agent, judging=judging)
    try:
        came = await turns.report(agent, message, (), lambda problem: session.prompts.render("ending"))
    finally:
        usage = (await turns.spent()).usage
        session.cost = sum_of((session.cost, usage))
        await _told_if_changed(session, agent, files)
    if came.report.status != "success":
        return None
    given = came.report.state_updates.get("findings" if kind is _REPORTS else "verdicts", [])
    try:
        return kind.validate_json(json.dumps(given))
    except ValidationError:
        return None


async def _told_if_changed(session: TuningSession, agent: str, files: SkillFiles) -> None:
    """A reviewer reads. What it writes into its copy is told, and goes with the copy."""
    try:
        now = (await look_in_thread(session.skills.read, session.reviews.folder)).digests
    except (NotFound, Invalid):  # it has taken SKILL.md away
        now = {}
    changed = sorted(name for name in {*now, *files.digests} if now.get(name) != files.digests.get(name))
    if changed:
        told = f"{agent} was meant to only read, but changed {', '.join(changed[:SHOWN])} in its copy; discarded"
        session.note("wrote_in_review", told)
        await session.reviews.close()
