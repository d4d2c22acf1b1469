"""No sequence of commands and step ends leaves the status table, loses a task, or loses a step's result."""

from collections.abc import Callable
from typing import get_args

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from loopwright.core.errors import Invalid, LoopwrightError
from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.outcomes import ActionFailed, Interrupted, LimitReached, NeedsInput, ValidationOutcome
from loopwright.core.state import Limits, OnError, Parked, RunSettings, Waiting
from loopwright.evidence.objections import ORDERS, Objection
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.commands import (
    STATUS_COMMANDS,
    Command,
    add_task,
    edit_task,
    is_allowed,
    remove_task,
    reorder_tasks,
)
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import (
    ActionOutcome,
    CompleteOutcome,
    DebugOutcome,
    DevelopOutcome,
    InitOutcome,
    ReviewOutcome,
)
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import LoopFacts, NextAction, next_action, normalise_state
from loopwright.workflows.loop.summary import measure_work
from tests.domain.loop_making import (
    AT,
    LATER,
    completed,
    debugged,
    developed,
    engine,
    hypothesis,
    initialised,
    loop,
    step,
    task,
    validated,
)
from tests.tiers import examples

STATUSES = get_args(LoopStatus)
KNOWN_STATUSES = {"pending", "in_progress", "completed", "failed"}
PICK = st.integers(0, 7)
"""Which of the tasks at hand is meant."""

EDITS: st.SearchStrategy[dict[str, object]] = st.sampled_from(
    [{"title": "Another"}, {"max_iterations": 3}, {"notes": "n", "tags": ["t"]}, {"title": ""}, {}]
)
OUTCOMES = st.sampled_from(["good"] * 4 + ["bad"] * 2 + ["failed", "asks", "interrupted", "limit", "dies", "other"])
MEDDLING = st.sampled_from(["nobody"] * 4 + ["pause", "stop", "exit", "add", "remove"])
COMMANDS_GIVEN = (
    "start", "pause", "resume", "stop", "reopen", "exit", "edit", "answer", "status", "wait", "park",
)  # fmt: skip


