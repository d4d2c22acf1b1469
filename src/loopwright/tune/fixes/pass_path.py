"""The path of a file stands in the prompt in place of its contents."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.words.likeness import joined
from loopwright.tune.skill.model import Page, Skill

READ = {"en": " (read it yourself)", "zh": "（自行读取）"}
RUN = {"en": "the output of '{command}' (run it yourself)", "zh": "'{command}' 的输出（自行运行）"}
_SHELL = re.compile(r"\$\((?:cat[ \t]++(?P<file>[^()|;&<>\n]+)|(?P<command>[^()\n]+))\)")
_VALUE = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\Z")
_EACH = re.compile(
    r"\.map\(\s*\(?(?P<one>\w+)\)?\s*=>\s*(?:await\s+)?(?:Read|read_file|readFileSync|readFile|readText|read_text)"
    r"\(\s*(?P<read>\w+(?:\.\w+)*)\s*\)\s*\)"
)
_WHOLE = re.compile(
    r"\b(?:whole|full|entire|complete)[ \t]+|\ball of (?=the\b)|全部的?|完整的?|整[个份]", re.IGNORECASE
)


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page, expression = skill.pages[finding.file], finding.facts.get("expression")
        if (shell := _SHELL.match(page.text, finding.start, finding.end)) is not None:
            yield _of_shell(page, finding, shell)
            continue
        path = _path(skill, finding) if expression else None
        start, end = _hole(page, finding, expression) if expression and path else (-1, -1)
        if path is None or start < 0:
            continue
        change = edit(page, start, end, path + READ[_language(page, start)])
        yield _proposal(finding, "mechanical", path, change)
        if (lead := _lead(page, start)) is not None:
            yield _proposal(finding, "mechanical", path, lead, change)


def _of_shell(page: Page, finding: Finding, shell: "re.Match[str]") -> Proposal:
    language = _language(page, finding.start)
    file = shell["file"]
    words = file.strip() + READ[language] if file else RUN[language].format(command=shell["command"].strip())
    change = edit(page, finding.start, shell.end(), words)
    return _proposal(finding, "mechanical" if file else "template", file or words, change)


def _proposal(finding: Finding, level: FixLevel, path: str, *edits: Edit) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="structured_state", level=level,
        description=f"Give the agent the path {path} and let it read the file",
        rationale="An agent that has the path reads what it needs, in its own context.",
        edits=edits, estimated_impact="the prompt no longer grows with the file",
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


def _lead(page: Page, start: int) -> Edit | None:
    """The line before it no longer announces the whole of it."""
    begin = line_of(page, start)[0]
    first, last = line_of(page, max(0, begin - 1))
    line = page.text[first:start] if page.text[begin:start].strip() else page.text[first:last]
    bare = _WHOLE.sub("", line)
    return edit(page, first, first + len(line), bare) if bare != line else None


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
    paths = {one.raw.strip("`'\"") for one in skill.artefacts if kept.search(one.name) or _is_kept(one.name, name)}
    return min(paths, key=len) if len({path.rpartition("/")[2] for path in paths}) == 1 else None


def _is_kept(file: str, name: str) -> bool:
    """`ultrapilotState` is kept in `ultrapilot-state.json`."""
    return joined(file.rpartition("/")[2].rpartition(".")[0]) == joined(name) != ""


def _paths(each: "re.Match[str]") -> str:
    """What is left of `.map(p => Read(p.path))` when nothing is read."""
    return "" if each["one"] == each["read"] else f".map({each['one']} => {each['read']})"


def _language(page: Page, at: int) -> str:
    """Of the lines around: a page in Chinese may have prompts in English."""
    near = page.text[max(0, at - 300) : at + 100]
    return "zh" if sum("\u4e00" <= char <= "\u9fff" for char in near) > len(near) / 10 else "en"


FIXER = Fixer(frozenset({"content-in-prompt"}), "mechanical", propose)
