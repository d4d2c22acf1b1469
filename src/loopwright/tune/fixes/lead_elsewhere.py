"""A reference that leads nowhere leads to the page that its own line speaks of; where none is, it is taken out."""

import re
from collections import Counter
from collections.abc import Iterator
from posixpath import dirname, normpath

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.fixes.taking_out import Stretch, entry, is_key, marked, out_of_listing, row_of, sentence, without
from loopwright.tune.reading.files.moved import seen_from
from loopwright.tune.reading.rules.families import stem
from loopwright.tune.reading.words.likeness import words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Reference, Skill

_TITLED = re.compile(
    r"(?:\bsections?\b|一节|小节|章节)[ \t]*+[:：]?[ \t]*+[*_“\"「]{1,2}(?P<title>[^*_”\"」\n]{2,60})[*_”\"」]"
)
_STEP = re.compile(r"第\s*(\d{1,2})\s*[步阶]|\b(?:[Ss]tep|[Pp]hase|[Ss]tage)\s*(\d{1,2})\b|\A(\d{1,2})[.、:：)]")
_POINTS = re.compile(
    r"\A[\s*_]*(?:see|more|further|for (?:more|details?|background)|details?|background|examples?)\b"
    r"|\b(?:see also|more (?:on|about|in|details?)|is described|are described)\b|见|参考|更多|详情",
    re.IGNORECASE,
)
"""It tells where more is said; an order to follow a page needs that page."""
_ASIDE = re.compile(r"(?<![ \t])[ \t]*+(?:\([^()\n]*\Z|（[^（）\n]*\Z)")
_CLOSE = re.compile(r"[^()（）\n]*[)）]")
MUCH = 45
"""Words, or Chinese characters by three, of a sentence that may go with its reference."""


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    """What stands at several places of a file is mended at all of them, or at none."""
    for finding in findings:
        if finding.facts.get("right") or finding.facts.get("title") or not finding.facts.get("wrong"):
            continue
        page, dead = skill.pages[finding.file], _references(skill, finding)
        if not dead:
            yield from _without_section(page, finding)
            continue
        right, level = _meant(skill, page, dead[0])
        if right is not None:
            edits = tuple(dict.fromkeys(_renamed(page, one, seen_from(one, right)) for one in dead))
            words, because = f"{dead[0].raw} becomes {right}", "The line speaks of that page."
            yield _proposal(finding, edits, level, words, because)
        elif len(gone := [one for it in dead if (one := _out(page, it)) is not None]) == len(dead):
            yield _proposal(
                finding, tuple(edit(page, *one) for one in dict.fromkeys(gone)), "template",
                f"Take out what leads to {dead[0].raw}",
                "Nothing in the skill is like it; if the page is still to come, write it instead.",
            )  # fmt: skip


def _without_section(page: Page, finding: Finding) -> Iterator[Proposal]:
    """An entry that leads to a section which is not there, and is nothing but a link."""
    start, end = marked(page, finding.start, finding.end)
    block = page.blocks[block_at(page, start)]
    if "title" not in finding.facts or block.kind != "item" or page.text[block.body : start].strip(" *"):
        return
    if not page.text[end : block.end].strip(" *") and (gone := without(page, start)) is not None:
        words = f"Take out the entry that leads to {finding.facts['wrong']}"
        yield _proposal(finding, (edit(page, *gone),), "template", words, "The page has no such section.")


def _proposal(finding: Finding, edits: tuple[Edit, ...], level: FixLevel, words: str, because: str) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level=level,
        description=words, rationale=because, edits=edits, risk="low" if level == "mechanical" else "medium",
        estimated_impact="nobody looks for a file that is not there",
        verification_steps=("diagnose the whole skill again", "read whether the sentence still says what is meant"),
    )  # fmt: skip


def _references(skill: Skill, finding: Finding) -> list[Reference]:
    """All to the same file from this page; the one that was found comes first."""
    here = [one for one in skill.references if one.at.file == finding.file and not (one.resolved or one.outside)]
    first = next((one for one in here if one.at.start == finding.start and one.raw == finding.facts["wrong"]), None)
    if first is None:
        return []
    spoken = (one for one in here if one.at.use not in ("negative", "quotation", "template"))
    return [first, *(one for one in spoken if one is not first and one.target == first.target)]


