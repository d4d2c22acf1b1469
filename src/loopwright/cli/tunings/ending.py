"""How a session of tuning rests, in words, and what to type next. Pure."""

from loopwright.cli.ending import LABEL, Steps, diff_stat, some, standstill
from loopwright.cli.options import quoted
from loopwright.cli.text import clean, short
from loopwright.domain.findings import SEVERITIES
from loopwright.domain.tuning import TuningState, TuningStatus
from loopwright.domain.tuning_engine import RANKS
from loopwright.domain.words import plural

WORDS_CELLS = 100
VERDICTS = {"pass": "passed", "review": "needs review", "fail": "failed"}

CHOOSE: Steps = (
    ("next", "loopwright tunings choose {id} {fix}{at}"),
    ("or", "loopwright tunings choose {id} --all{at}"),
    ("diff", "loopwright tunings diff {id} {fix}{at}"),
)
APPROVE: Steps = (("next", "loopwright tunings approve {id} --allow{at}"),)
MEND: Steps = (("next", "loopwright tune {path} --fix{all}{at}"),)
AGAIN: Steps = (("next", "loopwright tune {path}{at}"),)
REPORT: Steps = (("next", "loopwright tunings report {id}{at}"),)
CONTINUE: dict[TuningStatus, Steps] = {
    "pending": (("next", "loopwright tunings start {id}{at}"),),
    "running": (("next", "loopwright tunings resume {id}{at}"),),
}
WATCH: Steps = (("next", "loopwright tunings watch {id}{at}"),)


def headline(state: TuningState, *, live: bool = False) -> str:
    """Where the session rests, in a sentence."""
    if words := standstill(state):
        return words
    if state.status == "completed":
        return f"Completed: the skill {VERDICTS[state.quality_gate]}, {score_words(state)}; {found_words(state)}."
    if state.status == "pending":
        return "Created, not started yet."
    return "Running." if live else "Interrupted: no runner is at work on it."


def score_words(state: TuningState) -> str:
    """`score 61 → 88`: at first and now, once there is one."""
    scores = [standing.score for standing in state.engine.standings]
    if not scores:
        return "no score yet"
    first, now = scores[0], state.quality_score
    told = f"score {now:g}" if first == now else f"score {first:g} → {now:g}"
    return f"{told} (exact checks only)" if state.engine.unreviewed else told


def found_words(state: TuningState) -> str:
    found = state.issues_by_severity.model_dump()
    told = ", ".join(f"{found[severity]} {severity}" for severity in SEVERITIES if found[severity])
    return f"{plural(len(state.issues), 'issue')} ({told})" if told else "nothing is wrong with it"


def next_lines(state: TuningState, live: bool, elsewhere: str) -> list[str]:
    """What to type next, ready to be copied. `elsewhere` ends each command."""
    waiting = state.engine.waiting
    offered = mendable(state)
    known = {
        "id": state.tuning_id, "at": elsewhere, "path": quoted(state.engine.path),
        "fix": next(iter(waiting.options), "") if waiting else "",
        "all": "" if "mechanical" in offered else "=all",
    }  # fmt: skip
    return [LABEL.format(label, pattern.format(**known)) for label, pattern in _steps(state, live, offered)]


def mendable(state: TuningState) -> frozenset[str]:
    """The levels above the chosen one that would mend something that is left."""
    most = RANKS[state.engine.level]
    prints = {finding.fingerprint for finding in state.engine.findings if finding.counts}
    levels = (level for print, level in state.engine.fixable.items() if print in prints - state.engine.rejected.keys())
    return frozenset(level for level in levels if RANKS[level] > most)


def _steps(state: TuningState, live: bool, offered: frozenset[str]) -> Steps:
    if state.status == "failed":
        return AGAIN
    if state.status == "completed":
        return MEND if offered else REPORT
    if state.engine.waiting is not None:
        return CHOOSE
    if state.engine.asked and live:
        return APPROVE
    return WATCH if state.status == "running" and live else CONTINUE[state.status]


def ending(state: TuningState, *, diff: str, summary: str | None, elsewhere: str, live: bool = False) -> str:
    """How a session came to rest: gate, what was changed, what is left, and what to type next."""
    lines = [headline(state, live=live)]
    back = [fix.fix_id for fix in state.applied_fixes if fix.verification_result == "fail"]
    refused, undone = [id for id in back if state.refusal(id)], [id for id in back if not state.refusal(id)]
    parts = (
        ("changed", some(diff_stat(diff), lambda change: f"{clean(change[0])}  +{change[1]} -{change[2]}")),
        ("refused", some(refused, lambda id: f"{id}: {why(state, id)}")),
        ("rolled back", some(undone, str)),
        ("left", some(state.issues, lambda issue: f"{issue.severity}: {short(issue.description, WORDS_CELLS)}")),
    )
    for name, items in parts:
        lines += [LABEL.format("" if i else name, item) for i, item in enumerate(items)]
    if summary:
        lines.append(LABEL.format("report", summary))
    return "\n".join([*lines, *next_lines(state, live, elsewhere)])


def why(state: TuningState, fix: str) -> str:
    """Why a fix is not in the files."""
    return short(state.refusal(fix), 200)
