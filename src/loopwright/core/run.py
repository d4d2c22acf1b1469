"""What the states of all workflows have in common, and what every step leaves behind in each of them. Pure."""

from dataclasses import asdict, dataclass
from typing import Any, Protocol, Self, TypeVar

from loopwright.core.errors import Advice
from loopwright.core.names import Mode
from loopwright.core.protocol import Usage
from loopwright.core.spending import add_known, merge_usage
from loopwright.core.state import CHECKPOINTS_KEPT, INCIDENTS_KEPT, Checkpoint, Incident, Reached, RunState
from loopwright.evidence.proof import ProofPolicy


class Run(Protocol):
    """The state of a loop, a cycle, …: frozen, with what its runner needs in `engine`."""

    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def updated_at(self) -> str | None: ...
    @property
    def completed_at(self) -> str | None: ...
    @property
    def current_iteration(self) -> int: ...
    @property
    def max_iterations(self) -> int: ...
    @property
    def failure_reason(self) -> str | None: ...
    @property
    def engine(self) -> RunState: ...
    def evolve(self, **changes: Any) -> Self: ...  # Any: checked by the model


R = TypeVar("R", bound=Run)


@dataclass(frozen=True)
class Waiver:
    """What only a person may decide about how a run is judged; None leaves a thing as it is.

    `proof`: what is to show the goal. `allow_environment_changes`: what tests run with may be another than at first.
    """

    proof: ProofPolicy | None = None
    allow_environment_changes: bool | None = None


def add_checkpoint(state: R, checkpoint: Checkpoint | None) -> R:
    """With the checkpoint under its number; one of the same tree as the last one is none."""
    known = state.engine.checkpoints
    if checkpoint is None or (known and known[-1].tree == checkpoint.tree):
        return state
    numbered = checkpoint.evolve(n=known[-1].n + 1 if known else 1, rev=state.engine.rev + 1)
    kept = (*known, numbered)[-CHECKPOINTS_KEPT:]
    return state.evolve(engine=state.engine.evolve(checkpoints=kept))


def apply_waiver(state: R, waiver: Waiver) -> R:
    """With what a person has decided about its proof; what was known of that has to be computed anew."""
    given = {name: value for name, value in asdict(waiver).items() if value is not None}
    if not given:
        return state
    return state.evolve(engine=state.engine.evolve(settings=state.engine.settings.evolve(**given), proof=None))


def set_mode(state: R, mode: Mode | None) -> R:
    """With another mode; None leaves it as it is."""
    if mode in (None, state.engine.settings.mode):
        return state
    return state.evolve(engine=state.engine.evolve(settings=state.engine.settings.evolve(mode=mode)))


def charge_budget(state: R, elapsed: float, usage: Usage) -> R:
    """Adds what a step cost to the budget's account. `elapsed` in seconds."""
    budget = state.engine.budget
    spent = budget.evolve(
        spent_seconds=round(budget.spent_seconds + elapsed, 3),
        tokens=add_known(budget.tokens, usage.tokens),
        cost=add_known(budget.cost, usage.cost),
    )
    by_model = merge_usage((*state.engine.usage, *usage.by_model))
    return state.evolve(engine=state.engine.evolve(budget=spent, usage=by_model))


def add_incidents(state: R, incidents: tuple[Incident, ...]) -> R:
    """With what is new among the incidents; the oldest go when there are too many."""
    known = state.engine.incidents
    told = {(incident.kind, incident.message) for incident in known}
    new = tuple(incident for incident in incidents if (incident.kind, incident.message) not in told)
    return state.evolve(engine=state.engine.evolve(incidents=(*known, *new)[-INCIDENTS_KEPT:])) if new else state


REASON_LENGTH = 240
"""Characters of a failure's reason."""


STOPPED_BY_USER = "Manually stopped by user"
SUPERSEDED = "Stopped because another attempt has succeeded"
NOT_BEGUN = "Not begun because the budget that all attempts share is used up"
STOP_REASONS = frozenset({STOPPED_BY_USER, SUPERSEDED, NOT_BEGUN})
"""Why others than its own runner end a run."""


def advise_limit(reached: Reached) -> Advice:
    """To raise a used up limit, to a value that is well above what was spent."""
    value = max(1, round(2 * reached.spent)) if reached.limit != "max_cost" else round(2 * reached.spent + 0.01, 2)
    return Advice("raise it, for example {setting}", reached.limit, value)
