"""What was found in skills, as a person reads it: what is wrong, where, why it matters and what to do. Pure."""

import posixpath
from collections.abc import Iterator, Sequence

from loopwright.core.text import clean_line, plural
from loopwright.skills.findings import SEVERITIES, Finding, FixLevel, Gate
from loopwright.skills.score import count_issues, meaning_words, score_words
from loopwright.surfaces.cli.text import (
    Layout,
    Style,
    align_columns,
    clean_lines,
    colour_diff,
    label_text,
    layout_source,
    measure_width,
    paint_plain,
    wrap_text,
)
from loopwright.workflows.tuning.model import Fix, TuningState
from loopwright.workflows.tuning.publish import diff_of
from loopwright.workflows.tuning.report.skill_check import SkillCheck

INDENT = 8
"""Cells before the texts of a finding; the source's line number fits in."""
ALSO = 6
"""Further places that are named."""
HEAD = ("GATE", "SCORE", "CRITICAL", "HIGH", "MEDIUM", "LOW", "HINTS", "ACCEPTED", "SKILL")
GATES: dict[Gate, Style] = {"pass": "good", "review": "medium", "fail": "critical"}
REPAIRS: dict[FixLevel, str] = {
    "mechanical": "with --fix",
    "template": "with --fix=all; check the diff, its text comes from a similar place in the skill",
    "agent": "with --fix=all --agent NAME, by that agent",
}


def skill_page(skill: SkillCheck, look: Layout, place: str = "PATH") -> str:
    """One skill: where it stands, then all that was found, the worst first, and what can be done at once.

    `place`: the skill as it is typed.
    """
    lines = [*_head(skill, look)]
    said: set[str] = set()
    for finding in _ordered(skill.counted):
        lines += ["", *_finding(skill, finding, look, why="" if finding.why in said else finding.why)]
        said.add(finding.why)
    if skill.hints:
        lines += ["", *_hints(skill, skill.hints, "Hints", "they may be wrong and do not count", look)]
    if skill.refuted:
        lines += ["", *_hints(skill, skill.refuted, "Refuted", "they do not count", look)]
    levels = [skill.fixable.get(finding.fingerprint) for finding in skill.counted]
    if plain := levels.count("mechanical"):
        told = f"{plain} of {plural(len(levels), 'finding')} can be fixed now with --fix."
        lines += ["", *wrap_text(told, look.cells), f"  next  loopwright tune {place} --fix"]
    return "\n".join(lines)


def overview(skills: Sequence[SkillCheck], look: Layout) -> str:
    """Many skills, a line each, the worst first, and how many passed."""
    if not skills:
        return "no skills here: a skill is a folder with a SKILL.md"
    worst = sorted(skills, key=lambda skill: (skill.score, -len(skill.counted), skill.path))
    rows = [_row(skill) for skill in worst]
    table = align_columns([HEAD, *rows])
    if max(measure_width(line) for line in table) > look.cells:
        lines = [line for skill in worst for line in _stacked(skill, look)]
    else:
        gates: list[Style | None] = [None, *(GATES[skill.gate] for skill in worst)]
        lines = [
            look.paint(style, line[:6]) + line[6:] if style else look.paint("faint", line)
            for style, line in zip(gates, table, strict=True)
        ]
    passed = sum(skill.gate == "pass" for skill in skills)
    exact = any(skill.unreviewed for skill in skills)
    told = "; exact checks only, meaning was not reviewed (--agent NAME reviews it)" if exact else ""
    return "\n".join([*lines, "", *wrap_text(f"{passed:,} of {plural(len(skills), 'skill')} passed{told}", look.cells)])


def _row(skill: SkillCheck) -> tuple[str, ...]:
    found = count_issues(skill.findings)
    numbers = (found.critical, found.high, found.medium, found.low, len(skill.hints), len(skill.silenced))
    return (skill.gate.upper(), f"{skill.score:g}", *(f"{n}" if n else "-" for n in numbers), clean_line(skill.path))


