"""What an agent's new process is told of the loop: the name of its session, or a brief of what was done."""

from dataclasses import dataclass

from loopwright.domain.brief import brief
from loopwright.domain.events import Event
from loopwright.domain.loop import LoopState
from loopwright.ports import Store

LONGEST_NAME = 500
"""Characters of a session's name; what is longer is no name that could be found again."""


@dataclass(frozen=True)
class Recall:
    """Keeps the agents' own session names in the loop's state, under the runner's lease."""

    store: Store[LoopState]
    loop_id: str
    epoch: int

    def session(self, agent: str) -> str | None:
        """The session of that agent, to be gone on with."""
        return self.store.read(self.loop_id).engine.sessions.get(agent)

    def remember(self, agent: str, session: str | None) -> None:
        """Committed at once, so that it is found again also after a runner's death in its first turn; None forgets."""
        if session == self.session(agent) or (session is not None and len(session) > LONGEST_NAME):
            return

        def rule(state: LoopState) -> LoopState:
            others = {name: id for name, id in state.engine.sessions.items() if name != agent}
            return state.evolve(engine=state.engine.evolve(sessions=others | ({agent: session} if session else {})))

        event = Event(type="session" if session else "session_left", data={"agent": agent, "session": session})
        self.store.update(self.loop_id, rule, actor="runner", event=event, epoch=self.epoch)

    def brief(self, said: str) -> str:
        """For a session that knows nothing. `said`: the end of a turn that broke off."""
        return brief(self.store.read(self.loop_id), str(self.store.progress_path(self.loop_id)), said)
