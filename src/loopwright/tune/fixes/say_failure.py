"""It is said what happens when an agent, or a script, fails."""

from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.reading.agents.agency import block_of
from loopwright.tune.skill.model import Page, Skill

AGENT = {
    "en": "The agent fails, or what it should have written is missing: start it once more. Fails again: stop, and "
    "tell the user what is missing.",
    "zh": "子代理失败或产物缺失：重试一次；再失败就停止，并告诉用户缺什么。",
}
SCRIPT = {
    "en": "It ends with code {code} when it can not do its work: then read what it printed, do the step yourself, and "
    "go on.",
    "zh": "以 {code} 退出表示它无法完成：读它的输出，自己做这一步，再继续。",
}


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        if "target" in finding.facts:
            continue  # what becomes of this very answer no general words say
        if said := finding.facts.get("words"):
            yield _as_its_like(page, finding, said)
            continue
        language = page.language
        code = finding.facts.get("code")
        words = SCRIPT[language].format(code=code) if code else AGENT[language]
        at = _place(page, finding)
        new = f"\n\n{_indent(page, finding)}{words}"
        if not code and (title := _title(skill, finding)) is not None:
            at, new = _before_the_end(page), f"\n\n{title}\n\n{words}"
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level="template",
            description="Say what happens on a failure", rationale="Its siblings say so; look if these words fit.",
            edits=(edit(page, at, at, new),), risk="medium", estimated_impact="a failure is noticed, and the run goes "
            "on or ends in a known way",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _as_its_like(page: Page, finding: Finding, said: str) -> Proposal:
    """In the words of the place that is like this one, in the same sentence."""
    text = page.text[finding.start : finding.end].rstrip()
    bare = text.rstrip(".。;；")
    at = finding.start + len(bare)
    joint = "；" if page.language == "zh" else "; "
    words = said.strip(" .。;；,，")
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level="mechanical",
        description=f"Say what is done instead: {words}", rationale="Its like says so in these words.",
        edits=(edit(page, at, at, f"{joint}{words}"),), estimated_impact="the run goes on where it can not be done so",
        verification_steps=("diagnose the whole skill again",),
    )  # fmt: skip


def _place(page: Page, finding: Finding) -> int:
    block = block_of(page, finding.start)
    end = block.end if block else finding.end
    return len(page.text[:end].rstrip())


def _indent(page: Page, finding: Finding) -> str:
    block = block_of(page, finding.start)
    if block is None or block.kind != "code":
        return ""
    head = page.text[block.start : block.body]
    return head[: len(head) - len(head.lstrip(" "))]


def _title(skill: Skill, finding: Finding) -> str | None:
    """The heading under which a sibling says it."""
    for path in finding.also:
        other = skill.pages.get(path)
        for section in other.sections if other else ():
            if section.concept == "errors" and other is not None:
                return f"{'#' * section.level} {section.title}"
    return None


def _before_the_end(page: Page) -> int:
    """Behind the last section; a line that leads to the next page stays the last one."""
    text = page.text.rstrip()
    last = text.rpartition("\n\n")[2] if "\r\n" not in text else text.rpartition("\r\n\r\n")[2]
    leads = "](" in last and "\n" not in last.strip() and not last.lstrip().startswith(("-", "#", "|", "*"))
    return len(text[: len(text) - len(last)].rstrip()) if leads else len(text)


FIXER = Fixer(frozenset({"no-failure-path"}), "template", propose)
