"""The roles of a cycle, and the steps that they take."""

from typing import Literal, NamedTuple, get_args

Role = Literal["ra", "ep", "cd", "vas"]


ROLES: tuple[Role, ...] = get_args(Role)


TITLES: dict[Role, str] = {
    "ra": "Requirements Analyst",
    "ep": "Exploration Planner",
    "cd": "Code Developer",
    "vas": "Validation Archivist",
}


StepName = Literal["ra.analyse", "ep.explore", "vas.baseline", "ep.plan", "cd.implement", "vas.validate", "aggregation"]


ROLE_OF: dict[StepName, Role | None] = {
    "ra.analyse": "ra",
    "ep.explore": "ep",
    "vas.baseline": "vas",
    "ep.plan": "ep",
    "cd.implement": "cd",
    "vas.validate": "vas",
    "aggregation": None,
}


NEEDS_AGENT: frozenset[StepName] = frozenset({"ra.analyse", "ep.explore", "ep.plan", "cd.implement", "vas.validate"})
"""Those that count for the limit of agents at once; the others are the engine's own."""


class CycleStep(NamedTuple):
    """One step; `task` is the plan's task that cd.implement carries out."""

    name: StepName
    task: str | None = None

    @property
    def key(self) -> str:
        """What names it within an iteration: `ra.analyse`, `cd.implement TASK-001`."""
        return f"{self.name} {self.task}" if self.task else self.name

    @property
    def role(self) -> Role | None:
        return ROLE_OF[self.name]


def step_of(key: str) -> CycleStep:
    """The step that a key names. ValueError."""
    name, _, task = key.partition(" ")
    for known in get_args(StepName):
        if known == name:
            return CycleStep(known, task or None)
    raise ValueError(f"there is no step {name[:40]!r}")
