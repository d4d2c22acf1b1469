"""The skill's own files are read at the start, long before they are needed, or although they may not be."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.words.drawn import drawn
from loopwright.tune.reading.words.sayings import Saying, sentences
from loopwright.tune.skill.model import Block, Page, Skill

_READ = re.compile(
    r"\b(?:(?:pre-?)?(?:read|load)(?:s|ed|ing)?|open|study|ingest|mandatory reading|required reading|acquainted"
    r"|familiari[sz]e|go through|cat|in(?:to)? (?:the )?context)\b"
    r"|读|加载|载入|打开|过一遍|看一遍",
    re.IGNORECASE,
)
_BIDS = re.compile(r"\W*(?:first,? |then )?(?:read|load|open|study)\b|\W*先?[读加打]", re.IGNORECASE)
_AT_START = re.compile(
    r"\b(?:before (?:the |any )(?:loop|run|work|session|workflow|execution|first \w+|phases?) (?:starts?"
    r"|begins?|runs?)|before (?:you |we |the )?(?:start|begin|do(?:ing)? any|anything|first|work|any )\w*"
    r"|at (?:the )?(?:very )?(?:start|beginning|startup"
    r"|launch|activation|outset|first \w+)|first(?: of all)?|up[ -]?front|right away|immediately"
    r"|as (?:the )?(?:first|step)|on (?:startup|activation"
    r"|start|launch)|in advance|start(?:s|ed)? (?:by|with)|begin(?:s|ning)? (?:by|with)|pre-?phase"
    r"|every (?:session|run|time|task)|step [01]\b|preload\w*"
    r"|initially|always|whatever the|regardless|no matter|in one go|at once|together with|(?:is|are) activated"
    r"|when activated|now|not wait)\b"
    r"|(?:开始|动手|启动|执行|开工|激活)[^。\n]{0,6}(?:前|时|之前|后)|开始前|第一步|首先|事先|提前|预先|一开始|先"
    r"|一次性|始终|每次|无论|不管|一律|开工前",
    re.IGNORECASE,
)
_ALL_OF = re.compile(
    r"\b(?:all|every|each|both|entire|whole|completely|in full)\b|全部|所有|都|逐一|一次|一遍", re.IGNORECASE
)
_STEMS = (
    (
        "read",
        "load",
        "acquainted",
        "familiari",
        "open",
        "study",
        "ingest",
        "go through",
        "cat ",
        "context",
        "读",
        "加载",
        "载入",
        "打开",
        "遍",
    ),
    (".md", ".json", "/", "all ", "every", "files", "全", "所有", "都"),
)
_BEGINS = (
    r"(?:the )?(?:coordinator|orchestrator|executor|lead|session|run|loop|workflow) (?:is |gets )?(?:invoked|activated"
    r"|started|starts|begins|called|wakes)\b"
)
_NOT = re.compile(
    r"\b(?:only|never|if|unless|as needed|on demand|one by one|one at a time|relevant|appropriate|matching"
    r"|applicable|source code"
    r"|codebase|repository|depending|whichever|based on|the user's|(?:when|whenever|once|until|while) (?!the skill"
    rf"|activated|invoked|it is activated|{_BEGINS})"
    r"|(?:do(?:es)? not|don['’]t|not) (?:\w+ ){0,2}?(?:read|load|open|need)|instead"
    r"|select|choose|pick|write|create"
    rf"|update|edit|when)\b(?!(?<=when) (?:the skill (?:is|starts)|{_BEGINS}))"
    r"|仅|只|不要|勿|按需|时才|才读|需要时|如果|源码|选",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"\b(?:maintainers?|contributors?|humans?|newcomers?)\b"
    r"|\b(?:chang|edit|maintain|extend|modif|work)\w{1,4} (?:on )?(?:this|the) skill\b"
    r"|维护者|贡献者|给人看|给人类|了解全貌|(?:修改|维护|改动)[本这]个?技能",
    re.IGNORECASE,
)
"""Who works on the skill may read all of it; the run does not."""
_FREE = re.compile(
    r"\b(?:may|might|can|could|free to) (?:\w+ (?:by |with )?)?(?:read|load|open|study)(?:ing)?\b"
    r"|可以(?:先|把|将|一次)[^，。；\n]{0,40}[读看]",
    re.IGNORECASE,
)
_SPARED = re.compile(
    r"\b(?:no need to|need not|needn['’]t|(?:rather|other) than|instead of|avoid|without) (?:\w+ )?(?:read|load|open"
    r"|study)(?:ing)?\b|\b(?:its|their|your) own (?:pages?|files?|parts?|share)\b"
    r"|(?:不必|不用|无需|不需要?|别|而不是|而非|避免)[^，。；\n]{0,24}(?:[读看]|加载|载入|打开)|各自的|自己的那",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"\b[\w/-]{1,60}\.(?:py|sh|js|ts|mjs)\b[`*]{0,3} (?:\w+ )?(?:reads|loads|opens)\b"
    r"|\b(?:scripts?|linters?|checkers?|validators?|tests?|hooks?|build|CI) (?:reads?|loads?|opens?)\b"
    r"|(?:脚本|程序|\.(?:py|sh|js|ts))[^，。；\n]{0,20}?(?:自己|自动|会|启动时|开始时)[^，。；\n]{0,10}(?:读取|加载|打开)",
    re.IGNORECASE,
)
"""What a program reads costs no context."""
_MASKED = re.compile(r"`[^`\n]*`|\]\([^)\n]{0,300}\)|\bnot wait (?:until|for|till)\b[^,;:.\n]*", re.IGNORECASE)
"""Names of files say nothing of when, nor does what is denied."""
_NO_ORDER = (_PEOPLE, _FREE, _SPARED, _PROGRAM)
_CASE = re.compile(
    r"\b(?:if|when|whenever|unless|only|for|during|while|once|after|in step|in phase|step \d|phase \d|as needed"
    r"|on demand)\b"
    r"|时|如果|需要|第.步|阶段|仅|只",
    re.IGNORECASE,
)
_SOON = re.compile(
    r"\W*(?:(?:always|yes|first|at (?:the )?(?:very )?(?:start|beginning|startup|activation)|on (?:activation"
    r"|start|startup)|start(?:up)?|up[ -]?front"
    r"|every (?:run|time|session|task)|before (?:you )?(?:start|begin\w*|anything(?: else)?|step (?:1|one)"
    r"|the first step)|immediately|step [01])"
    r"|(?:开始|开工|启动|动手|激活)(?:时|前|之前)?|始终|一开始|每次|总是|必读|首先)\W*",
    re.IGNORECASE,
)
"""All that a table's cell says of when the file is to be read."""
_KIND = re.compile(
    r"\b(?:all|every|each|both|entire|whole|full set)(?: (?:of|the|these|its|\d+|two|three|four|five|six|seven"
    r"|eight|own|skill's|available|supporting|bundled)){0,3} (reference|phase|action|spec|step|role|worker|command"
    r"|guide|resource|doc|mode|rule|template|asset)(?:s\b| (?:files?|docs?|documents?|pages?|materials?)\b)"
    r"|(?:全部|所有|每[个份])(?:的)?\s?([a-z]{3,12}(?=\s?[\u4e00-\u9fff])|参考|阶段|动作|规格|规范|步骤|角色|模板|指南)"
    r"\s?(?:角色|定义|执行|说明|参考){0,2}(?:文件|文档|资料|材料)",
    re.IGNORECASE,
)
_FOLDERS = {
    "参考": "reference", "阶段": "phase", "动作": "action", "规格": "spec", "规范": "spec", "步骤": "step",
    "角色": "role", "模板": "template", "指南": "guide",
}  # fmt: skip
_GLOB = re.compile(
    r"(?:(?:Glob|glob|readdir\w{0,20}|listdir)\(\s{0,8}|\bcat\s{1,8}"
    r"|\bfor \w{1,40} in )[`'\"]?(?P<glob>[\w./${}-]{0,120}\*[\w.*]*)"
)
_READS = re.compile(r"(?:Read|read\w*|open|cat)\b", re.IGNORECASE)
_LIST = re.compile(r"\[[^\[\]]{8,1500}\]")
_PATH = re.compile(r"[`'\"]([\w./-]{3,120}\.md)[`'\"]")
_MAPPED = re.compile(
    r"\W{0,4}\.(?:map|forEach|flatMap)\([^\n]{0,60}?\b(?:Read|read\w{0,20}|load\w{0,20})\b", re.IGNORECASE
)
_LOOPED = re.compile(r"\bfor\b[^\n]{0,60}\b(?:of|in)\s{1,4}\Z")
_WHOLE_FOLDER = re.compile(r"`((?:[\w.<>{}$-]{1,60}/){1,6})(?:\*(?:\.\w{1,8})?)?`")
_IN_FULL = re.compile(r"\b(?:completely|in full|entirely|whole)\b|完整|全部读", re.IGNORECASE)
FEW, MANY = 3, 5
"""Own files in one sentence that are many: where it says all of them, and where it only lists them."""
MOST = 0.7
"""Of the rows of a table that name files."""
TOKENS = 1500
"""Of them together, that are much."""


