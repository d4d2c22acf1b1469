"""One skill and all that was found in it: what every report is made of. Pure."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from loopwright import __version__
from loopwright.core.ports import ResultCache
from loopwright.skills.diagnosis import diagnose_skill, load_skill
from loopwright.skills.files import SkillFiles, digest
from loopwright.skills.findings import DIMENSIONS, Dimension, Edit, Finding, FixLevel, Gate, Silenced
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.score import compute_score, count_issues, decide_gate
from loopwright.workflows.tuning.model import Fix, TuningState


@dataclass(frozen=True)
class OpenRepair:
    """A way to mend findings that has not been taken. `texts`: the files that it edits, as they are."""

    fingerprints: tuple[str, ...]
    level: FixLevel
    description: str
    edits: tuple[Edit, ...]
    texts: Mapping[str, str]
    creates: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillCheck:
    """`path` of the skill's folder, from where the user stands. `findings` as people read them, hints too.

    `unreviewed`: dimensions whose meaning nobody was asked about. `silenced`: those that are accepted. `problems`: why
    a dimension could not be checked. `fixable`: by fingerprint who could mend it without being told how.
    """

    path: str
    name: str
    dimensions: tuple[Dimension, ...]
    findings: tuple[Finding, ...]
    score: float
    gate: Gate
    tokens: int
    silenced: tuple[Silenced, ...] = ()
    problems: Mapping[Dimension, str] = field(default_factory=dict)
    fixable: Mapping[str, FixLevel] = field(default_factory=dict)
    repairs: tuple[OpenRepair, ...] = ()
    unreviewed: tuple[Dimension, ...] = DIMENSIONS

    @property
    def counted(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.counts)

    @property
    def hints(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if not finding.counts and finding.confidence != "refuted")

    @property
    def refuted(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.confidence == "refuted")

    @property
    def unasked(self) -> tuple[Dimension, ...]:
        return tuple(dimension for dimension in DIMENSIONS if dimension not in self.dimensions)


def check_skill(
    files: SkillFiles, path: str, dimensions: Collection[Dimension] = DIMENSIONS, accepted: Collection[str] = ()
) -> SkillCheck:
    """Reads, diagnoses and scores a skill. `accepted`: fingerprints of what is known already."""
    skill = load_skill(files)
    found = diagnose_skill(skill, dimensions, accepted)
    tokens = sum(page.tokens for page in skill.pages.values())
    reached = compute_score(found.findings, tokens)
    proposals = propose_mechanical_fixes(skill, found.findings)
    return SkillCheck(
        path=path, name=skill.name, dimensions=_in_order(dimensions), findings=found.findings, score=reached,
        gate=decide_gate(reached, found.findings, all_ran=not found.problems), tokens=tokens,
        silenced=found.silenced, problems=found.problems,
        fixable={print: one.level for one in reversed(proposals) for print in one.fingerprints},
        repairs=tuple(
            OpenRepair(
                one.fingerprints, one.level, one.description, one.edits,
                {edit.file: skill.pages[edit.file].text for edit in one.edits}, tuple(one.creates), one.deletes,
            )
            for one in proposals
        ),
        unreviewed=_in_order(dimensions),
    )  # fmt: skip


def read_session_check(state: TuningState) -> SkillCheck:
    """The skill as the session knows it: after its last step, or what was rolled back since."""
    engine = state.engine
    failed = (one for one in engine.dimensions if (result := state.diagnosis.of(one)) and result.status == "failed")
    return SkillCheck(
        path=engine.path,
        name=state.title,
        dimensions=engine.dimensions,
        findings=engine.findings,
        score=state.quality_score,
        gate=state.quality_gate,
        tokens=engine.size,
        silenced=engine.silenced,
        problems=dict.fromkeys(failed, "could not be checked, see the session's errors"),
        fixable=engine.fixable,
        repairs=tuple(_repairs(state)),
        unreviewed=engine.unreviewed,
    )


def _repairs(state: TuningState) -> list[OpenRepair]:
    tried = {fix.fix_id for fix in state.applied_fixes}
    found = []
    for fix in state.proposed_fixes:
        proposal = state.engine.proposals.get(fix.id)
        if proposal is None or fix.id in tried or any(p in state.engine.rejected for p in proposal.fingerprints):
            continue
        texts = {change.file: change.old_content for change in fix.changes if change.old_content is not None}
        found.append(
            OpenRepair(
                proposal.fingerprints,
                proposal.level,
                fix.description,
                proposal.edits,
                texts,
                tuple(proposal.creates),
                proposal.deletes,
            )
        )
    return found


def _in_order(dimensions: Collection[Dimension]) -> tuple[Dimension, ...]:
    return tuple(dimension for dimension in DIMENSIONS if dimension in dimensions)


_CHECKED = TypeAdapter(SkillCheck)


def check_with_cache(
    files: SkillFiles, path: str, dimensions: Collection[Dimension], accepted: Collection[str], known: ResultCache
) -> SkillCheck:
    """The same as `check`, to the byte; worked out only where it is not known."""
    key = key_of(files, dimensions, accepted)
    data = known.get(key)
    found = _read(data, files, path) if data is not None else None
    if found is None:
        found = check_skill(files, path, dimensions, accepted)
        if kept := _written(found):
            known.put(key, kept)
    return found


def key_of(files: SkillFiles, dimensions: Collection[Dimension], accepted: Collection[str]) -> str:
    """Of all that the findings depend on, but for the code: the files, those above, catalogues, what is asked."""
    parts = (
        files.name,
        files.tree,
        *(f"{name}:{size}" for name, size in sorted(files.unread.items())),
        "",
        *sorted(files.above),
        "",
        *(part for pair in files.catalogues for part in pair),
        "",
        *sorted(dimensions),
        "",
        *sorted(accepted),
    )
    return digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _written(found: SkillCheck) -> bytes | None:
    """Without what the files say anyhow. None for what JSON has no place for, such as a byte that is no UTF-8."""
    bare = replace(found, path="", repairs=tuple(replace(repair, texts={}) for repair in found.repairs))
    try:
        return _CHECKED.dump_json(bare)
    except (PydanticSerializationError, UnicodeEncodeError):
        return None


def _read(data: bytes, files: SkillFiles, path: str) -> SkillCheck | None:
    try:
        found = _CHECKED.validate_json(data)
        repairs = tuple(replace(one, texts=_texts(one, files)) for one in found.repairs)
    except (ValidationError, KeyError):
        return None
    return replace(found, path=path, repairs=repairs)


def _texts(repair: OpenRepair, files: SkillFiles) -> dict[str, str]:
    return {edit.file: files.files[edit.file].decode("utf-8", "surrogateescape") for edit in repair.edits}


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
