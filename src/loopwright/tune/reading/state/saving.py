"""Sentences that put the saving of long work off until all of it is done."""

import re
from collections.abc import Iterator
from functools import lru_cache

from loopwright.tune.reading.words.drawn import drawn
from loopwright.tune.reading.words.sayings import Saying, is_story, sentences
from loopwright.tune.skill.model import Skill

_WRITE = (
    r"(?:writ(?:e|es|ing|ten)|sav(?:e|es|ed|ing)|persist(?:s|ed|ing)?|stor(?:e|es|ed|ing)|flush(?:es|ed|ing)?"
    r"|record(?:s|ed|ing)?"
    r"|updat(?:e|es|ed|ing)|dump(?:s|ed|ing)?|append(?:s|ed|ing)?|commit(?:s|ted|ting)?|log(?:s|ged|ging)|mark(?:s"
    r"|ed|ing)?"
    r"|checkpoint(?:s|ed|ing)?|tick(?:s|ed|ing)?|appl(?:y|ies|ied)|put(?:s|ting)? to disk)"
)
_写 = r"(?:写[入出回]?|保存|存盘|落盘|存储|记录|更新|持久化|提交|写盘|存档)"
_STATE = (
    r"(?:states?|progress|checkpoints?|trackers?|tracking|ledgers?|manifests?|session files?|status(?: files?)?"
    r"|index|queue|journal|checkbox(?:es)?|status updates?"
    r"|(?:task|todo|work|job|run) (?:lists?|files?|logs?)|logs?|memory file|[\w./{}<>$-]{0,60}(?:state|progress|status"
    r"|session|tracker|ledger"
    r"|manifest|index|queue|checkpoint|log|job|plan)[\w-]{0,40}\.(?:json|md|ya?ml|jsonl|csv|txt|log))"
)
_况 = r"(?:状态|进度|检查点|断点|台账|清单|索引|日志|记录|[\w./{}$-]{1,60}\.(?:json|md|ya?ml|jsonl|csv))"
_RESULT = (
    r"(?:results?|findings|notes|outputs?|work|everything|anything|nothing|answers?|scores?|entries|data|files?|disk)"
)
_果 = r"(?:结果|产出|内容|笔记|译文|发现|文件|磁盘|一次)"
_DONE = (
    r"(?:done|finished|complete[d]?|over|processed|through|ended|ends?|finish(?:es)?|reported|passed|returned|drafted"
    r"|closed|settled|merged|carried out|stopped)"
)
_LATE = (
    rf"(?:(?:when|once|after|until|before)(?: the)? (?:all|everything|every|each and every|the whole|the entire"
    rf"|the full)(?: of)?(?: the)?\b(?! \w+ of (?:this|that|the current) )[^.,;\n]{{0,40}}?\b{_DONE}"
    rf"|(?:when|once|after|until|till|before|at the end of)(?: the)? (?:(?:very )?(?:last|final)\b(?! (?:approval"
    rf"|answer|review))|(?:whole|entire)\b(?! (?:files?|objects?|records?|pages?|entry|answer|reply|action|update|batch"
    rf"|round|step|chapter|json|line)\b)|loop)"
    r"|after (?:all|every) \w+|(?:when|once|if) (?:no|nothing|none)\b[^.;\n]{0,60}?\b(?:left|remain\w*|open"
    r"|pending|any ?more|to try)"
    rf"|(?:when|once|after|until) (?:the )?(?:run|loop|session|work|plan|process|job"
    r"|workflow|pipeline|cycle|campaign)\b[^.,;\n]{0,12}?\b(?:done|finished|complete|over|through|ended|ends)"
    r"|(?:when|once) all (?:of them |of it )?(?:are|is)\b|as the (?:very )?(?:last|final) (?:step|thing|action)"
    r"|at the end of the (?:run|session|loop|work)"
    r"|after the (?:stop|run|session|loop|workflow|whole)|on (?:approval|success|exit|shutdown)"
    rf"|at the (?:very )?end\b(?! of (?:each|every|a|the (?:round|step|batch|iteration|phase|stage|turn|wave|cycle"
    rf"|chapter|sprint|task)))"
    r"|(?:up)?on (?:final )?completion\b(?! of (?:each|every|a))|in (?:one go|a single (?:write|pass|go))"
    r"|once at the end|a single time|all at once)"
)
_晚 = (
    r"(?:(?:全部|所有|整个|等)[^，。；\n]{0,14}(?:完|后|结束|好|毕)|最后(?!一[条行句项列])|结束(?:时|后|以后|之后)"
    r"|收尾(?:时|再)?|完成后再"
    r"|跑完)"
)
_SURE = r"(?:only|just|not until|once|in one go|single|all at once|rather than|instead of|never before|not before)"
_GAP = r"(?:[^.\n]|\.(?=\S))"
"""A character of the same sentence: the point of a file's name does not end it."""
_HELD = re.compile(
    r"\bremember (?:which|what|all|every)\b|\b(?:keep|hold|collect|accumulate|buffer|gather|carry|maintain|stay"
    r"|remain|kept|held"
    r"|collected)\w*\b[^.\n]{0,60}?"
    r"\b(?:in (?:memory|(?:the |your |its )?context|(?:your|the) head|mind|the conversation)|in-memory|unsaved)\b"
    r"|(?:留在|放在|存在|攒在|保留在|记在)[^，。；\n]{0,6}(?:内存|上下文|脑子|心里|对话)",
    re.IGNORECASE,
)
_UNSAVED = re.compile(
    r"\b(?:do not|don['’]t|never|no|nothing|without|skip|avoid|nowhere|not|batch|postpone|defer|delay|put off"
    r"|hold off"
    r"|wait (?:with|until))\b[^.\n]{0,30}?"
    rf"\b(?:{_WRITE}|touch(?:es|ed)?|intermediate|partial|in between|per-\w+ (?:saves?|writes?|checkpoints?))\b"
    rf"|(?:不|别|无需|不必|不用|免得)[^，。；\n]{{0,10}}{_写}|中间[^，。；\n]{{0,6}}不{_写}",
    re.IGNORECASE,
)
_LATER = re.compile(
    rf"\b{_LATE}\b|\bwhile the (?:loop|run|work|session|agents?)\b[^.;\n]{{0,16}}?\b(?:running|runs?|in progress"
    rf"|works?)\b|\b(?:until|before) the (?:last|end|final)\b|{_晚}",
    re.IGNORECASE,
)
_STATE_LATE = re.compile(
    rf"\b{_WRITE}\b{_GAP}{{0,50}}?\b{_STATE}{_GAP}{{0,60}}?\b{_LATE}"
    rf"|\b{_LATE}\b{_GAP}{{0,60}}?\b{_WRITE}\b{_GAP}{{0,50}}?\b{_STATE}"
    rf"|\b{_STATE}\b{_GAP}{{0,50}}?\b{_WRITE}\b{_GAP}{{0,40}}?\b{_LATE}"
    rf"|{_晚}[^。\n]{{0,16}}{_写}[^。\n]{{0,12}}{_况}|{_况}[^。\n]{{0,12}}{_晚}[^。\n]{{0,10}}{_写}",
    re.IGNORECASE,
)
_ANY_LATE = re.compile(
    rf"\b{_WRITE}\b{_GAP}{{0,40}}?\b{_RESULT}\b{_GAP}{{0,60}}?\b{_LATE}"
    rf"|\b{_LATE}\b{_GAP}{{0,60}}?\b{_WRITE}\b{_GAP}{{0,50}}?\b{_RESULT}\b"
    rf"|{_晚}[^。\n]{{0,16}}{_写}[^。\n]{{0,12}}{_果}|{_晚}[^。\n]{{0,10}}(?:一次性?|统一|才)[^。\n]{{0,8}}{_写}",
    re.IGNORECASE,
)
_STATES = re.compile(rf"\b{_STATE}|{_况}", re.IGNORECASE)
_WRITTEN = re.compile(rf"\b{_WRITE}\b|{_写}", re.IGNORECASE)
_KEPT = re.compile(
    rf"\b(?:{_STATE}|results?|findings|notes|scores?|nothing|anything|intermediate|partial|disk)\b|{_况}|结果|中间"
    rf"|落盘|存盘",
    re.IGNORECASE,
)
_NOWHERE = re.compile(
    r"\b(?:results?|findings|progress|states?|intermediate \w+|partial \w+)(?: (?:and|or|nor) \w+)? (?:is|are) (?:not"
    r"|never) (?:persisted|saved|written|stored|recorded)\b"
    r"(?=\W*$|[,;]| (?:anywhere|at all|to disk|on disk|until|before|between|in between|while|during|along|on the way"
    r"|per|after each)\b)",
    re.IGNORECASE,
)
"""All of it: `a state that does not fit is not written` says what happens to one that is wrong."""
_ONLY = re.compile(
    r"\b(?:the )?(?:only|single|sole) (?:write|save|checkpoint|update)s? (?:of|in|during) (?:the |this |a )?"
    r"(?:whole |entire )?(?:run|session|loop|workflow|pipeline|cycle)\b"
    r"|\b(?:state|progress|results?|findings)\b[^.;,\n]{0,24}? (?:stays?|remains?|lives?|(?:is|are) (?:kept|held))"
    r" (?:only )?in memory\b(?! (?:file|bank|store|director|folder|only (?:while|during|within)))"
    r"|(?:整个|全)(?:流程|会话|运行|循环)[^，。；\n]{0,6}(?:只|仅)写(?:这)?一次"
    r"|(?:状态|进度)[^，。；\n]{0,6}(?:只|仅)(?:留|放|存|保留)在内存",
    re.IGNORECASE,
)
"""That it is written once, or not at all, for all of the work."""
_HAPPENS = re.compile(
    rf"\b(?:checkpointing|saving|persisting|writing (?:the )?state|persistence)\b[^.\n]{{0,40}}?\b{_LATE}",
    re.IGNORECASE,
)
_FOR_ALL = re.compile(
    rf"\b{_WRITE}\b[^.\n]{{0,80}}?\b(?:of|for|from) (?:all|every one of)(?: the)?(?: \w+){{0,2}} (?:iterations"
    rf"|rounds|runs|batches|stories|passes|attempts"
    rf"|cycles|waves|steps|tasks|items|units|chapters|stages|phases|sprints|experiments|trials)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(rf"\b{_SURE}\b|才|统一|一次性?|只在|一起", re.IGNORECASE)
_EACH = re.compile(
    r"\b(?:after|at the end of|on|for|with) (?:each|every)(?! (?:and every|agent has"
    r"|one has))\b(?!.{0,40}\b(?:rather than|instead of))|\b(?:as you go|immediately|right away|incrementally"
    r"|continuously|at once\b(?!.{0,6}all))\b|每(?:一个?|个)?(?:批|轮|次|步|条|个|阶段|章|组|项|篇|集|段"
    r"|遍)[^，。\n]{0,8}(?:后|完|就|都|结束|时|立)|逐[批条个]|立刻"
    r"|立即|马上",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:rather than|instead of|not|never|no)\b|不|而非|别", re.IGNORECASE)
_SMALL = re.compile(
    r"\b(?:final (?:report|summary|answer|output|deliverable|message|version|result|list|index|table|line|entry)s?"
    r"|(?:one|a|a single) (?:line|row)|summary|closing"
    r"|aggregate\w*|consolidated|merged (?:file|report|result)s?|readme|changelog|release|pr|pull request"
    r"|backup|repositor(?:y|ies)|working tree|production)\b|\breport\b|summary"
    r"|报告|总结|汇总|备份|发布",
    re.IGNORECASE,
)
_MARK = re.compile(
    rf"\b(?:status|outcome|phase|stage|step)\b{_GAP}{{0,30}}?(?:[:=]|\b(?:to|as)\b)\s{{0,3}}[`'\"]?"
    r"(?:done|completed?|finished|closed|passed|success|final)\b"
    r"|(?:status|状态|阶段)[`'\"]?[^，。\n]{0,8}(?:写成|写为|改为|改成|更新为|更新成|置为|设为|标为)",
    re.IGNORECASE,
)
"""That the work is over can only be written at its end."""
_SUCCESS = re.compile(r"\b(?:up)?on (?:success|completion)\b", re.IGNORECASE)
"""Of whatever the page is about; it need not be all of the work."""
_FINALLY = re.compile(r"最后(?![^，。；\n]{0,12}(?:状态|进度|检查点|断点))")
_BEFORE = re.compile(r"before\b", re.IGNORECASE)
_NOTHING = re.compile(r"\b(?:not|never|no|nothing|none|nowhere)\b|n['’]t\b|不|别", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|never|don['’]t)\s+(?:\w+ or )?(?:squash|rewrit|delet|remov|discard|drop|lose|amend|overwrit|clear|revert"
    r"|forget)\w*|"
    r"\b(?:not|never|don['’]t)\s+(?:only|just|wait|batch|save it up|leave|defer|postpone|hold)\b|不(?:是|只|能|等)"
    r"|别等|不要等|不得",
    re.IGNORECASE,
)
_STEMS = (
    (
        "progress", "state", "status", "ledger", "writ", "sav", "persist", "stor", "flush", "record",
        "updat", "dump", "append", "commit", "log",
        "mark", "checkpoint",
        "tick", "appl", "touch", "remember", "keep", "hold", "collect", "accumul", "buffer", "gather",
        "写", "存", "落盘", "记录", "更新", "提交",
        "留在", "攒",
    ),
    (
        "end", "all", "every", "last", "final", "complet", "whole", "entire", "one go", "single",
        "once", "until", "loop",
        "through", "exit", "while", "not ", "stop", "only", "memory",
        "内存", "只写", "仅写", "最后", "全部", "所有", "结束", "完", "一次", "等", "收尾", "再",
    ),
)  # fmt: skip


def postponed(skill: Skill) -> Iterator[Saying]:
    for saying in (*sentences(skill, _STEMS), *drawn(skill, _STEMS)):
        if is_postponed(saying.text) and not is_story(saying.text):
            yield saying


def is_late(text: str) -> bool:
    return _LATER.search(text) is not None


@lru_cache(maxsize=4096)
def is_postponed(text: str) -> bool:
    """State is written at the end; or anything is, where it is said that it is not before."""
    if _DENIED.search(text):
        return False
    if _NOWHERE.search(text) is not None or _ONLY.search(text) is not None:
        return True
    if " | " in text:
        return _is_postponed_row(text)
    text = text if _ONCE.search(text) else _FINALLY.sub(" ", _SUCCESS.sub(" ", text))
    if not _is_after(text) or (_MARK.search(text) and not _ONCE.search(text)):
        return False
    each = _EACH.search(text)
    if each is not None and not _INSTEAD.search(text, 0, each.start()):
        return False
    if _HELD.search(text) is not None or (
        _UNSAVED.search(text) is not None and not _SMALL.search(text) and _KEPT.search(text)
    ):
        return True
    if _SMALL.search(text):
        return False
    if _FOR_ALL.search(text) is not None or _HAPPENS.search(text) is not None:
        return True
    return _STATE_LATE.search(text) is not None or (
        _ONCE.search(text) is not None and _ANY_LATE.search(text) is not None
    )


def _is_after(text: str) -> bool:
    """What is saved before the last step is saved in time, unless it is said that it is not."""
    return any(not _BEFORE.match(one[0]) or _NOTHING.search(text, 0, one.start()) for one in _LATER.finditer(text))


def _is_postponed_row(text: str) -> bool:
    """`state.json | written once, after the last phase`; a page that is read then is another thing."""
    what, *cells = (cell.strip(" *_") for cell in text.strip("| ").split(" | "))
    if "](" in what or _SMALL.search(text) or not _STATES.search(what):
        return False
    return any(
        not _EACH.search(cell) and (_LATER.match(cell) or (_WRITTEN.search(cell) and _LATER.search(cell)))
        for cell in cells
    )
