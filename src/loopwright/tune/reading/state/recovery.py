"""What a skill says of going on after an interruption: where it speaks of it, and where it says how."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loopwright.tune.reading.rules.families import page_families
from loopwright.tune.reading.words.spots import block_at, spotted
from loopwright.tune.skill.model import Artefact, Block, Page, PageKind, Section, Skill

_WORK = r"(?:run|session|job|state|workflow)"
_ON = (
    r" (?:\w+ )?(?:(?:from|at|with) (?:the |that )?(?:last|saved|first|same|unfinished|recorded|failed|missing"
    r"|checkpoint)|(?:from|at) (?:the )?next)\b"
)
_RESUME: Mapping[str, str] = {
    "resum": r"\bresum(?:e|es|ed|ing|able|ability|ption)\b(?!s?\s+(?:builder|writing|review|pdf|template))|--resume\b",
    "interrupt": r"\binterrupt(?:ed|ions?)\b",
    "left off": r"\bleft off\b",
    " up ": r"\bpick(?:s|ed|ing)?[- ](?:\w+ )?up (?:where|from|again|at)\b",
    "recover": (
        rf"\b(?:crash|session|run|state|job) recovery\b|\brecover(?:y|s|ed|ing)? (?:from (?:a |an |the )?(?:crash"
        rf"|interrupt\w*|checkpoint|state"
        rf"|session|restart|last)|protocol|(?:the )?{_WORK}|after (?:a |an )?(?:crash|restart|interrupt\w*))"
    ),
    "continu": rf"\bcontinu(?:e|es|ed|ing){_ON}|\b(?:is|being|can be|be) continued\b|--continue\b",
    " on ": rf"\b(?:go(?:es|ing)?|carr(?:y|ies)) on{_ON}",
    "break": rf"\b{_WORK} (?:\w+ )?(?:breaks?|broke|broken)\b|\bbroken[- ]off\b",
    " restart": r"\b(?:on|after|at) (?:a |the |each |every )?restart\b",
    "start": rf"\bre-?starts?(?:ed)?{_ON}|\bstarts? again{_ON}|\bwhere (?:it|you|they) (?:re)?starts?\b",
    "where ": r"\bwhere (?:it|you|they|the \w+) (?:stopped|left)\b",
    "finished ": rf"\b(?:un|half-)finished {_WORK}\b",
    "incomplete ": rf"\bincomplete {_WORK}\b",
    "previous ": rf"\bprevious {_WORK}\b",
    "earlier ": rf"\bearlier {_WORK}\b",
    "existing ": rf"\bexisting {_WORK}\b",
    "surviv": r"\bsurviv(?:e|es|ing) (?:a |an |the )?(?:crash|restart|interrupt|compaction|session)",
    "断点": "断点", "续": "续(?:跑|传|做)|续写(?=任务|进度)|继续(?:上次|未完成|之前)", "恢复": "恢复(?!默认|正常|出厂)",
    "中断": "中断", "接着": "接着[做跑]",
    "从上次": "从上次", "接着上次": "接着上次", "断掉": "断掉", "断开后": "断开后",
    "未完成的": "未完成的(?:任务|运行|会话|流程)",
}  # fmt: skip
"""By a word of it in small letters: going on with a run that was begun before."""
_PATTERNS = {stem: re.compile(pattern, re.IGNORECASE) for stem, pattern in _RESUME.items()}
RESUME = re.compile("|".join(_RESUME.values()), re.IGNORECASE)
PROMISES = re.compile(
    r"\b(?:can|may|could|will|to|is|are|being|be) (?:\w+ )?(?:resumed|continued|resumable)\b|\bresumable\b"
    r"|--(?:resume|continue)\b|\binterrupt(?:ed|ions?)\b"
    r"|\bleft off\b|\bcrash\w*|\bsurviv\w+|断点|续跑|续传|中断后|中断了|恢复",
    re.IGNORECASE,
)
"""Of these it is certain that a later session is meant, not a later step."""
SAVES = re.compile(r"\bcheckpoints?\b|\bsnapshots?\b|\bback-?ups?\b|检查点|快照|备份|存档", re.IGNORECASE)
_SKIPS = re.compile(
    r"\bskip\w*\b[^.\n]{0,60}\b(?:already|exists?|done|completed)\b|\balready\b[^.\n]{0,60}\bskip|\bre-?run(?:s"
    r"|ning)?\b[^.\n]{0,60}\b(?:already|skip|exist|safe|idempotent)"
    r"|\bidempotent\b|已(?:存在|完成|有)[^。\n]{0,20}跳过|跳过已|幂等",
    re.IGNORECASE,
)
_SKIPPING = dict.fromkeys(("skip", "re-run", "rerun", "idempotent", "跳过", "幂等"), _SKIPS)
"""Not told how to go on, but a second run does not do again what is done."""
LOOKS = re.compile(
    r"\b(?:read|load|look|check|scan|find|open|parse|restore|inspect|exists?|glob|list|detect|search|copy"
    r"|go(?:es)? (?:straight|on|to)|skip|start(?:s)? (?:with|at|from)|set back|re-?spawn|take|use|compare"
    r"|fall back|continu\w+ (?:with|at"
    r"|from))\w*\b"
    r"|读|加载|查找|找出|找到|检查|扫描|打开|解析|还原|跳过|取|对照|从.{0,30}(?:继续|开始|接着)|定位",
    re.IGNORECASE,
)
"""What has to be done to know where a run stood."""
_ONLY_SAID = re.compile(
    r"重新打开|从(?:断|停|中断)[\u4e00-\u9fff]{0,4}?(?:地方|处|位置)(?:接着|继续|开始)"
    r"|\bcontinu\w{1,3} (?:from|at) where (?:it|you|they|the \w{1,40}) (?:stopped|left|was|were)\b"
    r"|\b(?:open|start|run) (?:it |the \w{1,40} )?again\b",
    re.IGNORECASE,
)
"""Words of doing that tell nothing to do."""
_READS = re.compile(
    r"\b(?:read|load|look for|looks for|find|scan|open|parse|restore|glob|detect|check)s?\b"
    r"|读|加载|查找|找出|找到|扫描|打开|解析"
    r"|还原|定位|检查",
    re.IGNORECASE,
)
"""The same in a sentence that only speaks of it by the way."""
_OF_ERRORS = re.compile(r"\berrors?\b|错误|异常|失败", re.IGNORECASE)
_NO_TEXT: frozenset[PageKind] = frozenset({"template", "reference", "script", "data"})


@dataclass(frozen=True, slots=True)
class Mention:
    """`section`: that of recovery which the block lies in, if it lies in one."""

    page: Page
    block: Block
    start: int
    end: int
    section: Section | None


def mentions(skill: Skill) -> tuple[Mention, ...]:
    """Blocks that tell the model of going on with an earlier run, and all below a title that does."""
    return tuple(mention for page in skill.pages.values() if page.kind not in _NO_TEXT for mention in _of_page(page))


def _of_page(page: Page) -> Iterator[Mention]:
    spots = spotted(page.text, _PATTERNS)
    starts = [spot.start() for spot in spots]
    inside = [section for section in page.sections if _is_recovery(section, starts)]
    said: dict[int, tuple[int, int]] = {}
    for spot in spots:
        said.setdefault(block_at(page, spot.start()), spot.span())
    wanted = set(said)
    for section in inside:
        wanted.update(range(max(0, block_at(page, section.start)), block_at(page, section.end - 1) + 1))
    for index in sorted(wanted):
        block = page.blocks[index]
        if index < 0 or (block.use not in ("instruction", "prompt") and block.kind != "front"):
            continue
        lies_in = next((one for one in inside if one.start <= block.start < one.end), None)
        yield Mention(page, block, *said.get(index, (block.start, block.end)), lies_in)


def _is_recovery(section: Section, spots: list[int]) -> bool:
    """Its title says so, by its concept or by one of the spots."""
    if section.concept == "recovery" and not _OF_ERRORS.search(section.title):
        return True
    at = bisect_left(spots, section.start)
    return at < len(spots) and spots[at] < section.body


def skips_done(skill: Skill) -> bool:
    """A second run leaves alone what the first has done."""
    return any(page.kind not in _NO_TEXT and bool(spotted(page.text, _SKIPPING)) for page in skill.pages.values())


def tells_how(found: tuple[Mention, ...]) -> bool:
    """Somewhere it is said what is looked at to know where the run stood."""
    return any(_how(mention) for mention in found)


def _how(mention: Mention) -> bool:
    if mention.block.kind in ("front", "heading"):
        return False
    if mention.block.kind == "code":
        return True
    text = mention.block.text
    if mention.section is not None:
        return bool(LOOKS.search(_ONLY_SAID.sub(" ", text)))
    near = text[max(0, mention.start - mention.block.body - 160) : mention.end - mention.block.body + 160]
    return bool(_READS.search(RESUME.sub("", near))) and (
        "`" in near or "/" in near or "state" in near or "状态" in near
    )


PLEDGES = re.compile(
    r"\b(?:progress|state|work|session|run|results?)\b[^.;,\n]{0,60}\b(?:preserved|saved|kept|persisted"
    r"|stored)\b[^.;,\n]{0,40}"
    r"\b(?:resum\w+|recovery|continu\w+ later)\b"
    r"|\b(?:session|run|job|workflow|work|setup|it|everything|user)\s+can(?: later)? (?:be )?(?:resumed?"
    r"|continued|picked up)\b"
    r"|\b(?:any|each|every|the) (?:step|phase|loop|pipeline|cycle|stage|task) can be (?:resumed|continued)\b"
    r"|\bresumable\*{0,2}[:：]"
    r"|^can (?:be )?resumed?\b|\bresumable (?:run|session|workflow|job)s?\b|\bfor (?:resumability"
    r"|resumption)\b|\(resumability\)"
    r"|(?:可|能|可以|支持)(?:随时)?(?:断点续传|断点续跑|续跑|恢复(?:执行|运行|会话)?|接着(?:做|跑))",
    re.IGNORECASE,
)
"""A later session is said to go on with this run."""
_COMMAND = re.compile(
    r"`[^`\n]{0,200}\b(?:resume|continue|restart|recover)\b[^`\n]{0,200}`|--(?:resume|continue)\b"
    r"|\b(?:re-?run|run|invoke|call|start)\b[^.\n]{0,60}\bagain\b|\bsame (?:command|arguments|id|run)\b"
    r"|再次(?:运行|执行)|重新运行",
    re.IGNORECASE,
)
_IN_CODE = re.compile(r"(?:^|[\s/:-])(?:resume|continue|recover)\b", re.IGNORECASE | re.MULTILINE)
_SHOWN = re.compile(r"console\.(?:log|warn|error|info)|\bprint|\becho\b|[─│└├╔║]|\+--|\A[ \t]{0,40}(?://|#)")
"""A line that code only says, or that is drawn."""
NEAR = 60
"""Characters behind a comma that still belong to what is said of going on."""
_COMMA = re.compile(r"[,，;；:：.。(（]")


def pledge_of(mention: Mention) -> re.Match[str] | None:
    """The words by which the block promises it; what another mode does is no promise of this skill."""
    block = mention.block
    if block.kind not in ("item", "paragraph", "row", "code"):
        return None
    return PLEDGES.search(mention.page.text, max(block.body, mention.start - 100), min(block.end, mention.end + 20))


def says_nothing(found: tuple[Mention, ...]) -> bool:
    """No section on it, no command, and nowhere in the words around it what is looked at."""
    return not any(_says(mention) for mention in found)


def _says(mention: Mention) -> bool:
    block, page = mention.block, mention.page
    if block.kind == "code":
        done = (line for line in block.text.splitlines() if not _SHOWN.search(line))
        return block.use != "template" and any(_IN_CODE.search(line) for line in done)
    if block.kind == "front" or (block.kind == "heading" and mention.section is None):
        return _COMMAND.search(block.text) is not None if block.kind == "heading" else "--resume" in block.text
    if mention.section is not None:
        return block.kind != "heading"
    text = page.text
    begin = max((found.end() for found in _COMMA.finditer(text, block.start, mention.start)), default=block.start)
    after = _COMMA.search(text, mention.end, block.end)
    clause = text[begin : min(after.end() + NEAR, block.end) if after else block.end]
    rest = PLEDGES.sub("", RESUME.sub("", clause))
    line = text.rfind("\n", 0, mention.start) + 1, text.find("\n", mention.end)
    near = max(block.start, line[0]), min(block.end, line[1] if line[1] >= 0 else block.end)
    return _COMMAND.search(text, *near) is not None or (
        _READS.search(rest) is not None and ("`" in rest or "state" in rest or "状态" in rest or "file" in rest)
    )


def written(skill: Skill, name: str, but: tuple[Section, ...] = (), file: str = "") -> list[Artefact]:
    """Where the skill writes that artefact, outside of these sections of that file."""
    return [
        artefact
        for artefact in skill.artefacts
        if artefact.name == name
        and artefact.mode == "write"
        and not (artefact.at.file == file and any(s.start <= artefact.at.start < s.end for s in but))
    ]


_DESCRIBED = re.compile(
    r"(?<!disaster )(?<!data )(?<!error )(?<!cost )\brecover(?:y|able)\b|\bresum(?:able|ption|ability)\b"
    r"|\bresume (?:work|a run|runs|sessions?)\b"
    r"|\bcrash[- ]safe\b|断点(?:续传|续跑)|恢复机制",
    re.IGNORECASE,
)
_ANY_RECOVERY = re.compile(
    r"\b(?:recover\w*|resum\w+|restor\w+|restart\w*|roll(?:s|ed|ing)? ?back|re-?plays?|replayed"
    r"|continu\w+ (?:from|where))\b|恢复|续|回滚",
    re.IGNORECASE,
)


def described_only(skill: Skill) -> tuple[int, int, str] | None:
    """The front matter promises recovery, and the text of no page says a word of it: where, and the word."""
    page = skill.pages.get(skill.main)
    if page is None or page.front is None:
        return None
    found = _DESCRIBED.search(page.text, page.front.start, page.front.end)
    if found is None or any(_ANY_RECOVERY.search(_body(other)) for other in skill.pages.values()):
        return None
    return found.start(), found.end(), found[0]


def _body(page: Page) -> str:
    return page.text[page.front.end if page.front else 0 :]


_EACH = re.compile(
    r"\b(?:sav|persist|checkpoint|record|writ)\w*\b[^.\n]{0,40}\b(?:progress|state|checkpoints?|status)\b[^.\n]{0,20}"
    r"\b(?:after|at the end of|in|on) (?:each|every) (?P<what>phase|step|stage|action|round)\b"
    r"|\b(?:after|at the end of) (?:each|every) (?P<那>phase|step|stage|action|round)\b[^.\n]{0,40}\b(?:sav"
    r"|persist|checkpoint|record|writ"
    r"|updat)\w*\b[^.\n]{0,30}\b(?:progress|state|checkpoints?|status)\b"
    r"|每(?:个|一)(?:阶段|步骤?|动作)(?:结束|完成)?(?:之?后|都)[^。\n]{0,12}(?:保存|写入|更新|记录)(?:进度"
    r"|状态|检查点)",
    re.IGNORECASE,
)
_SAVES_HERE = re.compile(
    r"\b(?:save|persist|checkpoint|record|write|update|mark)\w{0,20}\b[^.\n]{0,60}(?:progress|state|checkpoint"
    r"|status|complet)"
    r"|progress\S{0,20}\s{1,8}save\b|(?:保存|写入|更新|记录)[^。\n]{0,12}(?:进度|状态|检查点)",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"(?:^|[-_ \d])(?:welcome|complete|completion|done|end|finish|final|summary|close|prep|checklist"
    r"|schema)(?:$|[-_ ])",
    re.IGNORECASE,
)


def unsaved(skill: Skill) -> Iterator[tuple[Page, tuple[str, ...], tuple[Page, int]]]:
    """The page of a course that saves nothing, those that do, and where it is said that each saves its progress."""
    said = next(_each(skill), None)
    for family in page_families(skill) if said else ():
        saving = [member for member in family if _SAVES_HERE.search(member.page.text)]
        lacking = [m for m in family if m not in saving and not _LAST.search(m.name)]
        if said and len(saving) >= 2 and len(lacking) == 1 and lacking[0].page is not said[0]:
            yield lacking[0].page, tuple(member.page.path for member in saving), said


def _each(skill: Skill) -> Iterator[tuple[Page, int]]:
    for page in skill.pages.values():
        for found in (
            spotted(page.text, dict.fromkeys(("each ", "every ", "每"), _EACH)) if page.kind not in _NO_TEXT else ()
        ):
            if page.blocks[block_at(page, found.start())].use in ("instruction", "prompt"):
                yield page, found.start()
