"""An agent, or a role, is told what to give back, in the words of its siblings."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import end_of_words
from loopwright.tune.reading.prompts.contracts import outcome_part
from loopwright.tune.reading.prompts.returns import Return, returns
from loopwright.tune.skill.model import Page, Skill

USUAL = {
    "en": "Return at most 10 lines: what is done, the paths of what you wrote, and what is open.",
    "zh": "返回不超过 10 行：完成了什么、写入的路径、未决的问题。",
}
PLAIN = {
    "en": "Return what you have found with its evidence, the paths of what you wrote, and what is open.",
    "zh": "返回：发现及其依据、写入的路径、未决的问题。",
}
_CJK = re.compile(r"[\u4e00-\u9fff]")
_QUOTE = re.compile(r"(?<!\s)\s*\Z")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    said = tuple(returns(skill))
    for finding in findings:
        page = skill.pages[finding.file]
        prompted = "prompt" in finding.facts
        changes = tuple(_in_prompt(skill, page, finding, said)) if prompted else _in_role(skill, page, finding)
        yield from (_proposal(finding, change) for change in changes)


def _proposal(finding: Finding, change: Edit) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="schema_enforcement", level="template",
        description="Say what the agent gives back, as its siblings do", rationale="What its siblings return is "
        "what the caller expects.",
        edits=(change,), risk="medium", estimated_impact="the step that reads the answer finds what it needs",
        verification_steps=("diagnose the whole skill again", "see that the words fit this agent's work"),
    )  # fmt: skip


def _in_prompt(skill: Skill, page: Page, finding: Finding, said: tuple[Return, ...]) -> Iterator[Edit]:
    """With a limit; without one, where the siblings have none."""
    index = int(finding.facts["prompt"])
    if index >= len(skill.prompts) or skill.prompts[index].at.file != page.path:
        return
    prompt = skill.prompts[index]
    model = next((one for one in said if str(one.prompt) == finding.facts.get("model")), said[0] if said else None)
    inner = page.text[prompt.at.start : prompt.at.end]
    tail = _QUOTE.search(inner)
    at = prompt.at.start + (tail.start() if tail else len(inner))
    words = _words(inner, model)
    line = page.text.rfind("\n", 0, at) + 1
    indent = page.text[line : line + len(page.text[line:at]) - len(page.text[line:at].lstrip(" "))]
    yield edit(page, at, at, f"\n{indent}{words}")
    yield edit(page, at, at, f"\n{indent}{PLAIN['zh' if _is_chinese(inner) else 'en']}")


def _is_chinese(inner: str) -> bool:
    return len(_CJK.findall(inner)) > len(inner) / 12


def _words(inner: str, model: Return | None) -> str:
    """The first sentence of a sibling's, if it says a size and holds for any agent; else usual ones."""
    language = "zh" if _is_chinese(inner) else "en"
    if model is not None and model.size is not None:
        limit = model.text.partition(":")[0].partition("：")[0].strip()
        if ("\n" not in model.text.strip() or model.size in limit) and bool(_CJK.search(model.text)) == (
            language == "zh"
        ):
            return _with_size(language, model)
    return USUAL[language]


def _with_size(language: str, model: Return) -> str:
    if language == "zh":
        return f"返回{model.size}：完成了什么、写入的路径、未决的问题。"
    return f"Return {model.size}: what is done, the paths of what you wrote, and what is open."


def _in_role(skill: Skill, page: Page, finding: Finding) -> tuple[Edit, ...]:
    """The section as a sibling has it, at the end; or, where that would be a long copy, in usual words."""
    other = skill.pages.get(finding.facts.get("model", ""))
    part = outcome_part(other) if other else None
    if other is None or part is None or not part.level:
        return _in_section(page, finding)
    body = other.text[part.start : part.end].replace("\r\n", "\n").strip()
    end = len(page.text.rstrip())
    title = body.partition("\n")[0]
    return edit(page, end, end, f"\n\n{body}"), edit(page, end, end, f"\n\n{title}\n\n{USUAL[page.language]}")


def _in_section(page: Page, finding: Finding) -> tuple[Edit, ...]:
    """As the last paragraph of the section that tells the agent its work."""
    section = next((one for one in page.sections if one.start <= finding.start < max(one.body, one.start + 1)), None)
    if section is None:
        return ()
    inner = next((one for one in page.sections if one.start > section.start), None)
    stop = min(section.end, inner.start if inner else section.end)
    end = end_of_words(page, section) if stop == section.end else len(page.text[:stop].rstrip())
    return tuple(edit(page, end, end, f"\n\n{words[page.language]}") for words in (USUAL, PLAIN))


FIXER = Fixer(frozenset({"no-output-contract"}), "template", propose)
