"""Folders to which each run adds a file, and sentences that have all of their files read."""

import re
from collections.abc import Iterator

from loopwright.tune.reading.prompts.orders import orders
from loopwright.tune.reading.words.drawn import drawn
from loopwright.tune.reading.words.sayings import Saying, sentences
from loopwright.tune.skill.model import Assignment, Prompt, Skill

_READ = re.compile(
    r"\b(?:read|load|open|cat|go through|ingest|include|feed|review)\b|读|加载|载入|打开|看一遍|过一遍", re.IGNORECASE
)
_ALL = re.compile(
    r"\b(?:every|all|each|entire|whole)\b[^.;\n]{0,40}?\b(?:files?|logs?|entries|notes?|records?|reports?"
    r"|sessions?|days?"
    r"|in|under|of|from)\b|from the (?:first|beginning|start)|全部|所有|每[一个份篇天]",
    re.IGNORECASE,
)
_FOLDER = re.compile(
    r"(?<![\w.~${}<>-])(?P<folder>(?:[\w.~${}<>-]{1,60}/){0,10}[\w.~-]{1,60}/)(?=[`\s*,.;)，。；）]|$)"
)
_BOUND = re.compile(
    r"\b(?:last|latest|most recent|newest|at most|up to|first \d+|only|not|never|don['’]t|titles?|names?|list"
    r"|count|if|unless"
    r"|matching|relevant|today'?s)\b|最近|最新|只|仅|不|勿|别|相关|如果",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:append|writ|sav|add|record|log|creat|stor|put|dump|mov|archiv)\w*\b|写|存|追加|记录|归档", re.IGNORECASE
)
_TO_MERGE = re.compile(
    r"\b(?:(?:for|into|write|build|produce|make) (?:the |a |an |one )?(?:final |closing )?(?:report|summary"
    r"|overview|synthesis)|merg|combin|consolidat|synthes|aggregat)\w*|汇总|合并|总结",
    re.IGNORECASE,
)
"""What has one text made of all of them has to read all of them once."""
_KEPT = re.compile(
    r"\ball (?:of )?(?:the |your |its |our )?(?:previous|past|earlier|old|daily|session|run|iteration|round|chat"
    r"|historical) ?(?:session |run |chat |work )?"
    r"(?:logs|files|notes|transcripts|reports|entries|records|sessions|handoffs|histories)\b|(?:全部|所有)(?:历史"
    r"|以往|过去|每日|会话)(?:的)?(?:日志|记录|会话|笔记)",
    re.IGNORECASE,
)
"""What becomes more with every run, by its name."""
_STEMS = (
    ("read", "load", "open", "cat ", "go through", "ingest", "include", "feed", "review", "读",
     "加载", "载入", "打开", "遍"),
    ("every", "all", "each", "entire", "whole", "from the", "全部", "所有", "每"),
    ("/", "log", "note", "transcript", "report", "entries", "record", "session", "history", "日志", "记录", "会话"),
)  # fmt: skip
_PILED = re.compile(
    r"\b(?:append|add|push|accumulate|collect)\w{0,3}\b[^.;\n`]{0,80}? (?:to|in|into|onto) (?:the )?"
    r"`(?P<name>[A-Za-z_][\w.]{2,60})`"
    r"|(?:追加|累积|累加|添加|加入)(?:到|进|至|在)?\s?`(?P<zh>[A-Za-z_][\w.]{2,60})`",
    re.IGNORECASE,
)
_PILES = (("append", "add", "push", "accumulat", "collect", "追加", "累", "添加", "加入"), ("`",))
_TAKEN = re.compile(r"\b(?:keep|trim|drop|remov|replac|last|latest|at most)\w*|只保留|最近|最多|删", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:last|latest|recent|summary|length|count|path|slice|first|top|id|ids)\b|最近|摘要|路径", re.IGNORECASE
)
_ENDINGS = frozenset(
    {"md", "json", "jsonl", "ndjson", "txt", "log", "csv", "yaml", "yml", "ts", "js", "py", "gitignore"}
)
_BOARD = re.compile(r"\b[Rr]ead\w{0,12}\([^()\n]{0,80}?([\w-]{1,60}\.(?:ndjson|jsonl))")
_ROOT = re.compile(r"\s{0,8}(\w{1,60})\s{0,8}\.")
_SHORTER = re.compile(
    r"\.slice\(|\.splice\(|\.at\(|\.length\b|limit|\btop\w*\(|\btail\b|\bhead\b|recent|latest", re.IGNORECASE
)
NEAR = 90
"""Characters before a path in which it is said that it is written."""


