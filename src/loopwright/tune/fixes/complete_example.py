"""An example gets the field that its schema, or an example of the same thing, has."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, FixLevel, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

_LACKS = re.compile(r"The example has no (?P<name>[\w-]+); (?P<file>[^\s:]+):(?P<line>\d+) has it with the same")
_VALUE = re.compile(r'\s*:\s*("(?:[^"\\\n]|\\.)*"|-?\d[\d.]*|true|false|null|\[[^\[\]{}\n]*\]|\{[^{}\n]*\}|[\[{])')
_TYPE = re.compile(r'"type"\s*:\s*"(\w+)"')
_EMPTY = {"array": "[]", "object": "{}", "integer": "0", "number": "0", "boolean": "false", "string": '"…"'}


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        insert, at = finding.facts.get("insert"), finding.facts.get("at")
        page = skill.pages[finding.file]
        if insert and at:
            level: FixLevel = "mechanical" if finding.facts.get("level") == "mechanical" else "template"
            yield _proposal(finding, insert.strip(", "), edit(page, int(at), int(at), insert), level)
        elif (change := _as_other(skill, page, finding)) is not None:
            yield _proposal(finding, change.new.strip(", \n"), change, "template")


def _proposal(finding: Finding, words: str, change: Edit, level: FixLevel) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level=level,
        description=f"The example gets {words.strip()}", rationale="What the example is of has the field.",
        edits=(change,), estimated_impact="what follows the example is valid",
        verification_steps=("diagnose the whole skill again", "read whether the value fits the example"),
    )  # fmt: skip


def _as_other(skill: Skill, page: Page, finding: Finding) -> Edit | None:
    """The field with the other example's value, or with what is empty for its type, before the first key."""
    lacks = _LACKS.match(finding.message)
    other = skill.pages.get(lacks["file"]) if lacks else None
    if lacks is None or other is None:
        return None
    line = _line_start(other.text, int(lacks["line"]))
    key = other.text.find(f'"{lacks["name"]}"', line)
    found = _VALUE.match(other.text, key + len(lacks["name"]) + 2) if key >= 0 else None
    if found is None:
        return None
    told = _TYPE.search(other.text, found.start(1), found.start(1) + 80) if found[1].startswith("{") else None
    value = _EMPTY.get(told[1], '"…"') if told else {"[": "[]", "{": "{}"}.get(found[1], found[1])
    at = page.text.rfind('"', 0, finding.start + 1)
    begin = page.text.rfind("\n", 0, at) + 1
    indent = page.text[begin:at]
    gap = f"\n{indent}" if not indent.strip() else " "
    return edit(page, at, at, f'"{lacks["name"]}": {value},{gap}') if at >= 0 else None


def _line_start(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at


FIXER = Fixer(frozenset({"example-breaks-schema"}), "mechanical", propose)
