"""What an agent has reported, held against the files: every quote is found, every search is empty. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.reports.tools import JudgeFinding, QuotedPlace, ReportSkillFinding
from loopwright.skills.detectors.text_spans import locate_span, replace_bad_bytes
from loopwright.skills.findings import SEVERITIES, Dimension, Finding, Quote, Review
from loopwright.skills.reader.markdown import Use
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page
from loopwright.skills.review.cards import ReviewCard, cards_of

MOST = 12
"""Findings of one dimension."""
READ = 3 * MOST
"""Reports that are looked at: what was refused is reported once more."""
SHORTEST = 12
"""Characters of a quote: fewer stand anywhere."""
SUBJECT = 400
SEARCHED = 3
"""Characters of what is searched for, at least."""


@dataclass(frozen=True, slots=True)
class CheckedReports:
    """`findings` as hints, until somebody has tried to refute them. `refused`: what was not taken, and why."""

    findings: tuple[Finding, ...]
    refused: tuple[str, ...]


class _Refused(ValueError):
    """Why a report is not taken, in words for who made it."""


def check_reports(skill: Skill, dimension: Dimension, by: str, reports: Sequence[ReportSkillFinding]) -> CheckedReports:
    """The reports of one dimension; of several about the same words the first."""
    found: dict[str, Finding] = {}
    refused: list[str] = []
    left = 0
    known = {card.id: card for card in cards_of(dimension)}
    for report in reports[:READ]:
        try:
            finding = _finding(skill, known, by, report)
        except _Refused as why:
            refused.append(f"“{report.claim}”: {why}")
            continue
        if len(found) < MOST or finding.fingerprint in found:
            found.setdefault(finding.fingerprint, finding)
        else:
            left += 1
    if left := left + len(reports[READ:]):
        refused.append(f"{left} more than the {MOST} accepted ones were left out")
    return CheckedReports(tuple(found.values()), tuple(refused))


def check_refutation(skill: Skill, verdict: JudgeFinding) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
    """The quotes that are there of a verdict that refutes, and what is wrong with the others; else nothing."""
    if verdict.verdict.strip().lower() != "refuted":
        return (), ()
    quotes: list[Quote] = []
    wrong: list[str] = []
    for place in verdict.quotes:
        try:
            quotes.append(_quoted(skill, place, any_use=True)[0])
        except _Refused as why:
            wrong.append(str(why))
    return tuple(quotes), tuple(wrong)


def carry_findings(skill: Skill, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What agents have found before, where all of its quotes are still there, with the lines of today."""
    moved = (_moved(skill, one, one.review) for one in findings if one.review is not None)
    return tuple(one for one in moved if one is not None)


def _moved(skill: Skill, finding: Finding, review: Review) -> Finding | None:
    try:
        evidence = [_quoted(skill, QuotedPlace(file=one.file, quote=one.text)) for one in review.evidence]
        other = [_quoted(skill, QuotedPlace(file=one.file, quote=one.text)) for one in review.other_side]
        for words in review.absent:
            _search(skill, words)
    except _Refused:
        return None
    moved = review.evolve(evidence=tuple(quote for quote, _ in evidence), other_side=tuple(quote for quote, _ in other))
    return finding.evolve(review=moved, **_placed(skill, evidence[0], [*evidence[1:], *other]))


def _finding(skill: Skill, known: Mapping[str, ReviewCard], by: str, report: ReportSkillFinding) -> Finding:
    card = known.get(report.card)
    if card is None:
        raise _Refused(f"no card {report.card!r} was asked; available: {', '.join(known)}")
    severity = next((one for one in SEVERITIES if one == report.severity.lower()), None)
    if severity is None:
        raise _Refused(f"the severity {report.severity!r} is none of {', '.join(SEVERITIES)}")
    if not report.evidence:
        raise _Refused("it quotes nothing; quote the place where it is, or should be")
    evidence = [_quoted(skill, place) for place in report.evidence]
    other = [_quoted(skill, place) for place in report.other_side]
    searched = [words for thing in report.absent for words in thing.searched_for]
    if report.absent and not searched:
        raise _Refused("it says that something is missing, but not what was searched for")
    for words in searched:
        _search(skill, words)
    quotes = [quote for quote, _ in (*evidence, *other)]
    subject = " | ".join([*(" ".join(one.text.split()) for one in quotes), *searched])
    return Finding(
        rule=card.id,
        dimension=card.dimension,
        severity=severity,
        confidence="hint",
        subject=subject[:SUBJECT],
        message=report.claim,
        why=report.scenario,
        advice=report.fix,
        strategy=card.strategy,
        review=Review(
            by=by,
            evidence=tuple(quote for quote, _ in evidence),
            other_side=tuple(quote for quote, _ in other),
            absent=tuple(searched),
        ),
        **_placed(skill, evidence[0], [*evidence[1:], *other]),
    )


LocatedQuote = tuple[Quote, int]
"""A quote with the place in its file where it begins."""


def _placed(skill: Skill, first: LocatedQuote, more: Iterable[LocatedQuote]) -> dict[str, Any]:  # of Finding
    """What a finding says of its place: that of its first quote; the others besides."""
    quote, start = first
    page = skill.pages[quote.file]
    at = locate_span(page.text, start, start + len(quote.text))
    return {
        "file": page.path,
        "line": at.line,
        "line_end": at.line_end,
        "start": start,
        "end": start + len(quote.text),
        "excerpt": replace_bad_bytes(at.excerpt),
        "column": at.column,
        "column_end": at.column_end,
        "marked": at.marked,
        "also": tuple(f"{one.file}:{one.line}" for one, _ in more),
    }


def _quoted(skill: Skill, place: QuotedPlace, *, any_use: bool = False) -> LocatedQuote:
    """Where the words stand, and not only as an example (`any_use`: also there)."""
    page = _page(skill, place.file)
    words = place.quote if page.newline == "\n" else place.quote.replace("\r\n", "\n").replace("\n", "\r\n")
    if len(words) < SHORTEST and words.strip() != page.text.strip():
        raise _Refused(f"“{words}” is too short to locate; quote {SHORTEST} or more characters")
    at = page.text.find(words)
    if at < 0:
        raise _Refused(f"“{place.quote[:120]}” does not occur in {page.path} exactly as quoted")
    first = at
    while at >= 0:
        if any_use or _use(page, at) not in _ONLY_SHOWN:
            return Quote(file=page.path, text=words, line=page.line(at)), at
        at = page.text.find(words, at + 1)
    raise _Refused(f"“{place.quote[:120]}” is {_ONLY_SHOWN[_use(page, first)]} in {page.path}, no instruction")


_ONLY_SHOWN: dict[Use, str] = {"example": "part of an example", "negative": "an example of how not to do it"}
"""What is only shown to the reader."""


def _use(page: Page, at: int) -> Use:
    block = page.block(at)
    return block.use if block else "instruction"


def _page(skill: Skill, file: str) -> Page:
    name = file.strip().replace("\\", "/").removeprefix("./").removeprefix(f"{skill.name}/")
    page = skill.pages.get(name)
    if page is None:
        raise _Refused(f"the skill has no file {file!r}; use its name in the skill's folder")
    return page


def _search(skill: Skill, words: str) -> None:
    """Refused where the words stand somewhere, in large or small letters, with whatever blanks between them."""
    if len(words.strip()) < SEARCHED:
        raise _Refused(f"“{words}” is too short to search for")
    sought = re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)
    for page in skill.pages.values():
        if (found := sought.search(page.text)) is not None:
            raise _Refused(f"“{words}” does occur in {page.path}, line {page.line(found.start())}")