def reread(skill: Skill) -> Iterator[tuple[Saying, str, str]]:
    """Sentences that have a whole folder read to which the run adds: with the folder, and where that is said."""
    for saying in (*sentences(skill, _STEMS), *drawn(skill, _STEMS)):
        if not _READ.search(saying.text) or not _ALL.search(saying.text) or _BOUND.search(saying.text):
            continue
        if _TO_MERGE.search(saying.text):
            continue
        kept = _KEPT.search(saying.text)
        if kept is not None:
            yield saying, kept[0], ""
            continue
        for found in _FOLDER.finditer(saying.text):
            if any(path.startswith(found["folder"].removeprefix("./")) for path in skill.pages):
                continue
            place = _added(skill, found["folder"], saying)
            if place:
                yield saying, found["folder"], place
                break


def piled(skill: Skill) -> Iterator[tuple[Prompt, re.Match[str], str]]:
    """Slots of prompts that name, whole, what the words of the skill add to: with the slot and the place of these."""
    names = {found["name"] or found["zh"]: place for found, place in _piles(skill)}
    for name, place in names.items():
        last = name.rpartition(".")[2]
        slot = re.compile(
            rf"[<{{\[][^<>{{}}\[\]\n]{{0,60}}?(?<!\w){re.escape(last)}\b(?!\.\w)[^<>{{}}\[\]\n]{{0,60}}[>}}\]]"
        )
        for prompt in orders(skill):
            for found in slot.finditer(prompt.text) if last in prompt.text else ():
                if not _PART.search(found[0]):
                    yield prompt, found, place


def _piles(skill: Skill) -> Iterator[tuple[re.Match[str], str]]:
    """What a sentence has something added to, by its name: no file, which has its path."""
    for saying in (*sentences(skill, _PILES), *drawn(skill, _PILES)):
        for found in _PILED.finditer(saying.text):
            name = found["name"] or found["zh"]
            if name.rpartition(".")[2].lower() not in _ENDINGS and not _TAKEN.search(saying.text):
                line = saying.page.text.count("\n", 0, saying.start) + 1
                yield found, f"{saying.page.path}:{line}"


def boards(skill: Skill) -> Iterator[tuple[Assignment, str]]:
    """Texts made of all entries of a file that agents add to, which go into further texts: with the file's name."""
    read = {one.name: found[1] for one in skill.assignments if (found := _BOARD.search(one.value)) is not None}
    for one in skill.assignments if read else ():
        root = _ROOT.match(one.value)
        if root is None or root[1] not in read or ".map(" not in one.value or _SHORTER.search(one.value):
            continue
        if any("`" in other.value and f"${{{one.name}}}" in other.value for other in skill.assignments) or any(
            place.expression == one.name for prompt in orders(skill) for place in prompt.interpolations
        ):
            yield one, read[root[1]]


def _added(skill: Skill, folder: str, saying: Saying) -> str:
    """Where a file whose name changes from run to run is written into the folder; "" where none is."""
    named = re.compile(re.escape(folder) + r"[^\s`'\"]{0,40}?(?:<|\{|\$|\*|YYYY|\d{4}-|-N\b)")
    for page in skill.pages.values():
        for found in named.finditer(page.text) if folder in page.text else ():
            line = page.text.rfind("\n", 0, found.start()) + 1
            before = page.text[max(line, found.start() - NEAR) : found.start()]
            outside = page is not saying.page or not saying.start <= found.start() < saying.end
            if outside and _WRITES.search(before):
                return f"{page.path}:{page.text.count(chr(10), 0, found.start()) + 1}"
    return ""
