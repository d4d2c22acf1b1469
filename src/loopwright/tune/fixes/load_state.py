"""A step reads the file whose content it uses, as its siblings do."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.rules.families import same_title
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Artefact, Block, Page, Section, Skill

_SAYS = {"en": "Read `{path}` first.", "zh": "先读 `{path}`。"}
_CODE = frozenset({"", "js", "javascript", "ts", "typescript", "jsx", "tsx"})


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        if "root" not in finding.facts:
            continue
        page = skill.pages[finding.file]
        block = page.blocks[block_at(page, finding.start)]
        change, level = _in_code(skill, finding, page, block) or _in_words(skill, finding, page, block)
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="structured_state", level=level,
            description=f"Read {finding.facts['raw']} before it is used",
            rationale="The line is the one that its siblings have." if level == "mechanical" else "Look whether "
                "it stands at the right place.",
            edits=(change,), risk="low", estimated_impact="one more file is read in this step",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _in_code(skill: Skill, finding: Finding, page: Page, block: Block) -> tuple[Edit, FixLevel] | None:
    """The assignment as it stands in another page, as the first line of the code that uses it."""
    if block.kind != "code" or block.lang.lower() not in _CODE:
        return None
    root, name = finding.facts["root"], finding.facts["artefact"].rsplit("/", 1)[-1]
    given = next((one for one in skill.assignments if one.name == root and name in one.value), None)
    line = re.search(r"\s*(?P<indent>[ \t]*)(?=\S)", page.text[block.body : block.end])
    indent = line["indent"] if line else ""
    if given is not None:
        source = skill.pages[given.at.file]
        start, end = line_of(source, given.at.start)
        words = source.text[start:end].strip()
        return edit(page, block.body, block.body, f"{indent}{words}\n"), "mechanical"
    raw = _path(skill, finding)
    if raw is None:
        return None
    reader = next(
        (c.name for c in skill.calls if c.at.file == page.path and c.name in ("read", "Read", "readFile", "read_file")),
        "Read",
    )
    return edit(page, block.body, block.body, f"{indent}let {root} = JSON.parse({reader}(`{raw}`))\n"), (
        "mechanical" if any("JSON.parse(" in one.value for one in skill.assignments) else "template"
    )


def _path(skill: Skill, finding: Finding) -> str | None:
    """The path with its folder as a variable, as somebody writes it."""
    raws = [one.raw for one in skill.artefacts if one.name == finding.facts["artefact"] and one.raw.startswith("${")]
    return max(sorted(set(raws)), key=raws.count, default=None)


def _in_words(skill: Skill, finding: Finding, page: Page, block: Block) -> tuple[Edit, FixLevel]:
    model = skill.pages.get(finding.facts.get("model", ""))
    read = _reading(skill, finding, model) if model else None
    section = _like(page, model, read) if model and read else None
    raw = read.raw if read else finding.facts["raw"]
    words = _SAYS[page.language].format(path=raw)
    if section is not None:
        inside = (
            page.blocks[block_at(page, section.start) + 1]
            if block_at(page, section.start) + 1 < len(page.blocks)
            else None
        )
        at = inside.start if inside and inside.start < section.end else section.body
        return edit(page, at, at, f"{words}\n\n"), "mechanical"
    return edit(page, block.start, block.start, f"{words}\n\n"), "template"


def _reading(skill: Skill, finding: Finding, model: Page) -> Artefact | None:
    name = finding.facts["artefact"]
    return next((a for a in skill.artefacts if a.name == name and a.mode == "read" and a.at.file == model.path), None)


def _like(page: Page, model: Page, read: Artefact) -> Section | None:
    """The section of this page that is titled as the one in which the model reads the file."""
    index = model.blocks[block_at(model, read.at.start)].section
    if index < 0:
        return None
    title = same_title(model.sections[index].title)
    return next(
        (section for section in page.sections if same_title(section.title) == title and section.level > 1), None
    )


FIXER = Fixer(frozenset({"state-not-loaded"}), "mechanical", propose)
