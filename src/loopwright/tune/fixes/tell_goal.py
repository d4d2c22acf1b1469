"""An agent's prompt gets the line with the user's goal that its siblings have."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.prompts.requests import goals_of
from loopwright.tune.skill.model import Interpolation, Page, Prompt, Skill

LONGEST = 160
"""Characters of a line that is about the goal and nothing else."""
_OWN = {"en": "Goal, in the user's words: ", "zh": "用户目标："}
_FIRST_READ = {
    "en": "Read {path} first: what the user wants, in the user's own words.",
    "zh": "先读 {path}：用户要什么，以用户原话为准。",
}
_CJK = re.compile(r"[\u4e00-\u9fff]")
_FOLDER = re.compile(r"(\$\{\w+\}|(?<!\$)\{\w+\}|<[\w-]+>)/")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        prompt = _prompt(skill, finding)
        if prompt is None:
            continue
        page = skill.pages[prompt.at.file]
        store = finding.facts.get("store")
        said = _of_store(page, prompt, store) if store else _of_sibling(skill, page, prompt)
        if said is not None:
            words, level, after = said
            yield _proposal(finding, _insert(page, prompt, words, after), level, words)


def _prompt(skill: Skill, finding: Finding) -> Prompt | None:
    start = int(finding.facts.get("prompt", "-1"))
    found = (one for one in skill.prompts if one.at.file == finding.file and one.at.start == start and one.call >= 0)
    return next(found, None)


def _of_sibling(skill: Skill, page: Page, prompt: Prompt) -> tuple[str, FixLevel, str] | None:
    """The line as a sibling has it, if what it names can be had here; and the line that stands before it there."""
    fits: list[tuple[bool, bool, Prompt, Interpolation]] = []
    for other in skill.prompts:
        if other.call < 0 or other.at == prompt.at:
            continue
        for hole in goals_of(skill, other):
            root = re.split(r"[.\[(]", hole.expression, maxsplit=1)[0].strip()
            known = re.search(rf"\b{re.escape(root)}\b", page.text) is not None
            fits.append((not known, other.at.file != page.path, other, hole))
    if not fits:
        return None
    missing, _, other, hole = min(fits, key=lambda one: one[:2])
    source = skill.pages[other.at.file]
    if not _takes(page, prompt, source.text[hole.at.start : hole.at.end], hole):
        return None
    start, end = line_of(source, hole.at.start)
    line = source.text[max(start, other.at.start) : min(end, other.at.end)].strip()
    before = source.text[other.at.start : max(start, other.at.start)].strip().rsplit("\n", 1)[-1].strip()
    whole = len(line) <= LONGEST and sum(start <= one.at.start < end for one in other.interpolations) == 1
    raw = _hole(source, hole)
    if line == raw and (before.startswith("#") or before.endswith((":", "："))) and len(before) <= LONGEST:
        return f"{before}\n{line}\n", "template" if missing else "mechanical", ""
    return (line if whole else _OWN[_language(prompt.text)] + raw), "template" if missing else "mechanical", before


def _hole(page: Page, hole: Interpolation) -> str:
    """The interpolation with its brackets."""
    raw = page.text[hole.at.start : hole.at.end]
    if raw.startswith(("$", "{", "<")):
        return raw
    return page.text[page.text.rfind("$", 0, hole.at.start) : page.text.find("}", hole.at.end - 1) + 1]


def _takes(page: Page, prompt: Prompt, raw: str, hole: Interpolation) -> bool:
    """A string in plain quotes can not hold an expression."""
    quote = page.text[prompt.at.start - 1 : prompt.at.start]
    return quote not in ("'", '"') or page.text[prompt.at.start - 2 : prompt.at.start - 1] in ("f", quote)


def _of_store(page: Page, prompt: Prompt, store: str) -> tuple[str, FixLevel, str]:
    folders = [one[1] for one in _FOLDER.finditer(prompt.text) if "skill" not in one[1].lower()]
    path = f"{folders[0]}/{store}" if folders else store
    first = next((line.strip() for line in prompt.text.splitlines() if line.strip()), "")
    return _FIRST_READ[_language(prompt.text)].format(path=path), "template", first


def _language(text: str) -> str:
    return "zh" if _CJK.search(text) else "en"


def _insert(page: Page, prompt: Prompt, words: str, after: str) -> Edit:
    """Behind the line that is like the one before it in the sibling, else as the first line."""
    start = prompt.at.start
    text = page.text[start : prompt.at.end]
    first = len(text) - len(text.lstrip())
    begin, end = line_of(page, start + first)
    indent = page.text[begin : start + first] if begin >= start else ""
    line = page.text[start + first : end]
    if after and _alike(after, line) and end < prompt.at.end:
        return edit(page, end, end, f"\n{indent}{words}")
    shown = words.replace("\n", f"\n{indent}") if indent.strip() == "" else words
    return edit(page, start + first, start + first, f"{shown}\n{indent}")


def _alike(one: str, other: str) -> bool:
    """They begin alike and share half of their words."""
    if _CJK.search(one):
        return one[:2] == other[:2]
    words, others = one.split(), other.split()
    shared = len({*words} & {*others})
    return words[:1] == others[:1] and 2 * shared >= max(len({*words}), len({*others}))


def _proposal(finding: Finding, change: Edit, level: FixLevel, words: str) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="constraint_injection", level=level,
        description=f"Tell the agent what the user wants: {words[:80]}",
        rationale="The other prompts of this skill carry it in the same words." if level == "mechanical"
        else "An agent knows nothing but its prompt; look whether what it names can be had here.",
        edits=(change,), risk="low" if level == "mechanical" else "medium",
        estimated_impact="one more line in the prompt",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


FIXER = Fixer(frozenset({"goal-not-in-prompt"}), "mechanical", propose)
