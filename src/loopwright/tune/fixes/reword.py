"""A sentence that asks for too much, or too late, is put otherwise, or gets a bound; several tries for each."""

import re
from collections.abc import Iterator

from loopwright.domain.findings import Edit, Finding, Proposal
from loopwright.tune.fixes.bound_accumulator import lead_of
from loopwright.tune.fixes.edits import edit
from loopwright.tune.fixes.fixer import Fixer
from loopwright.tune.skill.model import Page, Skill

Rule = tuple[tuple[re.Pattern[str], str], ...]
"""What is replaced by what, one after the other."""

KEPT = 3
"""Rounds of which everything is handed on."""
LONGEST = 900
"""Characters of a sentence that is put otherwise."""
_CJK = re.compile(r"[\u4e00-\u9fff]")
_TAIL = re.compile(r"(?<![\s.。;；!！:：,，])[\s.。;；!！:：,，]*\Z")
_FILE = re.compile(r"`[^`\n]*\.(?:jsonl?|md|ya?ml|csv|txt|log|db)`")
_OPENED = re.compile(r"(\A(?:[-*+>][ \t]{1,8}|\d{1,9}[.)][ \t]{1,8})?(?:\*\*)?)[ \t]{1,8}([a-z])(?=fter each step)")
"""Where what was put in is the beginning of the sentence."""
_SLOT = re.compile(r"([{<\[]{1,2})([^{}<>\[\]\n]{2,200})([}>\]]{1,2})")
_LEAD = re.compile(r"[ \t]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)?(?:\*\*[^*\n]{1,40}\*\*[:：]?[ \t]*)?")


def _rule(*pairs: tuple[str, str]) -> Rule:
    return tuple((re.compile(pattern, re.IGNORECASE), new) for pattern, new in pairs)


