"""A file of the run is read that nothing writes."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.files.renamed import renamed
from loopwright.tune.reading.files.runfiles import RunFile, lines_of, run_files
from loopwright.tune.reading.prompts.requests import is_request_file
from loopwright.tune.reading.state.recovery import RESUME
from loopwright.tune.reading.state.state_flow import Unfilled, unfilled_fields
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Artefact, Skill
from loopwright.tune.skill.names import COUNTING, DIR

_BROUGHT = re.compile(
    r"\busers?\b|\bgiven\b|\bprovid|\bexisting\b|\bprojects?\b|\brepo|\bsuppl|\bexport|\bupload"
    r"|\bprevious|\bearlier\b|\b(?:written|generated|produced|created) by\b|\bfrom the\b|\bfallback\b|\be\.g\."
    r"|\bsuch as\b|\bconfig|\blegacy\b|\bhook|\binstall"
    r"|用户|提供|已有|现有|附带|上传|项目|仓库|导出|上次|之前|例如|比如|配置|设计者|作者|客户",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"\bif\b|\bwhen present\b|\boptional|\bor\b|可选|如果|若|如有", re.IGNORECASE)
_ASKS = re.compile(
    r"(!?)(?:\b(?:fs|os\.path|path)\.)?\b(?:exists|existsSync|fileExists|file_exists)\(([^()\n]{1,160})\)"
)
_NAMED = re.compile(r"`[^`\n]*`|\]\([^)\n]{0,300}\)")
_FOLDED = re.compile(r"[$<{]")
FEWEST, SHOWN = 3, 4
"""Files that the skill writes itself, so that it is one that keeps its work in files."""


def look(skill: Skill) -> Iterator[Hit]:
    yield from map(_unfilled, unfilled_fields(skill))
    files = run_files(skill)
    made = [file for file in files.values() if file.made]
    if len(made) < FEWEST:
        return
    inner = (file for file in files.values() if file.name.startswith((DIR + "/", ".")) and COUNTING not in file.base)
    missing = [file for file in inner if _is_missing(skill, file)]
    if missing:
        drifted = {name for one in renamed(skill, files) for name in (one.wrong.name, one.right.name)}
        yield from (_hit(file) for file in missing if file.name not in drifted)


def _is_missing(skill: Skill, file: RunFile) -> bool:
    """Each mention needs it, in the folder of the run, and none says that it comes from elsewhere."""
    if file.made or file.promised or not file.needed or is_request_file(file.base):
        return False
    if any(not (one.optional or _needs(skill, one, file)) for one in file.all):
        return False
    if any(file.base in path for path in skill.files) or _is_written_in_text(skill, file):
        return False
    sure = [one for one in file.needed if not (one.optional or _MAYBE.search(_said(skill, one)) or _asked(skill, one))]
    return bool(sure) and any(_is_of_the_run(skill, one) for one in file.needed)


def _said(skill: Skill, one: Artefact) -> str:
    """Its line without the names in it."""
    return _NAMED.sub("", lines_of(skill.pages[one.at.file], one))


def _asked(skill: Skill, one: Artefact) -> bool:
    """Code asks whether it is there, and goes on without it."""
    argument = next(iter(skill.calls[one.call].arguments), None) if one.call >= 0 else None
    page = skill.pages[one.at.file]
    block = page.blocks[block_at(page, one.at.start)]
    return argument is not None and any(
        not found[1] and found[2].strip() == argument.value.strip()
        for found in (_ASKS.finditer(page.text, block.body, one.at.end + 1) if block.kind == "code" else ())
    )


def _needs(skill: Skill, one: Artefact, file: RunFile) -> bool:
    page = skill.pages[one.at.file]
    if page.kind in ("reference", "other", "script") or _BROUGHT.search(_said(skill, one)):
        return False
    section = next((s for s in reversed(page.sections) if s.start <= one.at.start < s.end), None)
    if section is not None and (section.concept == "recovery" or RESUME.search(section.title)):
        return False
    maybe = one.mode == "declare" and _MAYBE.search(_said(skill, one)) is not None
    return maybe or one in file.needed or one in file.expected or one.at.use == "prompt"


def _is_of_the_run(skill: Skill, one: Artefact) -> bool:
    """By its path, or because it stands in a list of what the step takes, with others that are made."""
    if _FOLDED.search(one.raw.rsplit("/", 1)[0]) and "/" in one.raw:
        return True
    page = skill.pages[one.at.file]
    line = lines_of(page, one)
    others = {a.raw.rsplit("/", 1)[-1] for a in skill.artefacts if a.mode == "write" or a.at.file != one.at.file}
    listed = sum(f"`{name}`" in line for name in others if name != one.raw) >= 1
    return listed or (one.mode == "read" and page.kind in ("phase", "action", "role"))


def _is_written_in_text(skill: Skill, file: RunFile) -> bool:
    """A script of the skill names it, or it is one of a list of what a step delivers."""
    known = {one.at.file for one in file.all}
    listed = re.compile(rf"^[ \t]{{0,8}}[-*] [`*]{{0,3}}{re.escape(file.base)}[`*]{{0,3}}\s?[:：—-]", re.MULTILINE)
    if any(listed.search(page.text) for page in skill.pages.values() if file.base in page.text):
        return True
    return any(
        file.base in page.text for path, page in skill.pages.items() if path not in known and page.kind == "script"
    )


def _unfilled(one: Unfilled) -> Hit:
    page, name = one.shape.page, one.told.name
    there = f"{page.path}:{page.text.count(chr(10), 0, one.shape.fields[name]) + 1}"
    return Hit(
        file=one.told.page.path, start=one.told.start, end=one.told.end, subject=name, severity="medium",
        message=f"{name} is read, and stays as empty as {there} begins it; "
        f"{', '.join(one.others[:SHOWN])} of the same state are filled",
        advice=f"Say which step fills {name}, or do not read it.", also=(there,),
    )  # fmt: skip


def _hit(file: RunFile) -> Hit:
    first = file.needed[0]
    return Hit(
        file=first.at.file, start=first.at.start, end=first.at.end, subject=file.name, phase=first.at.phase,
        message=f"{first.raw} is read here, and no step of the skill writes it",
        advice=f"Say which step writes {file.base}, or read what a step before has written.",
        also=tuple(f"{one.at.file}:{one.at.line}" for one in file.all if one is not first),
        facts={"name": file.base},
    )  # fmt: skip


DETECTOR = Detector(
    rule="read-never-written", dimension="dataflow", severity="high", confidence="likely",
    strategy="state_centralization", title="a file that nothing writes is read",
    why="The model looks for a file that can not be there; it stops, or goes on as if it were empty.",
    advice="Let a step write it, or do not read it.", look=look,
)  # fmt: skip
