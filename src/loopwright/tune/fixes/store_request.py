"""The first step writes down what the user asked for."""

import re
from collections.abc import Iterator
from itertools import takewhile

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import end_of_words, line_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Page, Skill

_SAYS = {
    "en": "Put the user's request into the field `{field}`, word for word.",
    "zh": "把用户原话逐字写入 `{field}` 字段。",
}
_FILE = {
    "en": "Write the user's request, word for word, to `{path}`{fields}. Later steps read it from there.",
    "zh": "把用户原话逐字写入 `{path}`{fields}，后面的步骤都从这里读。",
}
_WITH = {"en": ", with what later steps need: {fields}", "zh": "，并写上后面要用的 {fields}"}
_USER = re.compile(
    r"(?<![\w.$])(args|\$ARGUMENTS|ARGUMENTS|userRequest|user_request|userInput|user_input|request"
    r"|userPrompt|input)\b(?!\s*[:=(])"
)
_OBJECT = re.compile(r"JSON\.stringify\(\s*\{[ \t]*\r?\n(?P<indent>[ \t]*)|=\s*\{[ \t]*\r?\n(?P<inner>[ \t]*)")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        if "field" not in finding.facts and "artefact" not in finding.facts:
            continue
        page = skill.pages[finding.file]
        field = finding.facts.get("field")
        change, level = _field(page, finding, field) if field else _file(skill, page, finding)
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="structured_state", level=level,
            description=f"Write down what the user asked for: {finding.subject}",
            rationale="Later steps and agents know the request only from there.",
            edits=(change,), risk="low" if level == "mechanical" else "medium",
            estimated_impact="the request outlives the conversation",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _field(page: Page, finding: Finding, field: str) -> tuple[Edit, FixLevel]:
    """As a key of the object that is written here, else as a sentence before the block that shows it."""
    index = block_at(page, finding.start)
    block = page.blocks[index]
    if block.kind == "code":
        user = _USER.search(page.text, block.body, block.end)
        made = _OBJECT.search(page.text, finding.end, block.end)
        if user and made:
            indent = made["indent"] or made["inner"] or ""
            return edit(page, made.end(), made.end(), f"{field}: {user[1]},\n{indent}"), "mechanical"
    words = _SAYS[page.language].format(field=field)
    if block.kind == "heading":
        return _at_step(page, block, words), "template"
    at = block.start if block.kind == "code" else block.end
    return edit(page, at, at, f"{words}\n\n" if block.kind == "code" else _joined(block, page, words)), "template"


def _at_step(page: Page, heading: Block, words: str) -> Edit:
    """As the last entry of the first list of steps below the heading, else as a paragraph of its own."""
    below = [one for one in page.blocks if one.start > heading.start and one.use == "instruction"]
    index = next((n for n, one in enumerate(below) if one.kind == "item"), None)
    if index is None:
        first = next((one for one in below if one.kind == "paragraph"), heading)
        return edit(page, first.end, first.end, f"\n\n{words}")
    entries = list(takewhile(lambda one: one.kind in ("item", "code", "paragraph"), below[index:]))
    items = [one for one in entries if one.kind == "item" and one.level == entries[0].level]
    last = items[-1]
    mark = re.match(r"[ \t]*(?:(\d+)([.)、])[ \t]*|[-*+][ \t]+)", page.text[line_of(page, last.start)[0] :])
    head = "- " if mark is None else f"{int(mark[1]) + 1}{mark[0].strip()[len(mark[1]) :]} " if mark[1] else mark[0]
    end = len(page.text[: entries[-1].end].rstrip())
    return edit(page, end, end, f"\n{head}{words}")


def _joined(block: Block, page: Page, words: str) -> str:
    """Behind the sentence that names the file, in the same paragraph or entry."""
    gap = "" if page.language == "zh" else " "
    stop = "" if block.text.rstrip().endswith((".", "。", ":", "：", "!")) else "。" if page.language == "zh" else "."
    if block.text.rstrip().endswith((":", "：")):
        return f"\n\n{words}"
    return f"{stop}{gap}{words}"


def _file(skill: Skill, page: Page, finding: Finding) -> tuple[Edit, FixLevel]:
    """A sentence at the end of the first step's work."""
    name = finding.facts["artefact"]
    raws = [one.raw for one in skill.artefacts if one.name == name and one.mode == "read"]
    raw = max(sorted(set(raws)), key=lambda one: ("$" in one, raws.count(one)))
    root = name.rsplit("/", 1)[-1].split(".", 1)[0]
    language = page.language
    listed = ", ".join(f"`{one}`" for one in _fields(skill, root)[:8])
    fields = _WITH[language].format(fields=listed) if listed else ""
    words = _FILE[language].format(path=raw, fields=fields)
    section = next((one for one in page.sections if one.concept == "steps" and one.level > 1), None)
    if section is None:
        last = page.sections[-1] if page.sections else None
        at = end_of_words(page, last) if last else len(page.text)
    else:
        at = end_of_words(page, section)
    return edit(page, at, at, f"\n\n{words}"), "template"


def _fields(skill: Skill, root: str) -> list[str]:
    """What later steps read of it."""
    found = [use.path for use in skill.fields if use.root == root and use.mode == "read"]
    for prompt in skill.prompts:
        found += [
            hole.expression.partition(".")[2]
            for hole in prompt.interpolations
            if hole.expression.startswith(root + ".")
        ]
    return [one for one in dict.fromkeys(found) if one.isidentifier()]


FIXER = Fixer(frozenset({"request-not-persisted"}), "mechanical", propose)
