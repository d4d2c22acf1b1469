"""TUNE as a declaration for the kernel: what is ready, who does it, how it lands."""

import asyncio

from pydantic import JsonValue

from loopwright.domain import tuning_commands as commands
from loopwright.domain.errors import AgentError, Conflict, Corrupt, Invalid, NotFound, WorkspaceError
from loopwright.domain.events import Event
from loopwright.domain.protocol import Control
from loopwright.domain.troubles import TABLE
from loopwright.domain.tuning import TuningState
from loopwright.domain.tuning_folds import begin_step, end_step
from loopwright.domain.tuning_outcomes import Broken, Failed, TuningOutcome, TuningStepDone
from loopwright.domain.tuning_selector import ready, still_holds
from loopwright.domain.tuning_steps import TuningStep
from loopwright.tune.publish import files_of, publish
from loopwright.tune.session import TuningSession, undone
from loopwright.tune.steps import HANDLERS
from loopwright.tune.telling import told

GONE = (NotFound, Invalid, Corrupt)
"""Trying again does not help."""


class TuningFlow:
    """One session's workflow; its diagnoses run side by side."""

    def __init__(self, session: TuningSession) -> None:
        self._session = session
        self._landing = asyncio.Lock()
        self._begun: dict[TuningStep, str] = {}

    def read(self) -> TuningState:
        return self._session.state()

    def control(self, state: TuningState) -> Control:
        return commands.control_signal(state)

    def must_cancel(self, state: TuningState) -> bool:
        """A stop cancels at once."""
        return commands.control_signal(state) is Control.STOP_EXIT

    async def ready(self, state: TuningState, running: tuple[TuningStep, ...]) -> tuple[TuningStep, ...]:
        return ready(state, running)

    def begin(self, choice: TuningStep) -> bool:
        """Commits the begin, unless the latest state would not choose this any more."""
        session, at = self._session, self._session.now()
        begun = False

        def rule(state: TuningState) -> TuningState:
            nonlocal begun
            begun = commands.control_signal(state) is Control.CONTINUE and still_holds(state, choice)
            return begin_step(state, choice, at) if begun else state

        event = Event(type="step_started", data={"step": choice.name, "fix": choice.fix})
        session.store.update(session.id, rule, actor="runner", event=event, epoch=session.epoch)
        if begun:
            self._begun[choice] = at
            session.bus.publish("action", choice.name)
        return begun

    async def perform(self, choice: TuningStep) -> TuningOutcome:
        try:
            return await HANDLERS[choice.name](self._session, choice)
        except asyncio.CancelledError:
            if choice.name == "action-apply-fix" and choice.fix:  # what is left of it is told where all is closed
                await undone(self._session, (choice.fix,))
            raise
        except AgentError as error:
            return Failed(str(error), TABLE[error.kind].then != "fails")
        except GONE as error:
            return Failed(str(error), recoverable=False)
        except (Conflict, WorkspaceError, OSError) as error:
            return Failed(str(error), recoverable=True)

    def interrupted(self, choice: TuningStep) -> TuningOutcome:
        return Broken("cancelled by a person")

    async def finish(self, choice: TuningStep, outcome: TuningOutcome, elapsed: float) -> None:
        """One step after the other: the history then has the order of the journal."""
        async with self._landing:
            await self._finish(choice, outcome, elapsed)

    async def _finish(self, choice: TuningStep, outcome: TuningOutcome, elapsed: float) -> None:
        session, at = self._session, self._session.now()
        words = told(outcome)
        done = TuningStepDone(
            step=choice, outcome=outcome, begun=self._begun.pop(choice, at), at=at, elapsed=elapsed,
            incidents=session.noted(), usage=session.spent(), files=files_of(outcome),
        )  # fmt: skip
        data: dict[str, JsonValue] = {"step": choice.name, "fix": choice.fix, "result": words, "at": at}
        state = session.store.update(
            session.id, lambda latest: end_step(latest, done) if not _ended(latest) else latest,
            actor="runner", event=Event(type="step_finished", data=data), epoch=session.epoch,
        )  # fmt: skip
        publish(session.store, state)
        session.bus.publish("result", f"{choice.name}: {words}")


def _ended(state: TuningState) -> bool:
    return commands.control_signal(state) is Control.STOP_EXIT
