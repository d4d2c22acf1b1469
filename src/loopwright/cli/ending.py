"""How a loop rests, in words, and what to type next. Pure."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeVar

from loopwright.cli.text import clean, duration, local, short
from loopwright.domain.engine_state import Outcome, RunState
from loopwright.domain.loop import Hypothesis, LoopState, LoopStatus
from loopwright.domain.loop_commands import raising
from loopwright.domain.loop_rivals import applied_patches, holds_patch, patch_of
from loopwright.domain.pausing import paused_words
from loopwright.domain.proof import Proof, strength_lines, tests_and_proof
from loopwright.domain.rivals import AppliedPatch, comparison_words, patch_lines, rival_lines
from loopwright.domain.run import Run
from loopwright.domain.summary import diff_stat as diff_stat
from loopwright.domain.words import agreeing, plural

T = TypeVar("T")

SHOWN = 8
"""Items of a list before the rest is only counted."""

CAUSE_CELLS = 90
LABEL = "  {:<11} {}"


class Ending(Run, Protocol):
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


def headline(state: LoopState, *, live: bool = False) -> str:
    """Where the loop rests, in a sentence."""
    if words := standstill(state):
        return words
    if state.status == "completed":
        return _completed(state)
    return {
        "running": _running(state) if live else "Interrupted: no runner is at work on it.",
        "created": "Created, not started yet.",
        "user_exit": "Left by choice; it can be resumed.",
    }.get(state.status, f"{paused_words(state)}.")


def standstill(state: Ending) -> str | None:
    """What keeps it until somebody does something, or the way it has failed; None where it is neither."""
    waiting, parked = state.engine.waiting, state.engine.parked
    if waiting:
        options = f" ({' / '.join(clean(o) for o in waiting.options)})" if waiting.options else ""
        asks = "Asks" if state.status == "running" else "Paused with a question"
        why = "Paused" if waiting.by_resuming else asks
        return f"{why}: {clean(waiting.question)}{options}"
    if parked:
        return f"Paused until {local(parked.until)}: {clean(parked.reason)}"
    if state.status == "failed":
        return f"Not done, {state.engine.outcome}: {clean(state.failure_reason or '').rstrip('.')}."
    return None


def _running(state: LoopState) -> str:
    if state.engine.menu:
        return "Running; it waits for a choice."
    asked = len(state.engine.asked)
    return f"Running; {plural(asked, 'request')} for permission {agreeing(asked, 'is')} open." if asked else "Running."


def _completed(state: LoopState) -> str:
    if state.engine.outcome == "unverified":
        return "Completed by choice, but unverified: no validation has passed."
    old = " (what failed before may still fail)" if state.engine.settings.require == "no_new_failures" else ""
    proof, (passed, ran) = state.engine.proof, _tests(state)
    ended = "Succeeded" if state.engine.outcome == "succeeded" else "Unproven"
    return f"{ended}: {clean(tests_and_proof(proof, passed, ran))}{old}." if ran else f"{ended}."


End = Outcome | Literal["limit_reached", "nothing_left"]
"""Outcomes; the two ways to be exhausted need different things of a person."""

Steps = tuple[tuple[str, str], ...]
AGAIN = "loopwright run --loop-id {id} --auto{at}"
BY_HAND = 'mend it by hand, or add a task for somebody who can: loopwright tasks {id} add "…" --tool NAME{at}'

RESTART: dict[End, Steps] = {
    "succeeded": (("next", "loopwright diff {id}{at}"),),
    "unproven": (
        ("next", "write the test that shows the goal, then: loopwright run --loop-id {id} --auto{at}"),
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
        "id": state.loop_id, "at": elsewhere, "more": max(state.max_iterations, state.current_iteration) + 10,
        "raising": raising(reached).option if reached else "", "request": f" {asked[0].id}" if len(asked) > 1 else "",
        **_choices(state),
    }  # fmt: skip
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


def ending(state: LoopState, *, diff: str, summary: str | None, live: bool, elsewhere: str) -> str:
    """How a run came to rest: outcome, what was changed, what is left, and what to type next."""
    skill = state.skill_state
    lines = [headline(state, live=live)]
    found = cause_lines(skill.debug.hypotheses if skill else ())
    changed = some(diff_stat(diff), lambda change: f"{clean(change[0])}  +{change[1]} -{change[2]}")
    failing = some(skill.validate_.failed_tests if skill else (), clean)
    tasks = [t for t in (skill.develop.tasks if skill else ()) if t.status != "completed"]
    open_tasks = some(tasks, lambda t: f"{t.id} ({t.status}): {short(t.description, 80)}")
    parts = (
        ("changed", changed), ("proof", proof_lines(state.engine.proof)), ("cause", found),
        ("rivals", rivals_lines(applied_patches(skill))), ("failing", failing),
        ("open", open_tasks), ("spent", [spent_words(state.engine)]),
    )  # fmt: skip
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
            lines.append(f"{clean(one.logging_point)}: {short(one.description, CAUSE_CELLS)}")
            lines += [clean(comparison_words(patch.comparison))] if patch else []
    return some(lines, str, most=most)


def rivals_lines(patches: Sequence[AppliedPatch], *, most: int = SHOWN) -> list[str]:
    """By what call each rival is told from the patch."""
    return some([line for patch in patches for line in rival_lines(patch.comparison)], clean, most=most)


def patches_lines(patches: Sequence[AppliedPatch], *, most: int = SHOWN) -> list[str]:
    """Each patch with what the tests say of it, and its rivals."""
    return some([line for patch in patches for line in patch_lines(patch)], clean, most=most)


def choosing_lines(patches: Sequence[AppliedPatch], line: str, id: str, at: str) -> list[str]:
    """How a person takes a rival instead; `line` begins the commands."""
    rival = next((rival.id for patch in patches for rival in patch.comparison.rivals), None)
    words = f"{line} choose {id} {rival}{at}  (that edit instead of the patch; the tests are run again)"
    return [LABEL.format("or", words)] if rival else []


def proof_lines(proof: Proof | None, *, most: int = SHOWN) -> list[str]:
    """The tests that show the goal, how strong they are, and which show nothing."""
    if proof is None:
        return []
    lines = some(proof.fail_to_pass, lambda test: f"{clean(test)}  failed before, passes now", most=most)
    lines += map(clean, strength_lines(proof, most))
    return lines + ([] if proof.shown else some(proof.notes, clean))


def spent_words(engine: RunState) -> str:
    """`3 min of 10 min, 1,200 of 5,000 tokens, 0.2 of 1 US dollars`, as far as it is known or limited."""
    budget = engine.budget
    spent = [
        duration(budget.spent_seconds) + (f" of {duration(budget.max_minutes * 60)}" if budget.max_minutes else "")
    ]
    if budget.tokens is not None or budget.max_tokens:
        limit = f" of {budget.max_tokens:,}" if budget.max_tokens else ""
        spent.append(f"{budget.tokens or 0:,}{limit} tokens")
    if budget.cost is not None or budget.max_cost:
        limit = f" of {budget.max_cost:g}" if budget.max_cost else ""
        spent.append(f"{budget.cost or 0:g}{limit} US dollars")
    return ", ".join(spent)


def some(items: Sequence[T], words: Callable[[T], str], *, most: int = SHOWN) -> list[str]:
    """The first items in words, and how many more there are."""
    more = [f"… and {len(items) - most:,} more"] if len(items) > most else []
    return [words(item) for item in items[:most]] + more
