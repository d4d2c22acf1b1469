"""Which words say that something is done again and again: what stands at a mark, and in its sentence."""

import re
from collections.abc import Callable, Iterator

from loopwright.tune.skill.letters import small, wide

_MARKS = (
    "repeat", "retr", "re-try", "poll", "loop", "iterat", "re-run", "rerun", "until", "back to", "to step", "to phase",
    "to stage", "for each", "for every",
)  # fmt: skip
_CHINESE = (
    "循环", "重复", "直到", "直至", "重试", "轮询", "反复", "返工", "退回", "打回",
    "再来一轮", "回到第", "回到步骤", "对每", "逐一", "遍历",
)  # fmt: skip
_DO = re.compile(
    r"(?:repeats?|retry|retries|re-try|polls?|loops?|iterates?|rerun|re-run)\b"
    r"(?!\s*(?:logic|polic|counts?\b|limit|mechanism|config|budget|queue|interval|strateg|behavio|settings?\b|offender|itself|customer|purchase|visit|storms?\b|burn|loops?\b|spacing|header|button|exhaust|attempts?\b|[-_/(=`),]))"
)
_OBJECT = re.compile(
    r"repeats?(?:\s*$|\s*[.,;:)*—–`]|\s+(?:until|steps?|this|these|phases?|stages?|for|from|as|if|while|with|up|at|until|rounds?|again|step|\d|`|the\s+(?:\S+\s+){0,4}?(?:cycle|process|loop|steps?|above|procedure|sequence|phases?|round|review|check|validation|until)))"
)
_THIRD = re.compile(r"(?:repeats|retries|polls|iterates|loops)\b")
_THIRD_AGAIN = re.compile(r"\w+\s+(?:over|through|up\s+to|at\s+most|again|while|\d|once|twice)")
_AGAIN = re.compile(r"\w+\s*(?:$|[.;)]|\*|until|over|through|up\s+to|at\s+most|for|again|while|\d)")
_LOOP_OF = re.compile(r"loop\s+\w")
_LOOPS = re.compile(
    r"loops?\s*(?:back(?!\s+to\s+the\s+(?:human|user))|over|through|again|until|while|:|forever|to\s+step)"
)
_BEFORE_DO = re.compile(
    r"(?:^|[.;:(!?\n|]\s*|\*\*\s?|[-–—>→•]\s*|\d[.)]\s+|\b(?:and|then|or|must|should|will|automatically|please|otherwise|else|times?|agents?)\s+|,\s*|\]\s*)\Z"
)
_UNTIL = re.compile(r"[^.;\n|]{0,160}?\b(?:until|while\s+(?!you)|as\s+long\s+as)\b")
_ITERATES = re.compile(
    r"\b(?:repeat\w*|loop\w*|iterat\w+|keep\s+\w+ing|continue(?:\s+\w+){0,3}|again|re-?(?:run|try|do|check|test|view|validate|execute|spawn|generate|work|draft|write|submit|verify)\w*|over\s+and\s+over|retr\w+|replay\w*|rework|refin\w+|revis\w+|rehearse|improv\w+|adjust\w*|tun(?:e|ing)|tweak\w*|polish\w*|correct|tighten|regenerate|edit|fix\w*|back\s+to\s+\w+(?:\s+\w+)?|rounds?|cycles?)\b[^.;\n]{0,120}\Z"
)
_WAITS = re.compile(
    r"\b(?:not|never|n't|wait\w*|block\w*|stop\w*|hold\w*|pause\w*|remain\w*|stay\w*|valid|idle|defer\w*|proceed\w*|unchanged|before|cannot|no|only|leave|override|files)\b[^.;\n]{0,100}\Z"
)
_CLAUSE = re.compile(r",\s+(?:and\s+|then\s+|but\s+)?|\s+(?:and\s+)?then\s+")
_BACK = re.compile(
    r"(?:go(?:es)?|loops?|jumps?|returns?|cycles?|start)\s+\Zback\s+to"
    r"|back\s+to\s+(?:step|phase|stage|iteration|round|pass|the\s+(?:start|beginning|top|loop|first|previous))\b|back\s+to\s+[`*#\[]*\d"
)
_REWORK = re.compile(
    r"rework|reject|revis|fail|defect|redo|not\s+pass|changes\s+requested|needs\s+work|iterate", re.IGNORECASE
)
_BACK_TO_AGENT = re.compile(
    r"back\s+to\s+(?:an?|the|its|that|their)\s+(?!user|vendor|supplier|customer|caller|main|leader|orchestrator|coordinator|parent|human|chat)\w+(?:er|or|ist|agent)\b"
)
_STEP = re.compile(r"to\s+(?:step|phase|stage)\s+#?(\d+)")
_GOES = re.compile(r"\b(?:return|go|goes|goto|going|jump|loop|back)\s+\Z")
_EACH = re.compile(r"for\s+(?:each|every)\s+[\w`*{<$\[(]")
_NEVER = re.compile(
    r"\b(?:do\s+not|don['’]t|never|not|without|cannot|can['’]t|instead\s+of|avoid|stop|no|nor)\s+(?:\w+\s+){0,2}\Z|(?:不再|无需|避免|防止|导致|造成|停止|不|勿|无)[^，。；\n]{0,3}\Z|(?:不要|禁止|切勿|不得|严禁)[^，。；\n]{0,14}\Z"
)
_ZH = re.compile(
    r"循环(?=执行|处理|进行|调用|直到|直至|以下|上述|步骤)|重复(?:执行|步骤|以上|上述|进行|直|第|此|该|这|整个)"
    r"|轮询(?!间隔|次数|上限|机制|频率|模型|模式|方式|器)|反复(?:执行|修改|检查|迭代|审|直|打磨|调整)"
    r"|(?:退回|打回|送回|交回)[^，。；\n|]{0,12}?(?:重[做写新]|修[改正]|返工|改|第|步骤|阶段|[Aa]gent|代理|作者|执行)|再来一轮|回到第\s*[\d一二三四五六七八九]+\s*[步阶]|回到步骤\s*\d"
    r"|对每(?:个|一|份|段|条|项|张)\S|(?:逐一|遍历)(?:每|所有|全部|各|检查|处理|分析)"
)
_ZH_UNTIL = re.compile(r"直[到至][^，。；\n|]{1,40}")
_ZH_ITERATES = re.compile(r"重复|循环|反复|继续|再|重新|返|修改|改完|修正|迭代|回到|轮")
_ZH_RETRY = re.compile(
    r"(?:^|[，：。；、\s|*（(-]|并|则|就|再|后|可|自动|应|需|请|会|时|立即|先|要|次|才|从头|重新|失败|进行|允许|至多\S{1,3}|最多\S{1,3})\Z"
)
_ZH_NOUN = re.compile(
    r"(?:重试|返工)(?:次数|机制|策略|逻辑|上限|间隔|配置|记录|过|前|安全|行为|守卫|风暴|窗口|程序|成本|消耗|循环|等|[/、和与时的])"
)
_ZH_REWORK = re.compile(r"(?:则|就|需要|继续|再次|再|进入|触发|安排|打回|退回|重新)\s*\Z")

