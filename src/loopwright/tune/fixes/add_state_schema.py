"""A page that declares the fields of the state, as the steps use them, and a line that leads to it."""

from collections.abc import Iterator
from posixpath import dirname

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

_FOLDERS = ("specs", "schemas", "references", "phases")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        main = skill.pages[skill.main]
        names = [name for name in finding.facts.get("fields", "").split(", ") if name.isidentifier()]
        path = f"{_folder(skill)}state-schema.md"
        at = _place(main)
        if not names or path in skill.files:
            continue
        chinese = main.language == "zh"
        name = finding.facts["name"]
        line = (
            f"`{name}` 的字段见 [{path}]({path})。" if chinese else f"The fields of `{name}` are in [{path}]({path})."
        )
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="schema_enforcement", level="template",
            description=f"{path} declares the {len(names)} fields of {name} that the steps use",
            rationale="Their names and values are taken from the steps.",
            creates={path: _page(skill, name, names, chinese)},
            edits=(edit(main, at, at, f"{line}\n\n"),), risk="medium",
            estimated_impact="all steps use the same names and values",
            verification_steps=("diagnose the whole skill again", "complete types, values and the state at the start"),
        )  # fmt: skip


def _folder(skill: Skill) -> str:
    """One for such pages that the skill has."""
    there = {dirname(path) for path in skill.files}
    return next((f"{folder}/" for folder in _FOLDERS if folder in there), "")


def _place(main: Page) -> int:
    """Before the second section of the highest level but one, so that it stands in the introduction."""
    level = min((section.level for section in main.sections[1:]), default=0)
    heads = [section for section in main.sections[1:] if section.level == level]
    return heads[0].start if heads else len(main.text)


def _page(skill: Skill, name: str, names: list[str], chinese: bool) -> str:
    head = ("# 状态结构", f"`{name}` 的字段：", "| 字段 | 类型 | 取值 |") if chinese else (
        "# State of a run", f"The fields of `{name}`:", "| Field | Type | Values |")  # fmt: skip
    rows = [
        f"| `{one}` | {_type(_values(skill, one))} | {', '.join(f'`{v}`' for v in _values(skill, one))} |"
        for one in names
    ]
    return "\n".join([head[0], "", head[1], "", head[2], "|---|---|---|", *rows, ""])


def _values(skill: Skill, name: str) -> tuple[str, ...]:
    """All that the steps set it to or compare it with."""
    uses = (use for use in skill.fields if use.path == name and use.mode != "example")
    return tuple(dict.fromkeys(value for use in uses for value in use.values if value not in ("true", "false", "null")))


def _type(values: tuple[str, ...]) -> str:
    return "string" if values else "…"


FIXER = Fixer(frozenset({"no-schema"}), "template", propose)
