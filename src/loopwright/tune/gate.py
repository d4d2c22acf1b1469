"""Whether a fix that is in the files holds: judged by the skill read and diagnosed before it and after it. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from loopwright.domain.errors import LoopwrightError
from loopwright.domain.findings import SEVERITIES, Edit, Finding, Proposal
from loopwright.domain.tuning_score import score
from loopwright.tune.fixes.edits import contents_of
from loopwright.tune.in_place import instructed, spots, stays
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.substance import Sentence, Told, substance, told, words_of
from loopwright.tune.suppress import MARK, ignores

CURED_BY_DELETION = frozenset({
    "dead-reference", "duplicated-block", "eager-loading", "oversized-skill", "deprecated-tool", "undeclared-tool",
    "wrong-parameter",
})  # fmt: skip
"""Rules whose finding may go by taking away the sentence it stands in; all others need words in its place."""
SAID_TWICE = frozenset({"duplicated-block"})
"""Rules whose finding goes by saying a thing once instead of twice."""
MUCH, TIMES = 12, 3
"""So many words may be replaced by fewer; more only by at least a third as many."""
ALIKE = 0.2
"""The share of its words that a sentence keeps in a new wording."""
SHORT = 3
"""Words of a sentence that may be said with others altogether."""
SHOWN = 3
_NAME = re.compile(r"[!-~]+\Z")
_END = re.compile(r"[.!?;](?=\s)|[。！？；|]|\n[ \t]*(?:\n|[-*+#>`]|\d+[.)])")
"""Where one sentence ends, or one that goes on in the next line can not go on."""


@dataclass(frozen=True)
class Case:
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


def judge(
    proposal: Proposal, before: Skill, after: Skill, was: Sequence[Finding], now: Sequence[Finding]
) -> tuple[str, ...]:
    """Why the fix does not hold; nothing where it does. `was` and `now`: what was found before it and after it."""
    case = Case(proposal, before, after, was, now)
    return tuple(reason for check in CHECKS for reason in check(case))


def still_found(case: Case) -> Iterator[str]:
    left = {finding.fingerprint for finding in case.now}
    for finding in case.targeted:
        if finding.fingerprint in left:
            yield f"{finding.rule} is still found in {finding.file}: {finding.message}"


def newly_found(case: Case) -> Iterator[str]:
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


def scored(case: Case) -> Iterator[str]:
    size = sum(page.tokens for page in case.before.pages.values())
    once, since = score(case.was, size), score(case.now, size)
    if since < once:
        yield f"the skill's score would fall from {once:g} to {since:g}"


def silenced(case: Case) -> Iterator[str]:
    if _ignored(case.after) - _ignored(case.before):
        yield "it silences a finding by a comment; only a person may accept one"


def front_matter(case: Case) -> Iterator[str]:
    for old, new in case.touched:
        if old is None or new is None or old.front is None or old.front.broken:
            continue
        if new.front is None or new.front.broken:
            yield f"the front matter of {old.path} can no longer be read: {_why(new)}"
            continue
        kept = new.front.values
        gone = [key for key, value in old.front.values.items() if key not in kept or (value and not kept[key])]
        if gone:
            yield f"the front matter of {old.path} has lost {', '.join(gone)}"


def fences(case: Case) -> Iterator[str]:
    for old, new in case.touched:
        if new and _open_fences(new) > (_open_fences(old) if old else 0):
            yield f"a fence in {new.path} is no longer closed"


def links(case: Case) -> Iterator[str]:
    dead = _dead(case.before)
    for file, target in sorted(_dead(case.after) - dead):
        yield f"{file} names {target}, which does not exist"


def outside(case: Case) -> Iterator[str]:
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
            yield f"{file} has changed, and is no part of the fix"


def only_comments(case: Case) -> Iterator[str]:
    """Comments tell a model that something was mended; they mend nothing."""
    same_words = all(substance(old) == substance(new) for old, new in case.touched)
    same_front = all((old and old.front and old.front.values) == (new and new.front and new.front.values)
                     for old, new in case.touched)  # fmt: skip
    if same_words and same_front and not any(_moved(old, new) for old, new in case.touched):
        yield "it changes nothing but comments and blanks"


def taken_away(case: Case) -> Iterator[str]:
    """Other instructions may move or be reworded; they may not go."""
    once = any(finding.rule in SAID_TWICE for finding in case.targeted)
    names = _exchanged(case)
    unlicensed: list[Sentence] = []
    for old, now in case.touched:
        if old:
            change = told(old.path, case.before, case.after, once=once)
            changes = spots(old, [edit for edit in case.proposal.edits if edit.file == old.path])
            said = instructed(now)
            unlicensed += (one for one in _unlicensed(case, old, change) if not stays(old, one, changes, names, said))
    for one in unlicensed[:SHOWN]:
        yield f"it takes away what {one.file} said: “{' '.join(one.text.split())[:120]}”"
    if len(unlicensed) > SHOWN:
        yield f"it takes away {len(unlicensed) - SHOWN} more instructions"


CHECKS: tuple[Callable[[Case], Iterator[str]], ...] = (
    still_found, newly_found, scored, silenced, front_matter, fences, links, outside, only_comments, taken_away,
)  # fmt: skip


def _exchanged(case: Case) -> set[tuple[str, str]]:
    """Names that are put in the place of others, where the findings stand."""
    names: set[tuple[str, str]] = set()
    for finding in case.targeted:
        page = case.before.pages[finding.file]
        for start, end, new in spots(page, [edit for edit in case.proposal.edits if edit.file == page.path]):
            old = page.text[start:end]
            if finding.start <= start and end <= finding.end and _NAME.match(old) and _NAME.match(new):
                names.add((old, new))
    return names


def _unlicensed(case: Case, page: Page, change: Told) -> Iterator[Sentence]:
    """Sentences in which no finding stands, or for which much less came in their place."""
    about = [finding for finding in case.targeted if finding.file == page.path]
    edits = _in_characters(page, [edit for edit in case.proposal.edits if edit.file == page.path])
    over = {one: next((edit for start, end, edit in edits if _meet(one, start, end)), None) for one in change.gone}
    lengths: Counter[Edit | None] = Counter()
    for one, edit in over.items():
        lengths[edit] += len(one.words)
    for one, edit in over.items():
        here = [finding for finding in about if _meet(one, finding.start, finding.end)]
        if any(_may_go(page, one, finding) for finding in case.targeted if finding.rule in CURED_BY_DELETION):
            continue
        instead = [word for word in words_of(edit.new) if word in change.new] if edit else []
        enough = instead and len({*instead}.intersection(one.words)) >= _alike(one)
        if not here or not enough or lengths[edit] > max(MUCH, TIMES * len(instead)):
            yield one


def _may_go(page: Page, one: Sentence, finding: Finding) -> bool:
    """It holds the finding, is the line before or after it of the same sentence, or names what is not there."""
    named = finding.facts.get("name") or finding.facts.get("wrong") or ""
    if named and re.search(rf"(?<![\w-]){re.escape(named)}(?![\w-])", one.text):
        return True
    if finding.file != page.path:
        return False
    between = page.text[one.start : finding.start], page.text[finding.start : one.end]
    return _meet(one, finding.start, finding.end) or not _END.search(between[0] or between[1])


def _meet(one: Sentence, start: int, end: int) -> bool:
    return start < one.end and one.start < max(end, start + 1)


def _alike(one: Sentence) -> float:
    words = {*one.words}
    return ALIKE * len(words) if len(words) > SHORT else 0


def _in_characters(page: Page, edits: Sequence[Edit]) -> list[tuple[int, int, Edit]]:
    data = _bytes(page)
    starts = [(len(data[: edit.start].decode("utf-8", "surrogateescape")), edit) for edit in edits]
    return [(start, start + len(edit.old), edit) for start, edit in starts]


def _ignored(skill: Skill) -> "Counter[tuple[str, ...]]":
    found = (one for page in skill.pages.values() if MARK in page.text for one in ignores(page))
    return Counter((*sorted(one.rules), one.reason) for one in found)


def _why(page: Page) -> str:
    return (page.front.broken if page.front else None) or "it is gone"


def _open_fences(page: Page) -> int:
    return sum(block.kind == "code" and not block.closed for block in page.blocks)


def _dead(skill: Skill) -> set[tuple[str, str]]:
    told = (one for one in skill.references if one.at.use not in ("negative", "quotation", "template"))
    return {(one.at.file, one.target) for one in told if not (one.resolved or one.outside or one.optional)}


def _moved(old: Page | None, new: Page | None) -> bool:
    """Whether a file has come or gone."""
    return (old is None) != (new is None) and bool(substance(old) or substance(new))


def _bytes(page: Page) -> bytes:
    return page.text.encode("utf-8", "surrogateescape")
