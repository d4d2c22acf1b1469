"""What a run keeps in files, the variables that hold it, and who loads it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.rules.families import KINDS
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Artefact, FieldUse, Page, Skill
from loopwright.tune.skill.names import DIR

_BOUND = (
    r"\b(?:const|let|var)\s+\{{0,1}}\s*{0}\b|\b{0}\s*(?::=|=(?![=>]))|[(,]\s*{0}\s*(?:,[^()\n]*)?\)\s*(?:=>"
    r"|\{{|:)|\b{0}\s*=>|\bfor\s*\(?\s*(?:const|let|var)?\s*{0}\s+(?:of|in)\b"
)
_READ = re.compile(r"(?:[Rr]ead|[Ll]oad|parse)\w{0,40}\(.{0,120}?([\w-]{1,80}\.json)\b")
_READING = re.compile(
    r"\b(?:read|load|open|look|from|us|consult|pars|tak|see|check|inspect|fetch|get|find|follow)\w*\b|读|载|取|打开|从|按"
    r"|根据|对照|看|查|依据|[iI]nput|输入",
    re.IGNORECASE,
)
_LOADED_BEFORE = re.compile(
    r"\b(?:were|was|is|are|has been|have been|already) (?:already )?(?:read|loaded|passed|given|handed)\b"
    r"|\bpassed (?:in|to|by)\b|\breceives?\b|传入|已(?:经)?(?:读|加载)|由.{0,12}(?:传|提供)",
    re.IGNORECASE,
)


_SUFFIXES = frozenset({"json", "md", "jsonl", "yaml", "yml", "csv", "txt", "py", "js", "ts", "sh", "length"})
_OF_RUNS = (DIR + "/", ".")
"""With what the paths of a run's files begin: its folder, or a hidden one of the project."""
MANY = 100
"""Uses on one page that are looked at."""
NEAR = 200
"""Characters behind a use where the file may still be read: `job.keep` (from `job.json`)."""


@dataclass(frozen=True, slots=True)
class Use:
    """A page uses fields of what a variable holds; `first` is where."""

    page: Page
    root: str
    fields: tuple[str, ...]
    start: int
    end: int
    line: int


def json_files(skill: Skill) -> dict[str, list[Artefact]]:
    """By the stem of their names the places of the run's JSON files: `job` for `<dir>/job.json`."""
    found: dict[str, list[Artefact]] = {}
    held = _held(skill)
    for artefact in skill.artefacts:
        if artefact.name.startswith(_OF_RUNS) and artefact.name.endswith(".json"):
            stem = artefact.name.rsplit("/", 1)[-1]
            found.setdefault(held.get(stem, _root(artefact.name)), []).append(artefact)
    return found


def holders(skill: Skill) -> Iterator[tuple[str, str]]:
    """Variables that take what is read from a JSON file, with the file's name: `session`, `team-session.json`."""
    for one in skill.assignments:
        file = _READ.search(one.value) if one.name.isidentifier() else None
        if file:
            yield one.name, file[1]


def _held(skill: Skill) -> dict[str, str]:
    """By file the variable that takes it most often; at one place it may well have another name."""
    taken: dict[str, Counter[str]] = {}
    for root, name in holders(skill):
        taken.setdefault(name, Counter())[root] += 1
    return {name: roots.most_common(1)[0][0] for name, roots in taken.items()}


def _root(name: str) -> str:
    return name.rsplit("/", 1)[-1].removesuffix(".json").replace("-", "_")


def used(skill: Skill, roots: frozenset[str]) -> dict[str, list[Use]]:
    """By root, the pages that read its fields in code or in prompts."""
    found: dict[tuple[str, str], list[tuple[int, int, int, str]]] = {}
    for field in skill.fields:
        if field.mode == "read" and field.root in roots and field.at.use in ("instruction", "prompt"):
            found.setdefault((field.root, field.at.file), []).append(
                (field.at.start, field.at.end, field.at.line, field.path)
            )
    for prompt in skill.prompts:
        for hole in prompt.interpolations:
            root, dot, rest = hole.expression.partition(".")
            if dot and root in roots and prompt.at.use in ("instruction", "prompt"):
                found.setdefault((root, prompt.at.file), []).append((hole.at.start, hole.at.end, hole.at.line, rest))
    for root in roots:
        for page, start, end, path in (*_ticked(skill, root), *_coded(skill, root)):
            found.setdefault((root, page.path), []).append((start, end, page.text.count("\n", 0, start) + 1, path))
    uses: dict[str, list[Use]] = {}
    for (root, file), places in found.items():
        start, end, line, _ = min(places)
        fields = tuple(dict.fromkeys(place[3] for place in sorted(places)))
        uses.setdefault(root, []).append(Use(skill.pages[file], root, fields, start, end, line))
    return uses