_PAST = {
    "en": _rule(
        (
            r"\b(?:all|every|each|everything|the (?:full|entire|complete|whole))(?: of)?(?: the| its| their)? "
            r"(previous|prior|earlier|past|preceding) (round|turn|answer|output|result|repl(?:y|ie)|message|finding"
            r"|review|report|response)(?:e?s)?\b",
            rf"the last {KEPT} \g<1> \g<2>s",
        ),
        (
            r"\b(?:the )?(?:full|entire|complete|whole|accumulated|growing|running) "
            r"(history|transcript|conversation|log|discussion|debate|notes)\b(?: so far| to date| until now)?",
            rf"the last {KEPT} rounds of the \g<1>",
        ),
        (
            r"\b(?:all|every|each)(?: of)?(?: the)? (\w{3,20}?)(?:e?s)?,? (?:so far|to date|until now|up to now)\b",
            rf"the last {KEPT} \g<1>s",
        ),
        (r"\b(?:verbatim|unabridged|in full|word for word)\b,? ?", ""),
    ),
    "zh": _rule(
        (r"(?:之前|此前|以往|先前|前面)(?:的)?(?:所有|全部|每一?|各)(轮次?|次|个|条)?", rf"最近 {KEPT} 轮"),
        (
            r"(?:全部|所有|完整的?|每一?[轮次个条]|历次|各轮)(?:的)?(历史|之前|此前|以往|前面|对话|往来)",
            rf"最近 {KEPT} 轮的\g<1>",
        ),
        (r"(?:到目前为止|迄今|至今)的?", ""),
        (r"历次的?", f"最近 {KEPT} 次的"),
        (r"(?:原样|逐[条字]|完整地?|一字不[差漏改])", ""),
    ),
}  # fmt: skip
_BOUND = {
    "en": f" (the last {KEPT} rounds only; of older ones a summary of at most 10 lines)",
    "zh": f"（只带最近 {KEPT} 轮，更早的用不超过 10 行的摘要代替）",
}
_THING = (
    r"files?|contents?|text|diffs?|patch(?:es)?|source(?: code)?|code|codebase|documents?|docs|specs?|specifications?"
    r"|states?|logs?|outputs?|transcripts?|reports?|plans?|pages?|modules?|references?|artifacts?|chapters?|datasets?"
)
_CONTENT = {
    "en": _rule(
        (
            r"\b(?:the |all (?:the )?)?(?:(?:full|entire|whole|complete|raw)(?: current)? )?"
            r"(?:text|contents?|source(?: code)?|bod(?:y|ies)) of (?!the path)",
            "the path of ",
        ),
        (
            r"\b(?:the |all (?:the )?)?(?:(?:full|entire|whole|complete|raw) )?output of "
            r"((?:git|npm|ls|cat|grep|find|gh)\b)",
            r"run it yourself: \g<1>",
        ),
        (rf"\b(?:the |a |its )?(?:full|entire|whole|complete|raw) ({_THING})\b", r"the path of the \g<1>"),
        (
            rf"\b(the|each|every|all) ({_THING}|[\w.`/-]+)(?:'s|s')? (?:full |entire |complete )?contents?\b",
            r"the path of \g<1> \g<2>",
        ),
        (r",? ?\b(?:verbatim|unabridged|in full|word for word|in (?:its|their) entirety|wholesale)\b", ""),
    ),
    "zh": _rule(
        (r"的?(?:全文|全部内容|完整内容|完整文本|全部文本|文件内容|的内容)", "的路径"),
        (
            r"(?:完整的?|整[个份段篇]|全部的?|所有的?)(文件|状态|文档|代码|源码|差异|规格|报告|日志|数据)",
            r"\g<1>的路径",
        ),
        (r"(?:原样|逐[条字]|一字不[差漏改])", ""),
    ),
}  # fmt: skip
_PATHS = {
    "en": " (as paths: the agent reads what it needs by itself)",
    "zh": "（只给路径，由代理自行读取需要的部分）",
}
_SOON = {
    "en": _rule(
        (
            r",? ?\b(?:(?:only |just |and only )?(?:once,? )?)"
            r"(?:at the (?:very )?end\b(?! of (?:each|every))(?: of [^.,;:\n]{1,40})?"
            r"|(?:when|once|after|until) (?:all|everything|every|the (?:very )?(?:last|final|whole|entire))\b"
            r"[^.,;:\n]{0,60}|(?:when|once|if) (?:no|nothing)\b[^.,;:\n]{0,60}"
            r"|(?:up)?on (?:final )?completion|in one go|in a single (?:write|pass|go)|all at once)",
            " after each step",
        ),
        (r"\b(?:once|only) after each step", "after each step"),
        (
            r"\b(?:of|for|from) all(?: the)? ((?:\w+ ){0,2}?)(iteration|round|run|batch|attempt|cycle|wave|step|task"
            r"|item|unit|chapter|stage|phase|sprint|experiment|trial)(?:e?s)\b",
            r"for each \g<1>\g<2> as soon as it is done",
        ),
        (r"\b(?:of|for|from) all(?: the)? stories\b", "for each story as soon as it is done"),
    ),
    "zh": _rule(
        (
            r"(?:等)?(?:全部|所有|整个|最后)[^，。；\n]{0,14}?(?:完成|做完|结束|处理完|跑完|完|之?后)(?:之?后|时)?"
            r"(?:再|才)?(?:统一|一次性|一起)?",
            "每完成一步就",
        ),
        (r"(?:统一|一次性)", ""),
    ),
}  # fmt: skip
_WHOLE = {
    "en": _rule(
        (
            r"\b(?:the |its |their |a |all )?(?:complete|full|entire|whole|raw|unabridged) "
            r"((?:\w+ ){0,2}?(?:logs?|outputs?|transcripts?|results?|reports?|text|contents?|diffs?|traces?|history"
            r"|analysis|answers?|findings|evidence|reviews?|notes))\b",
            r"the key points of the \g<1>",
        ),
        (r",? ?\b(?:including|with) all (?:\w+ ){0,2}?(?:outputs?|logs?|details?|results?|evidence)\b", ""),
        (
            r"\ball (?:of )?(?:the |its |their )?((?:\w+ )?(?:outputs?|logs?|findings|details))\b",
            r"the most important \g<1>",
        ),
        (r",? ?\b(?:verbatim|unabridged|in full|word for word|in (?:its|their) entirety|at any length)\b", ""),
    ),
    "zh": _rule(
        (
            r"(?:完整的?|全部的?|所有的?|详尽的?)"
            r"((?:评审|审查|检查|测试|执行)?(?:输出|日志|记录|结果|报告|内容|发现|分析|过程|证据|意见))",
            r"\g<1>的要点",
        ),
        (r"(?:原样|逐[条字]|一字不[差漏改]|不限长度|长度不限)", ""),
    ),
}  # fmt: skip
_LINES = {
    "en": " (at most {size}; details go into a file)",
    "zh": "（{size}，细节写入文件）",
}
_SAVE = {
    "en": ("Write {file} after each step, so that an interrupted run can go on from there", "the state"),
    "zh": ("每完成一步就写一次{file}，中断后可以接着做", "状态"),
}