_WRAPPED = re.compile(r"(?<=[a-z,`*)])[ \t]*\r?\n[ \t]*(?=[a-z`]|\Z)")
"""The end of a line in the midst of a sentence."""


def marks(text: str) -> Iterator[tuple[int, str]]:
    """Where a word stands that may say so, with that word, in no order."""
    low = small(text)
    for mark in (*_MARKS, *_CHINESE) if wide(text) else _MARKS:
        pos = low.find(mark)
        while pos >= 0:
            yield pos, mark
            pos = low.find(mark, pos + len(mark))


def says_repeat(text: str, pos: int, mark: str, start: int, end: int) -> bool:
    """Whether the mark at `pos`, in a block from `start` to `end`, says to repeat something."""
    before = _WRAPPED.sub(" ", text[max(start, pos - 120) : pos].lower())
    behind = _WRAPPED.sub(" ", text[pos : min(end, pos + 200)].lower())
    if before[-1:].isalpha() and before[-1:].isascii() and mark.isascii():
        return False
    if _NEVER.search(before[-40:]):
        return False
    judge = _JUDGES.get(mark, _done)
    return judge(before, behind)


def _done(before: str, behind: str) -> bool:
    if not _DO.match(behind):
        return False
    if behind.startswith("repeat") and not _OBJECT.match(behind):
        return False
    if behind.startswith(("rerun", "re-run")):
        return bool(_UNTIL.match(behind))
    if _THIRD.match(behind):
        return bool(_UNTIL.match(behind) or (_BEFORE_DO.search(before[-20:]) and _THIRD_AGAIN.match(behind)))
    if behind.startswith("iterate"):
        return bool(_UNTIL.match(behind) or (_BEFORE_DO.search(before[-20:]) and _AGAIN.match(behind)))
    if behind.startswith("loop") and not _LOOPS.match(behind):
        return before.endswith("in a ") and not _LOOP_OF.match(behind)
    return bool(_BEFORE_DO.search(before[-20:]) or _UNTIL.match(behind))


def _until(before: str, behind: str) -> bool:
    last = _CLAUSE.split(before)[-1]
    if _ITERATES.search(last):
        return not _WAITS.search(last)
    return bool(_ITERATES.search(before)) and not _WAITS.search(before)


def _back(before: str, behind: str) -> bool:
    if _BACK.match(behind):
        return True
    return bool(_BACK_TO_AGENT.match(behind) and _REWORK.search(before))


def _step(before: str, behind: str) -> bool:
    return bool(_STEP.match(behind) and _GOES.search(before[-12:]))


def _each(before: str, behind: str) -> bool:
    return bool(_EACH.match(behind))


def _zh(before: str, behind: str) -> bool:
    return bool(_ZH.match(behind))


def _zh_until(before: str, behind: str) -> bool:
    return bool(_ZH_UNTIL.match(behind) and _ZH_ITERATES.search(before[-40:]))


def _zh_rework(before: str, behind: str) -> bool:
    return bool(_ZH_REWORK.search(before[-12:])) and not _ZH_NOUN.match(behind)


def _zh_retry(before: str, behind: str) -> bool:
    return bool(_ZH_RETRY.search(before[-8:])) and not _ZH_NOUN.match(behind)


_JUDGES: dict[str, Callable[[str, str], bool]] = {
    "until": _until,
    "back to": _back,
    "to step": _step,
    "to phase": _step,
    "to stage": _step,
    "for each": _each,
    "for every": _each,
    **dict.fromkeys(_CHINESE, _zh),
    "直到": _zh_until,
    "直至": _zh_until,
    "返工": _zh_rework,
    "重试": _zh_retry,
}


def goes_forward(text: str, pos: int, own: int | None) -> bool:
    """Whether `to step 7` at `pos` leads ahead of the step that says so, or may do so."""
    found = _STEP.match(text[pos : pos + 40].lower())
    return found is not None and (own is None or int(found[1]) > own)
