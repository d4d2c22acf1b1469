"""A name or value that is not known becomes the one that is most likely meant, where the finding does not tell it."""

import re
from collections import Counter
from collections.abc import Iterator

from loopwright.domain.findings import Finding, FixLevel, Proposal
from loopwright.tune.catalogue import catalogue_of
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.lists.grid import grids, plain
from loopwright.tune.reading.rules.families import stem
from loopwright.tune.reading.words.likeness import alike, words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

Guess = tuple[str, FixLevel]

_SAME = (
    ("preview", "dry", "simulate", "noop", "check", "test"), ("create", "ensure", "make", "init", "mkdir"),
    ("output", "out", "dest", "destination", "target"), ("input", "in", "src", "source", "from", "file", "path"),
    ("dir", "directory", "folder", "root", "dirs"), ("force", "overwrite", "yes", "confirm"),
    ("quiet", "silent", "q"), ("verbose", "debug", "v"), ("limit", "max", "top", "count", "n", "most"),
    ("format", "type", "as", "style"), ("delete", "remove", "rm", "drop", "prune", "clean"), ("list", "ls", "show"),
    ("name", "id", "slug", "key", "title"), ("since", "after", "start"), ("until", "before", "end"),
    ("run", "execute", "exec", "start", "launch"), ("check", "validate", "verify", "lint"), ("add", "new", "create"),
    ("update", "set", "edit", "change", "patch"), ("session", "sid", "run"), ("project", "repo", "workspace", "root"),
)  # fmt: skip
"""Words of which programs take one for the other."""
_LISTED = re.compile(
    r"(?:its (?:options|commands) are|lists?(?: for \w+ only)?|allows only|none of (?:them|the skill's roles)"
    r"|elsewhere it is|the skill has)"
    r" \(?([^()]*?)\)?\Z"
)
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_WORD = re.compile(r"[A-Za-z][\w-]*")
_FILE = re.compile(r"`(?:[^`\n]*/)?([\w.-]+\.\w+)`|(?<![\w./-])([\w-]+\.(?:md|json|csv|tsv|ya?ml))")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        facts = finding.facts
        wrong = facts.get("wrong") or facts.get("old") or facts.get("name") or ""
        told = facts.get("right") or facts.get("new") or facts.get("instead")
        if told or not wrong or "title" in facts:
            continue
        for right, level in dict.fromkeys(_guesses(skill, finding, wrong)):
            change = _change(skill, finding, wrong, right)
            if change is not None and right != wrong:
                yield Proposal(
                    fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level=level,
                    description=f"Write {right} in place of {wrong}",
                    rationale=f"{right} is what the skill has; look whether it is meant." if level == "template"
                    else f"{right} is what the skill has for it.",
                    edits=(edit(skill.pages[finding.file], *change),),
                    risk="low" if level == "mechanical" else "medium",
                    estimated_impact="the name is one that is known",
                    verification_steps=("diagnose the whole skill again",),
                )  # fmt: skip


def _guesses(skill: Skill, finding: Finding, wrong: str) -> Iterator[Guess]:
    if finding.rule == "wrong-parameter":
        yield from _parameters(skill, finding, wrong)
    elif finding.rule == "unknown-role":
        yield from _roles(skill, finding)
    else:
        yield from _values(skill, finding)