def propose(skill: Skill, findings: tuple[Finding, ...]) -> Iterator[Proposal]:
    for finding in findings:
        page = skill.pages[finding.file]
        text = page.text[finding.start : finding.end]
        if not _is_prose(finding, text):
            continue
        language = "zh" if len(_CJK.findall(text)) * 6 > len(text) else "en"
        for new in dict.fromkeys(_tries(finding, text, language)):
            if new != text:
                yield _proposal(page, finding, new)
        if finding.rule == "unbounded-accumulator" and (slot := _slot(page, finding)) is not None:
            lead = lead_of(page, finding.start)
            yield _proposal(page, finding, slot, *((lead,) if lead else ()))


def _slot(page: Page, finding: Finding) -> str | None:
    """A place to fill in, `{messages}`, takes the last few only."""
    text = page.text[finding.start : finding.end]
    found = _SLOT.fullmatch(text)
    if found is None or "$" in text:
        return None
    words = _replaced(_replaced(found[2], _PAST["en"]), _CONTENT["en"])
    return f"{found[1]}{words if words != found[2] else f'the last {KEPT} {found[2]}'}{found[3]}"


def _is_prose(finding: Finding, text: str) -> bool:
    """A sentence, or words in braces that say what is put there."""
    known = finding.facts.keys()
    if (
        {"name", "repeat", "prompt", "calls", "file"} & known
        or not text.strip()
        or len(text) > LONGEST
        or text.startswith("$(")
    ):
        return False
    return "expression" not in known or " of " in text or "的" in text


def _tries(finding: Finding, text: str, language: str) -> Iterator[str]:
    """The surest first."""
    rule = finding.rule
    if rule == "unbounded-return":
        size = finding.facts.get("size", "")
        fits = size and bool(_CJK.search(size)) == (language == "zh")
        limit = size if fits else "不超过 15 行" if language == "zh" else "15 lines"
        bound = (
            _LINES[language].format(size=limit).replace("at most at most", "at most").replace("at most up to", "up to")
        )
        yield _with(text, bound)
        yield _with(_replaced(text, _WHOLE[language]), bound)
    elif rule == "unbounded-accumulator":
        yield _replaced(text, _PAST[language])
        yield _with(text, _BOUND[language])
        yield _with(_replaced(text, _PAST[language]), _BOUND[language])
    elif rule == "content-in-prompt":
        yield _replaced(text, _CONTENT[language])
        yield _with(text, _PATHS[language])
        yield _with(_replaced(text, _CONTENT[language]), _PATHS[language])
    else:
        yield _replaced(text, _SOON[language])
        yield _saved(text, language)


def _replaced(text: str, rule: Rule) -> str:
    for pattern, new in rule:
        text = pattern.sub(new, text)
    text = re.sub(r"(?<=\S)  +(?=\S)", " ", text).replace("的路径的路径", "的路径")
    return _OPENED.sub(lambda found: found[1] + found[2].upper(), text)


def _with(text: str, words: str) -> str:
    """Behind the last word, before the stop."""
    tail = _TAIL.search(text)
    at = tail.start() if tail else len(text)
    return text[:at] + words + text[at:]


def _saved(text: str, language: str) -> str:
    """As a plain order, about the file that the sentence names."""
    words, usual = _SAVE[language]
    files = _FILE.findall(text)
    lead, tail = _LEAD.match(text), _TAIL.search(text)
    start = lead.end() if lead else 0
    stop = text[tail.start() :] if tail else ""
    file = files[0] if files else usual
    return text[:start] + words.format(file=f" {file} " if language == "zh" and files else file) + stop


def _proposal(page: Page, finding: Finding, new: str, *more: Edit) -> Proposal:
    return Proposal(
        fingerprints=(finding.fingerprint,), rule=finding.rule, strategy=finding.strategy, level="template",
        description=f"Say instead: {' '.join(new.split())[:160]}",
        rationale="The same order, with a bound; look whether the number fits.",
        edits=(*more, edit(page, finding.start, finding.end, new)), risk="medium",
        estimated_impact="the context no longer grows with the work"
        if finding.rule != "late-checkpoint" else "an interrupted run loses one step at most",
        verification_steps=("diagnose the whole skill again", "read the sentence in its place"),
    )  # fmt: skip


RULES = frozenset({"unbounded-accumulator", "content-in-prompt", "late-checkpoint", "unbounded-return"})
FIXER = Fixer(RULES, "template", propose)
