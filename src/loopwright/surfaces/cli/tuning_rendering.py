"""Sessions of tuning as text: the list, and one session in full. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Self

from loopwright.core.names import TuningStatus
from loopwright.core.record import JournalEntry
from loopwright.core.run_events import RunNote
from loopwright.core.text import clean_line, plural
from loopwright.policy.permissions import request_words
from loopwright.skills.findings import SEVERITIES, Dimension
from loopwright.surfaces.cli.loop_rendering import (
    ASKED_SHOWN,
    EVERYTHING,
    MARKS,
    SHOWN,
    TITLE_CELLS,
    WORDS_CELLS,
    DamagedRun,
    Steps,
    TableLayout,
    checkpoint_lines,
    describe_standstill,
    list_some,
    render_table,
    request_lines,
    spent_words,
    status_words,
    strip_report,
)
from loopwright.surfaces.cli.options import quote_shell
from loopwright.surfaces.cli.text import (
    LABEL,
    Style,
    StyledLine,
    align_columns,
    cut_line,
    fold_line,
    format_age,
    format_stopwatch,
    format_time,
    last_line,
    shorten_text,
)
from loopwright.workflows.loop.summary import diff_stat
from loopwright.workflows.tuning.model import DIAGNOSES, RANKS, AppliedFix, Fix, Issue, TuningState

ENDING_CELLS = 100
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


def tuning_headline(state: TuningState, *, live: bool = False) -> str:
    """Where the session rests, in a sentence."""
    if words := describe_standstill(state):
        return words
    if state.status == "completed":
        return f"Completed: the skill {VERDICTS[state.quality_gate]}, {score_words(state)}; {found_words(state)}."
    if state.status == "pending":
        return "Created, not started yet."
    return "Running." if live else "Interrupted: no runner is working on it."


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
    offered = list_fixing_levels(state)
    known = {
        "id": state.tuning_id,
        "at": elsewhere,
        "path": quote_shell(state.engine.path),
        "fix": next(iter(waiting.options), "") if waiting else "",
        "all": "" if "mechanical" in offered else "=all",
    }
    return [LABEL.format(label, pattern.format(**known)) for label, pattern in _steps(state, live, offered)]


def list_fixing_levels(state: TuningState) -> frozenset[str]:
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


def tuning_ending(state: TuningState, *, diff: str, summary: str | None, elsewhere: str, live: bool = False) -> str:
    """How a session came to rest: gate, what was changed, what is left, and what to type next."""
    lines = [tuning_headline(state, live=live)]
    back = [fix.fix_id for fix in state.applied_fixes if fix.verification_result == "fail"]
    refused, undone = [id for id in back if state.refusal(id)], [id for id in back if not state.refusal(id)]
    parts = (
        ("changed", list_some(diff_stat(diff), lambda change: f"{clean_line(change[0])}  +{change[1]} -{change[2]}")),
        ("refused", list_some(refused, lambda id: f"{id}: {explain_refusal(state, id)}")),
        ("rolled back", list_some(undone, str)),
        (
            "left",
            list_some(state.issues, lambda issue: f"{issue.severity}: {shorten_text(issue.description, ENDING_CELLS)}"),
        ),
    )
    for name, items in parts:
        lines += [LABEL.format("" if i else name, item) for i, item in enumerate(items)]
    if summary:
        lines.append(LABEL.format("report", summary))
    return "\n".join([*lines, *next_lines(state, live, elsewhere)])


def explain_refusal(state: TuningState, fix: str) -> str:
    """Why a fix is not in the files."""
    return shorten_text(state.refusal(fix), 200)


TABLE = TableLayout(
    "tuning session",
    ("ID", "STATUS", "GATE", "SCORE", "ISSUES", "FIXES", "AGE", "SKILL"),
    "{}, gate {}, score {}, issues {}, fixes {}, {} ago",
    "no tuning sessions here; start one with: loopwright tune PATH",
)


def tuning_status(state: TuningState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    if state.status == "running" and state.engine.waiting:
        return "running (asks)"
    return status_words(state, live=live)


def tuning_table(
    sessions: Sequence[tuple[TuningState, bool]],
    total: int,
    now: datetime,
    *,
    damaged: Sequence[DamagedRun] = (),
    cells: int = 160,
) -> str:
    """One line a session; each comes with whether a runner holds it."""
    return render_table(TABLE, [_row(state, live, now) for state, live in sessions], total, damaged, cells)


def _row(state: TuningState, live: bool, now: datetime) -> tuple[str, ...]:
    known = bool(state.engine.standings)
    return (
        state.tuning_id,
        tuning_status(state, live=live),
        state.quality_gate if known else "-",
        f"{state.quality_score:g}" if known else "-",
        f"{len(state.issues)}" if known else "-",
        fixes_words(state),
        format_age(state.updated_at or state.engine.created_at or now.isoformat(), now),
        shorten_text(state.title, TITLE_CELLS),
    )


def fixes_words(state: TuningState) -> str:
    """`2/3`: verified of those that were proposed."""
    held = sum(fix.verification_result == "pass" for fix in state.applied_fixes)
    return f"{held}/{len(state.proposed_fixes)}" if state.proposed_fixes else "-"


def tuning_recovery_line(state: TuningState) -> str:
    """What a recovery has brought back, in a line."""
    issues, fixes = plural(len(state.issues), "issue"), plural(len(state.proposed_fixes), "fix")
    return f"{tuning_status(state, live=False)}, iteration {state.iteration_count}, {issues}, {fixes}"


def tuning_page(
    state: TuningState, *, live: bool, now: datetime, elsewhere: str, cells: int = 160, whole: bool = False
) -> str:
    """Everything about one session; long lists are cut unless `whole`. `elsewhere` ends each suggested command."""
    most = EVERYTHING if whole else SHOWN
    parts = [
        _head(state, live, now),
        request_lines(state.engine, live, most),
        _diagnosis(state),
        _issues(state, most),
        _fixes(state, most),
        _errors(state, most),
        checkpoint_lines(state.engine, most),
    ]
    lines = [folded for part in parts for line in part for folded in fold_line(line, cells)]
    if max(len(state.issues), len(state.proposed_fixes), len(state.errors)) > most:
        lines += ["", f"loopwright tunings show {state.tuning_id} --all{elsewhere} shows every line"]
    told = fold_line(tuning_headline(state, live=live), cells)
    return "\n".join([*lines, "", *told, *next_lines(state, live, elsewhere)])


def _head(state: TuningState, live: bool, now: datetime) -> Iterator[str]:
    engine = state.engine
    yield f"{state.tuning_id}  {clean_line(state.title)}"
    yield LABEL.format("status", tuning_status(state, live=live))
    yield LABEL.format("skill", clean_line(engine.path))
    if state.user_issue_description:
        yield LABEL.format("described", clean_line(state.user_issue_description))
    if engine.standings:
        course = [*(one.score for one in engine.standings), state.quality_score]
        scores = " → ".join(f"{score:g}" for score, _ in groupby(course))
        yield LABEL.format("gate", f"{VERDICTS[state.quality_gate]}, score {scores}")
        yield LABEL.format("found", found_words(state))
    yield LABEL.format("may fix", f"{engine.level}{f', by {clean_line(engine.agent)}' if engine.agent else ''}")
    yield LABEL.format("iteration", f"{state.iteration_count} of {state.max_iterations}")
    yield LABEL.format("spent", spent_words(engine))
    if engine.created_at:
        yield LABEL.format("created", format_time(engine.created_at))
    if state.updated_at:
        yield LABEL.format("updated", f"{format_time(state.updated_at)} ({format_age(state.updated_at, now)} ago)")


def _diagnosis(state: TuningState) -> Iterator[str]:
    rows = []
    for dimension in state.engine.dimensions:
        result = state.diagnosis.of(dimension)
        if result is not None:
            found = f"{plural(result.issues_found, 'issue')}, {result.severity}" if result.issues_found else "nothing"
            rows.append((f"  {dimension}", result.status, found if result.status == "completed" else ""))
    if rows:
        yield from ("", "Diagnosis", *align_columns(rows))


def _issues(state: TuningState, most: int) -> Iterator[str]:
    if state.issues:
        yield from ("", "Issues")
        yield from align_columns([_issue(issue) for issue in state.issues[:most]])
    if len(state.issues) > most:
        yield f"  … and {len(state.issues) - most:,} more"


def _issue(issue: Issue) -> tuple[str, ...]:
    line = f":{issue.location.line_start}" if issue.location.line_start else ""
    return (
        f"  {issue.id}",
        issue.severity,
        f"{clean_line(issue.location.file)}{line}",
        shorten_text(issue.description, WORDS_CELLS),
    )


def _fixes(state: TuningState, most: int) -> Iterator[str]:
    if state.proposed_fixes:
        yield from ("", "Fixes")
    for fix in state.proposed_fixes[:most]:
        yield f"  {fix.id}  {_fate(state, fix)}: {shorten_text(fix.description, WORDS_CELLS)}"
        yield f"           {', '.join(clean_line(change.file) for change in fix.changes)}"
    if len(state.proposed_fixes) > most:
        yield f"  … and {len(state.proposed_fixes) - most:,} more"


def _fate(state: TuningState, fix: Fix) -> str:
    """What became of it."""
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    waiting = state.engine.waiting
    if entry is None:
        offered = waiting is not None and fix.id in waiting.options
        reason = explain_refusal(state, fix.id)
        return "offered" if offered else f"not applied ({reason})" if reason else "not applied"
    if entry.verification_result == "pending":
        return "applied, not verified yet"
    if entry.rollback_available:
        return "applied and verified"
    reason = explain_refusal(state, fix.id)
    return f"rolled back ({reason})" if reason else "rolled back"


def _errors(state: TuningState, most: int) -> Iterator[str]:
    if state.errors:
        yield from ("", "Errors")
    for error in state.errors[-most:]:
        yield f"  {format_time(error.timestamp)} {clean_line(error.action)}: {shorten_text(error.message, WORDS_CELLS)}"


FIXES_SHOWN = 8
ABOUT_CELLS = 80
STYLES: dict[str, tuple[str, Style]] = {
    "pass": (MARKS["completed"], "completed"),
    "fail": ("✗", "fact"),
    "pending": (MARKS["in_progress"], "in_progress"),
}


@dataclass(frozen=True)
class TuningScene:
    """The Picture of a session. `seconds` since we look; `doing` was told last, `output` printed or said."""

    state: TuningState
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
                return replace(self, doing=note.text, doing_seconds=0, output="")
            case "able" | "message" | "turn" | "usage":
                return self
            case _:
                return replace(self, doing=note.text, doing_seconds=0, output="")

    def lines(self, cells: int) -> list[StyledLine]:
        return [StyledLine(cut_line(line.text, cells), line.kind) for line in _lines(self)]

    def about(self, entry: JournalEntry) -> str:
        """What the fix is that is applied."""
        fix = self.state.fix(str(entry.event.data.get("fix"))) if entry.event.type == "step_started" else None
        return f": {shorten_text(fix.description, ABOUT_CELLS)}" if fix else ""


def _lines(scene: TuningScene) -> Iterator[StyledLine]:
    state = scene.state
    parts = (state.tuning_id, format_stopwatch(scene.seconds), state.status, f"iteration {state.iteration_count}")
    yield StyledLine(" · ".join(parts), "head")
    yield StyledLine(f"  {clean_line(state.title)}", "head")
    for dimension in state.engine.dimensions:
        yield _dimension(state, dimension)
    if state.engine.standings:
        yield StyledLine(f"  {score_words(state)} · {found_words(state)}", "fact")
    yield from _fix_cells(state)
    if state.status != "running":
        return
    yield from (
        StyledLine(f"  ? {words}", "doing") for words in list_some(state.engine.asked, request_words, most=ASKED_SHOWN)
    )
    if state.engine.waiting:
        yield StyledLine(f"  ? {clean_line(state.engine.waiting.question)}", "doing")
    if words := strip_report(scene.doing):
        yield StyledLine(f"  {format_stopwatch(scene.doing_seconds)} {words}", "doing")
    if scene.output:
        yield StyledLine(f"       {clean_line(scene.output)}", "output")


def _dimension(state: TuningState, dimension: Dimension) -> StyledLine:
    result = state.diagnosis.of(dimension)
    if any(one.step == DIAGNOSES[dimension] for one in state.engine.under_way):
        return StyledLine(f"  {MARKS['in_progress']} {dimension}", "in_progress")
    if result is None:
        return StyledLine(f"  {MARKS['pending']} {dimension}", "pending")
    if result.status == "failed":
        return StyledLine(f"  ✗ {dimension}: could not be checked", "fact")
    return StyledLine(f"  {MARKS['completed']} {dimension}: {plural(result.issues_found, 'issue')}", "completed")


def _fix_cells(state: TuningState) -> Iterator[StyledLine]:
    entries = {one.fix_id: one for one in state.applied_fixes}
    for fix in state.proposed_fixes[-FIXES_SHOWN:]:
        mark, style = _sign(entries.get(fix.id))
        yield StyledLine(f"  {mark} {fix.id} {clean_line(fix.description)}", style)
    if len(state.proposed_fixes) > FIXES_SHOWN:
        yield StyledLine(f"    … and {len(state.proposed_fixes) - FIXES_SHOWN:,} before", "pending")


def _sign(entry: AppliedFix | None) -> tuple[str, Style]:
    return STYLES[entry.verification_result] if entry else (MARKS["pending"], "pending")