def _stacked(skill: SkillCheck, look: Layout) -> list[str]:
    head = f"{look.paint(GATES[skill.gate], f'{skill.gate.upper():<7}')}{clean_line(skill.path)}"
    accepted = f"; {len(skill.silenced):,} accepted" if skill.silenced else ""
    told = f"score {skill.score:g}; {found_words(skill)}{accepted}"
    return [
        head,
        *(f"       {line}" for line in wrap_text(told, look.cells - 7)),
    ]


def _head(skill: SkillCheck, look: Layout) -> Iterator[str]:
    verdict = {"pass": "passed", "review": "needs review", "fail": "failed"}[skill.gate]
    yield f"{look.paint('strong', clean_line(skill.name))}  {look.paint('faint', clean_line(skill.path))}"
    facts = [
        ("gate", f"{verdict}, {score_words(skill.score, skill.unreviewed)}"),
        ("meaning", meaning_words(skill.dimensions, skill.unreviewed)),
        ("found", found_words(skill)),
        ("accepted", f"{len(skill.silenced):,}, by a comment or the baseline" if skill.silenced else ""),
        ("not asked", ", ".join(skill.unasked)),
        *((f"{dimension}", f"could not be checked: {problem}") for dimension, problem in skill.problems.items()),
    ]
    for name, value in facts:
        lines = wrap_text(value, look.cells - 13) if value else []
        for index, line in enumerate(lines):
            label = look.paint("faint", f"  {name if not index else '':<10} ")
            yield label + (look.paint(GATES[skill.gate], line) if name == "gate" else line)


def found_words(skill: SkillCheck) -> str:
    """How much of each severity."""
    found = count_issues(skill.findings).model_dump()
    told = ", ".join(f"{found[severity]} {severity}" for severity in SEVERITIES if found[severity]) or "nothing"
    return f"{told}; {plural(len(skill.hints), 'hint')} beside" if skill.hints else told


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), f.file, f.start, f.rule))


def _finding(skill: SkillCheck, finding: Finding, look: Layout, why: str) -> Iterator[str]:
    """`why` is said once, where several findings have the same."""
    severity = finding.severity
    first, *rest = wrap_text(f"{severity}: {clean_line(finding.message)}", look.cells)
    told = first.removeprefix(f"{severity}:")
    yield look.paint(severity, f"{severity}:") + look.paint("strong", told)
    yield from (look.paint("strong", line) for line in rest)
    place, rule = f"   --> {_place(skill, finding)}", f"{finding.rule} ({finding.known.partition(':')[0]})"
    fits = measure_width(place) + 2 + measure_width(rule) <= look.cells
    yield f"{place}  {look.paint('faint', rule)}" if fits else place
    if not fits:
        yield f"       {look.paint('faint', rule)}"
    if finding.excerpt:
        yield from layout_source(finding.line, finding.excerpt, finding.marked, severity, look)
    yield from _sides(finding, look)
    if why:
        yield from label_text("   why", why, look, INDENT)
    yield from label_text("   do", finding.advice, look, INDENT)
    if finding.review is not None:
        yield from label_text("   known", finding.known.partition(": ")[2], look, INDENT)
    elif finding.also:
        more = len(finding.also) - ALSO
        places = ", ".join(finding.also[:ALSO]) + (f" and {more:,} more" if more > 0 else "")
        yield from label_text("   also", places, look, INDENT)
    level = skill.fixable.get(finding.fingerprint)
    if level:
        yield from label_text("   fix", REPAIRS[level], look, INDENT)


def _sides(finding: Finding, look: Layout) -> Iterator[str]:
    """The other places that an agent quotes, each with its words, and what it has searched for in vain."""
    review = finding.review
    if review is None:
        return
    for one in review.evidence[1:]:
        yield from label_text("   and", f"{one.file}:{one.line}  “{one.text}”", look, INDENT)
    for one in review.other_side:
        yield from label_text("   but", f"{one.file}:{one.line}  “{one.text}”", look, INDENT)
    if review.absent:
        yield from label_text("   lacks", f"nowhere: {', '.join(review.absent)}", look, INDENT)


