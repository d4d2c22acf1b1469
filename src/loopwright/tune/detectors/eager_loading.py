"""The skill's own files are read at the start, long before they are needed, or although they may not be."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.sayings import Saying, sayings
from loopwright.tune.skill.model import Page, Skill

_WHEN = (
    r"(?:before (?:you )?(?:start|begin|doing anything|anything else|the first)\w*"
    r"|at (?:the )?(?:start|beginning|startup|launch)|first of all|up front|upfront|right away|as the first step"
    r"|on (?:startup|activation|start)|in advance|at the (?:very )?first \w+)"
)
_ALL = r"(?:all(?: of)?|every|each|both|the (?:full|entire|whole|complete))"
_GAP = r"(?:[^.\n]|\.(?=\S))"
"""A character of the same sentence: the point of a file's name does not end it."""
_READ = r"\b(?:read|load|open|study)\b"
_SAID = re.compile(
    rf"{_WHEN}{_GAP}{{0,80}}?{_READ}|{_READ}{_GAP}{{0,200}}?{_WHEN}"
    rf"|\b(?:read|load)\b[^.\n]{{0,30}}?\ball (?:the )?(?:files|pages|documents|references|actions|phases"
    rf"|specs)\b(?: (?:under|in|of|below)\b[^.\n]{{0,40}})?"
    r"|(?:开始|动手|启动|执行|开工)[^。\n]{0,6}(?:前|时|之前)[^。\n]{0,240}?(?:读|加载|载入|打开)",
    re.IGNORECASE,
)
_ALL_OF = re.compile(rf"\b{_ALL}\b|全部|所有|都|逐一|一次", re.IGNORECASE)
_STEMS = (
    ("read", "load", "open", "study", "读", "加载", "载入", "打开"),
    ("all", "every", "each", "both", "full", "entire", "whole", "complete", "都", "全部", "所有", "逐一", "一次性"),
    (
        "before",
        "start",
        "beginning",
        "startup",
        "launch",
        "first",
        "front",
        "right away",
        "activation",
        "advance",
        "files",
        "pages",
        "documents",
        "references",
        "actions",
        "phases",
        "specs",
        "开始",
        "动手",
        "启动",
        "执行",
        "开工",
    ),
)
_NOT = re.compile(
    r"\b(?:only|not|never|don't|when|if|as needed|on demand|one by one|one at a time|relevant|source code"
    r"|codebase|project|repository|user's|input)\b|仅|只|不|勿|按需|时才|需要时|项目|源码|代码",
    re.IGNORECASE,
)
_GLOB = re.compile(
    r"(?:Glob|glob|readdir\w*|listdir)\(\s*[`'\"](?P<glob>[\w./${}-]*\*[\w.*]*)[`'\"][^\n]*?(?:Read|read\w*)\("
)
FEW, MANY = 3, 5
"""Own files in one sentence that are many: where it says all of them, and where it only lists them."""
TOKENS = 1500
"""Of them together, that are much."""


def look(skill: Skill) -> Iterator[Hit]:
    for saying in sayings(skill, _STEMS, _SAID):
        if _is_start(skill, saying.page) and not _NOT.search(saying.text):
            files = _named(skill, saying)
            if len(files) >= (FEW if _ALL_OF.search(saying.text) else MANY):
                yield _hit(skill, saying.page, saying.start, saying.end, files)
    for page in skill.pages.values():
        if _is_start(skill, page) and "lob(" in page.text:
            yield from _of_code(skill, page)


def _of_code(skill: Skill, page: Page) -> Iterator[Hit]:
    for block in page.blocks:
        if block.kind == "code" and block.use == "instruction":
            for found in _GLOB.finditer(page.text, block.start, block.end):
                files = _matching(skill, found["glob"])
                if len(files) >= FEW:
                    yield _hit(skill, page, found.start(), found.end(), files)


def _is_start(skill: Skill, page: Page) -> bool:
    return page.path == skill.main or "orchestrator" in page.path.lower() or "coordinator" in page.path.lower()


def _named(skill: Skill, saying: Saying) -> tuple[str, ...]:
    """Own files that the sentence names, those of folders that it names, or that the list below it has."""
    page = saying.page
    named = [
        ref.resolved
        for ref in skill.references
        if ref.resolved and ref.at.file == page.path and saying.start <= ref.at.start < saying.end
    ]
    for folder in re.findall(r"`?([\w-]+)/`?(?=[\s`,，。.)]|$)", saying.text):
        named += [path for path in skill.pages if f"/{path}".rpartition("/")[0].endswith(f"/{folder}")]
    if len(named) < FEW:
        near = (r for r in skill.references if r.resolved and r.at.file == page.path and r.at.use == "instruction")
        section = next((s.end for s in reversed(page.sections) if s.start <= saying.start < s.end), len(page.text))
        listed = [ref.resolved for ref in near if saying.end <= ref.at.start < section and ref.resolved]
        named += listed if _points(saying) else []
    return tuple(dict.fromkeys(path for path in named if path in skill.pages and path != page.path))


def _points(saying: Saying) -> bool:
    """It speaks of a list beside it."""
    return (
        re.search(r"\b(?:these|following|below)\b|[:：]\s*$|以下|下列|下面|这些", saying.text, re.IGNORECASE)
        is not None
    )


def _matching(skill: Skill, glob: str) -> tuple[str, ...]:
    folder = re.sub(r"\$\{\w+\}/", "", glob).partition("*")[0]
    return tuple(path for path in skill.pages if folder and path.startswith(folder.removeprefix("./")))


def _hit(skill: Skill, page: Page, start: int, end: int, files: tuple[str, ...]) -> Hit:
    tokens = sum(skill.pages[path].tokens for path in files)
    return Hit(
        file=page.path, start=start, end=end, subject=", ".join(files[:FEW]),
        message=
            f"{len(files)} of the skill's files (about {tokens:,} tokens) are read before the work "
            f"begins: {', '.join(files[:5])}"
        ,
        advice="Say for each file in which step, or in which case, it is to be read, and read no other.",
        severity="high" if tokens > 4 * TOKENS else "medium" if tokens > TOKENS or len(files) > FEW else "low",
    )  # fmt: skip


DETECTOR = Detector(
    rule="eager-loading",
    dimension="context",
    severity="medium",
    confidence="likely",
    strategy="orchestrator_refactor",
    title="Many own files are read at the start",
    why="All of it stays in the context to the end, also what this task never needs, and weakens what it does need.",
    advice="Load a file when the step at hand names it.",
    look=look,
)
