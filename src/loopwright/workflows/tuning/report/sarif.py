"""Findings as SARIF 2.1.0, for editors and for the code scanning of hosting services. Pure."""

import json
import posixpath
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from loopwright import __version__
from loopwright.core.text import drop_surrogates, plural
from loopwright.skills.detectors import DETECTORS
from loopwright.skills.detectors.detector import Detector
from loopwright.skills.detectors.text_spans import locate_span
from loopwright.skills.findings import Confidence, Edit, Finding, Severity, Silenced
from loopwright.workflows.tuning.report.skill_check import OpenRepair, SkillCheck

Object = dict[str, object]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: dict[Severity, str] = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
PRECISION: dict[Confidence, str] = {
    "certain": "very-high",
    "confirmed": "high",
    "likely": "high",
    "hint": "low",
    "refuted": "low",
}
FINGERPRINT = "loopwright/v1"


def render_sarif(skills: Sequence[SkillCheck], rules: Sequence[Detector] = DETECTORS) -> bytes:
    """One run over all these skills; places are relative to where their paths begin."""
    index = {rule.rule: number for number, rule in enumerate(rules)}
    run: Object = {
        "tool": {
            "driver": {"name": "loopwright", "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}
        },
        "automationDetails": {"id": "loopwright/tune/"},
        "columnKind": "utf16CodeUnits",
        "invocations": [_invocation(skills)],
        "results": [result for skill in skills for result in _results(skill, index)],
        "properties": {"skills": [_skill(skill) for skill in skills]},
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return drop_surrogates(json.dumps(log, ensure_ascii=False, indent=1)).encode() + b"\n"


def _rule(rule: Detector) -> Object:
    advice = rule.advice or "See the finding."
    return {
        "id": rule.rule,
        "name": "".join(word.capitalize() for word in rule.rule.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {
            "text": f"{rule.why}\n\n{advice}",
            "markdown": f"**Why it matters:** {rule.why}\n\n**What to do:** {advice}\n\nTo accept it where it is right:"
            f" `<!-- loopwright: ignore {rule.rule} - the reason -->`",
        },
        "defaultConfiguration": {"level": LEVELS[rule.severity] if rule.confidence != "hint" else "none"},
        "properties": {"tags": [rule.dimension], "precision": PRECISION[rule.confidence]},
    }


def _invocation(skills: Sequence[SkillCheck]) -> Object:
    notices: list[Object] = [
        {"level": "error", "message": {"text": f"{skill.path}: {dimension}: {problem}"}}
        for skill in skills
        for dimension, problem in skill.problems.items()
    ]
    return {"executionSuccessful": not notices, "toolExecutionNotifications": notices}


def _skill(skill: SkillCheck) -> Object:
    return {
        "path": skill.path,
        "name": skill.name,
        "score": skill.score,
        "gate": skill.gate,
        "tokens": skill.tokens,
        "dimensions": list(skill.dimensions),
        "notReviewed": list(skill.unreviewed),
        "suppressed": len(skill.silenced),
    }


def _results(skill: SkillCheck, index: dict[str, int]) -> Iterable[Object]:
    for finding in skill.findings:
        repairs = [one for one in skill.repairs if finding.fingerprint in one.fingerprints]
        fixes = [_fix(skill, one) for one in repairs if _can_be_shown(one)]
        yield {**_result(skill, finding, index), **({"fixes": fixes} if fixes else {})}
    for silenced in skill.silenced:
        yield {**_result(skill, silenced.finding, index), "suppressions": [_suppression(silenced)]}


def _result(skill: SkillCheck, finding: Finding, index: dict[str, int]) -> Object:
    told = (
        {"kind": "fail", "level": LEVELS[finding.severity]} if finding.counts else {"kind": "review", "level": "none"}
    )
    known = {"ruleIndex": index[finding.rule]} if finding.rule in index else {}
    words = "also quoted" if finding.review else "the same thing"
    also = [place for place in (_also(skill, one, words) for one in finding.also) if place]
    return {
        "ruleId": finding.rule,
        **known,
        **told,
        "message": {"text": f"{finding.message}\n{finding.why}\n{finding.advice}".strip()},
        "locations": [{"physicalLocation": _place(skill, finding)}],
        **({"relatedLocations": also} if also else {}),
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {
            "severity": finding.severity,
            "confidence": finding.confidence,
            "dimension": finding.dimension,
            "known": finding.known,
            "subject": finding.subject,
            "fixable": skill.fixable.get(finding.fingerprint),
        },
    }


def _place(skill: SkillCheck, finding: Finding) -> Object:
    region: Object = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.line_end,
        "endColumn": max(finding.column_end, finding.column if finding.line == finding.line_end else 1),
        "snippet": {"text": finding.excerpt},
    }
    return {"artifactLocation": _artifact(skill, finding.file), "region": region}


def _also(skill: SkillCheck, place: str, words: str) -> Object | None:
    """A place as findings name others, `file:line`."""
    file, _, line = place.rpartition(":")
    if not file or not line.isdecimal() or not line.isascii() or int(line) < 1:
        return None
    return {
        "physicalLocation": {"artifactLocation": _artifact(skill, file), "region": {"startLine": int(line)}},
        "message": {"text": words},
    }


def _artifact(skill: SkillCheck, file: str) -> Object:
    path = posixpath.normpath(posixpath.join(skill.path, file))
    return {"uri": quote(path.encode("utf-8", "surrogateescape"))}


def _suppression(silenced: Silenced) -> Object:
    if silenced.reason is None:
        return {"kind": "external", "justification": "it is in the baseline"}
    return {"kind": "inSource", "justification": silenced.reason}


def _can_be_shown(repair: OpenRepair) -> bool:
    """SARIF can say what becomes of text that is there, and nothing else."""
    if not repair.edits or repair.creates or repair.deletes:
        return False
    return all(edit.file in repair.texts and edit.new == drop_surrogates(edit.new) for edit in repair.edits)


def _fix(skill: SkillCheck, repair: OpenRepair) -> Object:
    files = dict.fromkeys(edit.file for edit in repair.edits)
    about = plural(len(files), "file")
    return {
        "description": {"text": f"{repair.description} ({repair.level}, {about})"},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(skill, file),
                "replacements": [_replacement(repair.texts[file], edit) for edit in repair.edits if edit.file == file],
            }
            for file in files
        ],
    }


def _replacement(text: str, edit: Edit) -> Object:
    start = len(text.encode("utf-8", "surrogateescape")[: edit.start].decode("utf-8", "surrogateescape"))
    at, end = locate_span(text, start, start), locate_span(text, start + len(edit.old), start + len(edit.old))
    region: Object = {
        "startLine": at.line,
        "startColumn": at.column,
        "endLine": end.line,
        "endColumn": end.column,
        "byteOffset": edit.start,
        "byteLength": edit.end - edit.start,
    }
    return {"deletedRegion": region, "insertedContent": {"text": edit.new}}
