"""Sessions of tuning as text: the list, and one session in full. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from loopwright.cli.ending import LABEL, SHOWN
from loopwright.cli.parts import (
    EVERYTHING,
    TITLE_CELLS,
    WORDS_CELLS,
    Damaged,
    Table,
    kept,
    listed,
    requests,
    spent_words,
    status_words,
)
from loopwright.cli.text import age, clean, columns, fold, local, short
from loopwright.cli.tunings.ending import VERDICTS, found_words, headline, next_lines, why
from loopwright.domain.tuning import Fix, Issue, TuningState
from loopwright.domain.words import plural

TABLE = Table(
    "tuning session", ("ID", "STATUS", "GATE", "SCORE", "ISSUES", "FIXES", "AGE", "SKILL"),
    "{}, gate {}, score {}, issues {}, fixes {}, {} ago",
    "no tuning sessions here; start one with: loopwright tune PATH",
)  # fmt: skip


def tuning_status(state: TuningState, *, live: bool) -> str:
    """The status, and in brackets what one has to know about it."""
    if state.status == "running" and state.engine.waiting:
        return "running (asks)"
    return status_words(state, live=live)


def tuning_table(
    sessions: Sequence[tuple[TuningState, bool]], total: int, now: datetime, *,
    damaged: Sequence[Damaged] = (), cells: int = 160,
) -> str:  # fmt: skip
    """One line a session; each comes with whether a runner holds it."""
    return listed(TABLE, [_row(state, live, now) for state, live in sessions], total, damaged, cells)


def _row(state: TuningState, live: bool, now: datetime) -> tuple[str, ...]:
    known = bool(state.engine.standings)
    return (
        state.tuning_id, tuning_status(state, live=live), state.quality_gate if known else "-",
        f"{state.quality_score:g}" if known else "-", f"{len(state.issues)}" if known else "-", fixes_words(state),
        age(state.updated_at or state.engine.created_at or now.isoformat(), now), short(state.title, TITLE_CELLS),
    )  # fmt: skip


def fixes_words(state: TuningState) -> str:
    """`2/3`: verified of those that were proposed."""
    held = sum(fix.verification_result == "pass" for fix in state.applied_fixes)
    return f"{held}/{len(state.proposed_fixes)}" if state.proposed_fixes else "-"


def restored(state: TuningState) -> str:
    """What a recovery has brought back, in a line."""
    issues, fixes = plural(len(state.issues), "issue"), plural(len(state.proposed_fixes), "fix")
    return f"{tuning_status(state, live=False)}, iteration {state.iteration_count}, {issues}, {fixes}"


def tuning_page(
    state: TuningState, *, live: bool, now: datetime, elsewhere: str, cells: int = 160, whole: bool = False
) -> str:
    """Everything about one session; long lists are cut unless `whole`. `elsewhere` ends each suggested command."""
    most = EVERYTHING if whole else SHOWN
    parts = [
        _head(state, live, now), requests(state.engine, live, most), _diagnosis(state), _issues(state, most),
        _fixes(state, most), _errors(state, most), kept(state.engine, most),
    ]  # fmt: skip
    lines = [folded for part in parts for line in part for folded in fold(line, cells)]
    if max(len(state.issues), len(state.proposed_fixes), len(state.errors)) > most:
        lines += ["", f"loopwright tunings show {state.tuning_id} --all{elsewhere} shows every line"]
    told = fold(headline(state, live=live), cells)
    return "\n".join([*lines, "", *told, *next_lines(state, live, elsewhere)])


def _head(state: TuningState, live: bool, now: datetime) -> Iterator[str]:
    engine = state.engine
    yield f"{state.tuning_id}  {clean(state.title)}"
    yield LABEL.format("status", tuning_status(state, live=live))
    yield LABEL.format("skill", clean(engine.path))
    if state.user_issue_description:
        yield LABEL.format("described", clean(state.user_issue_description))
    if engine.standings:
        course = [*(one.score for one in engine.standings), state.quality_score]
        scores = " → ".join(f"{score:g}" for score, _ in groupby(course))
        yield LABEL.format("gate", f"{VERDICTS[state.quality_gate]}, score {scores}")
        yield LABEL.format("found", found_words(state))
    yield LABEL.format("may mend", f"{engine.level}{f', by {clean(engine.agent)}' if engine.agent else ''}")
    yield LABEL.format("iteration", f"{state.iteration_count} of {state.max_iterations}")
    yield LABEL.format("spent", spent_words(engine))
    if engine.created_at:
        yield LABEL.format("created", local(engine.created_at))
    if state.updated_at:
        yield LABEL.format("updated", f"{local(state.updated_at)} ({age(state.updated_at, now)} ago)")


def _diagnosis(state: TuningState) -> Iterator[str]:
    rows = []
    for dimension in state.engine.dimensions:
        result = state.diagnosis.of(dimension)
        if result is not None:
            found = f"{plural(result.issues_found, 'issue')}, {result.severity}" if result.issues_found else "nothing"
            rows.append((f"  {dimension}", result.status, found if result.status == "completed" else ""))
    if rows:
        yield from ("", "Diagnosis", *columns(rows))


def _issues(state: TuningState, most: int) -> Iterator[str]:
    if state.issues:
        yield from ("", "Issues")
        yield from columns([_issue(issue) for issue in state.issues[:most]])
    if len(state.issues) > most:
        yield f"  … and {len(state.issues) - most:,} more"


def _issue(issue: Issue) -> tuple[str, ...]:
    line = f":{issue.location.line_start}" if issue.location.line_start else ""
    return (
        f"  {issue.id}", issue.severity, f"{clean(issue.location.file)}{line}", short(issue.description, WORDS_CELLS)
    )  # fmt: skip


def _fixes(state: TuningState, most: int) -> Iterator[str]:
    if state.proposed_fixes:
        yield from ("", "Fixes")
    for fix in state.proposed_fixes[:most]:
        yield f"  {fix.id}  {_fate(state, fix)}: {short(fix.description, WORDS_CELLS)}"
        yield f"           {', '.join(clean(change.file) for change in fix.changes)}"
    if len(state.proposed_fixes) > most:
        yield f"  … and {len(state.proposed_fixes) - most:,} more"


def _fate(state: TuningState, fix: Fix) -> str:
    """What became of it."""
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    waiting = state.engine.waiting
    if entry is None:
        offered = waiting is not None and fix.id in waiting.options
        reason = why(state, fix.id)
        return "offered" if offered else f"not applied ({reason})" if reason else "not applied"
    if entry.verification_result == "pending":
        return "applied, not verified yet"
    if entry.rollback_available:
        return "applied and verified"
    reason = why(state, fix.id)
    return f"rolled back ({reason})" if reason else "rolled back"


def _errors(state: TuningState, most: int) -> Iterator[str]:
    if state.errors:
        yield from ("", "Errors")
    for error in state.errors[-most:]:
        yield f"  {local(error.timestamp)} {clean(error.action)}: {short(error.message, WORDS_CELLS)}"
