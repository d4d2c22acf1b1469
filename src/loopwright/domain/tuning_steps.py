"""The steps of a tuning session, by the names they have in its state."""

from typing import Literal, NamedTuple, get_args

from loopwright.domain.findings import DIMENSIONS, Dimension

StepName = Literal[
    "action-init", "action-diagnose-context", "action-diagnose-memory", "action-diagnose-dataflow",
    "action-diagnose-agent", "action-report", "action-verify", "action-apply-fix", "action-propose-fixes",
    "action-next-iteration", "action-complete", "action-fail",
]  # fmt: skip

DIAGNOSES: dict[Dimension, StepName] = {
    "context": "action-diagnose-context",
    "memory": "action-diagnose-memory",
    "dataflow": "action-diagnose-dataflow",
    "agent": "action-diagnose-agent",
}


class TuningStep(NamedTuple):
    """`fix`: the one it applies or verifies."""

    name: StepName
    fix: str | None = None

    @property
    def dimension(self) -> Dimension | None:
        return next((one for one in DIMENSIONS if DIAGNOSES[one] == self.name), None)


def step_of(name: str, fix: str | None) -> TuningStep:
    """The step of that name. ValueError for one that there is not."""
    known: tuple[StepName, ...] = get_args(StepName)
    return TuningStep(next(one for one in known if one == name), fix)