class AnyCourse(RuleBasedStateMachine):
    """A loop under everything that people, other programs and a runner can do to it, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.state = loop("created")
        self.under_way: NextAction | None = None
        self.order: list[str] = []
        self.finished: dict[str, str] = {}
        self.made = 0
        self.trees = 0

    @initialize(
        on_error=st.sampled_from([None, *get_args(OnError)]), mode=st.sampled_from(["auto", "interactive"]),
        limit=st.sampled_from([2, 8, 50]), park=st.booleans(), review=st.sampled_from([None, "critic"]),
    )  # fmt: skip
    def begin_with(self, on_error: str | None, mode: str, limit: int, park: bool, review: str | None) -> None:
        self.on_error = on_error
        given = RunSettings.model_validate({"mode": mode, "park": park, "review": review})
        self.state = engine(self.state, settings=given).evolve(max_iterations=limit)

    # ── what people and other programs do ────────────────────────────────────────────────────────────────────

    def give(self, command: Command, function: Callable[[LoopState], LoopState], *, live: bool = True) -> None:
        """Gives a command; the table says whether it may, and where it leads."""
        before = self.state
        legal = is_allowed(command, before.status, live=live)
        try:
            after = function(before)
        except LoopwrightError:
            return
        parked = command == "pause" and before.status == "paused" and before.engine.parked is not None
        assert legal or parked, f"{command} at {before.status} went through"
        assert after.status == (STATUS_COMMANDS[command].target or before.status)
        if command != "reopen":
            assert after.skill_state is before.skill_state, "a command wrote what only the runner writes"
        self.state = after

    def start(self) -> None:
        self.give("start", commands.start)

    def pause(self, now: bool) -> None:
        self.give("pause", lambda s: commands.pause(s, now=now))

    def resume(self) -> None:
        live = self.under_way is not None
        self.give("resume", lambda s: commands.resume(s, live=live), live=live)

    def stop(self) -> None:
        self.give("stop", lambda s: commands.stop(s, LATER))

    def reopen(self, limit: int | None) -> None:
        if self.under_way is None:  # whoever reopens holds the lease
            self.give("reopen", lambda s: commands.reopen(commands.set_limits(s, Limits(max_iterations=limit))))

    def leave(self) -> None:
        self.give("exit", commands.leave)

    def edit(self, changes: dict[str, object]) -> None:
        self.give("edit text" if "title" in changes else "edit", lambda s: commands.edit(s, changes))

    def answer(self, words: str) -> None:
        self.give("edit", lambda s: commands.answer(s, words))

    def ask_for_a_status(self, wanted: LoopStatus) -> None:
        try:
            command = commands.command_for(self.state, wanted)
        except LoopwrightError:
            return
        assert wanted not in ("completed", "created")
        doing: dict[str, Callable[[], None]] = {
            "start": self.start, "resume": self.resume, "pause": lambda: self.pause(False), "stop": self.stop,
            "exit": self.leave,
        }  # fmt: skip
        doing[command]()
        assert self.state.status == wanted

    @rule(data=st.data(), which=st.sampled_from(COMMANDS_GIVEN))
    def command(self, data: st.DataObject, which: str) -> None:
        """One rule for all of them, so that they do not crowd out the runner's steps."""
        match which:
            case "pause":
                self.pause(data.draw(st.booleans()))
            case "reopen":
                self.reopen(data.draw(st.sampled_from([None, 4, 40])))
            case "edit":
                self.edit(data.draw(EDITS))
            case "answer":
                self.answer(data.draw(st.sampled_from(["yes", ""])))
            case "status":
                self.ask_for_a_status(data.draw(st.sampled_from(STATUSES)))
            case "wait":
                self.give("pause", lambda s: commands.wait_for_person(s, Waiting(question="Which?", since=AT)))
            case "park":
                self.give("pause", lambda s: commands.park(s, Parked(until=LATER, reason="usage limit")))
            case _:
                {"start": self.start, "resume": self.resume, "stop": self.stop, "exit": self.leave}[which]()

    # ── tasks, at any moment of a step ───────────────────────────────────────────────────────────────────────

    def add(self, needs: int, bash: bool) -> None:
        self.made += 1
        id = f"task-{self.made:08x}"
        fields: dict[str, object] = {"description": f"do {id}", "on_error": self.on_error}
        if bash:
            fields |= {"tool": "bash", "command": "true"}
        if self.order and needs % 3 == 0:
            fields["depends_on"] = [self.order[needs % len(self.order)]]
        self.state = add_task(self.state, id, fields, AT)
        self.order.append(id)

    def edit_a_task(self, which: int) -> None:
        id = self.order[which % len(self.order)]
        try:
            self.state = edit_task(self.state, id, {"description": "said anew"}, LATER)
        except LoopwrightError:
            assert self.task_status(id) != "pending"

    def remove_a_task(self, which: int) -> None:
        id = self.order[which % len(self.order)]
        needed = any(id in (t.depends_on or ()) for t in self.state.engine.tasks)
        try:
            self.state = remove_task(self.state, id)
        except LoopwrightError:
            assert needed or self.task_status(id) != "pending"
            return
        self.order.remove(id)

    def reorder(self, data: st.DataObject) -> None:
        self.order = data.draw(st.permutations(self.order))
        self.state = reorder_tasks(self.state, self.order)

    @rule(data=st.data(), which=st.sampled_from(["add", "add", "edit", "remove", "reorder"]), pick=PICK)
    def change_tasks(self, data: st.DataObject, which: str, pick: int) -> None:
        if which == "add" or not self.order:
            self.add(pick, data.draw(st.booleans()))
        elif which == "edit":
            self.edit_a_task(pick)
        elif which == "remove":
            self.remove_a_task(pick)
        else:
            self.reorder(data)

    def task_status(self, id: str) -> str:
        tasks = self.state.skill_state.develop.tasks if self.state.skill_state else ()
        return next((t.status for t in tasks if t.id == id), "pending")

    # ── what the runner does; its end arrives at any status ──────────────────────────────────────────────────

    @precondition(lambda self: self.under_way is None)
    @rule()
    def take_up(self) -> None:
        """A runner with the lease in its hand takes the loop up, whatever its status is."""
        before = self.state
        try:
            self.state = commands.take_up(before)
        except Invalid:
            assert before.status in FINISHED  # its limit is used up
            return
        assert self.state.status == "running"

    @precondition(lambda self: self.under_way is None)
    @rule(can_write=st.booleans())
    def begin(self, can_write: bool) -> None:
        choice = next_action(self.state, LoopFacts(f"t{self.trees}", can_write))
        if choice is not None:
            self.state = begin_action(self.state, choice)
            self.under_way = choice

    @precondition(lambda self: self.under_way is not None)
    @rule(kind=OUTCOMES, can_write=st.booleans(), confirms=st.booleans())
    def end(self, kind: str, can_write: bool, confirms: bool) -> None:
        choice, before = self.under_way, self.state
        assert choice is not None
        if kind == "dies":  # the runner is killed: its step never ends, and the lease is free
            self.under_way = None
            return
        outcome = self.outcome(choice, kind, confirms)
        self.made += 1
        self.state = end_action(before, step(choice.action, outcome, can_write=can_write, token=f"{self.made:08x}"))
        self.under_way = None
        self.follow_new_tasks()
        self.check_landed(before, choice, outcome)

    @rule(course=st.lists(st.tuples(OUTCOMES, MEDDLING), min_size=1, max_size=8), can_write=st.booleans())
    def work(self, course: list[tuple[str, str]], can_write: bool) -> None:
        """Several steps in a row, with somebody meddling between the beginning and the end of each."""
        meddling: dict[str, Callable[[], None]] = {
            "pause": lambda: self.pause(True), "stop": self.stop, "exit": self.leave, "add": lambda: self.add(3, False),
            "remove": lambda: self.remove_a_task(len(self.order) - 1) if self.order else None,
        }  # fmt: skip
        for kind, what in course:
            if self.under_way is None:
                if self.state.status != "running":
                    self.take_up()
                self.begin(can_write)
            meddling.get(what, lambda: None)()
            if self.under_way is not None:
                self.end(kind, can_write, kind == "good")
                self.what_was_finished_stays_finished()

    def outcome(self, choice: NextAction, kind: str, confirms: bool) -> ActionOutcome:
        match kind:
            case "failed":
                return ActionFailed("no result")
            case "asks":
                return NeedsInput("Which?")
            case "limit":
                return LimitReached("usage limit")
            case "interrupted":
                return Interrupted("a person")
        good = kind == "good"
        self.trees += 1
        match choice.action:
            case "INIT":
                self.made += 1
                return initialised(task(f"task-{self.made:08x}", on_error=self.on_error)) if good else initialised()
            case "DEVELOP":
                assert choice.task is not None
                return developed(choice.task, ok=good)
            case "DEBUG":
                failed = [t.id for t in self.state.skill_state.develop.tasks if t.status == "failed"]  # type: ignore[union-attr]  # a DEBUG comes after INIT
                if kind == "other":
                    return DebugOutcome((hypothesis(),), None, "H1", "a name that nothing stands behind")
                return debugged("H1" if confirms else None, changed=good, revives=failed[0] if failed else None)
            case "VALIDATE":
                if kind == "other":
                    return validated(f"t{self.trees}", results=(), passed=False, tests_found=False)
                return validated(f"t{self.trees}", () if good else ("a", "b")[: 1 + confirms])
            case "REVIEW":
                last = self.state.engine.last_validation
                tree = last.tree if last else ""
                if kind == "other":
                    return ReviewOutcome("critic", tree, missing="it has died")
                raised = Objection(id="", file="a.py", quote=f"line {self.trees % 3}", why="it is wrong")
                return ReviewOutcome("critic", tree, () if good else (raised,))
            case "COMPLETE":
                if kind == "other":
                    return validated(f"t{self.trees}", ["a"], counted=False)
                end = choice.outcome or "exhausted"
                return completed(end, None if end == "succeeded" else "in words")

    def follow_new_tasks(self) -> None:
        """INIT and the engine's own folds add tasks behind all others."""
        known = set(self.order)
        ordered = sorted(self.state.engine.tasks, key=lambda t: t.order)
        self.order += [t.task_id for t in ordered if t.task_id not in known]

    def check_landed(self, before: LoopState, choice: NextAction, outcome: ActionOutcome) -> None:
        skill = self.state.skill_state
        assert skill is not None
        if before.status != "running":
            assert self.state.status == before.status
            assert self.state.completed_at == before.completed_at
            assert self.state.failure_reason == before.failure_reason
            assert self.state.engine.outcome == before.engine.outcome
        else:
            assert self.state.status in ("running", "paused", "completed", "failed")
        asked = before.engine.review.task if before.engine.review else None
        if asked and choice.task == asked and asked not in {t.task_id for t in self.state.engine.tasks}:
            self.order.remove(asked)  # what a review asked for and nobody did is no failed task
            return
        match outcome:
            case DevelopOutcome():
                assert self.task_status(outcome.task_id) == ("completed" if outcome.ok else "failed")
                self.finished[outcome.task_id] = self.task_status(outcome.task_id)
            case ValidationOutcome():
                assert skill.validate_.test_results == outcome.results
                assert skill.last_action == "VALIDATE"
            case DebugOutcome():
                assert skill.debug.hypotheses == outcome.hypotheses
                for id in [id for id, status in self.finished.items() if status == "failed"]:
                    self.finished[id] = self.task_status(id)  # a failed one may be pending again, once
            case CompleteOutcome():
                overtaken = outcome.outcome == "succeeded" and skill.summary is None
                assert overtaken or skill.summary == outcome.summary.evolve(duration=measure_work(self.state))
            case InitOutcome():
                assert set(outcome.tasks) or skill.completed_actions[-1] == "INIT"
                assert {t.task_id for t in outcome.tasks} <= {t.id for t in skill.develop.tasks}
            case LimitReached():
                if before.status == "running":
                    assert (self.state.engine.parked is not None) == (self.state.status == "paused")
                assert self.state.current_iteration == before.current_iteration
            case ActionFailed():
                assert skill.errors[-1].message == "no result"
                if choice.task and self.task_status(choice.task) == "failed":
                    self.finished[choice.task] = "failed"

    # ── what holds after each of them ────────────────────────────────────────────────────────────────────────

    @invariant()
    def a_review_orders_twice_at_most(self) -> None:
        review = self.state.engine.review
        assert review is None or (review.orders <= ORDERS and len({one.id for one in review.objections}) < 4)

    @invariant()
    def what_is_written_reads_back(self) -> None:
        assert LoopState.model_validate_json(self.state.model_dump_json()) == self.state

    @invariant()
    def an_end_is_whole_and_only_an_end_has_one(self) -> None:
        ended = self.state.status in FINISHED
        assert (self.state.completed_at is not None) is ended
        assert (self.state.engine.outcome is not None) is ended
        assert (self.state.engine.outcome == "succeeded") <= (self.state.status == "completed")

    @invariant()
    def no_task_is_lost_or_made_up(self) -> None:
        ordered = sorted(self.state.engine.tasks, key=lambda t: t.order)
        assert [t.task_id for t in ordered] == self.order
        assert {id for t in ordered for id in t.depends_on or ()} <= set(self.order)
        if self.state.skill_state is not None:
            folded = normalise_state(self.state).skill_state
            assert folded is not None
            assert [t.id for t in folded.develop.tasks] == self.order
            assert {t.status for t in folded.develop.tasks} <= KNOWN_STATUSES - {"in_progress"}

    @invariant()
    def what_was_finished_stays_finished(self) -> None:
        for id, status in self.finished.items():
            if status == "completed":
                assert self.task_status(id) == "completed"

    @invariant()
    def only_what_is_under_way_is_in_progress(self) -> None:
        tasks = self.state.skill_state.develop.tasks if self.state.skill_state else ()
        working = [t.id for t in tasks if t.status == "in_progress"]
        if self.under_way is not None and self.under_way.task:
            assert working == [self.under_way.task]


AnyCourse.TestCase.settings = settings(max_examples=examples(120), stateful_step_count=40)
TestAnyCourse = AnyCourse.TestCase
