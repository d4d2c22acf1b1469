"""Whether a fix that is in the files holds: judged by the skill read and diagnosed before it and after it. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from loopwright.core.errors import LoopwrightError
from loopwright.skills.accepted import MARK, find_comments
from loopwright.skills.findings import SEVERITIES, Finding, Proposal
from loopwright.skills.fixes.edits import contents_of
from loopwright.skills.reader.model import Skill
from loopwright.skills.reader.page import Page
from loopwright.skills.score import compute_score

SHOWN = 3
"""Lines that a reason names."""
FAR = 1_000
"""Characters of a sentence before and behind the place where a finding stands."""
_MARK = re.compile(r"(?:[-*+>] |\d{1,3}[.)] )+")
_ENDS = re.compile(r"(?<!\d)[.!?;](?=\s)|[。！？；]|\n")
_STOPS = re.compile(r"(?<!\d)[.!?;](?=\s)|[。！？；]|\n(?=[ \t]*(?:\n|[-*+#>`|]|\d{1,3}[.)]))")
"""Ends of sentences, and of lines that no sentence goes on behind."""


@dataclass(frozen=True)
class FixCase:
    """A fix as it was applied, its edits those of the files just before it."""

    proposal: Proposal
    before: Skill
    after: Skill
    was: Sequence[Finding]
    now: Sequence[Finding]

    @property
    def targeted(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.was if finding.fingerprint in self.proposal.fingerprints)

    @property
    def touched(self) -> "tuple[tuple[Page | None, Page | None], ...]":
        """Before and after, of all files that it touches."""
        return tuple((self.before.pages.get(file), self.after.pages.get(file)) for file in self.proposal.files)


def judge_fix(
    proposal: Proposal, before: Skill, after: Skill, was: Sequence[Finding], now: Sequence[Finding]
) -> tuple[str, ...]:
    """Why the fix does not hold; nothing where it does. `was` and `now`: what was found before it and after it."""
    case = FixCase(proposal, before, after, was, now)
    return tuple(reason for check in CHECKS for reason in check(case))


def check_still_found(case: FixCase) -> Iterator[str]:
    left = {finding.fingerprint for finding in case.now}
    for finding in case.targeted:
        if finding.fingerprint in left:
            yield f"{finding.rule} is still found in {finding.file}: {finding.message}"


def check_new_findings(case: FixCase) -> Iterator[str]:
    """Counted by rule and file: what is only called otherwise since is not new, and what was to be mended still is."""
    known, left = {finding.fingerprint for finding in case.was}, {finding.fingerprint for finding in case.now}
    targets = {(finding.rule, finding.file) for finding in case.targeted}
    aimed = {finding.fingerprint for finding in case.targeted}
    renamed = Counter((finding.rule, finding.file) for finding in case.was if finding.fingerprint not in left | aimed)
    worst = min((SEVERITIES.index(finding.severity) for finding in case.targeted), default=len(SEVERITIES))
    for finding in case.now:
        if finding.fingerprint in known or not finding.counts:
            continue
        place = finding.rule, finding.file
        if renamed[place] > 0:
            renamed[place] -= 1
        elif place in targets:
            yield f"{finding.rule} has only moved within {finding.file}: {finding.message}"
        elif SEVERITIES.index(finding.severity) <= worst:
            yield f"it brings {finding.rule} ({finding.severity}) to {finding.file}: {finding.message}"


def check_score(case: FixCase) -> Iterator[str]:
    size = sum(page.tokens for page in case.before.pages.values())
    once, since = compute_score(case.was, size), compute_score(case.now, size)
    if since < once:
        yield f"the skill's score would fall from {once:g} to {since:g}"


def check_silenced(case: FixCase) -> Iterator[str]:
    if _ignored(case.after) - _ignored(case.before):
        yield "it suppresses a finding by a comment; only a person may accept one"


def check_front_matter(case: FixCase) -> Iterator[str]:
    for old, new in case.touched:
        if old is None or new is None or old.front is None or old.front.broken:
            continue
        if new.front is None or new.front.broken:
            why = (new.front.broken if new.front else None) or "it is gone"
            yield f"the front matter of {old.path} can no longer be read: {why}"
            continue
        kept = new.front.values
        gone = [key for key, value in old.front.values.items() if key not in kept or (value and not kept[key])]
        if gone:
            yield f"the front matter of {old.path} has lost {', '.join(gone)}"


def check_fences(case: FixCase) -> Iterator[str]:
    for old, new in case.touched:
        if new and _open_fences(new) > (_open_fences(old) if old else 0):
            yield f"a fence in {new.path} is no longer closed"


def check_links(case: FixCase) -> Iterator[str]:
    dead = _dead(case.before)
    for file, target in sorted(_dead(case.after) - dead):
        yield f"{file} names {target}, which does not exist"


def check_outside(case: FixCase) -> Iterator[str]:
    """Exactly what was declared has changed, to the byte."""
    texts = {path: _bytes(page) for path, page in case.before.pages.items()}
    try:
        expected = contents_of(case.proposal, texts)
    except LoopwrightError as error:
        yield f"it was not made for these files: {error}"
        return
    for file, data in expected.items():
        page = case.after.pages.get(file)
        if (page and _bytes(page)) != data and not (data == b"" and page is None):
            yield f"{file} is not what the fix makes of it"
    for file in sorted({*case.before.files, *case.after.files} - expected.keys()):
        pages = case.before.pages.get(file), case.after.pages.get(file)
        same = pages[0].text == pages[1].text if pages[0] and pages[1] else pages[0] is pages[1]
        if not same or case.before.files.get(file) != case.after.files.get(file):
            yield f"{file} has changed, and is not part of the fix"


def check_removed_text(case: FixCase) -> Iterator[str]:
    """Sentences, and lines of code, may move to another place of the skill; gone may be those that are mended."""
    kept = Counter(said for page in case.after.pages.values() for said, _, _ in _parts(page.text))
    had = Counter(said for page in case.before.pages.values() for said, _, _ in _parts(page.text))
    gone = had - kept
    lost = [
        (page.path, said)
        for page, _ in case.touched
        if page
        for said, start, end in _parts(page.text)
        if gone[said] > 0 and not any(one < end and start < other for one, other in _mended(case, page))
    ]
    for file, said in lost[:SHOWN]:
        yield f"it also removes from {file}: “{said[:120]}”"
    if len(lost) > SHOWN:
        yield f"it removes {len(lost) - SHOWN} more sentences"


CHECKS: tuple[Callable[[FixCase], Iterator[str]], ...] = (
    check_still_found,
    check_new_findings,
    check_score,
    check_silenced,
    check_front_matter,
    check_fences,
    check_links,
    check_outside,
    check_removed_text,
)


def _ignored(skill: Skill) -> "Counter[tuple[str, ...]]":
    found = (one for page in skill.pages.values() if MARK in page.text for one in find_comments(page))
    return Counter((*sorted(one.rules), one.reason) for one in found)


def _open_fences(page: Page) -> int:
    return sum(block.kind == "code" and not block.closed for block in page.blocks)


def _dead(skill: Skill) -> set[tuple[str, str]]:
    told = (one for one in skill.references if one.at.use == "instruction")
    return {(one.at.file, one.target) for one in told if not (one.resolved or one.optional)}


def _bytes(page: Page) -> bytes:
    return page.text.encode("utf-8", "surrogateescape")


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Each sentence or line, without what marks an entry of a list, and where it begins and ends."""
    at = 0
    for end in (*(found.end() for found in _ENDS.finditer(text)), len(text)):
        said = _MARK.sub("", " ".join(text[at:end].split()))
        if said:
            yield said, at, end
        at = end


def _mended(case: FixCase, page: Page) -> Iterator[tuple[int, int]]:
    """Where the findings stand, with the lines they name besides, each to the ends of its sentence."""
    places = [(one.start, max(one.end, one.start + 1)) for one in case.targeted if one.file == page.path]
    for place in (place for one in case.targeted for place in one.also):
        file, _, line = place.rpartition(":")
        if file == page.path and line.isdecimal():
            places.append((page.begin(int(line)), page.begin(int(line) + 1)))
    for start, end in places:
        before = [found.end() for found in _STOPS.finditer(page.text, max(0, start - FAR), start)]
        behind = _STOPS.search(page.text, end, end + FAR)
        yield (before[-1] if before else max(0, start - FAR)), behind.start() if behind else end + FAR
