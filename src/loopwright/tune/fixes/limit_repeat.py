"""A repetition gets a limit: the one that the skill keeps for it, or a usual one."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Repeat, Skill

ROUNDS, STEPS = 3, 30
"""Rounds of work that is done again, and steps of a whole run, where the skill says nothing."""
SAID = {
    "en": " At most {n} rounds; after that record what is still wrong and go on.",
    "zh": "最多 {n} 轮；之后记下仍未解决的问题，继续往下。",
}
_NEXT = re.compile(r"\r?\n[ \t]*(?:\d+[.)]|[-*+])[ \t]*\Z")
"""The marker of the entry that follows."""
SHORTLY = {"en": ", at most {n} times", "zh": "，最多 {n} 轮"}
_RUN = re.compile(r"\b(?:turns?|steps?|actions?|choose|state|loop)\b|动作|状态|循环", re.IGNORECASE)
"""What is repeated is the step of a whole run, not a piece of work that is done again."""
_CJK = re.compile(r"[\u4e00-\u9fff]")
_WHILE = re.compile(r"while\s*\((?P<condition>.*)\)\s*\Z", re.DOTALL)
_FOR = re.compile(
    r"for\s*+\(\s*+(?:let|var)?\s*+(?P<name>\w++)\s*+=\s*+(?P<first>[01])\s*+;\s*+(?:true\s*+)?;[^;]*\)\s*+\Z"
)
_FIELD = re.compile(r"\b(\w+)\.\w+")
_KEPT = re.compile(
    r"(?:^|\.)max_?(?P<what>rounds|turns|steps|iterations|attempts|retries|loops|cycles)\Z", re.IGNORECASE
)


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page, at = skill.pages[finding.file], finding.facts.get("repeat")
        repeat = next(
            (r for r in skill.repeats if r.at.file == finding.file and str(r.at.start) == at and _is(r, finding)), None
        )
        if repeat is None:
            continue
        change, level = (
            _of_code(skill, page, repeat) if repeat.kind == "code" else (_of_words(skill, page, finding), "template")
        )
        if change is None:
            continue
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="orchestrator_refactor", level=level,
            description="Limit how often it is repeated", rationale="The skill keeps this limit in its "
            "state." if level == "mechanical"
            else "A limit that is somewhat wrong is better than none; look if the number fits.",
            edits=(change,), risk="low" if level == "mechanical" else "medium", estimated_impact="the run ends for "
            "certain",
            verification_steps=("diagnose the whole skill again",),
        )  # fmt: skip


def _is(repeat: Repeat, finding: Finding) -> bool:
    return repeat.kind == finding.facts.get("kind")


def _of_words(skill: Skill, page: Page, finding: Finding) -> Edit:
    said = _NEXT.sub("", page.text[finding.start : finding.end])
    end = finding.start + len(said.rstrip())
    language = "zh" if _CJK.search(said) else "en"
    number = _kept_number(skill) or (STEPS if _RUN.search(said) else ROUNDS)
    words = SAID[language].format(n=number)
    if said.rstrip().endswith((":", "：")):
        return edit(page, end - 1, end - 1, SHORTLY[language].format(n=number))
    closing = "" if said.rstrip().endswith((".", "。", ";", "；", "!", "！")) else "。" if language == "zh" else "."
    if said.rstrip().endswith((";", "；")):
        words = words.rstrip(".。").replace(" At most", " at most") + said.rstrip()[-1]
    return edit(page, end, end, f"{closing}{words}")


def _kept_number(skill: Skill) -> int | None:
    """The limit of rounds that a schema of the skill holds as a number."""
    for schema in skill.schemas:
        for one in schema.fields:
            if _KEPT.search(one.path) and len(one.values) == 1 and one.values[0].isdigit():
                return int(one.values[0])
    return None


def _of_code(skill: Skill, page: Page, repeat: Repeat) -> tuple[Edit | None, FixLevel]:
    found = _WHILE.match(repeat.head.strip())
    start, end = repeat.at.start, repeat.at.start + len(repeat.head)
    if not page.text.startswith(repeat.head, start):
        return None, "template"
    counted = _FOR.match(repeat.head.strip())
    if counted is not None:
        number = _kept_number(skill) or ROUNDS
        sign = "<" if counted["first"] == "0" else "<="
        at = start + repeat.head.index(";", repeat.head.index(";")) + 1
        stop = start + repeat.head.rindex(";")
        return edit(page, at, stop, f" {counted['name']} {sign} {number}"), "template"
    if found is None:
        return None, "template"
    condition = found["condition"].strip()
    kept = _kept(skill, condition)
    if kept is not None:
        return edit(page, start, end, f"while ({condition} && {kept})"), "mechanical"
    if condition in ("true", "1", "True"):
        return edit(page, start, end, f"for (let step = 0; step < {STEPS}; step++)"), "template"
    return edit(page, start, end, f"for (let step = 0; step < {STEPS} && ({condition}); step++)"), "template"


def _kept(skill: Skill, condition: str) -> str | None:
    """The counter and its limit, if the state that the condition asks has both: `team.rounds <= team.max_rounds`."""
    root = _FIELD.search(condition)
    paths = {one.path for schema in skill.schemas for one in schema.fields}
    for path in sorted(paths):
        limit = _KEPT.search(path)
        if root is None or limit is None:
            continue
        counters = [
            one
            for one in (limit["what"], limit["what"].rstrip("s"), f"{limit['what'].rstrip('s')}_count")
            if one in paths
        ]
        if counters:
            return f"{root[1]}.{counters[0]} < {root[1]}.{path}"
    return None


FIXER = Fixer(frozenset({"unlimited-repeat"}), "mechanical", propose)
