"""The commands that all kinds of runs have, as rules over the status table of each. Pure."""

from abc import ABC, abstractmethod
from dataclasses import asdict
from datetime import datetime
from typing import Any, ClassVar, Generic

from loopwright.core.errors import Advice, IllegalTransition, Invalid
from loopwright.core.outcomes import LimitReached, NeedsInput
from loopwright.core.pause import is_due, parked_until
from loopwright.core.run import REASON_LENGTH, STOPPED_BY_USER, R, Run, advise_limit
from loopwright.core.state import Limits, Outcome, Parked, Waiting
from loopwright.core.status_table import StatusTable
from loopwright.core.text import agree_word, clip_text, plural

Fields = dict[str, Any]  # Any: parsed JSON; the model checks each value


class CommandRules(ABC, Generic[R]):
    """What commands make of a run. Each raises IllegalTransition where the table does not allow it now.

    `texts` are the fields that a person edits while the run rests, `others` those that may change at any time.
    """

    table: ClassVar[StatusTable[Any, Any]]  # Any: the commands and statuses of the kind
    texts: ClassVar[frozenset[str]] = frozenset()
    others: ClassVar[frozenset[str]]

    @property
    def editable(self) -> frozenset[str]:
        """The fields that are a person's."""
        return self.texts | self.others

    @abstractmethod
    def id_of(self, state: R) -> str: ...

    @abstractmethod
    def end(self, state: R, status: str, outcome: Outcome, reason: str | None, at: str) -> R:
        """With that end, and nothing left under way."""

    @abstractmethod
    def reopen(self, state: R, at: str) -> R:
        """Runs a finished one on; a limit that is used up has to be raised first."""

    def start(self, state: R) -> R:
        self.table.require("start", state)
        return run_on(state)

    def resume(self, state: R, *, live: bool) -> R:
        """Runs on; one whose runner died is taken up again. `live`: a runner is at it."""
        self.table.require("resume", state, live=live)
        return run_on(state)

    def resume_parked(self, state: R, now: datetime) -> R:
        """Running again once the limit has passed that it was parked for; unchanged where it is not parked any more."""
        return self.resume(state, live=True) if state.status == "paused" and is_due(state, now) else state

    def pause(self, state: R, *, now: bool = False) -> R:
        """Begins no further step; `now` also asks the runner to cancel what is under way.

        A parked run is paused already: a person's pause keeps it from being resumed by itself.
        """
        if not (state.status == "paused" and state.engine.parked):
            self.table.require("pause", state)
        return state.evolve(status="paused", engine=state.engine.evolve(interrupt=now, parked=None))

    def wait_for_person(self, state: R, waiting: Waiting) -> R:
        """The runner pauses with a question."""
        self.table.require("pause", state)
        return state.evolve(status="paused", engine=state.engine.evolve(waiting=waiting, answer=None))

    def wait_for_input(self, state: R, outcome: NeedsInput, at: str) -> R:
        """Pauses with what a step asks; a status that a person chose meanwhile stays."""
        if state.status != "running":
            return state
        by_resuming = outcome.by_resuming or None
        waiting = Waiting(question=outcome.question, options=outcome.options, since=at, by_resuming=by_resuming)
        return self.wait_for_person(state, waiting)

    def park(self, state: R, parked: Parked) -> R:
        """The runner pauses until an agent's limit has passed."""
        self.table.require("pause", state)
        return state.evolve(status="paused", engine=state.engine.evolve(parked=parked))

    def park_at_limit(self, state: R, limit: LimitReached, at: str) -> R:
        """Parks the run, or ends it where it shall not wait; a status that a person chose meanwhile stays."""
        if state.status != "running":
            return state
        if not state.engine.settings.park:
            return self.fail(state, "failed", f"{limit.reason}; waiting for it is disabled (park)", at)
        state, row = self.count_limit(state)
        named = datetime.fromisoformat(limit.until) if limit.until else None
        until = parked_until(named, datetime.fromisoformat(at), row)
        return self.park(state, Parked(until=until.isoformat(timespec="seconds"), reason=limit.reason))

    def count_limit(self, state: R) -> tuple[R, int]:
        """With one more limit in a row, and how many these are now."""
        raise NotImplementedError

    def stop(self, state: R, at: str) -> R:
        self.table.require("stop", state)
        return self.end(state, "failed", "stopped", STOPPED_BY_USER, at)

    def complete(self, state: R, outcome: Outcome, at: str) -> R:
        """Ends well: `succeeded`, `unproven` where no test shows the goal, or `unverified` where none has run."""
        self.table.require("complete", state)
        return self.end(state, "completed", outcome, None, at)

    def fail(self, state: R, outcome: Outcome, reason: str, at: str) -> R:
        """`reason` is kept as a sentence; what it leaves out of an error stands among the errors."""
        self.table.require("fail", state)
        return self.end(state, "failed", outcome, clip_text(" ".join(reason.split()), REASON_LENGTH), at)

    def limited(self, state: R, limits: Limits) -> R:
        """Sets the limits that are given; the others stay."""
        given = {name: value for name, value in asdict(limits).items() if value is not None}
        iterations = given.pop("max_iterations", state.max_iterations)
        if (iterations, given) == (state.max_iterations, {}):
            return state
        self.table.require("edit", state)
        budget = state.engine.budget.evolve(**given)
        return state.evolve(max_iterations=iterations, engine=state.engine.evolve(budget=budget))

    def edit(self, state: R, changes: Fields) -> R:
        """Changes fields that are a person's."""
        unknown = sorted(changes.keys() - self.editable)
        if unknown or not changes:
            problem = f"cannot edit {', '.join(unknown)}" if unknown else "nothing to change"
            raise Invalid(f"{problem}; editable: {', '.join(sorted(self.editable))}")
        self.table.require("edit text" if changes.keys() & self.texts else "edit", state)
        if "title" in changes and not str(changes["title"]).strip():
            raise Invalid("title: must not be blank")
        return state.evolve(**changes)

    def require_delete(self, state: R) -> None:
        self.table.require("delete", state)

    def request_status(self, state: R, wanted: str, at: str) -> R:
        """The command that a change of the bare status stands for."""
        match self.table.command_for(state, wanted):
            case "start":
                return self.start(state)
            case "resume":
                return self.resume(state, live=True)
            case "pause":
                return self.pause(state)
            case "stop":
                return self.stop(state, at)
            case command:
                raise IllegalTransition(command, state.status, (), self.table.kind)


