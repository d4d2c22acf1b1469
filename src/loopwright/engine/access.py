"""What every command works with: a run read, and one change of it, under the name of a surface."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, Self

from loopwright.domain.errors import Outdated
from loopwright.domain.events import Entry, Event
from loopwright.domain.ids import checked
from loopwright.domain.run import R
from loopwright.ports import Clock, Launcher, Page, Processes, Rule, Store, Workspace


@dataclass(frozen=True)
class Access(Generic[R]):
    """`actor` names the surface in the journal: cli, api, mcp. `agents`: names that were configured here.

    `expected`: see `expecting`. `kind` is what people call such a run.
    """

    store: Store[R]
    workspace: Workspace
    clock: Clock
    launcher: Launcher
    processes: Processes
    actor: str = "cli"
    agents: frozenset[str] = frozenset()
    expected: int | None = None

    kind: ClassVar[str]

    def expecting(self, rev: int) -> Self:
        """The same commands for somebody who has seen the run at `rev`: Outdated where it has moved on since."""
        return replace(self, expected=rev)

    def read(self, id: str) -> R:
        return self.store.read(self._checked(id))

    def is_live(self, id: str) -> bool:
        """Whether a runner holds it."""
        return self.store.holder(self._checked(id)) is not None

    def list(self, *, status: str | None = None, limit: int = 50, offset: int = 0, search: str = "") -> Page[R]:
        """`search`: a text in what people know one by, such as its id, title and description."""
        return self.store.list(status=status, limit=limit, offset=offset, search=search)

    def events(self, id: str, after: int = 0) -> Sequence[Entry]:
        return self.store.events(self._checked(id), after)

    def damaged(self) -> Mapping[str, str]:
        """Ids that can not be read, with the reason."""
        return self.store.damaged()

    def commit(self, id: str, rule: Rule[R], type: str, **data: str) -> R:
        """One change, under the name of this surface."""
        event = Event(type=type, data=dict(data))
        return self.store.update(self._checked(id), lambda s: rule(self._unmoved(id, s)), actor=self.actor, event=event)

    def _checked(self, id: str) -> str:
        return checked(id, self.kind)

    def _unmoved(self, id: str, state: R) -> R:
        if self.expected not in (None, state.engine.rev):
            raise Outdated(f"{id} has changed meanwhile: it is at version {state.engine.rev}, not {self.expected}")
        return state

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")
