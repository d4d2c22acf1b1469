"""Loops as text: the list, and one loop in full."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self, TypeVar

from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.pause import Pause, pause_of, pause_words
from loopwright.core.record import JournalEntry
from loopwright.core.run import Run, advise_limit
from loopwright.core.run_events import RunNote
from loopwright.core.state import LoopTask, Outcome, PermissionRequest, RunState
from loopwright.core.text import agree_word, clean_line, plural
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.proof import Proof, strength_lines, tests_and_proof
from loopwright.evidence.rivals import AppliedPatch, comparison_words, holds_patch, patch_lines, patch_of, rival_lines
from loopwright.policy.permissions import request_words
from loopwright.surfaces.cli.text import LABEL as LABEL
from loopwright.surfaces.cli.text import (
    StyledLine,
    align_columns,
    cut_line,
    fold_line,
    format_age,
    format_duration,
    format_stopwatch,
    format_time,
    last_line,
    measure_width,
    shorten_text,
)
from loopwright.workflows.loop.model import LoopState, applied_patches
from loopwright.workflows.loop.summary import FinishedAction, build_plan, measure_progress, task_statuses
from loopwright.workflows.loop.summary import diff_stat as diff_stat

T = TypeVar("T")

SHOWN = 8
"""Items of a list before the rest is only counted."""

CAUSE_CELLS = 90


class EndedRun(Run, Protocol):
    """A run that can say why it has failed."""

    @property
    def failure_reason(self) -> str | None: ...


def tests_words(state: LoopState) -> str:
    """`55/57`: passed of those that ran in the last validation."""
    passed, ran = _tests(state)
    return f"{passed}/{ran}" if ran else "-"


def _tests(state: LoopState) -> tuple[int, int]:
    results = state.skill_state.validate_.test_results if state.skill_state else ()
    ran = [r for r in results if r.status != "skipped"]
    return sum(r.status == "passed" for r in ran), len(ran)


def loop_headline(state: LoopState, *, live: bool = False) -> str:
    """Where the loop rests, in a sentence."""
    if words := describe_standstill(state):
        return words
    if state.status == "completed":
        return _completed(state)
    return {
        "running": _running(state) if live else "Interrupted: no runner is working on it.",
        "created": "Created, not started yet.",
        "user_exit": "Left by choice; it can be resumed.",
    }.get(state.status, f"{pause_words(state)}.")


def describe_standstill(state: EndedRun) -> str | None:
    """What keeps it until somebody does something, or the way it has failed; None where it is neither."""
    waiting, parked = state.engine.waiting, state.engine.parked
    if waiting:
        options = f" ({' / '.join(clean_line(o) for o in waiting.options)})" if waiting.options else ""
        asks = "Asks" if state.status == "running" else "Paused with a question"
        why = "Paused" if waiting.by_resuming else asks
        return f"{why}: {clean_line(waiting.question)}{options}"
    if parked:
        return f"Paused until {format_time(parked.until)}: {clean_line(parked.reason)}"
    if state.status == "failed":
        return f"Not done, {state.engine.outcome}: {clean_line(state.failure_reason or '').rstrip('.')}."
    return None


def _running(state: LoopState) -> str:
    if state.engine.menu:
        return "Running; it waits for a choice."
    asked = len(state.engine.asked)
    return f"Running; {plural(asked, 'permission request')} {agree_word(asked, 'is')} open." if asked else "Running."


def _completed(state: LoopState) -> str:
    if state.engine.outcome == "unverified":
        return "Completed by choice, but unverified: no validation has passed."
    old = " (tests that failed before may still fail)" if state.engine.settings.require == "no_new_failures" else ""
    proof, (passed, ran) = state.engine.proof, _tests(state)
    ended = "Succeeded" if state.engine.outcome == "succeeded" else "Unproven"
    return f"{ended}: {clean_line(tests_and_proof(proof, passed, ran))}{old}." if ran else f"{ended}."


End = Outcome | Literal["limit_reached", "nothing_left"]
"""Outcomes; the two ways to be exhausted need different things of a person."""

Steps = tuple[tuple[str, str], ...]
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


def next_lines(state: LoopState, live: bool, elsewhere: str) -> list[str]:
    """What to type next, ready to be copied. `elsewhere` ends each command."""
    reached, asked = state.engine.budget.reached, state.engine.asked
    known = {
        "id": state.loop_id,
        "at": elsewhere,
        "more": max(state.max_iterations, state.current_iteration) + 10,
        "raising": advise_limit(reached).option if reached else "",
        "request": f" {asked[0].id}" if len(asked) > 1 else "",
        **_choices(state),
    }
    lines = [LABEL.format(label, pattern.format(**known)) for label, pattern in _steps(state, live)]
    if live:
        return lines
    return lines + choosing_lines(applied_patches(state.skill_state), "loopwright", state.loop_id, elsewhere)


def _choices(state: LoopState) -> dict[str, str]:
    """The entry that the engine would take, and all that can be taken."""
    menu = state.engine.menu
    if menu is None:
        return {}
    suggested = next((e.name for e in menu.entries if e.preselected and not e.blocked), menu.free[0])
    return {"choice": suggested, "choices": ", ".join(menu.free)}


def _steps(state: LoopState, live: bool) -> Steps:
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


def loop_ending(state: LoopState, *, diff: str, summary: str | None, live: bool, elsewhere: str) -> str:
    """How a run came to rest: outcome, what was changed, what is left, and what to type next."""
    skill = state.skill_state
    lines = [loop_headline(state, live=live)]
    found = cause_lines(skill.debug.hypotheses if skill else ())
    changed = list_some(diff_stat(diff), lambda change: f"{clean_line(change[0])}  +{change[1]} -{change[2]}")
    failing = list_some(skill.validate_.failed_tests if skill else (), clean_line)
    tasks = [t for t in (skill.develop.tasks if skill else ()) if t.status != "completed"]
    open_tasks = list_some(tasks, lambda t: f"{t.id} ({t.status}): {shorten_text(t.description, 80)}")
    parts = (
        ("changed", changed),
        ("proof", proof_lines(state.engine.proof)),
        ("cause", found),
        ("rivals", rivals_lines(applied_patches(skill))),
        ("failing", failing),
        ("open", open_tasks),
        ("spent", [spent_words(state.engine)]),
    )
    for name, items in parts:
        lines += [LABEL.format("" if i else name, item) for i, item in enumerate(items)]
    if summary:
        lines.append(LABEL.format("summary", summary))
    return "\n".join([*lines, *next_lines(state, live, elsewhere)])


def cause_lines(hypotheses: Sequence[Hypothesis], *, most: int = SHOWN) -> list[str]:
    """What was confirmed or mended, and what the tests say of that."""
    lines: list[str] = []
    for one in hypotheses:
        if one.status == "confirmed" or holds_patch(one):
            patch = patch_of(one)
            lines.append(f"{clean_line(one.logging_point)}: {shorten_text(one.description, CAUSE_CELLS)}")
            lines += [clean_line(comparison_words(patch.comparison))] if patch else []
    return list_some(lines, str, most=most)


def rivals_lines(patches: Sequence[AppliedPatch], *, most: int = SHOWN) -> list[str]:
    """By what call each rival is told from the patch."""
    return list_some([line for patch in patches for line in rival_lines(patch.comparison)], clean_line, most=most)


def patches_lines(patches: Sequence[AppliedPatch], *, most: int = SHOWN) -> list[str]:
    """Each patch with what the tests say of it, and its rivals."""
    return list_some([line for patch in patches for line in patch_lines(patch)], clean_line, most=most)


def choosing_lines(patches: Sequence[AppliedPatch], line: str, id: str, at: str) -> list[str]:
    """How a person takes a rival instead; `line` begins the commands."""
    rival = next((rival.id for patch in patches for rival in patch.comparison.rivals), None)
    words = f"{line} choose {id} {rival}{at}  (that edit instead of the patch; the tests are run again)"
    return [LABEL.format("or", words)] if rival else []


def proof_lines(proof: Proof | None, *, most: int = SHOWN) -> list[str]:
    """The tests that show the goal, how strong they are, and which show nothing."""
    if proof is None:
        return []
    lines = list_some(proof.fail_to_pass, lambda test: f"{clean_line(test)}  failed before, passes now", most=most)
    lines += map(clean_line, strength_lines(proof, most))
    return lines + ([] if proof.shown else list_some(proof.notes, clean_line))


def spent_words(engine: RunState) -> str:
    """`3 min of 10 min, 1,200 of 5,000 tokens, 0.2 of 1 US dollars`, as far as it is known or limited."""
    budget = engine.budget
    spent = [
        format_duration(budget.spent_seconds)
        + (f" of {format_duration(budget.max_minutes * 60)}" if budget.max_minutes else "")
    ]
    if budget.tokens is not None or budget.max_tokens:
        limit = f" of {budget.max_tokens:,}" if budget.max_tokens else ""
        spent.append(f"{budget.tokens or 0:,}{limit} tokens")
    if budget.cost is not None or budget.max_cost:
        limit = f" of {budget.max_cost:g}" if budget.max_cost else ""
        spent.append(f"{budget.cost or 0:g}{limit} US dollars")
    return ", ".join(spent)


def list_some(items: Sequence[T], words: Callable[[T], str], *, most: int = SHOWN) -> list[str]:
    """The first items in words, and how many more there are."""
    more = [f"… and {len(items) - most:,} more"] if len(items) > most else []
    return [words(item) for item in items[:most]] + more


ASKED_SHOWN = 3
"""Requests for permission before the rest is only counted: the plan has to fit on the screen."""

MARKS = {"completed": "✔", "in_progress": "▶", "pending": "·"}


ABOUT_CELLS = 80

REPORTS = ("ACTION_RESULT", "PHASE_RESULT")
"""How a report begins, in which the engine reads."""


@dataclass(frozen=True)
class LoopScene:
    """The Picture of a loop. `seconds` since we look, `doing_seconds` since the last activity was told: `doing`.

    `output`: the last line a program printed.
    """

    state: LoopState
    history: tuple[FinishedAction, ...] = ()
    seconds: float = 0
    doing: str = ""
    doing_seconds: float = 0
    output: str = ""

    def after(self, last: Self) -> Self:
        return replace(self, doing=last.doing, doing_seconds=last.doing_seconds, output=last.output)

    def aged(self, seconds: float) -> Self:
        return replace(self, seconds=self.seconds + seconds, doing_seconds=self.doing_seconds + seconds)

    def noted(self, note: RunNote) -> Self:
        match note.kind:
            case "output" | "said" | "thought":
                return replace(self, output=last_line(note.text) or self.output)
            case "action":
                return replace(self, doing="", output="")
            case "able" | "message" | "turn" | "usage":
                return self
            case _:
                return replace(self, doing=note.text, doing_seconds=0, output="")

    def lines(self, cells: int) -> list[StyledLine]:
        return scene_lines(self, cells)

    def about(self, entry: JournalEntry) -> str:
        """What the task is that begins."""
        begun = entry.event.type == "action_started"
        task = self.state.engine.task(str(entry.event.data.get("task"))) if begun else None
        return f": {shorten_text(task.description, ABOUT_CELLS)}" if task else ""


def scene_lines(scene: LoopScene, cells: int) -> list[StyledLine]:
    """The plan with what is over folded, then the facts, then what is done right now; each at most `cells` wide."""
    state = scene.state
    parts = (state.loop_id, format_stopwatch(scene.seconds), state.status, f"iteration {_iteration(state)}")
    head = " · ".join(parts)
    if measure_width(head) > cells:
        head = " · ".join((*parts[:-1], _iteration(state)))
    lines = [StyledLine(head, "head"), StyledLine(f"  {clean_line(state.title)}", "head")]
    for step in build_plan(state, scene.history):
        indent = "    " if step.content.startswith(" ") else "  "
        lines.append(StyledLine(f"{indent}{MARKS[step.status]} {clean_line(step.content)}", step.status))
    lines.append(StyledLine(f"  {facts_line(state)}", "fact"))
    if state.engine.menu and state.status == "running":
        lines.append(StyledLine(f"  ? waits for a choice: {', '.join(state.engine.menu.free)}", "doing"))
    if _at_work(state):
        lines += [
            StyledLine(f"  ? {words}", "doing")
            for words in list_some(state.engine.asked, request_words, most=ASKED_SHOWN)
        ]
        if (waiting := state.engine.waiting) and state.status == "running":
            lines.append(StyledLine(f"  ? {clean_line(waiting.question)}", "doing"))
        doing = strip_report(scene.doing)
        lines += [StyledLine(f"  {format_stopwatch(scene.doing_seconds)} {doing}", "doing")] if doing else []
        lines += [StyledLine(f"       {clean_line(scene.output)}", "output")] if scene.output else []
    return [StyledLine(indent_text(line.text, cells), line.kind) for line in lines]


def _iteration(state: LoopState) -> str:
    return f"{state.current_iteration}/{state.max_iterations}"


def _at_work(state: LoopState) -> bool:
    """An action is under way; that can outlast a pause."""
    skill = state.skill_state
    return skill is not None and skill.current_action is not None and state.status not in FINISHED


def facts_line(state: LoopState) -> str:
    """Tests of the last validation, coverage where it was measured, and progress."""
    skill = state.skill_state
    covered = f" · coverage {skill.validate_.coverage:g} %" if skill and skill.validate_.coverage else ""
    tests = tests_words(state)
    words = "tests not run yet" if tests == "-" else f"tests {tests} passed"
    return f"{words}{covered} · progress {measure_progress(state).overall:.0f} %"


def indent_text(text: str, cells: int) -> str:
    """Set in as it is, and cut at so many cells."""
    body = text.lstrip()
    indent = len(text) - len(body)
    return " " * indent + shorten_text(body, max(cells - indent, 1))


def strip_report(text: str) -> str:
    """What an agent said to people: the part before its report, in which the engine reads."""
    return clean_line(re.split(rf"^\W*({'|'.join(REPORTS)})", text, maxsplit=1, flags=re.MULTILINE)[0])


TITLE_CELLS = 44
WORDS_CELLS = 300
"""What an agent wrote is cut there: nobody reads on, and it must not push the rest off the screen."""
EVERYTHING = 1_000_000

PAUSES: dict[Pause, str] = {
    "question": "asks",
    "settling": "asks",
    "limit": "limit",
    "task": "task failed",
    "request": "on request",
}


class DamagedRun(NamedTuple):
    """What cannot be read: why, and the command that helps, if there is one."""

    id: str
    reason: str
    remedy: str | None


class TableLayout(NamedTuple):
    """How a list is laid out: `head` of the columns; the last one may be cut, `facts` say the others in a line.

    `name` is what one of them is called, `none` what is said where there is none.
    """

    name: str
    head: tuple[str, ...]
    facts: str
    none: str


def render_table(
    table: TableLayout, rows: Sequence[tuple[str, ...]], total: int, damaged: Sequence[DamagedRun], cells: int
) -> str:
    """One line each, or on narrow terminals a few. What is damaged stands below, with what helps."""
    if not rows and not damaged:
        return f"no more {table.name}s; {agree_word(total, 'there is')} {total:,}" if total else table.none
    blank = ("-",) * (len(table.head) - 3)
    all_rows = [*rows, *((d.id, "damaged", *blank, "cannot be read, see below") for d in damaged)]
    if measure_width(align_columns([table.head, *[(*row[:-1], "TITLE") for row in all_rows]])[0]) > cells:
        lines = [line for row in all_rows for line in _stacked(table, row, cells)]
    else:
        lines = [cut_line(line, cells) for line in align_columns([table.head, *all_rows])]
    if total > len(rows):
        lines.append(f"{len(rows):,} of {plural(total, table.name)}; see --limit and --offset")
    for d in damaged:
        lines += ["", *fold_line(f"{d.id} is damaged: {clean_line(d.reason)}", cells)]
        lines += [LABEL.format("next", d.remedy)] if d.remedy else []
    return "\n".join(lines)


def _stacked(table: TableLayout, row: Sequence[str], cells: int) -> list[str]:
    """The id, below it what is known."""
    id, status, *known, title = row
    facts = status if status == "damaged" else table.facts.format(status, *known)
    return [id, *fold_line(f"  {facts}", cells), *fold_line(f"  {title}", cells)]


def status_words(state: Run, *, live: bool, asks: bool = False) -> str:
    """The status, and in brackets what one has to know about it; `asks`: for something of its kind."""
    engine = state.engine
    beside = {
        "running": ("asks" if engine.asked or engine.waiting or asks else None) if live else "no runner",
        "paused": PAUSES[pause_of(state) or "request"],
        "completed": None if engine.outcome == "succeeded" else engine.outcome,
        "failed": None if engine.outcome == "failed" else engine.outcome,
    }.get(state.status)
    return f"{state.status} ({beside})" if beside else state.status


def recovery_page(id: str, restored: str, repairs: Sequence[str], kept: Sequence[Path], following: str) -> str:
    """What was brought back and from where, and which damaged files were put aside; `following`: what to type next."""
    if not repairs:
        lines = [f"{id} is not damaged; nothing was changed"]
    else:
        lines = [f"{id} can be read again"]
        lines += [LABEL.format("from" if not i else "", words) for i, words in enumerate(repairs)]
        lines.append(LABEL.format("restored", restored))
    lines += [LABEL.format("set aside" if not i else "", path) for i, path in enumerate(kept)]
    return "\n".join([*lines, LABEL.format("next", following)])


def request_lines(engine: RunState, live: bool, most: int) -> Iterator[str]:
    """What an agent waits for; what a dead runner has asked nobody waits for."""
    asked = engine.asked if live else ()
    if asked:
        yield from ("", "Permission requests")
        yield from (f"  {line}" for line in list_some(asked, _request, most=most))


def _request(request: PermissionRequest) -> str:
    answered = f" ({request.answer})" if request.answer else ""
    because = f"; {shorten_text(request.reason, WORDS_CELLS)}" if request.reason else ""
    return f"{request.id}{answered}  {shorten_text(request_words(request), WORDS_CELLS)}{because}"


def checkpoint_lines(engine: RunState, most: int) -> Iterator[str]:
    """Checkpoints and incidents, the latest ones."""
    checkpoints, incidents = engine.checkpoints, engine.incidents
    if checkpoints:
        yield from ("", "Checkpoints", *_earlier(len(checkpoints), most))
        yield from align_columns(
            [(f"  {c.n}", format_time(c.at, "%H:%M:%S"), clean_line(c.action)) for c in checkpoints[-most:]]
        )
    if incidents:
        yield from ("", "Incidents", *_earlier(len(incidents), most))
        for i in incidents[-most:]:
            yield f"  {format_time(i.at)} {clean_line(i.kind)}: {clean_line(i.message)}"


def _earlier(count: int, most: int) -> tuple[str, ...]:
    """How many are left out before the latest."""
    return (f"  … and {count - most:,} earlier",) if count > most else ()


TABLE = TableLayout(
    "loop",
    ("ID", "STATUS", "ITERATION", "PROGRESS", "TESTS", "AGE", "TITLE"),
    "{}, iteration {}, {}, tests {}, {} ago",
    'no loops here; start one with: loopwright run "TASK" --auto',
)


def loop_status(state: LoopState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    return status_words(state, live=live, asks=state.engine.menu is not None)


def loop_table(
    loops: Sequence[tuple[LoopState, bool]],
    total: int,
    now: datetime,
    *,
    damaged: Sequence[DamagedRun] = (),
    cells: int = 160,
) -> str:
    """One line a loop; each comes with whether a runner holds it."""
    return render_table(TABLE, [_row(state, live, now) for state, live in loops], total, damaged, cells)


def _row(state: LoopState, live: bool, now: datetime) -> tuple[str, ...]:
    return (
        state.loop_id,
        loop_status(state, live=live),
        f"{state.current_iteration}/{state.max_iterations}",
        f"{measure_progress(state).overall:.0f} %",
        tests_words(state),
        format_age(state.updated_at, now),
        shorten_text(state.title, TITLE_CELLS),
    )


def loop_page(
    state: LoopState, *, live: bool, now: datetime, elsewhere: str, cells: int = 160, whole: bool = False
) -> str:
    """Everything about one loop, its result first; long lists are cut unless `whole`.

    `elsewhere` ends each suggested command.
    """
    most = EVERYTHING if whole else SHOWN
    parts = [
        _result(state, live, most),
        _head(state, live, now),
        request_lines(state.engine, live, most),
        _menu(state, live),
        _tasks(state),
        _debugging(state, most),
        _validation(state, most),
        checkpoint_lines(state.engine, most),
    ]
    lines = [folded for part in parts for line in part for folded in fold_line(line, cells)]
    if _longest(state) > most:
        lines += ["", f"loopwright show {state.loop_id} --all{elsewhere} shows every line"]
    return "\n".join([*lines, "", *next_lines(state, live, elsewhere)])


def _result(state: LoopState, live: bool, most: int) -> Iterator[str]:
    """Where it stands; once it has ended, what it changed and what shows its goal."""
    yield f"{state.loop_id}  {clean_line(state.title)}"
    yield loop_headline(state, live=live)
    summary = state.skill_state.summary if state.skill_state else None
    files = summary.develop.get("files_changed") if summary else None
    changed = (
        list_some([str(file) for file in files], clean_line, most=most) if isinstance(files, (list, tuple)) else []
    )
    skill = state.skill_state
    parts = (
        ("changed", changed),
        ("proof", proof_lines(state.engine.proof, most=most)),
        ("cause", cause_lines(skill.debug.hypotheses if skill else (), most=most)),
        ("rivals", rivals_lines(applied_patches(skill), most=most)),
    )
    for name, items in parts:
        yield from (LABEL.format("" if i else name, item) for i, item in enumerate(items))


def _longest(state: LoopState) -> int:
    """Items of the longest list on the page."""
    skill, engine = state.skill_state, state.engine
    told = (skill.debug.hypotheses, skill.validate_.failed_tests) if skill else ()
    return max(len(items) for items in (*told, engine.checkpoints, engine.incidents, engine.asked))


def loop_recovery_line(state: LoopState) -> str:
    """What a recovery has brought back, in a line."""
    counts = ((len(state.engine.tasks), "task"), (len(state.engine.checkpoints), "checkpoint"))
    known = ", ".join(plural(n, thing) for n, thing in counts)
    return f"{loop_status(state, live=False)}, iteration {state.current_iteration} of {state.max_iterations}, {known}"


def _head(state: LoopState, live: bool, now: datetime) -> Iterator[str]:
    engine, settings = state.engine, state.engine.settings
    yield ""
    yield LABEL.format("status", loop_status(state, live=live))
    if clean_line(state.description) != clean_line(state.title):
        yield LABEL.format("task", clean_line(state.description))
    yield LABEL.format("iteration", f"{state.current_iteration} of {state.max_iterations}")
    yield LABEL.format("progress", f"{measure_progress(state).overall:.0f} %")
    yield LABEL.format("agent", clean_line(settings.agent))
    yield LABEL.format("mode", settings.mode)
    none = "none found" if engine.tests_found is False else "not found yet"
    yield LABEL.format("tests by", clean_line(settings.test_command) if settings.test_command else none)
    yield LABEL.format("spent", spent_words(state.engine))
    yield LABEL.format("created", format_time(state.created_at))
    yield LABEL.format("updated", f"{format_time(state.updated_at)} ({format_age(state.updated_at, now)} ago)")
    for name, value in (("priority", state.priority), ("tags", ", ".join(state.tags or ())), ("notes", state.notes)):
        if value:
            yield LABEL.format(name, clean_line(value))
    if engine.answer and engine.waiting:
        yield LABEL.format("answer", clean_line(engine.answer))


def _menu(state: LoopState, live: bool) -> Iterator[str]:
    """What can be chosen, and what not and why."""
    menu = state.engine.menu if live else None
    if menu:
        yield from ("", f"Menu: {menu.choice} is chosen" if menu.choice else "Menu")
        yield from (f"  {e.name:<9} {f'not now: {e.blocked}' if e.blocked else e.words}" for e in menu.entries)


def _tasks(state: LoopState) -> Iterator[str]:
    rows = task_rows(state)
    if rows:
        yield from ("", "Tasks", *(f"  {row}" for row in rows))


def task_rows(state: LoopState) -> list[str]:
    """A line for each task, in order: id, status, tool, what shall be done; below it what is special about it."""
    statuses = task_statuses(state)
    tasks = sorted(state.engine.tasks, key=lambda task: task.order)
    if not tasks:
        return []
    lines = align_columns(
        [(t.task_id, statuses[t.task_id], clean_line(t.tool), shorten_text(t.description, WORDS_CELLS)) for t in tasks]
    )
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


def _debugging(state: LoopState, most: int) -> Iterator[str]:
    debug = state.skill_state.debug if state.skill_state else None
    if debug is None or not debug.hypotheses:
        return
    about = f" about {shorten_text(debug.active_bug, WORDS_CELLS)}" if debug.active_bug else ""
    yield from ("", f"Hypotheses{about}")
    known = debug.hypotheses
    for h in list_some(
        known, lambda h: _hypothesis(h.id, h.status, h.logging_point, h.description, h.verdict_reason), most=most
    ):
        yield f"  {h}"


def _hypothesis(id: str, status: str, place: str, words: str, reason: str | None) -> str:
    because = f"; {shorten_text(reason, WORDS_CELLS)}" if reason else ""
    return f"{id:<3} {status:<12} {clean_line(place)}: {shorten_text(words, WORDS_CELLS)}{because}"


def _validation(state: LoopState, most: int) -> Iterator[str]:
    validate = state.skill_state.validate_ if state.skill_state else None
    if validate is None or validate.last_run_at is None:
        return
    covered = f", coverage {validate.coverage:g} %" if validate.coverage else ""
    verdict = "passed" if validate.passed else "failed"
    yield from ("", f"Validation {verdict} {format_time(validate.last_run_at)}: tests {tests_words(state)}{covered}")
    messages = {r.key: r.error_message or "" for r in validate.test_results if r.status == "failed"}
    failed = validate.failed_tests
    for line in list_some(
        failed, lambda k: f"✗ {clean_line(k)}  {shorten_text(messages.get(k, ''), 90)}".rstrip(), most=most
    ):
        yield f"  {line}"
