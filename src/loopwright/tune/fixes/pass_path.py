"""The path of a file stands in the prompt in place of its contents."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

_VALUE = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\Z")
_EACH = re.compile(
    r"\.map\(\s*\(?(?P<one>\w+)\)?\s*=>\s*(?:await\s+)?(?:Read|read_file|readFileSync|readFile|readText|read_text)"
    r"\(\s*(?P<read>\w+(?:\.\w+)*)\s*\)\s*\)"
)
READ = {"en": " (read it yourself)", "zh": "（自行读取）"}


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        expression = finding.facts.get("expression")
        path = _path(skill, finding) if expression else None
        if path is None or expression is None:
            continue
        start, end = _hole(page, finding, expression)
        if start < 0:
            continue
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="structured_state", level="mechanical",
            description=f"Give the agent the path {path} and let it read the file",
            rationale="An agent that has the path reads what it needs, in its own context.",
            edits=(edit(page, start, end, path + READ[_language(page, start)]),),
            estimated_impact="the prompt no longer grows with the file",
            verification_steps=("diagnose the whole skill again", "see that the agent may read that file"),
        )  # fmt: skip


def _hole(page: Page, finding: Finding, expression: str) -> tuple[int, int]:
    """Where the braces of the expression begin and end."""
    at = page.text.find(expression, max(0, finding.start - 4))
    if at < 0:
        return -1, -1
    start = page.text.rfind("${", max(0, at - 8), at + 1)
    end = page.text.find("}", at + len(expression) - 1 if expression.endswith("}") else at + len(expression))
    return (start, end + 1) if start >= 0 and end >= 0 else (-1, -1)


def _path(skill: Skill, finding: Finding) -> str | None:
    """As it stands in the page: of the file that was read, or of the one that the value is kept in."""
    given = finding.facts.get("path")
    if given:
        if given[0] == given[-1] and given[0] in "`'\"":
            return given[1:-1]
        return f"${{{given}}}" if _VALUE.match(given) else None
    if (each := _EACH.search(finding.facts["expression"])) is not None:
        return f"${{{finding.facts['expression'].replace(each[0], _paths(each))}}}"
    name = (finding.facts.get("state") or finding.subject).rpartition(".")[2]
    kept = re.compile(rf"(?:^|/)[\w-]*{re.escape(name)}[\w-]*\.(?:json|md|yaml|yml|txt)$", re.IGNORECASE)
    paths = {one.raw.strip("`'\"") for one in skill.artefacts if kept.search(one.name)}
    return min(paths, key=len) if len({path.rpartition("/")[2] for path in paths}) == 1 else None


def _paths(each: "re.Match[str]") -> str:
    """What is left of `.map(p => Read(p.path))` when nothing is read."""
    return "" if each["one"] == each["read"] else f".map({each['one']} => {each['read']})"


def _language(page: Page, at: int) -> str:
    """Of the lines around: a page in Chinese may have prompts in English."""
    near = page.text[max(0, at - 300) : at + 100]
    return "zh" if sum("\u4e00" <= char <= "\u9fff" for char in near) > len(near) / 10 else "en"


FIXER = Fixer(frozenset({"content-in-prompt"}), "mechanical", propose)
