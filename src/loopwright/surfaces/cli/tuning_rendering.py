"""Sessions of tuning as text: what only they have to say. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from loopwright.core.names import TuningStatus
from loopwright.core.text import clean_line, plural
from loopwright.skills.findings import SEVERITIES, Dimension
from loopwright.surfaces.cli.options import quote_shell
from loopwright.surfaces.cli.run_rendering import (
    ENDING_CELLS,
    WORDS_CELLS,
    Fact,
    PageView,
    Part,
    RunRendering,
    Steps,
    count_rest,
    request_sections,
    time_details,
)
from loopwright.surfaces.cli.run_scene import MARKS, LineStyle, RunScene
from loopwright.surfaces.cli.text import align_columns, format_time, list_some, shorten_text
from loopwright.workflows.loop.summary import FinishedAction
from loopwright.workflows.tuning.model import DIAGNOSES, RANKS, Fix, Issue, TuningState

VERDICTS = {"pass": "passed", "review": "needs review", "fail": "failed"}
FIXES_SHOWN = 8

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


def score_words(state: TuningState) -> str:
    """`score 61 → 88`: at first and now, once there is one."""
    if not state.engine.standings:
        return "no score yet"
    first, now = state.engine.standings[0].score, state.quality_score
    told = f"score {now:g}" if first == now else f"score {first:g} → {now:g}"
    return f"{told} (exact checks only)" if state.engine.unreviewed else told


def found_words(state: TuningState) -> str:
    found = state.issues_by_severity.model_dump()
    told = ", ".join(f"{found[severity]} {severity}" for severity in SEVERITIES if found[severity])
    return f"{plural(len(state.issues), 'issue')} ({told})" if told else "nothing is wrong with it"


def fixes_words(state: TuningState) -> str:
    """`2/3`: verified of those that were proposed."""
    held = sum(fix.verification_result == "pass" for fix in state.applied_fixes)
    return f"{held}/{len(state.proposed_fixes)}" if state.proposed_fixes else "-"


def list_fixing_levels(state: TuningState) -> frozenset[str]:
    """The levels above the chosen one that would mend something that is left."""
    most = RANKS[state.engine.level]
    prints = {finding.fingerprint for finding in state.engine.findings if finding.counts}
    levels = (level for print, level in state.engine.fixable.items() if print in prints - state.engine.rejected.keys())
    return frozenset(level for level in levels if RANKS[level] > most)


class TuningRendering(RunRendering[TuningState]):
    name, key, line = "tuning session", "tuning_id", "loopwright tunings"
    columns = (
        ("GATE", lambda state: state.quality_gate if state.engine.standings else "-"),
        ("SCORE", lambda state: f"{state.quality_score:g}" if state.engine.standings else "-"),
        ("ISSUES", lambda state: f"{len(state.issues)}" if state.engine.standings else "-"),
        ("FIXES", fixes_words),
    )
    titles = "SKILL"
    facts = "{STATUS}, gate {GATE}, score {SCORE}, issues {ISSUES}, fixes {FIXES}, {AGE} ago"
    none = "no tuning sessions here; start one with: loopwright tune PATH"
    headline_last = True
    summary_label = "report"

    def completed(self, state: TuningState) -> str:
        return f"Completed: the skill {VERDICTS[state.quality_gate]}, {score_words(state)}; {found_words(state)}."

    def changed_at(self, state: TuningState) -> str | None:
        return state.updated_at or state.engine.created_at

    def status(self, state: TuningState, *, live: bool) -> str:
        """Also what nobody is at work on asks: whoever chooses takes it up."""
        asks = state.status == "running" and state.engine.waiting
        return "running (asks)" if asks else super().status(state, live=live)

    def iteration(self, state: TuningState) -> str:
        return f"{state.iteration_count}"

    def counts(self, state: TuningState) -> tuple[str, ...]:
        return plural(len(state.issues), "issue"), plural(len(state.proposed_fixes), "fix")

    def steps(self, state: TuningState, live: bool) -> Steps:
        if state.status == "failed":
            return AGAIN
        if state.status == "completed":
            return MEND if list_fixing_levels(state) else REPORT
        if state.engine.waiting is not None:
            return CHOOSE
        if state.engine.asked and live:
            return APPROVE
        return WATCH if state.status == "running" and live else CONTINUE[state.status]

    def blanks(self, state: TuningState) -> Mapping[str, object]:
        waiting = state.engine.waiting
        return {
            "path": quote_shell(state.engine.path),
            "fix": next(iter(waiting.options), "") if waiting else "",
            "all": "" if "mechanical" in list_fixing_levels(state) else "=all",
        }

    def remains(self, state: TuningState) -> Iterator[Part]:
        back = [fix.fix_id for fix in state.applied_fixes if fix.verification_result == "fail"]
        refused, undone = [id for id in back if state.refusal(id)], [id for id in back if not state.refusal(id)]
        yield "refused", list_some(refused, lambda id: f"{id}: {explain_refusal(state, id)}")
        yield "rolled back", list_some(undone, str)
        yield (
            "left",
            list_some(state.issues, lambda one: f"{one.severity}: {shorten_text(one.description, ENDING_CELLS)}"),
        )

    def details(self, state: TuningState, view: PageView) -> Iterator[Fact]:
        engine = state.engine
        yield "status", self.status(state, live=view.live)
        yield "skill", clean_line(engine.path)
        if state.user_issue_description:
            yield "described", clean_line(state.user_issue_description)
        if engine.standings:
            course = [*(one.score for one in engine.standings), state.quality_score]
            scores = " → ".join(f"{score:g}" for score, _ in groupby(course))
            yield "gate", f"{VERDICTS[state.quality_gate]}, score {scores}"
            yield "found", found_words(state)
        yield "may fix", f"{engine.level}{f', by {clean_line(engine.agent)}' if engine.agent else ''}"
        yield "iteration", f"{state.iteration_count} of {state.max_iterations}"
        yield from time_details(engine, engine.created_at, state.updated_at)

    def sections(self, state: TuningState, view: PageView) -> Iterator[Part]:
        most = view.most
        yield from request_sections(state.engine, view)
        if rows := list(_diagnoses(state)):
            yield "Diagnosis", align_columns(rows)
        if state.issues:
            issues = align_columns([_issue(issue) for issue in state.issues[:most]])
            yield "Issues", [*issues, *count_rest(state.issues, most)]
        if state.proposed_fixes:
            fixes = [line for fix in state.proposed_fixes[:most] for line in _fix(state, fix)]
            yield "Fixes", [*fixes, *count_rest(state.proposed_fixes, most)]
        if state.errors:
            yield (
                "Errors",
                [
                    f"  {format_time(e.timestamp)} {clean_line(e.action)}: {shorten_text(e.message, WORDS_CELLS)}"
                    for e in state.errors[-most:]
                ],
            )

    def lists(self, state: TuningState) -> Iterator[Sequence[object]]:
        yield from (state.issues, state.proposed_fixes, state.errors)

    def picture(self, state: TuningState, history: tuple[FinishedAction, ...], seconds: float) -> "TuningScene":
        return TuningScene(state, seconds)


TUNING = TuningRendering()


def explain_refusal(state: TuningState, fix: str) -> str:
    """Why a fix is not in the files."""
    return shorten_text(state.refusal(fix), 200)


def _diagnoses(state: TuningState) -> Iterator[tuple[str, ...]]:
    for dimension in state.engine.dimensions:
        if result := state.diagnosis.of(dimension):
            found = f"{plural(result.issues_found, 'issue')}, {result.severity}" if result.issues_found else "nothing"
            yield f"  {dimension}", result.status, found if result.status == "completed" else ""


def _issue(issue: Issue) -> tuple[str, ...]:
    line = f":{issue.location.line_start}" if issue.location.line_start else ""
    place = f"{clean_line(issue.location.file)}{line}"
    return f"  {issue.id}", issue.severity, place, shorten_text(issue.description, WORDS_CELLS)


def _fix(state: TuningState, fix: Fix) -> Iterator[str]:
    yield f"  {fix.id}  {_fate(state, fix)}: {shorten_text(fix.description, WORDS_CELLS)}"
    yield f"           {', '.join(clean_line(change.file) for change in fix.changes)}"


def _fate(state: TuningState, fix: Fix) -> str:
    """What became of it."""
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    waiting = state.engine.waiting
    if entry and entry.verification_result == "pending":
        return "applied, not verified yet"
    if entry and entry.rollback_available:
        return "applied and verified"
    if entry is None and waiting is not None and fix.id in waiting.options:
        return "offered"
    reason = explain_refusal(state, fix.id)
    return f"{'rolled back' if entry else 'not applied'}{f' ({reason})' if reason else ''}"


STYLES: dict[str, tuple[str, LineStyle]] = {
    "pass": (MARKS["completed"], "completed"),
    "fail": (MARKS["failed"], "fact"),
    "pending": (MARKS["in_progress"], "in_progress"),
}


@dataclass(frozen=True)
class TuningScene(RunScene[TuningState]):
    """The dimensions and what was found, then the fixes, then what is done right now."""

    tells_actions = True

    def draw(self, cells: int) -> Iterator[tuple[str, LineStyle]]:
        state = self.state
        yield from self.head(state.tuning_id, f"{state.iteration_count}", cells)
        yield from (_dimension(state, dimension) for dimension in state.engine.dimensions)
        if state.engine.standings:
            yield f"  {score_words(state)} · {found_words(state)}", "fact"
        yield from _fix_cells(state)
        if state.status == "running":
            yield from self.asked(*([state.engine.waiting.question] if state.engine.waiting else ()))
            yield from self.activity()

    def begun(self, fields: Mapping[str, object]) -> str | None:
        fix = self.state.fix(str(fields.get("fix")))
        return fix.description if fix else None


def _dimension(state: TuningState, dimension: Dimension) -> tuple[str, LineStyle]:
    result = state.diagnosis.of(dimension)
    if any(one.step == DIAGNOSES[dimension] for one in state.engine.under_way):
        return f"  {MARKS['in_progress']} {dimension}", "in_progress"
    if result is None:
        return f"  {MARKS['pending']} {dimension}", "pending"
    if result.status == "failed":
        return f"  {MARKS['failed']} {dimension}: could not be checked", "fact"
    return f"  {MARKS['completed']} {dimension}: {plural(result.issues_found, 'issue')}", "completed"


def _fix_cells(state: TuningState) -> Iterator[tuple[str, LineStyle]]:
    entries = {one.fix_id: one.verification_result for one in state.applied_fixes}
    for fix in state.proposed_fixes[-FIXES_SHOWN:]:
        mark, style = STYLES[entries[fix.id]] if fix.id in entries else (MARKS["pending"], "pending")
        yield f"  {mark} {fix.id} {clean_line(fix.description)}", style
    if len(state.proposed_fixes) > FIXES_SHOWN:
        yield f"    … and {len(state.proposed_fixes) - FIXES_SHOWN:,} before", "pending"