def look(skill: Skill) -> Iterator[Hit]:
    for saying in (*sentences(skill, _STEMS), *drawn(skill, _STEMS)):
        if _is_start(skill, saying.page) and not saying.text.startswith("|") and _READ.search(saying.text):
            yield from _of_sentence(skill, saying)
    for page in skill.pages.values():
        if _is_start(skill, page):
            yield from _of_table(skill, page)
            if "*" in page.text or "[" in page.text:
                yield from _of_code(skill, page)


def _of_sentence(skill: Skill, saying: Saying) -> Iterator[Hit]:
    if _NOT.search(_MASKED.sub(" ", saying.text)) or any(one.search(saying.text) for one in _NO_ORDER):
        return
    files, every = _named(skill, saying), _ALL_OF.search(saying.text) is not None
    soon = _AT_START.search(saying.text) is not None
    bid = _BIDS.match(saying.text) is not None
    if len(files) >= (FEW if every and soon else FEW + 1 if every or soon or bid else MANY):
        yield _hit(skill, saying.page, saying.start, saying.end, files)
    elif every and (soon or _IN_FULL.search(saying.text)):
        yield from _of_run(skill, saying, least=1 if soon else 2)


def _of_run(skill: Skill, saying: Saying, least: int) -> Iterator[Hit]:
    """Whole folders of what the run itself makes are read before the work that needs single files of them."""
    named = {found[1].removeprefix("./") for found in _WHOLE_FOLDER.finditer(saying.text)}
    made = {folder for folder in named if any(f"/{folder}" in f"/{one.name}" for one in skill.artefacts)}
    if len(made) >= least and len(named) > 1:
        yield Hit(
            file=saying.page.path, start=saying.start, end=saying.end, subject=", ".join(sorted(made)),
            message=f"all files of {', '.join(sorted(made))} are read before the work that needs single ones begins",
            advice="Say to read each of them in the step that needs it.",
        )  # fmt: skip


