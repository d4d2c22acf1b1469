"""Findings as one JSON document, for programs: what `--format json` prints. `docs/findings.md` describes it. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence

from loopwright import __version__
from loopwright.skills.findings import Dimension, Finding, Gate, Silenced
from loopwright.skills.score import count_issues
from loopwright.workflows.tuning.model import Fix, TuningState
from loopwright.workflows.tuning.report.skill_check import OpenRepair, SkillCheck

SCHEMA = 1
Object = dict[str, object]
NONE: Mapping[str, TuningState] = {}
_WORST: tuple[Gate, ...] = ("fail", "review", "pass")


def findings_document(skills: Sequence[SkillCheck], sessions: Mapping[str, TuningState] = NONE) -> Object:
    """Always the same shape, for one skill as for many. A new key may come; one that is there stays what it is.

    `sessions`: by the path of the skill, where one was driven.
    """
    return {
        "schema": SCHEMA,
        "tool": {"name": "loopwright", "version": __version__},
        "summary": _summary(skills),
        "skills": [{**_skill(skill), "session": _session(sessions.get(skill.path))} for skill in skills],
    }


def worst_gate(skills: Sequence[SkillCheck]) -> Gate:
    """What all of them together have passed."""
    reached = {skill.gate for skill in skills}
    return next((gate for gate in _WORST if gate in reached), "pass")


def _summary(skills: Sequence[SkillCheck]) -> Object:
    findings = [finding for skill in skills for finding in skill.findings]
    levels = Counter(level for skill in skills for level in skill.fixable.values())
    return {
        "skills": len(skills),
        "gate": worst_gate(skills),
        "gates": {gate: sum(skill.gate == gate for skill in skills) for gate in reversed(_WORST)},
        "lowest_score": min((skill.score for skill in skills), default=None),
        "findings": count_issues(findings).model_dump(),
        "hints": sum(not finding.counts for finding in findings),
        "suppressed": sum(len(skill.silenced) for skill in skills),
        "fixable": {level: levels[level] for level in ("mechanical", "template", "agent")},
    }


def _skill(skill: SkillCheck) -> Object:
    return {
        "path": skill.path,
        "name": skill.name,
        "score": skill.score,
        "gate": skill.gate,
        "tokens": skill.tokens,
        "not_reviewed": list(skill.unreviewed),
        "dimensions": {dimension: _dimension(skill, dimension) for dimension in (*skill.dimensions, *skill.unasked)},
        "by_severity": count_issues(skill.findings).model_dump(),
        "findings": [_finding(skill, finding) for finding in skill.findings],
        "suppressed": len(skill.silenced),
        "silenced": [{**_finding(skill, one.finding), **_accepted(one)} for one in skill.silenced],
    }


def _accepted(silenced: Silenced) -> Object:
    return {"by": "baseline" if silenced.reason is None else "comment", "reason": silenced.reason}


def _dimension(skill: SkillCheck, dimension: Dimension) -> Object:
    """`status`: completed, failed (then `problem` says why), or skipped because nobody asked for it."""
    problem = skill.problems.get(dimension)
    asked = dimension in skill.dimensions
    return {
        "status": "failed" if problem else "completed" if asked else "skipped",
        "findings": sum(finding.dimension == dimension for finding in skill.counted),
        "problem": problem,
    }


def _finding(skill: SkillCheck, finding: Finding) -> Object:
    repair = next((one for one in skill.repairs if finding.fingerprint in one.fingerprints), None)
    return {
        "fingerprint": finding.fingerprint,
        "rule": finding.rule,
        "dimension": finding.dimension,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "file": finding.file,
        "phase": finding.phase,
        "line": finding.line,
        "column": finding.column,
        "line_end": finding.line_end,
        "column_end": finding.column_end,
        "subject": finding.subject,
        "message": finding.message,
        "why": finding.why,
        "advice": finding.advice,
        "strategy": finding.strategy,
        "excerpt": finding.excerpt,
        "marked": list(finding.marked),
        "also": list(finding.also),
        "known": finding.known,
        "review": finding.review.model_dump(mode="json") if finding.review else None,
        "fixable": skill.fixable.get(finding.fingerprint),
        "fix": _fix(repair) if repair else None,
    }


def _fix(repair: OpenRepair) -> Object:
    """Byte ranges of the files as they are."""
    return {
        "level": repair.level,
        "description": repair.description,
        "edits": [
            {"file": edit.file, "start": edit.start, "end": edit.end, "old": edit.old, "new": edit.new}
            for edit in repair.edits
        ],
        "creates": list(repair.creates),
        "deletes": list(repair.deletes),
    }


def _session(state: TuningState | None) -> Object | None:
    """What was done to the skill; its score and gate are the skill's own."""
    if state is None:
        return None
    return {
        "tuning_id": state.tuning_id,
        "status": state.status,
        "outcome": state.engine.outcome,
        "reason": state.engine.reason,
        "iterations": state.iteration_count,
        "level": state.engine.level,
        "work_dir": state.work_dir,
        "fixes": [_applied(state, fix) for fix in state.proposed_fixes],
    }


def _applied(state: TuningState, fix: Fix) -> Object:
    """`verification`: null where it was not applied."""
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    return {
        "id": fix.id,
        "description": fix.description,
        "strategy": fix.strategy,
        "issue_ids": list(fix.issue_ids),
        "files": [change.file for change in fix.changes],
        "diff": "".join(change.diff or "" for change in fix.changes),
        "verification": entry.verification_result if entry else None,
        "rollback_available": entry.rollback_available if entry else False,
    }
