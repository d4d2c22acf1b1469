"""What every command works with: a loop read, and one change of it, under the name of a surface."""

from dataclasses import dataclass, replace
from typing import Self

from loopwright.domain.errors import Outdated
from loopwright.domain.events import Event
from loopwright.domain.ids import checked
from loopwright.domain.loop import LoopState
from loopwright.ports import Clock, Issues, Launcher, Processes, Rule, Store, Workspace


class NoIssues:
    """Nobody tracks any."""

    def issues(self) -> str:
        return ""

    def solutions(self, issue_id: str) -> str:
        return ""


NO_ISSUES = NoIssues()


@dataclass(frozen=True)
class Access:
    """`actor` names the surface in the journal: cli, api, mcp. `agents`: names that were configured here.

    `expected`: see `expecting`.
    """

    store: Store[LoopState]
    workspace: Workspace
    clock: Clock
    launcher: Launcher
    processes: Processes
    actor: str = "cli"
    agents: frozenset[str] = frozenset()
    expected: int | None = None
    issues: Issues = NO_ISSUES

    def expecting(self, rev: int) -> Self:
        """The same commands for somebody who has seen the loop at `rev`: Outdated where it has moved on since."""
        return replace(self, expected=rev)

    def read(self, loop_id: str) -> LoopState:
        return self.store.read(checked(loop_id))

    def is_live(self, loop_id: str) -> bool:
        """Whether a runner holds the loop."""
        return self.store.holder(checked(loop_id)) is not None

    def commit(self, loop_id: str, rule: Rule[LoopState], type: str, **data: str) -> LoopState:
        """One change, under the name of this surface."""
        event = Event(type=type, data=dict(data))
        return self.store.update(checked(loop_id), lambda s: rule(self._unmoved(s)), actor=self.actor, event=event)

    def _unmoved(self, state: LoopState) -> LoopState:
        if self.expected not in (None, state.engine.rev):
            raise Outdated(
                f"{state.loop_id} has changed meanwhile: it is at version {state.engine.rev}, not {self.expected}"
            )
        return state

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="milliseconds")