def _of_table(skill: Skill, page: Page) -> Iterator[Hit]:
    """Rows that name own files, and say of most of them that they are read at the start."""
    rows: list[tuple[Block, bool]] = []
    for block in (*page.blocks, None):
        if block is not None and block.kind == "row":
            if block.use == "instruction":
                soon = any(_SOON.fullmatch(cell.strip()) for cell in block.text.split("|") if cell.strip())
                rows.append((block, soon))
            continue
        some = rows if any(soon for _, soon in rows) else []
        named = [(row, soon, files) for row, soon in some if (files := _in_row(skill, page, row))]
        early = [row for row in named if row[1]]
        files = tuple(dict.fromkeys(path for row in early for path in row[2]))
        if len(early) >= FEW and len(early) >= MOST * len(named) and len(files) > FEW:
            yield _hit(skill, page, early[0][0].start, early[-1][0].end, files)
        rows = []


def _in_row(skill: Skill, page: Page, block: Block) -> tuple[str, ...]:
    named = [r.resolved for r in skill.references if r.at.file == page.path and block.start <= r.at.start < block.end]
    for found in re.finditer(r"([\w-]+/)\*", block.text):
        named += [path for path in skill.pages if path.startswith(found[1])]
    return tuple(path for path in named if path and path in skill.pages and path != page.path)


