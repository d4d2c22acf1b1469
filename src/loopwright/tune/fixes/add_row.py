"""A table gets the row that it lacks, composed from the rows beside it and from the page that it is about."""

import re
from collections.abc import Iterator, Sequence
from posixpath import basename, dirname, relpath

from loopwright.domain.findings import Finding, Proposal
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.reading.files.runfiles import RunFile, run_files
from loopwright.tune.reading.lists.grid import Grid, grids, plain
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.skill.tables import Cell

_TITLE = re.compile(
    r"^(?:(?:phase|step|stage|action|role|阶段|步骤|动作|角色)\s*\d*\s*[:：.\-]?|\d+[.:、])\s*", re.IGNORECASE
)
_MADE = re.compile(r"output|produce|leaves? behind|writes?|deliver|result|产出|产物|输出|交付", re.IGNORECASE)
_NEEDED = re.compile(r"input|reads?|needs?|requires?|输入|读取|依赖", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]]{0,200})\]\(([^)]{0,300})\)")


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        member = skill.pages.get(finding.facts.get("member", ""))
        page = skill.pages[finding.file]
        grid = next((one for one in grids(page) if str(one.start) == finding.facts.get("table")), None)
        if member is None or grid is None or _leads_nowhere(skill, grid):
            continue
        after = _after(skill, grid, member, int(finding.facts["after"]))
        row = _row(skill, grid, member, after)
        at = grid.blocks[after].end if after >= 0 else grid.blocks[0].start
        yield Proposal(
            fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level="template",
            description=f"The table gets a row for {member.path}",
            rationale="The page exists; the table lists its siblings.",
            edits=(edit(page, at, at, f"\n{row}" if after >= 0 else f"{row}\n"),), risk="medium",
            estimated_impact="the step is no longer left out",
            verification_steps=("diagnose the whole skill again", "read whether each cell of the row holds"),
        )  # fmt: skip


def _leads_nowhere(skill: Skill, grid: Grid) -> bool:
    """A row of it names a page that is not there, and may mean this one."""
    return any(
        not (one.resolved or one.outside) and one.at.file == grid.page.path and grid.start <= one.at.start < grid.end
        for one in skill.references
    )


def _after(skill: Skill, grid: Grid, member: Page, told: int) -> int:
    """Before the first row that needs what the page makes; else where its number says."""
    made = [_short(file) for file in run_files(skill).values() if any(a.at.file == member.path for a in file.made)]
    text = grid.page.text
    for index, block in enumerate(grid.blocks):
        if any(f"`{name}`" in text[block.start : block.end] for name in made if "state" not in name):
            return index - 1
    return told


def _row(skill: Skill, grid: Grid, member: Page, after: int) -> str:
    model = grid.rows[after] if after >= 0 else grid.rows[0]
    files = run_files(skill)
    values = [_cell(grid, model, index, skill, member, files, after) for index in range(len(grid.head))]
    return f"| {' | '.join(values)} |"


def _cell(
    grid: Grid, model: Sequence[Cell], index: int, skill: Skill, member: Page, files: dict[str, RunFile], after: int
) -> str:
    head, old = grid.head[index], model[index].text if index < len(model) else ""
    stem = basename(member.path).rsplit(".", 1)[0]
    if _LINK.search(old) or any(path in old for path in skill.pages):
        path = relpath(member.path, dirname(grid.page.path) or ".")
        text = _LINK.search(old)
        shown = path if text is None or text[1] == text[2] else _name(member, stem)
        return f"[{shown}]({path})" if text else (f"`{path}`" if "`" in old else path)
    if index == 0 and plain(old).isdigit():
        return str(int(plain(old)) + 1 if after >= 0 else 1)
    if index <= 1 and not _MADE.search(head) and not _NEEDED.search(head):
        mark = "`" if old.startswith("`") else ""
        return f"{mark}{stem if _is_stem(grid, index, skill) else _name(member, stem)}{mark}"
    return _said(member, head, files) or "…"


def _is_stem(grid: Grid, index: int, skill: Skill) -> bool:
    """The column names pages by their file names."""
    stems = {basename(path).rsplit(".", 1)[0] for path in skill.pages}
    return sum(cell in stems for cell in grid.column(index)) * 2 > len(grid.rows)


def _name(member: Page, stem: str) -> str:
    title = member.sections[0].title if member.sections else stem
    return _TITLE.sub("", title).strip() or stem


def _said(member: Page, head: str, files: dict[str, RunFile]) -> str:
    """What the page says under that title; else the files or fields that it makes or needs."""
    titled = next((s for s in member.sections[1:] if plain(s.title).lower() == head.lower()), None)
    if titled is not None:
        first = member.text[titled.body : titled.end].strip().split("\n", 1)[0].strip(" -*").rstrip("。. \r")
        if first and not first.startswith(("```", "|")):
            return first
    if _MADE.search(head):
        return ", ".join(f"`{_short(f)}`" for f in files.values() if any(a.at.file == member.path for a in f.made))
    if _NEEDED.search(head):
        return ", ".join(f"`{_short(f)}`" for f in files.values() if any(a.at.file == member.path for a in f.needed))
    return ""


def _short(file: RunFile) -> str:
    return file.all[0].raw.rsplit("/", 1)[-1] if "<n>" in file.name else file.name.removeprefix("<dir>/")


FIXER = Fixer(frozenset({"tables-disagree"}), "template", propose)
