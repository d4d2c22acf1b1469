"""A field that is used is added to the schema, behind the last one beside it."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import FieldDeclared, Page, Schema, Skill
from loopwright.tune.skill.tables import cells

_STEP = re.compile(r"\[\w*\]")
_BESIDE = re.compile(
    r"(?P<name>[\w-]+) is named as a field, as (?P<others>[^;]+) (?:are|is); (?P<file>[^\s:]+):(?P<line>\d+) has these"
)
_TYPED = re.compile(r"(?P<sign>\?? {0,8}: {0,8})(?P<type>[^;,}\n]{1,300})(?P<end> {0,8}[;,]?)")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        if (beside := _BESIDE.match(finding.message)) is not None and not finding.facts:
            change = _as_beside(skill, beside)
            if change is not None:
                yield _proposal(finding, beside["file"], beside["name"], (change,))
            continue
        name, below = finding.facts.get("name", ""), _STEP.sub("", finding.facts.get("below", "")).rstrip(".")
        edits = tuple(
            found
            for schema in _schemas(skill, finding, below)
            if (found := _edit(skill, schema, _parent(skill, finding, schema, below), name))
        )
        if name and edits:
            yield _proposal(finding, finding.facts["schema"], name, edits)


def _proposal(finding: Finding, where: str, name: str, edits: tuple[Edit, ...]) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy="schema_enforcement", level="template",
        description=f"{where} declares {name}", rationale="It is used; who keeps to the schema would never set it.",
        edits=edits, risk="medium", estimated_impact="writers and readers know of the field",
        verification_steps=("diagnose the whole skill again", f"say what {name} holds and who sets it"),
    )  # fmt: skip


def _as_beside(skill: Skill, beside: "re.Match[str]") -> Edit | None:
    """A line or entry like the one of the field that is named with it, behind that one."""
    page = skill.pages.get(beside["file"])
    like = beside["others"].split(",")[0].split(" and ")[0].strip()
    if page is None:
        return None
    at = 0
    for _ in range(int(beside["line"]) - 1):
        at = page.text.find("\n", at) + 1
    found = re.compile(rf"[\"'`]?(?<![\w-]){re.escape(like)}(?![\w-])").search(page.text, at)
    if found is None:
        return None
    start = page.text.rfind("\n", 0, found.start()) + 1
    end = page.text.find("\n", found.end())
    line = page.text[start : end if end >= 0 else len(page.text)].rstrip("\r")
    new = line.replace(like, beside["name"], 1)
    inline = re.match(r"\"[\w-]+\"\s*:\s*(?P<list>\[)?", page.text[found.start() : found.start() + len(like) + 20])
    if inline is not None and line[: found.start() - start].strip():
        value = "[]" if inline["list"] else '""'
        return edit(page, found.start(), found.start(), f'"{beside["name"]}": {value}, ')
    key = line.strip().lstrip("-*|\"'` ").startswith(like)
    if not key or not (line.lstrip().startswith(("-", "*", "|")) or line.rstrip().endswith(",")):
        return None
    return edit(page, start, start, f"{new}\n")


def _parent(skill: Skill, finding: Finding, schema: Schema, below: str) -> str:
    """Of `state.learner.group_size` that is `learner`, if the schema has something below it."""
    paths = {use.path for use in skill.fields if use.at.file == finding.file and use.at.start == finding.start}
    parents = {_STEP.sub("", field.path).rpartition(".")[0] for field in schema.fields}
    above = (path.rpartition(".")[0] for path in sorted(paths) if path.endswith(f".{finding.facts.get('name', '')}"))
    return below or next((one for one in above if one in parents), "")


def _schemas(skill: Skill, finding: Finding, below: str) -> Iterator[Schema]:
    """The one that was found to lack it; of an example beside it, the declaration too."""
    file, start = finding.facts.get("schema", ""), finding.facts.get("start", "")
    found = [one for one in skill.schemas if one.at.file == file and str(one.at.start) == start]
    if found and found[0].format == "json":
        paths = {_STEP.sub("", field.path) for field in found[0].fields}
        for one in skill.schemas:
            same = sum(_STEP.sub("", field.path) in paths for field in one.fields)
            if one.format != "json" and one.at.file == file and 2 * same >= len(paths):
                yield one
                return
    yield from found


def _edit(skill: Skill, schema: Schema, below: str, name: str) -> Edit | None:
    page = skill.pages[schema.at.file]
    inner = [field for field in schema.fields if _STEP.sub("", field.path).rpartition(".")[0] == below]
    if not inner:
        return None
    last = max(inner, key=lambda field: field.at.start)
    if schema.format == "table":
        return _row(skill, last, name)
    if schema.format == "typescript":
        end = page.text.find("\n", last.at.start)
        line = page.text[last.at.start : end if end >= 0 else len(page.text)]
        found = _TYPED.search(line)
        if found is None or "{" in found["type"]:
            return None
        first = page.text.rfind("\n", 0, last.at.start) + 1
        indent = page.text[first : last.at.start]
        at = last.at.start + found.end()
        if indent.strip():
            return edit(page, at, at, f"{'' if found['end'].strip() else ';'} {name}?: string | null")
        at = last.at.start + len(line.rstrip("\r"))
        return edit(page, at, at, f"\n{indent}{name}?: string | null;")
    return _property(page, min(inner, key=lambda field: field.at.start), schema, name)


def _property(page: Page, first: FieldDeclared, schema: Schema, name: str) -> Edit | None:
    """As a property before the first one beside it, on a line of its own if that has one."""
    at = page.text.rfind('"', 0, first.at.start + 1)
    at = first.at.start if page.text[first.at.start] == '"' else at
    line = page.text.rfind("\n", 0, at) + 1
    indent = page.text[line:at]
    gap = f"\n{indent}" if not indent.strip() else " "
    value = '{ "type": "string" }' if schema.format == "json-schema" else '""'
    return edit(page, at, at, f'"{name}": {value},{gap}') if page.text[at : at + 1] == '"' else None


def _row(skill: Skill, last: FieldDeclared, name: str) -> Edit | None:
    """A row as the last one, with its type; what it means is left to be said."""
    page = skill.pages[last.at.file]
    start = page.text.rfind("\n", 0, last.at.start) + 1
    end = page.text.find("\n", last.at.start)
    end = end if end >= 0 else len(page.text)
    found = cells(page.text, start, end)
    ticked = "`" if page.text[last.at.start - 1 : last.at.start] == "`" else ""
    sometimes = "可选" if page.language == "zh" else "optional"
    values = [f"{ticked}{name}{ticked}", *("string" if n == 1 else sometimes for n in range(1, len(found)))]
    at = end - (page.text[end - 1] == "\r")
    return edit(page, at, at, f"\n| {' | '.join(values)} |")


FIXER = Fixer(frozenset({"undeclared-field"}), "template", propose)
