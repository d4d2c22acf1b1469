"""How a cycle rests, in words, and what to type next. Pure."""

from loopwright.cli.ending import (
    LABEL,
    Steps,
    choosing_lines,
    diff_stat,
    patches_lines,
    proof_lines,
    some,
    spent_words,
    standstill,
)
from loopwright.cli.text import clean, short
from loopwright.domain.cycle import CycleState, CycleStatus
from loopwright.domain.cycle_coordination import AUTO
from loopwright.domain.cycle_glance import cycle_need
from loopwright.domain.engine_state import Outcome
from loopwright.domain.loop_commands import raising
from loopwright.domain.pausing import paused_words
from loopwright.domain.proof import proof_words
from loopwright.domain.words import agreeing, plural

WORDS_CELLS = 100

AGAIN = "loopwright cycle run --cycle-id {id} --auto{at}"
EXTEND = 'loopwright cycle run --cycle-id {id} --extend "…" --auto{at}'
SHOW = "loopwright cycle show {id}{at}"

RESTART: dict[Outcome, Steps] = {
    "succeeded": (("next", "loopwright cycle diff {id}{at}"), ("or", EXTEND)),
    "unproven": (
        ("next", EXTEND),
        ("or", "loopwright cycle reopen {id} --proof preserve{at}  (a refactoring: the tests stay as they are)"),
        ("or", "loopwright cycle reopen {id} --proof none{at}  (documents, configuration: no test can show it)"),
    ),
    "unverified": (
        ("next", "loopwright cycle run --cycle-id {id} --auto --max-iterations {more} --test-command CMD{at}"),
    ),
    "exhausted": (("next", "loopwright cycle run --cycle-id {id} --auto --max-iterations {more}{at}"), ("or", EXTEND)),
    "over_budget": (("next", "loopwright cycle run --cycle-id {id} --auto {raising}{at}"),),
    "stalled": (("next", SHOW), ("or", EXTEND)),
    "stopped": (("next", AGAIN),),
    "failed": (("next", SHOW), ("then", AGAIN)),
}
CONTINUE: dict[CycleStatus, Steps] = {
    "created": (("next", "loopwright cycle start {id}{at}"),),
    "running": (("next", "loopwright cycle resume {id}{at}"),),
    "paused": (("next", "loopwright cycle resume {id}{at}"),),
}
WATCH: Steps = (("next", "loopwright cycle watch {id}{at}"),)
DECIDE: Steps = (("next", "loopwright cycle decide {id} {decision} {option}{at}"),)
RESOLVE: Steps = (("next", 'loopwright cycle resolve {id} {blocker} "…"{at}'),)
SETTLE: Steps = (*RESOLVE, ("then", AGAIN))
THEN: Steps = (("then", "loopwright cycle resume {id}{at}"),)
APPROVE: Steps = (
    ("next", "loopwright cycle approve {id}{request} --allow{at}"),
    ("or", "loopwright cycle approve {id}{request} --deny{at}"),
)
"""What to do next: by outcome for a cycle that has ended, else by what it needs, else by status."""


def headline(state: CycleState, *, live: bool = False) -> str:
    """Where the cycle rests, in a sentence."""
    if words := standstill(state):
        return words
    if state.status == "completed":
        return _completed(state)
    return {
        "running": _running(state) if live else "Interrupted: no runner is at work on it.",
        "created": "Created, not started yet.",
    }.get(state.status, f"{paused_words(state)}.")


def _running(state: CycleState) -> str:
    asked, undecided = len(state.engine.asked), len(state.coordination.undecided)
    if asked:
        return f"Running; {plural(asked, 'request')} for permission {agreeing(asked, 'is')} open."
    if undecided and cycle_need(state) == "decision":
        return f"Running; {plural(undecided, 'decision')} {agreeing(undecided, 'is')} open."
    return "Running."


def _completed(state: CycleState) -> str:
    used = plural(state.current_iteration, "iteration")
    if state.engine.outcome == "unverified":
        return f"Completed in {used}, but unverified: no tests were found."
    old = " (what failed before may still fail)" if state.engine.settings.require == "no_new_failures" else ""
    ended = "Succeeded" if state.engine.outcome == "succeeded" else "Unproven"
    proof = f"; {clean(proof_words(state.engine.proof))}" if state.engine.proof else ""
    return f"{ended} in {used}: {tests_words(state)}{proof}{old}."


