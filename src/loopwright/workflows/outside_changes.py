"""What others change of a run, in its files or by commands while its runner lives, and what of it stands. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from loopwright.core.command_rules import CommandRules
from loopwright.core.errors import Forbidden, LoopwrightError
from loopwright.core.person_messages import merge_messages
from loopwright.core.run import STOP_REASONS, Run
from loopwright.core.state import INCIDENTS_KEPT, Incident, PermissionRequest

BOOKKEEPING = {"rev": 0, "digest": "", "journal_bytes": 0}
LIMITS = ("max_minutes", "max_tokens", "max_cost")
END = frozenset({"completed_at", "failure_reason"})


class StoredRun(Run, Protocol):
    """A run as its file holds it, with keys that the schema does not know."""

    @property
    def __pydantic_extra__(self) -> dict[str, Any] | None: ...  # Any: parsed JSON
    @classmethod
    def model_validate(cls, obj: Any) -> Self: ...  # Any: what it checks


S = TypeVar("S", bound=StoredRun)


@dataclass(frozen=True)
class OutsideChanges(Generic[S]):
    """Whose the fields of a kind's state are, beside those that its `rules` let people edit.

    `own`: the runner's, and of commands that are given for it; `end`: those of an end; `for_commands`: what commands
    may change of `engine` while a runner lives, beside the counts of the store. `stop_first`: a stop comes before
    edits, some of which need a run at rest; else after them.
    """

    rules: CommandRules[S]
    own: frozenset[str]
    for_commands: tuple[str, ...]
    end: frozenset[str] = END
    stop_first: bool = True

    def take_in(
        self, base: S, found: S, current: S, now: str, compared: S | None = None
    ) -> tuple[S, tuple[str, ...], tuple[str, ...]]:
        """What `found` changed against `base`, carried over to `current` as far as the status table allows.

        Returns the state to go on with, what was accepted, and what is put back, in words. `compared`: what was found,
        without what its status alone brings along.
        """
        put_back = self._forbidden(base, compared or found)
        steps = sorted(name for name in self.rules.editable if getattr(found, name) != getattr(base, name))
        steps += _unknown_keys(base, found)
        if found.status not in (base.status, current.status):
            steps.insert(0 if self.stop_first and found.status != "running" else len(steps), "status")
        accepted: list[str] = []
        for name in steps:
            try:
                current = self._carried_over(current, found, name, now)
            except LoopwrightError as error:
                put_back.append(f"{name} ({error})")
            else:
                accepted.append(name)
        return current, tuple(accepted), tuple(put_back)

    def put_back(self, kept: S, after: S) -> tuple[S, tuple[str, ...]]:
        """The state to go on with where `kept` is what may stand of `after`, and the names of what was put back."""
        fields = sorted({*self.own, *self.end, *self.rules.editable, "status"})
        names = [name for name in fields if getattr(kept, name) != getattr(after, name)]
        mine, theirs = kept.engine, after.engine
        names += [f"engine.{name}" for name in type(mine).model_fields if getattr(mine, name) != getattr(theirs, name)]
        return (kept, tuple(names)) if names else (after, ())

    def with_texts(self, state: S, after: S) -> S:
        """The state with what is a person's, and keys that the schema does not know, as they are `after` a change."""
        given = {**vars(state), **{name: getattr(after, name) for name in (*self.rules.editable, "updated_at")}}
        return type(state).model_validate({**given, **(after.__pydantic_extra__ or {})})

    def with_commanded(self, state: S, after: S) -> S:
        """The state with what commands change of `engine`, as it is `after` them."""
        given = {name: getattr(after.engine, name) for name in (*self.for_commands, *BOOKKEEPING)}
        engine = state.engine.evolve(
            **given,
            incidents=all_incidents(state.engine.incidents, after.engine.incidents),
            asked=merge_answers(state.engine.asked, after.engine.asked),
            messages=merge_messages(state.engine.messages, after.engine.messages),
        )
        return state.evolve(engine=engine)

    def stopped(self, state: S, after: S) -> S:
        """Others end a run by stopping it; every other end is the runner's own."""
        is_stop = (after.status, after.engine.outcome) == ("failed", "stopped")
        if not is_stop or after.failure_reason not in STOP_REASONS:
            return state
        stopped = try_command(state, self.rules.stop, after.completed_at or "")
        is_kept = "failure_reason" in getattr(type(state), "model_fields", {})  # a session has it in its engine
        if stopped is state or not is_kept:
            return stopped
        return stopped.evolve(failure_reason=after.failure_reason)

    def _forbidden(self, base: S, found: S) -> list[str]:
        """Names of what nobody else may change: `own`, `engine`, and `end` without a change of status."""
        same = found.status == base.status
        names = [name for name in sorted(self.own) if getattr(found, name) != getattr(base, name)]
        names += [name for name in sorted(self.end) if same and getattr(found, name) != getattr(base, name)]
        given = BOOKKEEPING if same else {**BOOKKEEPING, "outcome": base.engine.outcome}
        if found.engine.evolve(**given) != base.engine.evolve(**BOOKKEEPING):
            names.append("engine")
        return names

    def _carried_over(self, state: S, found: S, name: str, now: str) -> S:
        if name == "status":
            return self.rules.request_status(state, found.status, now)
        if name in self.rules.editable:
            edited = self.rules.edit(state, {name: getattr(found, name)})
            require_harmless(state, found, name)
            return edited
        given = {**vars(state), **(state.__pydantic_extra__ or {}), name: getattr(found, name)}
        return type(state).model_validate(given)