def _change(skill: Skill, finding: Finding, wrong: str, right: str) -> tuple[int, int, str] | None:
    """Where it was found; a role is named otherwise in the whole of the sentence or row."""
    page = skill.pages[finding.file]
    start, end = finding.start, finding.end
    if finding.rule == "unknown-role":
        start, end = line_of(page, start)
    elif wrong not in page.text[start:end]:
        call = finding.facts.get("call", "")
        if not call.isdigit() or int(call) >= len(skill.calls):
            return None
        at = page.text.rfind(wrong, skill.calls[int(call)].at.start, start)
        start, end = (at, at + len(wrong)) if at >= 0 else (0, 0)
    said = page.text[start:end]
    new = re.sub(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", lambda _: right, said)
    return (start, end, new) if new != said else None


def _parameters(skill: Skill, finding: Finding, wrong: str) -> Iterator[Guess]:
    """Of a tool the one that it has to be given and is not; of a script the option most like it."""
    call = finding.facts.get("call", "")
    if call.isdigit() and int(call) < len(skill.calls):
        one = skill.calls[int(call)]
        given = {argument.name for argument in one.arguments}
        tool = catalogue_of(skill).resolve(one.name, skill.hosts, frozenset(n for n in given if n)).tool
        missing = [name for name in tool.required if name not in given] if tool else []
        if len(missing) == 1:
            yield missing[0], "mechanical"
        for name in tool.parameters if tool else ():
            if name not in given and _is_short_for(wrong, name):
                yield name, "mechanical"
        return
    script = skill.pages.get(finding.also[0].partition(":")[0]) if finding.also else None
    known = _listed(finding)
    if script is not None and wrong.startswith("--"):
        known = list(dict.fromkeys([*known, *_OPTION.findall(script.text)]))
    yield from _nearest(wrong, known)


def _nearest(wrong: str, known: list[str]) -> Iterator[Guess]:
    """By words that both have, or that mean the same; then by letters."""
    scored = sorted(((_likeness(wrong, one), one) for one in known if one != wrong), key=lambda one: (-one[0], one[1]))
    if scored and scored[0][0] > 0 and (len(scored) == 1 or scored[0][0] > scored[1][0]):
        yield scored[0][1], "mechanical" if scored[0][0] >= 1 else "template"


def _likeness(one: str, other: str) -> float:
    mine, theirs = words_of(one), words_of(other)
    same = sum(any(_means(a, b) for b in theirs) for a in mine)
    return same / max(len(mine), 1) + 0.5 * (alike(one, other) if alike(one, other) >= 0.4 else 0)


def _means(one: str, other: str) -> bool:
    return one == other or any(one in group and other in group for group in _SAME)


def _is_short_for(short: str, name: str) -> bool:
    """`cmd` for command: its letters in their order, from the first one on."""
    letters = iter(name)
    return len(short) > 1 and short[0] == name[0] and all(char in letters for char in short)


def _listed(finding: Finding) -> list[str]:
    found = _LISTED.search(finding.message)
    return [one.strip("“”\"'`. ") for one in found[1].split(",")] if found else []


def _roles(skill: Skill, finding: Finding) -> Iterator[Guess]:
    """The one that writes the file of which the line speaks; else the one that the column has most."""
    page = skill.pages[finding.file]
    roles = {stem(one.path): one for one in skill.pages.values() if one.kind == "role"}
    start, end = line_of(page, finding.start)
    files = {name for found in _FILE.findall(page.text[start:end]) for name in found if name}
    makers = {
        stem(one.at.file) for one in skill.artefacts
        if one.mode != "read" and one.name.rsplit("/", 1)[-1] in files and stem(one.at.file) in roles
    }  # fmt: skip
    lead = {name for name in roles if "coordinator" in name or "orchestrator" in name or "lead" in name}
    if len(makers - lead) == 1:
        yield (makers - lead).pop(), "mechanical"
    for grid in grids(page):
        if not grid.start <= finding.start < grid.end:
            continue
        for index in range(len(grid.head)):
            if any(len(row) > index and row[index].start <= finding.start <= row[index].end for row in grid.rows):
                own = {plain(cell.text) for row in grid.rows for cell in row if cell.start <= finding.start <= cell.end}
                first = next(row[0].text for row in grid.rows if row[0].start <= finding.start <= row[-1].end)
                column = Counter(
                    cell for cell in grid.column(index) if cell not in own and cell.lower() != plain(first).lower()
                )
                yield from ((name, "template") for name, _ in column.most_common(2))


def _values(skill: Skill, finding: Finding) -> Iterator[Guess]:
    """The listed value that stands beside it in another field or sentence; else the one that nothing else sets."""
    page = skill.pages[finding.file]
    listed = [one for one in _listed(finding) if one]
    wrong = page.text[finding.start : finding.end].strip("`'\"")
    listed = [one.upper() for one in listed] if wrong.isupper() else listed
    begun = [one for one in listed if wrong and one[:2].casefold() == wrong[:2].casefold()]
    if len(begun) == 1:
        yield begun[0], "template"
    around = _around(page, finding)
    beside = [one for one in listed if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", around)]
    if len(beside) == 1:
        yield beside[0], "mechanical" if page.blocks[block_at(page, finding.start)].kind == "code" else "template"
    used = {value for use in skill.fields if use.mode == "write" for value in use.values}
    free = [one for one in listed if one not in used]
    if len(free) == 1:
        yield free[0], "template"
    yield from ((one, "template") for one in beside[:2])


def _around(page: Page, finding: Finding) -> str:
    start, end = line_of(page, finding.start)
    return f"{page.text[start : finding.start]} {page.text[finding.end : end]}"


RULES = frozenset({"wrong-parameter", "unknown-role", "enum-drift", "example-breaks-schema"})
FIXER = Fixer(RULES, "mechanical", propose)
