"""A file that no step writes is no longer asked for; a second file for the state is given up for the first."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.fixes.taking_out import Stretch, is_key, out_of_listing, row_of, sentence, without
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_FILE = re.compile(r"(?<![\w\-}*])[\w\-}*]++\.(?:md|jsonl?|csv|tsv|ya?ml|db|txt)\b")
_READ = re.compile(
    r"[ \t]*+(?:(?:const|let|var)[ \t]++)?(?P<name>\w++)[ \t]*+=[ \t]*+(?:JSON\.parse|json\.loads?|parse|Read|read\w*)"
    r"\([^\n]*\)[ \t]*+;?[ \t]*+(?://[^\n]{0,300})?\Z"
)
_CALL = re.compile(r"[ \t]*+(?:await[ \t]++)?[\w.]++\([^\n]*\)[ \t]*+;?[ \t]*+(?://[^\n]{0,300})?\Z")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        name = finding.facts.get("name")
        edits = _edits(skill, finding, name) if name else ()
        if edits:
            first = finding.facts.get("first")
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy,
                level="mechanical" if first else "template",
                description=f"{name} is no longer {'kept beside ' + first if first else 'asked for'}",
                rationale=f"{first} has what it holds." if first else "No step writes it; if one should, say which.",
                edits=edits, risk="medium", estimated_impact="no step looks for what is not there",
                verification_steps=("diagnose the whole skill again", "see that nothing else came from that file"),
            )  # fmt: skip


def _edits(skill: Skill, finding: Finding, name: str) -> tuple[Edit, ...]:
    """At each place that names it; nothing where one of them can not be mended."""
    found: list[Edit] = []
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    first = finding.facts.get("first", "")
    for page in skill.pages.values():
        taken = -1
        for match in word.finditer(page.text):
            if match.start() < taken:
                continue
            changes = [*_changes(page, *match.span(), name, first)]
            if not changes:
                return ()
            taken = max(stretch.end for stretch in changes)
            found += [edit(page, *stretch) for stretch in changes]
    return tuple(dict.fromkeys(found))


def _changes(page: Page, start: int, end: int, name: str, first: str) -> Iterator[Stretch]:
    block = page.blocks[block_at(page, start)]
    listed = out_of_listing(page, start, end)
    if listed is not None:
        yield listed
    elif block.kind == "code":
        yield from _in_code(page, start, block.end, first)
    elif block.kind == "row":
        row = row_of(page, start) if is_key(page, start, 1) else None
        yield from (row,) if row else ()
    elif (said := sentence(page, start)) is not None:
        named = {one for one in _FILE.findall(page.text[said[1] : said[2]]) if one != name}
        gone = without(page, start)
        yield from (gone,) if gone and not named else ()


def _in_code(page: Page, start: int, stop: int, first: str) -> Iterator[Stretch]:
    """The statement that writes it; one that reads it, if the state has all that is taken from it."""
    begin, end = line_of(page, start)
    line = page.text[begin:end]
    after = page.text.find("\n", end)
    whole = Stretch(begin, len(page.text) if after < 0 else after + 1)
    if _CALL.match(line) and line.count("(") == line.count(")"):
        yield whole
    elif first and (read := _READ.match(line)):
        root = first.rsplit("/", 1)[-1].split(".", 1)[0]
        if re.search(rf"\b{re.escape(root)}\b", page.text[:begin]):
            yield whole
            used = re.compile(rf"(?<![\w.$]){re.escape(read['name'])}(?=\.)")
            yield from (Stretch(*match.span(), root) for match in used.finditer(page.text, whole.end, stop))


FIXER = Fixer(frozenset({"read-never-written", "split-state"}), "template", propose)