def _meant(skill: Skill, page: Page, dead: Reference) -> tuple[str | None, FixLevel]:
    """By a title that the line names, by the page's name in the line, or as the one that nothing else leads to."""
    beside = _beside(skill, dead)
    start, end = line_of(page, dead.at.start)
    title = _TITLED.search(page.text, start, end)
    if title:
        having = [path for path, other in skill.pages.items() if any(s.title == title["title"] for s in other.sections)]
        if len(having) == 1:
            return having[0], "mechanical"
    first, last = marked(page, dead.at.start, dead.at.end)
    around = f"{page.text[start:first]} {page.text[last:end]}".casefold()
    named = [path for path in beside if _names(around, stem(path)) and path not in around]
    if len(named) == 1:
        return named[0], "mechanical"
    told = [path for path in beside if _is_for(skill, path, _step_at(page, dead.at.start))]
    if len(told) == 1:
        return told[0], "mechanical"
    leads = Counter(one.resolved for one in skill.references if one.resolved and one.at is not dead.at)
    fewest = sorted(beside, key=lambda path: (leads[path], path))
    if fewest and leads[fewest[0]] == 0 and (len(fewest) == 1 or leads[fewest[1]] > 0):
        return fewest[0], "template"
    here = Counter(one.resolved for one in skill.references if one.resolved in beside and one.at.file == page.path)
    once = [path for path in beside if here[path] == 1]
    if len(beside) > 2 and len(once) == 1 and all(here[path] > 1 for path in beside if path not in once):
        return once[0], "template"
    loose = [
        path for path in skill.files if path.endswith(".md") and not leads[path] and path not in (page.path, skill.main)
    ]
    words = {*words_of(stem(dead.target))}
    akin = [path for path in loose if words & {*words_of(path.rpartition(".")[0])}]
    if len(akin) == 1:
        return akin[0], "template"
    return None, "template"


def _step_at(page: Page, position: int) -> str:
    """The number of the step that the section is."""
    section = page.blocks[block_at(page, position)].section
    found = _STEP.search(page.sections[section].title) if section >= 0 else None
    return (found[1] or found[2] or found[3]) if found else ""


def _is_for(skill: Skill, path: str, step: str) -> bool:
    """A table says that the page is for that step, and no other."""
    for one in skill.references if step else ():
        page = skill.pages[one.at.file]
        if one.resolved == path and page.blocks[block_at(page, one.at.start)].kind == "row":
            start, end = line_of(page, one.at.start)
            if [found[1] or found[2] for found in _STEP.finditer(page.text, start, end)] == [step]:
                return True
    return False


def _beside(skill: Skill, dead: Reference) -> list[str]:
    folder, ending = dirname(normpath(dead.target)), dead.target.rpartition(".")[2]
    return [
        path for path in skill.files
        if dirname(path) == folder and folder and path.endswith(f".{ending}") and path not in (dead.at.file, skill.main)
    ]  # fmt: skip


def _names(around: str, name: str) -> bool:
    word = re.escape(name.casefold()).replace(r"\-", r"[\s\-_]")
    return len(name) > 2 and re.search(rf"(?<![\w/-]){word}(?![\w/.-])", around) is not None


def _renamed(page: Page, dead: Reference, right: str) -> Edit:
    start, end = marked(page, dead.at.start, dead.at.end)
    return edit(page, start, end, page.text[start:end].replace(dead.raw, right))


def _out(page: Page, dead: Reference) -> Stretch | None:
    """The row that is about it; its place in a list of files; a remark in brackets; the sentence that only points."""
    block = page.blocks[block_at(page, dead.at.start)]
    if block.kind == "code":
        return None
    listed = out_of_listing(page, dead.at.start, dead.at.end)
    if block.kind == "row":
        return row_of(page, dead.at.start) if is_key(page, dead.at.start) else listed
    if listed is not None:
        return listed
    start, end = marked(page, dead.at.start, dead.at.end)
    if block.kind == "item" and not page.text[block.body : start].strip(" *") and _is_about(page, end, block.end):
        return entry(page, start)
    line = line_of(page, start)[0]
    opened, closed = _ASIDE.search(page.text, line, start), _CLOSE.match(page.text, end)
    if opened is not None and closed is not None and page.text[line : opened.start()].strip(" -*\t"):
        return Stretch(opened.start(), closed.end())
    found = sentence(page, start)
    if found is None:
        return None
    rest = f"{page.text[found[1] : start]} {page.text[end : found[2]]}"
    if "`" in rest or "](" in rest or not _POINTS.search(rest) or _length(rest) > MUCH:
        return None
    return without(page, start)


def _is_about(page: Page, start: int, end: int) -> bool:
    """What follows says what the page is about: a dash or a colon, and a few words."""
    rest = page.text[start:end].strip(" *")
    return rest[:1] in "-–—:：(（" and _length(rest) <= MUCH and "](" not in rest


def _length(text: str) -> int:
    return len(text.split()) + sum("\u4e00" <= char <= "\u9fff" for char in text) // 3


FIXER = Fixer(frozenset({"dead-reference"}), "mechanical", propose)
