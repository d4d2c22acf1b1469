"""A wait gets the time limit that the skill keeps for it, or that its other waits have."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.reading.words.likeness import words_of
from loopwright.tune.skill.model import Call, Page, Skill

USUAL = "600000"
"""Ten minutes, where the skill says nothing."""
_CONSTANT = re.compile(
    r"\b[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){0,8}_?(?:TIMEOUT|WAIT|LIMIT)(?:_[A-Z0-9]{1,40}){0,8}\b"
)
_CJK = re.compile(r"[\u4e00-\u9fff]")
_SAID = {"en": ", no longer than {limit}", "zh": "，最多等 {limit}"}
_MINUTES = {
    "en": "10 minutes (after that go on without those that have not answered)",
    "zh": "10 分钟（之后不再等没有回音的）",
}
_TAIL = re.compile(r"(?<![\s.。;；:：,，])[\s.。;；:：,，]*\Z")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        index, parameter = int(finding.facts.get("call", "-1")), finding.facts.get("parameter", "")
        if 0 <= index < len(skill.calls) and parameter:
            yield from _in_code(skill, finding, skill.calls[index], parameter)
        elif index < 0:
            yield _in_words(skill.pages[finding.file], finding)


def _in_words(page: Page, finding: Finding) -> Proposal:
    said = page.text[finding.start : finding.end]
    language, limit = "zh" if _CJK.search(said) else "en", finding.facts.get("limit")
    tail = _TAIL.search(said)
    at = finding.start + (tail.start() if tail else len(said))
    if page.text[at : at + 1] == "`" and page.text.count("`", page.text.rfind("\n", 0, at) + 1, at) % 2:
        at += 1  # behind the code in which it stands
    words = _SAID[language].format(limit=f"`{limit}`" if limit else _MINUTES[language])
    return _proposal(finding, words.strip(" ,，"), edit(page, at, at, words), "mechanical" if limit else "template")


def _in_code(skill: Skill, finding: Finding, call: Call, parameter: str) -> Iterator[Proposal]:
    page = skill.pages[finding.file]
    if call.at.file != finding.file:
        return
    value = _unused(skill, call) or finding.facts.get("value", "")
    if not call.arguments:
        yield _in_empty(page, finding, call, f"{parameter}: {value or USUAL}")
        return
    last = call.arguments[-1].at.end
    named = "{" not in page.text[call.at.start : call.arguments[0].at.start] and call.arguments[0].name
    words = f"{parameter}{'=' if named else ': '}{value or USUAL}"
    yield _proposal(finding, words, edit(page, last, last, f", {words}"), "mechanical" if value else "template")


def _in_empty(page: Page, finding: Finding, call: Call, words: str) -> Proposal:
    """`wait()` and `wait({})` get their first argument."""
    said = page.text[call.at.start : call.at.end]
    brace = said.find("{")
    at = call.at.start + (said.find("(") if brace < 0 else brace) + 1
    given = f"{{ {words} }}" if brace < 0 else f" {words} "
    return _proposal(finding, words, edit(page, at, at, given), "template")


def _unused(skill: Skill, call: Call) -> str:
    """A time that the skill sets by name and uses nowhere; of several the one that is named after what is done here."""
    found = [name for page in skill.pages.values() for name in _CONSTANT.findall(page.text)]
    free = [name for name in dict.fromkeys(found) if found.count(name) == 1]
    page = skill.pages[call.at.file]
    near = page.text[max(0, call.at.start - 600) : call.at.end].lower()
    fitting = [name for name in free if words_of(name)[0][:5] in near]
    return fitting[0] if len(fitting) == 1 else free[0] if len(free) == 1 else ""


def _proposal(finding: Finding, words: str, change: Edit, level: FixLevel) -> Proposal:
    known = level == "mechanical"
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="custom", level=level,
        description=f"Limit the wait: {words}",
        rationale="The skill has this limit." if known
        else "An agent that hangs must not hold up the run; look if ten minutes fit.",
        edits=(change,), risk="low" if known else "medium",
        estimated_impact="the run goes on when an agent does not answer",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


FIXER = Fixer(frozenset({"wait-without-limit"}), "mechanical", propose)
