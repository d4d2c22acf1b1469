"""From findings to what the state and the reports say of them: issues, results, evidence. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

from loopwright.domain.findings import SEVERITIES, Finding
from loopwright.domain.tuning import (
    ISSUE_TYPES,
    DiagnosisDetails,
    DiagnosisResult,
    Evidence,
    Issue,
    Location,
)
from loopwright.domain.tuning_outcomes import Diagnosed

SURE = ("certain", "confirmed", "likely", "hint", "refuted")
EVIDENCE_SHOWN = 200
"""Entries of evidence in one result."""

_WORD = re.compile(r"[a-z0-9_]{3,}|[\u4e00-\u9fff]{2}")


def ranked(findings: Iterable[Finding], described: str) -> tuple[Finding, ...]:
    """The most urgent first: by severity, then what the user has described, then how sure, then where."""
    wanted = frozenset(_WORD.findall(described.casefold()))

    def key(finding: Finding) -> tuple[int, int, int, str, int, str]:
        words = _WORD.findall(f"{finding.rule} {finding.message} {finding.why} {finding.file}".casefold())
        near = -len(wanted.intersection(words))
        return (
            SEVERITIES.index(finding.severity), near, SURE.index(finding.confidence), finding.file, finding.start,
            finding.fingerprint,
        )  # fmt: skip

    return tuple(sorted(findings, key=key))


def numbered(findings: Sequence[Finding], known: Mapping[str, str]) -> dict[str, str]:
    """By fingerprint the id of its issue: the one it has had before, else the next free one. Hints are none."""
    taken = (id.rpartition("-")[2] for id in known.values())
    following = max((int(number) for number in taken if number.isdecimal()), default=0) + 1
    ids: dict[str, str] = {}
    for finding in findings:
        if finding.counts and finding.fingerprint not in ids:
            ids[finding.fingerprint] = known.get(finding.fingerprint) or f"ISS-{following:03}"
            following += finding.fingerprint not in known
    return ids


def issues_of(findings: Sequence[Finding], ids: Mapping[str, str]) -> tuple[Issue, ...]:
    """In the order of `findings`, which is their priority. The same thing in several places is one issue."""
    places: dict[str, list[Finding]] = {}
    of_subject: dict[str, list[str]] = {}
    for finding in findings:
        id = ids.get(finding.fingerprint)
        if id is None or not finding.counts:
            continue
        if id not in places:
            of_subject.setdefault(finding.subject, []).append(id)
        places.setdefault(id, []).append(finding)
    return tuple(
        _issue(id, priority, found, of_subject[found[0].subject])
        for priority, (id, found) in enumerate(places.items(), 1)
    )


def _issue(id: str, priority: int, places: Sequence[Finding], same: Sequence[str]) -> Issue:
    """`places`: the most urgent first; `same`: ids of all issues with this subject."""
    finding = places[0]
    lines = [f"{place.file}:{place.line}: {place.excerpt}" for place in places]
    also = (line for place in places for line in place.also)
    return Issue(
        id=id, type=ISSUE_TYPES[finding.dimension], severity=finding.severity, priority=priority,
        location=Location(
            file=finding.file, line_start=finding.line, line_end=finding.line_end, phase=finding.phase
        ),
        description=finding.message, evidence=tuple(dict.fromkeys((*lines, *also))),
        root_cause=f"{finding.rule}: {finding.subject}", impact=finding.why, suggested_fix=finding.advice,
        related_issues=tuple(other for other in same if other != id),
    )  # fmt: skip


def result_of(diagnosed: Diagnosed) -> DiagnosisResult:
    """The result of one dimension, with a hint shown as evidence and not counted."""
    counting = [finding for finding in diagnosed.findings if finding.counts]
    worst = min((finding.severity for finding in counting), key=SEVERITIES.index, default=None)
    matched = sorted({finding.rule for finding in diagnosed.findings})
    details = DiagnosisDetails(
        patterns_checked=diagnosed.checked,
        patterns_matched=tuple(matched),
        evidence=tuple(_evidence(finding) for finding in diagnosed.findings[:EVIDENCE_SHOWN]),
        recommendations=tuple(dict.fromkeys(finding.advice for finding in counting)),
    )
    return DiagnosisResult(
        status="failed" if diagnosed.problem else "completed",
        issues_found=len({finding.fingerprint for finding in counting}), severity=worst or "none",
        execution_time_ms=round(diagnosed.took, 3), details=details,
    )  # fmt: skip


def _evidence(finding: Finding) -> Evidence:
    severity = finding.severity if finding.counts else "hint"
    return Evidence(
        file=finding.file, line=finding.line, pattern=finding.rule, context=finding.excerpt, severity=severity
    )