def goes_through(skill: Skill, root: str) -> Iterator[Use]:
    """Pages whose code works with the whole list or map: `index.filter(…)`, `for (… of index)`."""
    told = re.compile(
        rf"(?<![\w.$]){re.escape(root)}\.(filter|map|find|forEach|some|every|length|push)\b"
        rf"|\bof {re.escape(root)}\b"
    )
    for page in skill.pages.values():
        found = (
            told.search(page.text) if root in page.text and page.kind not in ("template", "script", "data") else None
        )
        block = page.blocks[block_at(page, found.start())] if found else None
        if found and block and block.kind == "code" and block.use in ("instruction", "prompt"):
            line = page.text.count("\n", 0, found.start()) + 1
            yield Use(page, root, (found[1] or "…",), found.start(), found.end(), line)


def _ticked(skill: Skill, root: str) -> Iterator[tuple[Page, int, int, str]]:
    """`plan.seeds` in running text, on pages that are worked through."""
    for page in skill.pages.values():
        if f"`{root}." not in page.text or page.kind in ("spec", "template", "reference", "script", "data"):
            continue
        for found in islice(re.finditer(rf"`{re.escape(root)}\.([A-Za-z_]\w*)[^`\n]{{0,40}}`", page.text), MANY):
            block = page.blocks[block_at(page, found.start())]
            if found[1] not in _SUFFIXES and block.kind != "code" and block.use in ("instruction", "prompt"):
                yield page, found.start() + 1, found.end() - 1, found[1]


def _coded(skill: Skill, root: str) -> Iterator[tuple[Page, int, int, str]]:
    """`progress.done.includes(id)` in code, whether or not the page says what `progress` is."""
    for page in skill.pages.values():
        if f"{root}." not in page.text or page.kind not in KINDS:
            continue
        for found in islice(
            re.finditer(rf"(?<![\w.$/`-]){re.escape(root)}\.([A-Za-z_]\w*)(?!\s*=[^=])", page.text), MANY
        ):
            block = page.blocks[block_at(page, found.start())]
            if found[1] not in _SUFFIXES and block.kind == "code" and block.use == "instruction":
                yield page, found.start(), found.end(), found[1]


def binds(page: Page, root: str) -> bool:
    """The page gives the variable its value, as an assignment, a parameter or in a loop."""
    if root not in page.text:
        return False
    return re.search(_BOUND.format(re.escape(root)), page.text) is not None


def loads(skill: Skill, use: Use, places: list[Artefact]) -> bool:
    """The page reads the file before it uses it, or says that it has it from elsewhere."""
    page, root = use.page, use.root
    if binds(page, root):
        return True
    for artefact in places:
        if artefact.at.file != page.path or artefact.mode != "read" or _told(skill, artefact):
            continue
        if artefact.at.start < use.end + NEAR and (artefact.call >= 0 or _really(page, artefact)):
            return True
    if any(root in page.text[max(0, m.start() - 120) : m.end() + 120] for m in _LOADED_BEFORE.finditer(page.text)):
        return True
    said = re.compile(
        rf"(?:\b(?:read|load|open|fetch|parse|restore)\b[^.\n]{{0,30}}|(?:读取?|加载|载入"
        rf"|打开)[^。\n]{{0,12}})\b{re.escape(root)}\b(?![.\[/}}])",
        re.I,
    )
    return said.search(page.text, 0, use.end + NEAR) is not None


def _really(page: Page, artefact: Artefact) -> bool:
    """A word of reading stands before it; `set it in job.json` has none."""
    return _READING.search(page.text, max(0, artefact.at.start - 80), artefact.at.end + 30) is not None


def _told(skill: Skill, artefact: Artefact) -> bool:
    """It is named in what another agent is told."""
    return any(
        prompt.call >= 0 and prompt.at.file == artefact.at.file and prompt.at.start <= artefact.at.start < prompt.at.end
        for prompt in skill.prompts
    )


def writers(places: list[Artefact]) -> Iterator[Artefact]:
    return (artefact for artefact in places if artefact.mode == "write")


def reads_of(fields: tuple[FieldUse, ...], root: str) -> Iterator[FieldUse]:
    return (field for field in fields if field.root == root and field.mode == "read")