def _of_code(skill: Skill, page: Page) -> Iterator[Hit]:
    for block in page.blocks:
        if block.kind == "code" and block.use == "instruction":
            yield from _of_lists(skill, page, block)
            for found in _GLOB.finditer(page.text, block.start, block.end) if "*" in block.text else ():
                line = page.text.find("\n", found.end(), block.end)
                rest = page.text[found.start() : line if line >= 0 else block.end]
                after = page.text[found.end() : min(block.end, found.end() + 120)]
                files = _matching(skill, found["glob"])
                if len(files) >= FEW and (_READS.search(rest) or _READS.search(after)):
                    yield _hit(skill, page, found.start(), found.start() + len(rest), files)


def _of_lists(skill: Skill, page: Page, block: Block) -> Iterator[Hit]:
    """`["a.md", "b.md"].map(p => Read(p))`: own files, one by one in brackets, and what reads them beside."""
    for found in _LIST.finditer(page.text, block.start, block.end) if ".md" in block.text else ():
        files = tuple(dict.fromkeys(path for one in _PATH.findall(found[0]) if (path := _own(skill, page, one))))
        line = page.text.rfind("\n", 0, found.start()) + 1
        after = page.text[found.end() : min(block.end, found.end() + 160)]
        looped = _LOOPED.search(page.text, line, found.start()) and _READS.search(after)
        if len(files) >= FEW and (looped or _MAPPED.match(after)):
            yield _hit(skill, page, found.start(), found.end(), files)


def _own(skill: Skill, page: Page, path: str) -> str | None:
    """As it stands in the skill's folder, or beside the page."""
    bare = path.removeprefix("./")
    beside = f"{page.path.rpartition('/')[0]}/{bare}"
    return next((name for name in (bare, beside) if name in skill.pages and name != page.path), None)


def _is_start(skill: Skill, page: Page) -> bool:
    return page.path == skill.main or any(word in page.path.lower() for word in ("orchestrat", "coordinator"))


def _named(skill: Skill, saying: Saying) -> tuple[str, ...]:
    """Own files that the sentence names, those of folders that it names, or that the list below it has."""
    page = saying.page
    named = [
        ref.resolved
        for ref in skill.references
        if ref.resolved and ref.at.file == page.path and saying.start <= ref.at.start < saying.end
    ]
    for folder in re.findall(r"`?([\w-]+)/(?:\*(?:\.\w+)?)?`?(?=[\s`,，、。.:;）)下中里的]|$)", saying.text):
        named += [path for path in skill.pages if f"/{path}".rpartition("/")[0].endswith(f"/{folder}")]
    for found in _KIND.finditer(saying.text):
        kind = _FOLDERS.get(found[2] or "", (found[1] or found[2] or "").lower())
        named += [path for path in skill.pages if f"/{path}".rpartition("/")[0].rpartition("/")[2].startswith(kind)]
    if len(named) < FEW:
        near = (r for r in skill.references if r.resolved and r.at.file == page.path and r.at.use == "instruction")
        section = next((s.end for s in reversed(page.sections) if s.start <= saying.start < s.end), len(page.text))
        listed = [
            ref.resolved
            for ref in near
            if saying.end <= ref.at.start < section
            and ref.resolved
            and not _CASE.search(_line(page.text, ref.at.start))
        ]
        named += listed if _points(saying) else []
    return tuple(dict.fromkeys(path for path in named if path in skill.pages and path != page.path))


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


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
