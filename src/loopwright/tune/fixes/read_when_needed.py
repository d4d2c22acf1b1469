"""What has many files read at the start says to read each when it is needed."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Page, Skill
from loopwright.tune.skill.tables import cells

_NAMED = re.compile(r"\[[^\]\n]{0,200}\]\([^)\n]{1,300}\)|`[^`\n]+`")
_END = re.compile(r"[.。;；]?(?<!\s)\s*\Z")
_LEAD = re.compile(r"[ \t]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)?(?:\*\*[^*\n]{1,40}\*\*[:：]?[ \t]*)?")
_SOON = re.compile(
    r"\W*(?:(?:always|yes|first|(?:at|on) (?:the )?(?:very )?(?:start|beginning|startup|activation|launch)"
    r"|start(?:up)?|up[ -]?front|every (?:run|time|session|task)|before (?:you )?(?:start|begin\w*"
    r"|anything(?: else)?|step (?:1|one)|the first step)|immediately|step [01])"
    r"|(?:开始|开工|启动|动手|激活)(?:时|前|之前)?|始终|一开始|每次|总是|必读|首先)\W*",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"[ \t]*+(?:(?:const|let|var)[ \t]++(?P<name>\w++)[ \t]*+=[ \t]*+)?[^\n]*[)};\w*][ \t]*+(?://[^\n]{0,300})?\Z"
)
_SAID = {
    "en": (
        "Read each of these only when the step at hand needs it: {files}",
        "Read each of the files only when the step at hand needs it",
    ),
    "zh": ("以下文件在用到的步骤才读，不要提前读：{files}", "各个文件在用到的步骤才读，不要提前读"),
}  # fmt: skip
_CELL = {"en": "when a step needs it", "zh": "用到时"}


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        edits = tuple(_edits(page, finding))
        if edits:
            yield Proposal(
                fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor",
                level="template", description="Read the files when they are needed, not all at the start",
                rationale="Most tasks need a part of them only.", edits=edits, risk="medium",
                estimated_impact="the context holds what the task needs",
                verification_steps=("diagnose the whole skill again", "say at each step which file it needs"),
            )  # fmt: skip


def _edits(page: Page, finding: Finding) -> Iterator[Edit]:
    block = page.blocks[block_at(page, finding.start)]
    if block.kind == "row":
        yield from _of_rows(page, finding)
    elif block.kind == "code":
        yield from _of_code(page, finding, block)
    else:
        yield _of_sentence(page, finding)
        yield from _of_table_below(page, block)


def _of_sentence(page: Page, finding: Finding) -> Edit:
    said = page.text[finding.start : finding.end]
    language = "zh" if page.language == "zh" else "en"
    names = _NAMED.findall(said)
    listed, bare = _SAID[language]
    words = listed.format(files=("、" if language == "zh" else ", ").join(names)) if names else bare
    ending, lead = _END.search(said), _LEAD.match(said)
    begin = lead.end() if lead else 0
    before = page.text[: finding.start + begin].rstrip(" \t\n")
    if language == "en" and before.endswith((";", ",")):
        words = words[0].lower() + words[1:]
    return edit(page, finding.start + begin, finding.end, words + (ending[0] if ending else ""))


def _of_rows(page: Page, finding: Finding) -> Iterator[Edit]:
    """The cells that say when."""
    words = _CELL["zh" if page.language == "zh" else "en"]
    for block in page.blocks:
        if block.kind == "row" and finding.start <= block.start < finding.end:
            yield from _of_row(page, block, words)


def _of_row(page: Page, block: Block, words: str) -> Iterator[Edit]:
    for cell in cells(page.text, block.start, block.end):
        if _SOON.fullmatch(cell.text):
            as_it = words[0].upper() + words[1:] if cell.text[:1].isupper() else words
            yield edit(page, cell.start, cell.end, as_it)


def _of_table_below(page: Page, block: Block) -> Iterator[Edit]:
    """The sentence speaks of its rows."""
    words = _CELL["zh" if page.language == "zh" else "en"]
    for one in page.blocks[page.blocks.index(block) + 1 :]:
        if one.section != block.section or one.kind not in ("row", "paragraph"):
            return
        if one.kind == "row":
            yield from _of_row(page, one, words)


def _of_code(page: Page, finding: Finding, block: Block) -> Iterator[Edit]:
    """Without the statement, if nothing uses what it has read and it is not all there is."""
    start, end = line_of(page, finding.start)
    line = page.text[start:end]
    found = _STATEMENT.match(line)
    rest = page.text[block.body : start] + page.text[end : block.end]
    others = [one for one in rest.splitlines() if one.strip() and not one.strip().startswith(("```", "~~~", "//", "#"))]
    if found is None or not others or line.count("(") != line.count(")") or line.count("{") != line.count("}"):
        return
    if found["name"] and re.search(rf"\b{re.escape(found['name'])}\b", page.text[end:]):
        return
    stop = page.text.find("\n", end)
    yield edit(page, start, len(page.text) if stop < 0 else stop + 1, "")


FIXER = Fixer(frozenset({"eager-loading"}), "template", propose)
