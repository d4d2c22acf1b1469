"""The `engine` of a cycle: what the seed's schema has no place for."""

from typing import Annotated

from pydantic import Field

from loopwright.domain.cycle_names import Role
from loopwright.domain.engine_state import RunState
from loopwright.domain.record import Items, Record, Timestamp, absent, within
from loopwright.domain.rivals import AppliedPatch

Parallel = Annotated[int, *within(1, 4)]


class UnderWay(Record):
    """A step that has begun; `step` is its key (see cycle_names). `lane`: which of cd's places it works in."""

    step: str
    at: Timestamp
    lane: int | None = Field(default=None, exclude_if=absent)


class Border(Record):
    """How an iteration ended: the hash of its tree, and a digest of its issues."""

    tree: str
    issues: str


class CycleEngine(RunState):
    """`roles`: which agent plays which role. `called`: roles that have something to do in this iteration.

    Of this iteration: `over`, the roles that have done all of it, in that order; `done`, keys of the steps that ended
    well; `tries`, by key how often one failed, or was validated anew; `wrote`, by role the files it wrote;
    `objections`, what vas says against the result. `analysed`, `explored`, `planned`: the last iteration in which each
    was done (0: never).
    `holds`: by id of a blocker or decision the keys of the steps that wait for it; `recommended`: by id of a decision
    the option that the role would take. `mends`: tasks of the plan that stand for an issue, not for a requirement.
    `half`: by key of a step the commit with what was done of it, unmerged, when its runner died. `worked`: tasks that
    have measurably changed something, also where a try of theirs failed afterwards. `queue`: extensions
    that wait for the border of the iteration. `proof_asked`: cd was told that no test shows the goal; `proven`: tests
    that have shown it before a user extended it. `patches`: edits that the embedded debugger has put in, and how they
    compare with others. `counted`: until when working time is in the budget's account; steps
    may run side by side.
    """

    roles: dict[Role, str] = Field(default_factory=dict)
    parallel: Parallel = 2
    under_way: Items[UnderWay] = ()
    called: Items[Role] = ()
    over: Items[Role] = ()
    done: Items[str] = ()
    tries: dict[str, int] = Field(default_factory=dict)
    wrote: dict[Role, Items[str]] = Field(default_factory=dict)
    analysed: int = 0
    explored: int = 0
    planned: int = 0
    holds: dict[str, Items[str]] = Field(default_factory=dict)
    recommended: dict[str, str] = Field(default_factory=dict)
    mends: Items[str] = ()
    half: dict[str, str] = Field(default_factory=dict)
    worked: Items[str] | None = Field(default=None, exclude_if=absent)
    queue: Items[str] = ()
    objections: Items[str] = ()
    last_border: Border | None = None
    proof_asked: bool | None = Field(default=None, exclude_if=absent)
    proven: Items[str] | None = Field(default=None, exclude_if=absent)
    patches: Items[AppliedPatch] | None = Field(default=None, exclude_if=absent)
    limits_in_a_row: int = 0
    counted: Timestamp | None = None

    def agent_of(self, role: Role) -> str:
        """The name of the agent that plays the role."""
        return self.roles.get(role, self.settings.agent)