def _place(skill: SkillCheck, finding: Finding) -> str:
    """`path:line`, as editors and terminals open it."""
    path = posixpath.normpath(posixpath.join(skill.path, finding.file))
    last = f"–{finding.line_end}" if finding.line_end > finding.line else ""
    return f"{clean_line(path)}:{finding.line}{last}"


def _hints(skill: SkillCheck, findings: Sequence[Finding], title: str, about: str, look: Layout) -> Iterator[str]:
    yield look.paint("strong", title) + look.paint("faint", f" ({about})")
    for finding in sorted(findings, key=lambda f: (f.file, f.start, f.rule)):
        yield f"  {finding.rule}  {look.paint('faint', _place(skill, finding))}"
        told = [finding.message, finding.known] if finding.review else [finding.message]
        yield from (f"    {line}" for words in told for line in wrap_text(words, look.cells - 4))


FIX_INDENT = 11
SIGNS: dict[str, tuple[str, Style]] = {
    "pass": ("mended", "good"),
    "fail": ("refused", "high"),
    "pending": ("waiting", "medium"),
}


def mended_page(state: TuningState, path: str, look: Layout, *, diffs: bool) -> str:
    """Every fix that was proposed; `diffs`: with what it changed, where nobody has seen that yet."""
    if not state.proposed_fixes:
        if not state.issues or state.engine.level == "none":
            return ""
        found, agent = plural(len(state.issues), "finding"), state.engine.agent
        unknown = f"--fix knows no repair for {found}; --fix=all --agent NAME lets an agent write one."
        told = f"Nothing was changed: {f'{agent} wrote no fix for {found}.' if agent else unknown}"
        return "\n".join(["", *wrap_text(told, look.cells)])
    mended = sum(one.verification_result == "pass" for one in state.applied_fixes)
    told = f"{mended} of {plural(len(state.proposed_fixes), 'fix')} applied and verified"
    if state.engine.standings and mended:
        told += f": score {state.engine.standings[0].score:g} → {state.quality_score:g}"
    lines = ["", look.paint("strong", told)]
    for fix in state.proposed_fixes:
        lines += _fix(state, fix, look, diffs=diffs)
    held = [one.fix_id for one in state.applied_fixes if one.rollback_available]
    if held:
        label, command = "roll one back with:", f"loopwright tune {path} --rollback {held[-1]}"
        line = f"{label} {command}"  # a command stays whole, so that it can be copied
        lines += ["", *([line] if len(line) <= look.cells else [label, f"  {command}"])]
    return "\n".join(lines)


def _fix(state: TuningState, fix: Fix, look: Layout, *, diffs: bool) -> Iterator[str]:
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    sign, style = SIGNS[entry.verification_result] if entry else ("left out", "faint")
    why = state.refusal(fix.id) if entry is None or entry.verification_result == "fail" else ""
    if entry and entry.verification_result == "fail" and not why:
        sign, style = "undone", "faint"
    files = ", ".join(clean_line(change.file) for change in fix.changes)
    first, *rest = wrap_text(f"{fix.id}  {clean_line(fix.description)} ({files})", look.cells - FIX_INDENT)
    yield f"  {look.paint(style, f'{sign:<8}')} {first}"
    yield from (f"{'':<{FIX_INDENT}}{line}" for line in rest)
    if why:
        yield from (
            f"{'':<{FIX_INDENT}}{look.paint('faint', line)}" for line in wrap_text(why, look.cells - FIX_INDENT)
        )
    if diffs and entry and entry.verification_result == "pass":
        diff = clean_lines(diff_of(fix)).rstrip("\n")
        yield from (diff if look.paint is paint_plain else colour_diff(diff)).splitlines()
