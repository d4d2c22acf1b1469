"""Beside a question it is said what holds in the mode in which nobody answers."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.reading.agents.agency import block_of
from loopwright.tune.skill.model import Skill

SAID = {
    "en": "In auto mode{mode} do not ask: take the first option, and note it as an assumption.",
    "zh": "自动模式{mode}下不提问：取第一个选项，并记为假设。",
}
_CJK = re.compile(r"[\u4e00-\u9fff]")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        block = block_of(page, finding.start)
        if block is None:
            continue
        language = "zh" if page.language == "zh" or _CJK.search(block.text) else "en"
        mode = finding.facts.get("mode") or "auto"
        shown = (f"（`{mode}`）" if language == "zh" else f" (`{mode}`)") if mode.startswith("-") else ""
        words = SAID[language].format(mode=shown)
        if block.kind == "code":
            fence = page.text[block.start : block.body]
            indent = fence[: len(fence) - len(fence.lstrip())]
            new = f"\n\n{indent}{words}"
        else:
            new = words if language == "zh" else f" {words}"
        end = block.start + len(page.text[block.start : block.end].rstrip())
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="custom", level="template",
            description="Say what holds where nobody answers the question", rationale="A run without a person takes "
            "the default and says so.",
            edits=(edit(page, end, end, new),), risk="medium", estimated_impact="an unattended run does not stop here",
            verification_steps=("diagnose the whole skill again", "see that the first option is the right default"),
        )  # fmt: skip


FIXER = Fixer(frozenset({"blocking-question"}), "template", propose)
