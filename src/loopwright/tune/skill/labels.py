"""What the sentence above a block says of it: that it is bad, an example, a template, a prompt …"""

import re
from functools import lru_cache
from typing import Final, Literal

from loopwright.tune.skill.cues import Cue, Cues

Label = Literal["negative", "prompt", "state", "example", "quotation", "template", "good"]

TAIL = 240
"""Characters at the end of a block that are looked at."""
BAD: Final = ("❌", "✗", "✘", "👎", "❎", "✖")
GOOD: Final = ("✅", "✓", "✔", "👍", "☑")
CUES: Final[Cues[Label]] = Cues(
    Cue("negative",
        "anti-pattern, anti-patterns, antipattern, is wrong, is bad, is incorrect, never do this, don't do this,"
        " do not do this, avoid this, not like this, not this, common mistake, common mistakes",
        "反例, 反模式, 错误示例, 错误做法, 错误写法, 错误用法, 错误方式, 不要这样, 不要模仿, 不要照抄, 不正确, 不推荐"),
    Cue("example", "for example, for instance, e g, such as, example, examples, sample, samples",
        "示例, 例如, 比如, 举例, 样例, 例子"),
    Cue("state", "state, schema, interface, interfaces, data model", "状态, 数据结构"),
    Cue("quotation",
        "user says, users say, user asks, user types, user input, user request, user might, users might, user may,"
        " you see, you will see, you'll see, should see, prints, log, logs, console, stdout, stderr, usage,"
        " slash command",
        "用户说, 用户输入, 用户请求, 日志, 报错, 用法, 命令行"),
    Cue("template",
        "template, templates, format, formatted, looks like, look like, structure, structured, layout, skeleton,"
        " report, shape, this form, following content, following message, following table, following markdown,"
        " message, announce, respond, display, show, present, say, tell, ask, prompt the user, prompt user,"
        " output, print, return, returns, reply, summary, section, sections",
        "模板, 格式, 结构, 展示, 显示, 输出, 报告, 骨架, 返回, 内容如下, 告知, 询问"),
    Cue("good", "good, correct, right, better, recommended, preferred", "正确, 推荐, 应该, 改为"),
)  # fmt: skip
_BAD_FIRST = re.compile(
    r"(?:bad|wrong|incorrect|anti-?patterns?|mistakes?|don'?t|do not|never|not|broken|weak|poor|worse|avoid)\b"
    r"[^.;,]{0,60}$|before$|(?:错误|避免|不要|不推荐|禁止)[^,，。;；]{0,12}$|(?:修改|优化|改进|重构|改造|调整)前"
)
_FORBIDS = re.compile(r"(?:never|do not|must not|don't|avoid)\b|禁止|不要|避免")
_BAD_LAST = re.compile(
    r"[(（](?:bad|wrong|incorrect|before|anti-?pattern|avoid|don't|错误|反例)[)）]$|\b(?:instead of|rather than)$"
)
_REFUSED = re.compile(
    r"\b(?:refuses|rejects|does not accept|complains about|fails on) (?:this|the following|such|these)\b"
    r"|^(?:this|the following|these|such)\b[^,;:]{0,40} (?:is|are|gets?|would be) "
    r"(?:refused|rejected|invalid|malformed|not (?:accepted|valid|allowed))"
    r"|^(?:an? |the )?(?:invalid|malformed|incomplete|refused|rejected) (?:\w+ )?"
    r"(?:example|sample|file|record|entry)s?$"
    r"|(?:不收|拒收|拒绝|不接受)(?:下面|以下|这样|这种|这个|这份)"
    r"|(?:下面|以下|这样|这种|这个|这份)[^,，。;；]{0,16}(?:会被?拒|被拒|拒收|不接受|不合格|不合法|通不过|不通过|会报错)"
)
"""What is shown so that it is known by what it is refused."""
_PROMPT = re.compile(
    r"^(?:the |this |each |use )?(?:[\w-]+ ){0,3}prompts?"
    r"(?: (?:template|text|shape|format|structure|skeleton|to send))?"
    r"(?: (?:for|to) (?!(?:the )?(?:user|human|confirm|decision))\w+.{0,40})?$"
    r"|\bprompts?(?: template)?$|\bagent (?:instructions|message|brief)$"
    r"|\b(?:message|instructions|brief) (?:to|for) (?:the |each |every )?[\w-]*\s?agents?$"
    r"|提示词(?:模板)?$|^提示词"
)
_ASIDE = re.compile(r"\s{0,8}[(（][^()（）]*[)）]")
_SENTENCE = re.compile(r"[.!?]\s+|[。！？；\n]")
_MARKUP: Final = str.maketrans(dict.fromkeys('*_`"“”「」~#>') | {"’": "'"})
_AROUND: Final = " \t\r:：—-–.()" + "".join((*GOOD, "️"))


def label_of(text: str) -> Label | None:
    """What the last sentence of a block says of the block behind it."""
    return _label(text[-TAIL:].rstrip())


def forbids(text: str) -> bool:
    """The sentence is a prohibition: what follows are rules to keep, though they name what is bad."""
    return bool(_FORBIDS.match(text[-TAIL:].rpartition("\n")[2].translate(_MARKUP).strip(" -").casefold()))


def names_prompt(title: str) -> bool:
    """The title is of a prompt: `Prompt template for reviewers`, and not `Prompt the user`."""
    return bool(_PROMPT.search(_ASIDE.sub("", title.translate(_MARKUP).casefold()).strip(_AROUND)))


@lru_cache(maxsize=8192)
def _label(tail: str) -> Label | None:
    line = tail.rpartition("\n")[2].strip("*_#>- \t")
    if line.startswith(BAD) or line.rstrip("*:： ").endswith(BAD):
        return "negative"
    said = line.translate(_MARKUP).rstrip(" :：.。").casefold()
    words = _SENTENCE.split(_ASIDE.sub("", said) or said)[-1].strip(_AROUND)
    if _BAD_FIRST.match(words) or _BAD_LAST.search(said) or _REFUSED.search(words):
        return "negative"
    if line.startswith(GOOD):
        return "good"
    found = CUES.find(words)
    if found != "negative" and not line.endswith((".", "}", "。")) and _PROMPT.search(words):
        return "prompt"
    return found
