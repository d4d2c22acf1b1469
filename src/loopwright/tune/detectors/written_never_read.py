"""A file of the run is written that nothing reads, and that is not for people."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.files.renamed import renamed
from loopwright.tune.reading.files.runfiles import RunFile, is_named_elsewhere, lines_of, run_files
from loopwright.tune.reading.words.likeness import words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.skill.names import COUNTING, DIR

_FOR_DATA = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".yaml", ".yml", ".db", ".md", ".txt")
_KEPT = re.compile(
    r"report|log|history|audit|trace|metric|backup|archive|record|summary|readme|deliver|final|result|export"
    r"|changelog|manifest"
    r"|state|status|progress|config|settings|prev|tmp|bak|output|package",
    re.IGNORECASE,
)
"""Words of names of files that are kept for later, for people or for other programs."""
_FOR_PEOPLE = re.compile(
    r"\bfor (?:the|those|whoever|any\w*|your|our|an?|later)\b|\bso that\b|\bmembers?\b|\bcustomers?\b|\bcolleagues?\b"
    r"|\bmaintainers?\b|\bstakeholders?\b|\bshared? with\b|\bsend|给|看|\busers?\b|\bhuman|\bpeople\b|\bteam\b"
    r"|\breaders?\b|\breport|\bdeliver|\baudit|\bhand(?:ed)? ?over"
    r"|\bexport|\bfor (?:the )?(?:record|later|reference|debug)"
    r"|\bback-?up|\barchive|\bfinal\b|\bdownstream\b|\bimport(?:ed|s)? (?:by|into)|用户|人工|交付|查阅|存档"
    r"|归档|备份|报告|留痕|团队|审计|成果|供",
    re.IGNORECASE,
)
FEWEST = 3
"""Files that are written and read, so that the steps work through files."""


def look(skill: Skill) -> Iterator[Hit]:
    files = run_files(skill)
    flowing = [file for file in files.values() if file.made and (file.needed or file.expected)]
    if len(flowing) < FEWEST:
        return
    last = max((phase.order for phase in skill.phases), default=0)
    final = {phase.file for phase in skill.phases if phase.order == last}
    idle = [file for file in files.values() if _is_for_nobody(skill, file, final)]
    if idle:
        drifted = {name for one in renamed(skill, files) for name in (one.wrong.name, one.right.name)}
        yield from (_hit(skill, file) for file in idle if file.name not in drifted)


def _is_for_nobody(skill: Skill, file: RunFile, final: set[str]) -> bool:
    if not file.made or file.needed or file.promised or file.expected or not file.name.startswith((DIR + "/", ".")):
        return False
    pages = {one.at.file for one in file.all}
    if not file.base.endswith(_FOR_DATA) or _KEPT.search(file.base) or COUNTING in file.base or pages & final:
        return False
    if len(pages) > 1 or len(file.all) > 1 or skill.main in pages or is_named_elsewhere(skill, file, pages):
        return False
    page = skill.pages[file.made[0].at.file]
    if page.text.count(file.base) > 1 or page.kind in ("reference", "other"):
        return False
    if _is_carried(skill, file) or _is_one_of_many(page, file):
        return False
    return not _FOR_PEOPLE.search(lines_of(page, file.made[0]))


def _is_carried(skill: Skill, file: RunFile) -> bool:
    """A field holds its path, through which a step reads it: `state.draft_path` of `draft.md`."""
    words = words_of(file.base.rsplit(".", 1)[0])
    if not words:
        return False
    held = re.compile(r"[.`\"']" + "[_-]?".join(words) + r"[_-]?(?:path|file)(?![a-z])", re.IGNORECASE)
    return any(held.search(page.text) for page in skill.pages.values())


def _is_one_of_many(page: Page, file: RunFile) -> bool:
    """`parts/P01.md`, `P02.md` …: its line begins with another one that differs in the number."""
    same = re.compile(r"(?<![\w-])" + re.sub(r"\d+", r"\\d+", re.escape(file.base)) + r"(?!\w)")
    return len({*same.findall(lines_of(page, file.made[0]))}) > 1


def _hit(skill: Skill, file: RunFile) -> Hit:
    first = file.made[0]
    page = skill.pages[first.at.file]
    block = page.blocks[block_at(page, first.at.start)]
    return Hit(
        file=first.at.file, start=first.at.start, end=first.at.end, subject=file.name, phase=first.at.phase,
        message=f"{first.raw} is written here, and no step reads it; nothing says that it is for the user",
        advice=f"Let a later step read {file.base}, say for whom it is, or do not write it.",
        facts={"name": file.base, "block": f"{block.start}:{block.end}"},
    )  # fmt: skip


DETECTOR = Detector(
    rule="written-never-read", dimension="dataflow", severity="medium", confidence="likely",
    strategy="state_centralization", title="a file is written for nobody",
    why="Making it costs tokens and time in each run, and a reader of the skill looks for its use.",
    advice="Let a step read it, or do not write it.", look=look,
)  # fmt: skip