def tests_words(state: CycleState) -> str:
    """`all 14 tests pass, coverage 92 %`; what the last validation counted."""
    found = state.test_results
    if found is None:
        return "no tests were run"
    failed, total = len(found.failed_tests), found.total_tests
    covered = f", coverage {found.coverage:g} %" if found.coverage else ""
    words = f"{failed:,} of {plural(total, 'test')} {'fails' if failed == 1 else 'fail'}" if failed else (
        f"{'all ' if total > 1 else ''}{plural(total, 'test')} {agreeing(total, 'passes')}"
    )  # fmt: skip
    return f"{words}{covered}"


def next_lines(state: CycleState, live: bool, elsewhere: str) -> list[str]:
    """What to type next, ready to be copied. `elsewhere` ends each command."""
    reached, asked, coordination = state.engine.budget.reached, state.engine.asked, state.coordination
    undecided, blockers = coordination.undecided, coordination.open_blockers
    known = {
        "id": state.cycle_id, "at": elsewhere, "more": max(state.max_iterations, state.current_iteration) + 5,
        "raising": raising(reached).option if reached else "", "request": f" {asked[0].id}" if len(asked) > 1 else "",
        "decision": undecided[0].id if undecided else "", "blocker": blockers[0].id if blockers else "",
        "option": _option(state),
    }  # fmt: skip
    lines = [LABEL.format(label, pattern.format(**known)) for label, pattern in _steps(state, live)]
    if live:
        return lines
    return lines + choosing_lines(state.engine.patches or (), "loopwright cycle", state.cycle_id, elsewhere)


def _option(state: CycleState) -> str:
    """What the role recommends, else the first option, for the shell."""
    from shlex import quote

    undecided = state.coordination.undecided
    if not undecided:
        return ""
    recommended = state.engine.recommended.get(undecided[0].id)
    return quote(recommended or next(iter(undecided[0].options), "…"))


def _steps(state: CycleState, live: bool) -> Steps:
    outcome = state.engine.outcome
    if outcome == "over_budget" and state.engine.budget.reached is None:  # raised since
        return RESTART["stopped"]
    if outcome:
        blocked = bool(state.coordination.open_blockers) and state.current_iteration < state.max_iterations
        return SETTLE if blocked and outcome in ("stalled", "failed") else RESTART[outcome]
    then = THEN if state.status == "paused" else ()
    match cycle_need(state):
        case "decision":
            return (*DECIDE, *then)
        case "blocker":
            return (*RESOLVE, *then)
        case "permission" if live:
            return APPROVE
    return WATCH if state.status == "running" and live else CONTINUE[state.status]


def ending(state: CycleState, *, diff: str, summary: str | None, elsewhere: str, live: bool = False) -> str:
    """How a run came to rest: outcome, what was changed, what is left, what was decided, and what to type next."""
    coordination, results = state.coordination, state.test_results
    lines = [headline(state, live=live)]
    record = state.iterations[-1] if state.iterations else None
    left = record.issues_found if record and state.status == "failed" else ()
    open_tasks = [task for task in (state.plan.tasks if state.plan else ()) if task.status != "completed"]
    decided = [d for d in coordination.pending_decisions if d.made_by == AUTO]
    parts = (
        ("changed", some(diff_stat(diff), lambda change: f"{clean(change[0])}  +{change[1]} -{change[2]}")),
        ("proof", proof_lines(state.engine.proof)),
        ("patches", patches_lines(state.engine.patches or ())),
        ("failing", some(results.failed_tests if results else (), clean)),
        ("issues", some(left, lambda issue: short(issue, WORDS_CELLS))),
        ("open", some(open_tasks, lambda t: f"{clean(t.id)} ({t.status}): {short(t.description, 80)}")),
        ("blocked", some(coordination.open_blockers, lambda b: f"{clean(b.id)}: {short(b.description, WORDS_CELLS)}")),
        ("to decide", some(coordination.undecided, lambda d: f"{clean(d.id)}: {short(d.description, WORDS_CELLS)}")),
        (
            "decided",
            some(decided, lambda d: f"{clean(d.id)}: {short(d.chosen_option or '', 40)} ({short(d.description, 80)})"),
        ),
        ("spent", [spent_words(state.engine)]),
    )
    for name, items in parts:
        lines += [LABEL.format("" if i else name, item) for i, item in enumerate(items)]
    if summary:
        lines.append(LABEL.format("summary", summary))
    return "\n".join([*lines, *next_lines(state, live, elsewhere)])
