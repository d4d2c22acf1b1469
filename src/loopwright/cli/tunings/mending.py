"""What a session has mended, as a person reads it: each fix, what became of it, and how it is taken back. Pure."""

from collections.abc import Iterator

from loopwright.cli.layout import Look, Style, plain, wrapped
from loopwright.cli.text import clean, clean_lines
from loopwright.cli.text import coloured as coloured_diff
from loopwright.domain.tuning import Fix, TuningState
from loopwright.domain.words import plural
from loopwright.tune.publish import diff_of

INDENT = 11
SIGNS: dict[str, tuple[str, Style]] = {
    "pass": ("mended", "good"),
    "fail": ("refused", "high"),
    "pending": ("waiting", "medium"),
}


def mended_page(state: TuningState, path: str, look: Look, *, diffs: bool) -> str:
    """Every fix that was proposed; `diffs`: with what it changed, where nobody has seen that yet."""
    if not state.proposed_fixes:
        asked = state.issues and state.engine.level != "none"
        return "\n".join(["", *wrapped(_nothing(state), look.cells)]) if asked else ""
    lines = ["", look.paint("strong", _headline(state))]
    for fix in state.proposed_fixes:
        lines += _fix(state, fix, look, diffs=diffs)
    held = [one.fix_id for one in state.applied_fixes if one.rollback_available]
    if held:
        lines += ["", *_next("take one back with", f"loopwright tune {path} --rollback {held[-1]}", look)]
    return "\n".join(lines)


def _nothing(state: TuningState) -> str:
    found = plural(len(state.issues), "finding")
    if state.engine.agent:
        return f"Nothing was changed: {state.engine.agent} wrote no fix for {found}."
    return f"Nothing was changed: --fix knows no repair for {found}; --fix=all --agent NAME lets an agent write one."


def _headline(state: TuningState) -> str:
    held = sum(one.verification_result == "pass" for one in state.applied_fixes)
    scores = [one.score for one in state.engine.standings]
    words = f"{held} of {plural(len(state.proposed_fixes), 'fix')} applied and verified"
    return f"{words}: score {scores[0]:g} → {state.quality_score:g}" if scores and held else words


def _fix(state: TuningState, fix: Fix, look: Look, *, diffs: bool) -> Iterator[str]:
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    sign, style = SIGNS[entry.verification_result] if entry else ("left out", "faint")
    why = state.refusal(fix.id) if entry is None or entry.verification_result == "fail" else ""
    if entry and entry.verification_result == "fail" and not why:
        sign, style = "undone", "faint"
    files = ", ".join(clean(change.file) for change in fix.changes)
    first, *rest = wrapped(f"{fix.id}  {clean(fix.description)} ({files})", look.cells - INDENT)
    yield f"  {look.paint(style, f'{sign:<8}')} {first}"
    yield from (f"{'':<{INDENT}}{line}" for line in rest)
    if why:
        yield from (f"{'':<{INDENT}}{look.paint('faint', line)}" for line in wrapped(why, look.cells - INDENT))
    if diffs and entry and entry.verification_result == "pass":
        diff = clean_lines(diff_of(fix)).rstrip("\n")
        yield from (diff if look.paint is plain else coloured_diff(diff)).splitlines()


def _next(label: str, command: str, look: Look) -> list[str]:
    """A command stays whole, so that it can be copied."""
    line = f"{label}: {command}"
    return [line] if len(line) <= look.cells else [f"{label}:", f"  {command}"]
