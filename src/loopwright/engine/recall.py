"""What an agent's new process is told of the run: the name of its session, or a brief of what was done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol

from loopwright.domain.events import Event
from loopwright.domain.run import R
from loopwright.ports import Store

LONGEST_NAME = 500
"""Characters of a session's name; what is longer is no name that could be found again."""


class Memory(Protocol):
    """What is known of the agents' earlier sessions, by the agent's name."""

    def session(self, agent: str) -> str | None:
        """The session of that agent, to be gone on with."""
        ...

    def remember(self, agent: str, session: str | None) -> None:
        """Keeps its name; None forgets."""
        ...

    def brief(self, said: str) -> str:
        """For a session that knows nothing; empty where there is nothing to know. `said`: the end of a broken turn."""
        ...


@dataclass(frozen=True)
class Recall(Generic[R]):
    """Keeps the agents' own session names in the state, under the runner's lease.

    `tell` puts the work so far in words, from the state, the folder of its progress files, and what was said last in a
    turn that broke off. `prefix`: what the names are kept under, where one agent has several sessions.
    """

    store: Store[R]
    id: str
    epoch: int
    tell: Callable[[R, str, str], str]
    prefix: str = ""

    def session(self, agent: str) -> str | None:
        return self.store.read(self.id).engine.sessions.get(self.prefix + agent)

    def remember(self, agent: str, session: str | None) -> None:
        """Committed at once, so that it is found again also after a runner's death in its first turn; None forgets."""
        if session == self.session(agent) or (session is not None and len(session) > LONGEST_NAME):
            return

        kept = self.prefix + agent

        def rule(state: R) -> R:
            others = {name: id for name, id in state.engine.sessions.items() if name != kept}
            return state.evolve(engine=state.engine.evolve(sessions=others | ({kept: session} if session else {})))

        event = Event(type="session" if session else "session_left", data={"agent": kept, "session": session})
        self.store.update(self.id, rule, actor="runner", event=event, epoch=self.epoch)

    def brief(self, said: str) -> str:
        return self.tell(self.store.read(self.id), str(self.store.progress_path(self.id)), said)