GOALS = frozenset({"description", "user_issue_description"})


def require_harmless(state: StoredRun, found: StoredRun, name: str) -> None:
    """Forbidden for what an agent could ease its work by: further iterations, and another goal once it has begun.

    A person's command may do both.
    """
    if name == "max_iterations" and found.max_iterations > state.max_iterations:
        raise Forbidden("a limit is raised by a command only")
    if name in GOALS and (state.engine.checkpoints or state.engine.start):
        raise Forbidden("what was asked for is changed by a command only, once it has begun")


def _unknown_keys(base: StoredRun, found: StoredRun) -> list[str]:
    """Keys that the schema does not know, new or with another value."""
    before, after = base.__pydantic_extra__ or {}, found.__pydantic_extra__ or {}
    return sorted(name for name, value in after.items() if name not in before or before[name] != value)


def with_limits(state: S, after: S) -> S:
    """The state with the limits as they are `after` a change."""
    budget = state.engine.budget.evolve(**{name: getattr(after.engine.budget, name) for name in LIMITS})
    return state.evolve(max_iterations=after.max_iterations, engine=state.engine.evolve(budget=budget))


def with_mode(state: S, after: S) -> S:
    """The state with the mode as it is `after` a change."""
    settings = state.engine.settings.evolve(mode=after.engine.settings.mode)
    return state.evolve(engine=state.engine.evolve(settings=settings))


def merge_answers(
    before: tuple[PermissionRequest, ...], after: tuple[PermissionRequest, ...]
) -> tuple[PermissionRequest, ...]:
    """Others answer what was asked, or take it away by an end; they ask nothing, and change no question or answer."""
    known = {request.id: request for request in before}
    kept = (known[r.id].evolve(answer=known[r.id].answer or r.answer) for r in after if r.id in known)
    return tuple(kept)


def all_incidents(before: tuple[Incident, ...], after: tuple[Incident, ...]) -> tuple[Incident, ...]:
    """What was recorded stays; the oldest may have gone only where there are as many as are kept."""
    gone = range(len(before) + 1 if len(after) == INCIDENTS_KEPT else 1)
    if any(after[: len(before) - n] == before[n:] for n in gone):
        return after
    return (*before, *(incident for incident in after if incident not in before))[-INCIDENTS_KEPT:]


def try_command(state: S, command: Callable[..., S], *given: object, **more: bool) -> S:
    """What the command makes of it; the state itself where it would refuse."""
    try:
        return command(state, *given, **more)
    except LoopwrightError:
        return state
