"""A recorded course: what a loop did, what others did to it meanwhile, and whether another course came to the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loopwright.domain.debugging import DebugRequest, Findings
from loopwright.domain.engine_state import EngineState
from loopwright.domain.errors import Corrupt
from loopwright.domain.loop import FINISHED, DevelopTask, LoopState
from loopwright.domain.loop_commands import reopen
from loopwright.domain.protocol import Capabilities
from loopwright.domain.transcript import TRANSCRIPT, TurnEnded

OTHERS = (
    "title",
    "description",
    "max_iterations",
    "status",
    "completed_at",
    "failure_reason",
    "tags",
    "priority",
    "notes",
)
OTHERS_IN_ENGINE = (
    "outcome", "waiting", "answer", "interrupt", "parked", "settings", "tasks", "allow_test_changes",
)  # fmt: skip
"""What commands change of a loop, in its own fields and under `engine`."""
LIMITS = ("max_minutes", "max_tokens", "max_cost")


@dataclass(frozen=True)
class Act:
    """One action. `commit`: the project after it, where that is another one than before.

    `broken_off`: its runner died in it. `tasks` are ids of tasks that came of it, `spent` the loop's seconds after it.
    """

    action: str
    at: str
    turns: tuple[TurnEnded, ...] = ()
    commit: str | None = None
    broken_off: bool = False
    tasks: tuple[str, ...] = ()
    spent: float = 0

    @property
    def measures(self) -> bool:
        """The engine itself has written what changed: a patch that was found by measuring."""
        return any(turn.output is not None and turn.output.findings is not None for turn in self.turns)


@dataclass(frozen=True)
class Moment:
    """A point of a course: how many actions had begun, and how many of these were over."""

    begun: int
    over: int

    def reached(self, now: "Moment") -> bool:
        return now.begun >= self.begun and now.over >= self.over


@dataclass(frozen=True)
class Change:
    """What somebody changed of the loop from outside; `type` as the journal calls it."""

    when: Moment
    type: str
    before: LoopState
    after: LoopState


@dataclass(frozen=True)
class Recording:
    """`first` is the loop before its first action, `start` the commit of the project at that time.

    `over`: how many of the actions came to an end. `by_menu`: a person chose them.
    """

    first: LoopState
    last: LoopState
    start: str
    acts: tuple[Act, ...]
    changes: tuple[Change, ...]
    agents: Mapping[str, Capabilities]
    over: int
    by_menu: bool = False

    def able(self, agent: str) -> Capabilities:
        """What the agent of that name could be asked for. Corrupt where nobody has recorded it."""
        if agent not in self.agents:
            raise Corrupt(f"{TRANSCRIPT} has no line of the kind able for {agent}: lines are missing")
        return self.agents[agent]


@dataclass(frozen=True)
class Difference:
    what: str
    recorded: str
    replayed: str


def changed_by_others(state: LoopState, change: Change) -> LoopState:
    """The state with the same change made to it."""
    before, after = change.before, change.after
    if before.status in FINISHED and after.status == "running" and state.status in FINISHED:
        state = reopen(state.evolve(max_iterations=after.max_iterations, engine=_limited(state.engine, after.engine)))
    own = {name: getattr(after, name) for name in OTHERS if getattr(before, name) != getattr(after, name)}
    inner = {
        name: getattr(after.engine, name)
        for name in OTHERS_IN_ENGINE
        if getattr(before.engine, name) != getattr(after.engine, name)
    }
    return state.evolve(**own, engine=_limited(state.engine, after.engine).evolve(**inner))


def _limited(engine: EngineState, like: EngineState) -> EngineState:
    limits = {name: getattr(like.budget, name) for name in LIMITS}
    return engine.evolve(budget=engine.budget.evolve(**limits))


def as_new(state: LoopState) -> LoopState:
    """The loop as it was created: nothing has run yet."""
    engine = state.engine.evolve(rev=0, digest="", journal_bytes=0, epoch=0, sessions={}, asked=(), menu=None)
    return state.evolve(status="created", engine=engine)


def refilled(findings: Findings, order: DebugRequest | None, texts: tuple[str, str]) -> Findings:
    """Findings for a replay: `texts` are the patched file before and after, and commits are those of this course."""
    patch = findings.patch and findings.patch.evolve(old_text=texts[0], new_text=texts[1])
    own = {h.id: h.evidence or {} for h in order.hypotheses} if order else {}
    hypotheses = tuple(
        h.evolve(evidence={**h.evidence, **{k: own[h.id][k] for k in ("before", "after") if k in own[h.id]}})
        if h.evidence and h.id in own
        else h
        for h in findings.hypotheses
    )
    return findings.evolve(patch=patch, hypotheses=hypotheses)


def differences(
    recorded: LoopState, then: Sequence[str], replayed: LoopState, now: Sequence[str]
) -> tuple[Difference, ...]:
    """What matters of two courses, where it is not the same; `then` and `now` are their actions."""
    pairs = zip(_matters(recorded, then).items(), _matters(replayed, now).values(), strict=True)
    return tuple(Difference(what, a, b) for (what, a), b in pairs if a != b)


def _matters(state: LoopState, actions: Sequence[str]) -> dict[str, str]:
    skill = state.skill_state
    tests = skill.validate_ if skill else None
    return {
        "actions": " ".join(actions),
        "status": state.status,
        "outcome": state.engine.outcome or "none",
        "iterations": str(state.current_iteration),
        "waiting": "for an answer" if state.engine.waiting else "no",
        "tasks": "; ".join(_task(task) for task in (skill.develop.tasks if skill else ())) or "none",
        "hypotheses": ", ".join(f"{h.id} {h.status}" for h in (skill.debug.hypotheses if skill else ())) or "none",
        "validation": f"{'passed' if tests.passed else 'not passed'}, {len(tests.test_results)} tests"
        if tests
        else "none",
        "failing tests": ", ".join(tests.failed_tests if tests else ()) or "none",
    }


def _task(task: DevelopTask) -> str:
    files = f" ({', '.join(task.files_changed)})" if task.files_changed else ""
    return f"{task.description}: {task.status}{files}"