def run_on(state: R) -> R:
    """Running, and nothing that kept it does any more."""
    return state.evolve(status="running", engine=state.engine.evolve(waiting=None, parked=None, interrupt=False))


COMMIT_NEEDS = "commit needs worktree: only there nothing but the run's own changes gets into its commits"


def require_place(before: Run, after: Run) -> None:
    """Invalid where a run that has begun would work somewhere else from now on, or would commit in the user's tree."""
    was, now = before.engine.settings, after.engine.settings
    if was.worktree != now.worktree and before.engine.checkpoints:
        place = "in a worktree" if was.worktree else "in your own tree"
        raise Invalid(f"it has begun {place}, and goes on there; begin a new run to work elsewhere")
    if now.commit and not now.worktree:
        raise Invalid(COMMIT_NEEDS)


def require_iterations(state: Run, more: int, advice: str = "raise the limit, for example {setting}") -> None:
    """Invalid where the iterations or a budget are used up. `more`: by how many iterations to raise the limit."""
    used = state.current_iteration
    if state.max_iterations <= used:
        words = f"{plural(used, 'iteration')} {agree_word(used, 'is')} used up"
        raise Invalid(words, advice=Advice(advice, "max_iterations", used + more))
    require_budget(state)


def require_budget(state: Run) -> None:
    """Invalid where a budget is used up."""
    if reached := state.engine.budget.reached:
        raise Invalid(f"the {reached.words} is used up", advice=advise_limit(reached))
