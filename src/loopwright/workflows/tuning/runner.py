"""Driving a tuning session in this process: lease, take-over, kernel, and everything closed at the end."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from loopwright.core.kernel import Kernel
from loopwright.core.ports import ResultCache, SkillStore
from loopwright.core.prompts import Prompts
from loopwright.core.runner import Hold, PlacedAgentFactory, Runner
from loopwright.workflows.run_flow import BROKEN_OFF
from loopwright.workflows.tuning.commands import awaits_choice, mark_put_back
from loopwright.workflows.tuning.flow import TuningFlow
from loopwright.workflows.tuning.messages import tuning_prompts
from loopwright.workflows.tuning.model import TuningState, step_of
from loopwright.workflows.tuning.outcomes import InterruptionOutcome, TuningStepDone
from loopwright.workflows.tuning.publish import publish
from loopwright.workflows.tuning.reducer import end_step
from loopwright.workflows.tuning.session import TuningSession, undo_fixes


class NoAgentSessions:
    """Every turn begins anew: it is about a copy that no session has seen."""

    def session(self, agent: str) -> str | None:
        return None

    def remember(self, agent: str, session: str | None) -> None: ...

    def brief(self, said: str) -> str:
        return ""


class NoResultCache:
    """Nothing that was answered is known later."""

    def get(self, key: str) -> bytes | None:
        return None

    def put(self, key: str, data: bytes) -> None: ...

    def tidy(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class TuningRunner(Runner[TuningState]):
    """Drives tuning sessions."""

    id_name = "tuning_id"

    skills: SkillStore
    agents: PlacedAgentFactory
    prompts: Prompts = field(default_factory=tuning_prompts)
    answers: ResultCache = field(default_factory=NoResultCache)

    def awaits_person(self, state: TuningState) -> bool:
        return awaits_choice(state)

    async def work(self, id: str, hold: Hold[TuningState]) -> TuningState:
        session = TuningSession(
            id=id,
            project=self.project,
            store=self.store,
            clock=self.clock,
            bus=hold.bus,
            epoch=hold.epoch,
            root=Path(self.project) / hold.begun.engine.root,
            skills=self.skills,
            prompts=self.prompts,
            turns=lambda at: self.turns(id, hold, partial(self.agents, at=at), NoAgentSessions(), str(at), anew=True),
            answers=self.answers,
        )
        try:
            await _take_over(session)
            await Kernel(TuningFlow(session), self.clock).drive()
            return await _closed(session)
        finally:
            await session.reviews.close()


async def _take_over(session: TuningSession) -> None:
    """What the last runner had begun is undone, and begun again."""
    state = session.state()
    begun = [one.fix for one in state.engine.under_way if one.step == "action-apply-fix" and one.fix]
    for why in (await undo_fixes(session, begun)).values():
        session.note("not_put_back", why)
    await _closed(session)
    if not state.engine.under_way:
        return
    at, broken, noted = session.now(), state.engine.under_way, session.noted()

    def rule(latest: TuningState) -> TuningState:
        for one in broken:
            step = step_of(one.step, one.fix)
            latest = end_step(
                latest, TuningStepDone(step, InterruptionOutcome(BROKEN_OFF), begun=one.at, at=at, incidents=noted)
            )
        return latest

    session.commit(rule, "taken_over", steps=[one.step for one in broken])


async def _closed(session: TuningSession) -> TuningState:
    """With nothing left to undo, but for what cannot be and is told, and its documents written."""
    state = session.state()
    if state.engine.undo:
        left, at = await undo_fixes(session, state.engine.undo), session.now()
        state = session.commit(lambda latest: mark_put_back(latest, left, at), "put_back")
    publish(session.store, state)
    return state
