"""Loops as text: what only they have to say. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.record import JournalEntry
from loopwright.core.state import LoopTask, Outcome
from loopwright.core.text import agree_word, clean_line, plural
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.objections import review_lines, review_words
from loopwright.evidence.proof import tests_and_proof
from loopwright.evidence.rivals import AppliedPatch, comparison_words, holds_patch, patch_of, rival_lines
from loopwright.surfaces.cli.run_rendering import (
    WORDS_CELLS,
    Fact,
    PageView,
    Part,
    RunRendering,
    Steps,
    agent_words,
    branch_details,
    describe_rest,
    list_below,
    proof_lines,
    request_sections,
    session_details,
    spent_words,
    task_details,
    test_details,
    time_details,
)
from loopwright.surfaces.cli.run_scene import MARKS, LineStyle, RunScene
from loopwright.surfaces.cli.text import SHOWN, align_columns, format_time, list_some, shorten_text
from loopwright.workflows.loop.commands import is_at_menu
from loopwright.workflows.loop.model import Debug, LoopState, Validate, applied_patches
from loopwright.workflows.loop.summary import (
    FinishedAction,
    build_plan,
    list_finished,
    measure_progress,
    tally_tests,
    task_statuses,
)

CAUSE_CELLS = 90

End = Outcome | Literal["limit_reached", "nothing_left"]
"""Outcomes; the two ways to be exhausted need different things of a person."""

AGAIN = "loopwright run --loop-id {id} --auto{at}"
BY_HAND = 'fix it by hand, or add a task for an agent that can: loopwright tasks {id} add "…" --tool NAME{at}'

RESTART: dict[End, Steps] = {
    "succeeded": (("next", "loopwright diff {id}{at}"),),
    "unproven": (
        ("next", "write the test that proves the goal, then: loopwright run --loop-id {id} --auto{at}"),
        ("or", "loopwright reopen {id} --proof preserve{at}  (a refactoring: the tests stay as they are)"),
        ("or", "loopwright reopen {id} --proof none{at}  (documents, configuration: no test can show it)"),
    ),
    "unverified": (("next", "loopwright run --loop-id {id} --auto --test-command CMD{at}"),),
    "limit_reached": (("next", "loopwright run --loop-id {id} --auto --max-iterations {more}{at}"),),
    "nothing_left": (("next", "loopwright show {id}{at}"), ("or", BY_HAND), ("then", AGAIN)),
    "over_budget": (("next", "loopwright run --loop-id {id} --auto {raising}{at}"),),
    "stalled": (("next", "loopwright show {id}{at}"), ("or", BY_HAND), ("then", AGAIN)),
    "stopped": (("next", AGAIN),),
    "failed": (("next", "loopwright show {id}{at}"), ("then", AGAIN)),
}
CONTINUE: dict[LoopStatus, Steps] = {
    "created": (("next", "loopwright start {id}{at}"),),
    "running": (("next", "loopwright resume {id}{at}"),),
    "paused": (("next", "loopwright resume {id}{at}"),),
    "user_exit": (("next", "loopwright run --loop-id {id}{at}"), ("or", "loopwright resume {id}{at}")),
}
WATCH: Steps = (("next", "loopwright watch {id}{at}"),)
ANSWER: Steps = (("next", 'loopwright answer {id} "…"{at}'), ("then", "loopwright resume {id}{at}"))
CHOOSE: Steps = (
    ("next", "loopwright choose {id} {choice}{at}"),
    ("or", "any other entry of its menu: {choices}"),
)
APPROVE: Steps = (
    ("next", "loopwright approve {id}{request} --allow{at}"),
    ("or", "loopwright approve {id}{request} --deny{at}"),
)
"""What to do next: by outcome for a loop that has ended, else by status."""


def iteration_words(state: LoopState) -> str:
    return f"{state.current_iteration}/{state.max_iterations}"


def progress_words(state: LoopState) -> str:
    return f"{measure_progress(state).overall:.0f} %"


def tests_words(state: LoopState) -> str:
    """`55/57`: passed of those that ran in the last validation."""
    tally = tally_tests(state)
    return f"{tally.passed}/{tally.ran}" if tally.ran else "-"


class LoopRendering(RunRendering[LoopState]):
    name, key, line = "loop", "loop_id", "loopwright"
    columns = (("ITERATION", iteration_words), ("PROGRESS", progress_words), ("TESTS", tests_words))
    facts = "{STATUS}, iteration {ITERATION}, {PROGRESS}, tests {TESTS}, {AGE} ago"
    none = 'no loops here; start one with: loopwright run "TASK" --auto'

    def listed_title(self, state: LoopState) -> str:
        family = state.engine.family
        if family is None:
            return state.title
        chosen = ", chosen" if family.winner == state.loop_id else ""
        return f"[{family.number(state.loop_id)}/{len(family.members)}{chosen}] {state.title}"

    def completed(self, state: LoopState) -> str:
        if state.engine.outcome == "unverified":
            return "Completed by choice, but unverified: no validation has passed."
        tally = tally_tests(state)
        proven = tests_and_proof(state.engine.proof, tally.passed, tally.ran)
        return describe_rest(state, clean_line(proven) if tally.ran else "")

    def running(self, state: LoopState) -> str:
        if state.engine.menu:
            return "Running; it waits for a choice."
        asked = len(state.engine.asked)
        return (
            f"Running; {plural(asked, 'permission request')} {agree_word(asked, 'is')} open." if asked else "Running."
        )

    def asks(self, state: LoopState) -> bool:
        return is_at_menu(state)

    def iteration(self, state: LoopState) -> str:
        return f"{state.current_iteration} of {state.max_iterations}"

    def counts(self, state: LoopState) -> tuple[str, ...]:
        return plural(len(state.engine.tasks), "task"), plural(len(state.engine.checkpoints), "checkpoint")

    def steps(self, state: LoopState, live: bool) -> Steps:
        outcome = state.engine.outcome
        if outcome == "exhausted":
            return RESTART["limit_reached" if state.current_iteration >= state.max_iterations else "nothing_left"]
        if outcome == "over_budget" and state.engine.budget.reached is None:  # raised since
            return RESTART["stopped"]
        if outcome:
            return RESTART[outcome]
        waiting = state.engine.waiting
        if waiting and not waiting.by_resuming and not state.engine.answer:
            return ANSWER[:1] if state.status == "running" else ANSWER
        if state.engine.asked and live:
            return APPROVE
        if state.engine.menu and live:
            return CHOOSE
        return WATCH if state.status == "running" and live else CONTINUE[state.status]

    def blanks(self, state: LoopState) -> Mapping[str, object]:
        """Of its menu the entry that the engine would take, and all that can be taken."""
        more = max(state.max_iterations, state.current_iteration) + 10
        menu = state.engine.menu
        if menu is None:
            return {"more": more}
        suggested = next((e.name for e in menu.entries if e.preselected and not e.blocked), menu.free[0])
        return {"more": more, "choice": suggested, "choices": ", ".join(menu.free)}

    def patches(self, state: LoopState) -> Sequence[AppliedPatch]:
        return applied_patches(state.skill_state)

    def remains(self, state: LoopState) -> Iterator[Part]:
        skill = state.skill_state
        yield from _evidence(state, SHOWN)
        yield "failing", list_some(skill.validate_.failed_tests if skill else (), clean_line)
        tasks = [task for task in (skill.develop.tasks if skill else ()) if task.status != "completed"]
        yield "open", list_some(tasks, lambda t: f"{t.id} ({t.status}): {shorten_text(t.description, 80)}")
        yield "spent", [spent_words(state.engine)]

    def results(self, state: LoopState, most: int) -> Iterator[Part]:
        """Once it has ended, what it changed and what shows its goal."""
        summary = state.skill_state.summary if state.skill_state else None
        files = summary.develop.get("files_changed") if summary else None
        known = [str(file) for file in files] if isinstance(files, (list, tuple)) else []
        yield "changed", list_some(known, clean_line, most=most)
        yield from _evidence(state, most)

    def details(self, state: LoopState, view: PageView) -> Iterator[Fact]:
        engine, settings = state.engine, state.engine.settings
        yield "status", self.status(state, live=view.live)
        yield from task_details(state, state.description)
        yield "iteration", self.iteration(state)
        yield "progress", progress_words(state)
        yield "agent", agent_words(settings)
        yield from session_details(engine)
        yield from branch_details(engine)
        if settings.review:
            yield "reviewer", clean_line(settings.review)
        yield "mode", settings.mode
        yield from test_details(engine)
        yield from time_details(engine, state.created_at, state.updated_at)
        given = (("priority", state.priority), ("tags", ", ".join(state.tags or ())), ("notes", state.notes))
        yield from ((name, clean_line(value)) for name, value in given if value)
        if engine.answer and engine.waiting:
            yield "answer", clean_line(engine.answer)

    def sections(self, state: LoopState, view: PageView) -> Iterator[Part]:
        yield from request_sections(state.engine, view)
        if view.live and (menu := state.engine.menu):
            heading = f"Menu: {menu.choice} is chosen" if menu.choice else "Menu"
            yield heading, [f"  {e.name:<9} {f'not now: {e.blocked}' if e.blocked else e.words}" for e in menu.entries]
        if rows := task_rows(state):
            yield "Tasks", [f"  {row}" for row in rows]
        if state.skill_state:
            yield from _hypotheses(state.skill_state.debug, view.most)
            yield from _validation(state, state.skill_state.validate_, view.most)

    def lists(self, state: LoopState) -> Iterator[Sequence[object]]:
        yield from (state.engine.checkpoints, state.engine.incidents, state.engine.asked)
        if state.skill_state:
            yield from (state.skill_state.debug.hypotheses, state.skill_state.validate_.failed_tests)

    def remembered(self, entries: Sequence[JournalEntry]) -> tuple[FinishedAction, ...]:
        return list_finished(entries)

    def picture(self, state: LoopState, history: tuple[FinishedAction, ...], seconds: float) -> "LoopScene":
        return LoopScene(state, seconds, history=history)


LOOP = LoopRendering()


def _evidence(state: LoopState, most: int) -> Iterator[Part]:
    """What shows its goal: tests, causes, and by what call each rival is told from the patch."""
    hypotheses = state.skill_state.debug.hypotheses if state.skill_state else ()
    rivals = [line for patch in applied_patches(state.skill_state) for line in rival_lines(patch.comparison)]
    yield "proof", proof_lines(state.engine.proof, most=most)
    yield "review", _review(state, most)
    yield "cause", list_some([line for one in hypotheses for line in _cause(one)], str, most=most)
    yield "rivals", list_some(rivals, clean_line, most=most)


def _review(state: LoopState, most: int) -> list[str]:
    """What a second agent says of the work, if there is one."""
    words = review_words(state.engine.review)
    return [words, *list_some(list(review_lines(state.engine.review)), clean_line, most=most)] if words else []


def _cause(one: Hypothesis) -> Iterator[str]:
    """What was confirmed or mended, and what the tests say of that."""
    if one.status == "confirmed" or holds_patch(one):
        yield f"{clean_line(one.logging_point)}: {shorten_text(one.description, CAUSE_CELLS)}"
        if patch := patch_of(one):
            yield clean_line(comparison_words(patch.comparison))


def _hypotheses(debug: Debug, most: int) -> Iterator[Part]:
    if debug.hypotheses:
        about = f" about {shorten_text(debug.active_bug, WORDS_CELLS)}" if debug.active_bug else ""
        yield f"Hypotheses{about}", list_below(debug.hypotheses, _hypothesis, most)


def _hypothesis(one: Hypothesis) -> str:
    because = f"; {shorten_text(one.verdict_reason, WORDS_CELLS)}" if one.verdict_reason else ""
    words = shorten_text(one.description, WORDS_CELLS)
    return f"{one.id:<3} {one.status:<12} {clean_line(one.logging_point)}: {words}{because}"


def _validation(state: LoopState, validate: Validate, most: int) -> Iterator[Part]:
    if validate.last_run_at is None:
        return
    covered = f", coverage {validate.coverage:g} %" if validate.coverage else ""
    verdict = "passed" if validate.passed else "failed"
    messages = {r.key: r.error_message or "" for r in validate.test_results if r.status == "failed"}
    yield (
        f"Validation {verdict} {format_time(validate.last_run_at)}: tests {tests_words(state)}{covered}",
        list_below(
            validate.failed_tests,
            lambda key: f"✗ {clean_line(key)}  {shorten_text(messages.get(key, ''), 90)}".rstrip(),
            most,
        ),
    )


def task_rows(state: LoopState) -> list[str]:
    """A line for each task, in order: id, status, tool, what shall be done; below it what is special about it."""
    statuses = task_statuses(state)
    tasks = sorted(state.engine.tasks, key=lambda task: task.order)
    rows = [
        (t.task_id, statuses[t.task_id], clean_line(t.tool), shorten_text(t.description, WORDS_CELLS)) for t in tasks
    ]
    lines = align_columns(rows) if rows else []
    return [line for first, task in zip(lines, tasks, strict=True) for line in (first, *_task_details(task))]


def _task_details(task: LoopTask) -> Iterator[str]:
    named = (
        ("command", task.command),
        ("mode", task.mode if task.mode != "write" else None),
        ("on error", task.on_error),
        ("after", ", ".join(task.depends_on or ())),
        ("hints", task.prompt_template),
        ("tests", {None: None, True: "may be changed", False: "must not be changed"}[task.allow_test_changes]),
        ("proof", task.proof),
    )
    for name, value in named:
        if value:
            yield f"    {name:<9} {shorten_text(value, WORDS_CELLS)}"


@dataclass(frozen=True)
class LoopScene(RunScene[LoopState]):
    """The plan with what is over folded, then the facts, then what is done right now."""

    history: tuple[FinishedAction, ...] = ()

    def draw(self, cells: int) -> Iterator[tuple[str, LineStyle]]:
        state, engine = self.state, self.state.engine
        running, at = state.status == "running", iteration_words(state)
        yield from self.head(state.loop_id, at, cells, brief=at)
        for step in build_plan(state, self.history):
            indent = "    " if step.content.startswith(" ") else "  "
            yield f"{indent}{MARKS[step.status]} {clean_line(step.content)}", step.status
        yield f"  {facts_line(state)}", "fact"
        if engine.menu and running:
            yield f"  ? waits for a choice: {', '.join(engine.menu.free)}", "doing"
        # An action that is under way can outlast a pause.
        if state.skill_state and state.skill_state.current_action is not None and state.status not in FINISHED:
            yield from self.asked(*([engine.waiting.question] if engine.waiting and running else ()))
            yield from self.activity()

    def begun(self, fields: Mapping[str, object]) -> str | None:
        task = self.state.engine.task(str(fields.get("task")))
        return task.description if task else None


def facts_line(state: LoopState) -> str:
    """Tests of the last validation, coverage where it was measured, and progress."""
    skill = state.skill_state
    covered = f" · coverage {skill.validate_.coverage:g} %" if skill and skill.validate_.coverage else ""
    tests = tests_words(state)
    words = "tests not run yet" if tests == "-" else f"tests {tests} passed"
    return f"{words}{covered} · progress {progress_words(state)}"
