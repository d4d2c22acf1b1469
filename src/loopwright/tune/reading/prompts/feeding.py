"""What sentences say about the text that agents are given: whole files, or all that was said before."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from loopwright.tune.reading.words.drawn import drawn
from loopwright.tune.reading.words.sayings import Saying, is_story, sentences
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.once import once

Fed = Literal["past", "content"]

AGENT = (
    r"(?:(?:sub-?)?agents?|sub-?tasks?|workers?|reviewers?|critics?|planners?|executors?|validators?|verifiers?"
    r"|fixers?"
    r"|judges?|teammates?|delegates?|researchers?|implementers?|writers?|explorers?|helpers?|specialists?|auditors?"
    r"|analysts?|scouts?|evaluators?|generators?|voices?|debaters?|experts?)"
)
智能体 = r"(?:子?代理|子?智能体|agent|子任务|评委|评审员|审稿人|审查员|执行者|工作者|专家|助手|成员|角色)"
_PROMPT = re.compile(
    r"\b(?:prompts?|(?<!user )(?<!commit )(?<!error )(?<!final )(?<!closing )messages?|instructions"
    r"|task (?:descriptions?|texts?)|dispatch(?:es|ed)?"
    r"|briefs? (?:of|for) (?:each|every|all|the)"
    rf"|context (?:block|section|window|passed)s?|{AGENT}(?:'s|’s|s'|s’)? (?:context|input|briefs?|briefings?"
    rf"|orders?|tasks?)"
    r"|inline[ds]?|payloads?)\b"
    r"|提示词?|prompt|消息|任务说明|任务描述|派发|派出|代理的?(?:上下文|指令)",
    re.IGNORECASE,
)
_RECEIVER = re.compile(
    rf"\b(?:(?:each|every|the|all|any|both|next|new|another|an?|its?|their|following) (?:\w+[- ]){{0,2}}{AGENT}"
    rf"|{AGENT} (?:gets?|receives?|is given|are given|sees?)|follow-?up (?:call|message|round)s?"
    r"|(?:each|every|next|new) (?:call|round|iteration|turn|request|query|attempt|start|session|run|retry)s?"
    r"|later agents)\b"
    rf"|{智能体}|下一[轮个次步]|新一轮|每一?[轮次]|每次调用",
    re.IGNORECASE,
)
_PUT = re.compile(
    r"\b(?:(?:append|prepend|add|includ|past(?=e|ing)|put|cop(?=y|ies|ied)|carr(?=y|ies|ied)|feed|pass(?!ive)"
    r"|embed|inlin|attach|concatenat"
    r"|insert|inject|dump|interpolat|giv|hand(?!ler?|book)|send|receiv|forward|suppl(?=y|ies|ied)|provid|contain"
    r"|quot|consist|stuff|repeat"
    r"|replay|prefix|stack)\w*|fed|gave|gets?|getting|sent|sees?|goes?|holds?|starts?|begins?|has|have|knows?"
    r"|lists?(?= (?:all|each|every|them|it))|(?:is|are|be) (?:given|told|shown))\b"
    r"|拼|塞|附|写[进入]|带[上着]?|传[给入递]?|贴|放[进入到]|加[到在进入上]|嵌入|注入|发给|给出|喂|交给|收到|拿到"
    r"|看到"
    r"|包含|列[出上]|复制",
    re.IGNORECASE,
)
_ALL = r"(?:all|every|each|everything|entire|full|fully|complete|completely|whole|everyone's|older)"
_SAID_BEFORE = (
    r"(?:previous(?:ly)?(?! (?:step|stage|phase|agent|round|iteration|task|turn|one|output|answer|result)\b)|prior"
    r"|earlier|past|preceding|so far|to date|(?:until|up to) now|before(?=[,.;]|$)|up to (?:that|this"
    r"|the current) (?:point|round|turn)"
    r"|before (?:it|them|that)|histor(?:y|ies)|transcripts?|conversation|discussion|debate|exchanged"
    r"|ever (?:posted|sent|written|made|given|said)"
    r"|chat log|already (?:reported|answered|finished|run|done|said|tried|found)|accumulated|past)"
)
_PAST = re.compile(
    rf"\b{_ALL}\b[^.\n]{{0,50}}?\b{_SAID_BEFORE}\b"
    rf"|\b(?:previous|prior|earlier|past|preceding|gathered|collected)\b[^.\n]{{0,50}}?"
    r"\b(?:verbatim|in full|unabridged|one after the other|each one|all of them|as (?:it|they) (?:is|are)"
    r"|back to back)\b"
    r"|\b(?:accumulat(?:ed|ing)|cumulative|ever-growing|growing|running)\b[^.\n]{0,30}?"
    r"\b(?:notes?|logs?|lists?|transcripts?|histor(?:y|ies)|outputs?|answers?|results?|findings?|context|feedback"
    r"|responses?)\b"
    r"|\b(?:notes?|logs?|lists?|transcripts?|file|[\w-]{1,60}\.(?:md|jsonl?|txt|log))`?,? (?:that"
    r"|which) (?:keeps? )?grow(?:s|ing)\b"
    r"|\b(?:append|add|concatenat|accumulat|collect|stack)\w*\b[^.;\n]{0,60}?\b(?:from (?:round|step|turn"
    r"|iteration) to|round by round)\b"
    r"|\b(?:do not|don['’]t|never) (?:prune|trim|compact|truncate|summari[sz]e|drop|shorten)\b[^.;\n]{0,30}?"
    r"\b(?:message list|message history|history|transcript|conversation|older|earlier)\b"
    r"|\b(?:prompt|message) of the (?:last|previous) [^.\n]{0,20}?\bplus\b|\b(?:last|previous) (?:prompt"
    r"|message) plus\b"
    r"|\baccumulate all\b|\boutputs?,? of (?:each|every) (?:iteration|round|step|turn|agent|cycle|pass)\b"
    r"|\bafter (?:every|each) (?:answer|round|iteration|reply|turn|response|step|call)\b[^.\n]{0,20}?\b(?:add"
    r"|append|put)\b[^.\n]{0,60}?\b(?:prompts?|messages?|context|conversation|histor(?:y|ies)|transcripts?|briefs?"
    r"|instructions|input|list)\b"
    r"|\b(?:rounds?|iterations?|turns?) (?:1|one) (?:to|through|up to)\b|\bnever drop (?:older|earlier)\b"
    r"|(?:之前|此前|以往|先前|前面)[^，。；\n]{0,6}(?:每|所有|全部|各)[^，。；\n]{0,12}|(?:全部|所有|每一?[轮次个条]"
    r"|历次|各轮|完整的?)[^，。；\n]{0,6}"
    r"(?:历史|之前|此前|以往|前面|对话|往来|轮次)|(?:此前|之前|以往)(?:所有|全部|每)[^，。；\n]{0,8}(?:会话|记录|轮"
    r"|次)|(?:到目前为止|迄今|至今|累积|累计|积累)[^，。；\n]{0,6}(?:全部|所有|完整|每|的|下来)"
    r"|(?:历史|之前|此前|以往|前面|历次)[^，。；\n]{0,16}(?:全部|原样|逐[条字]|完整|一并|一字不)"
    r"|历次[^，。；\n]{0,8}(?:结果|意见|输出|评审|记录)",
    re.IGNORECASE,
)
_PAST_STEMS = (
    "previous", "prior", "earlier", "past", "preceding", "gathered", "collected", "so far", "to date", " now", "up to",
    "before", "histor", "transcript", "conversation", "discussion", "debate", "exchanged", "ever ", "chat log",
    "already", "accumulat", "cumulative", "grow", "running", "from round", "from step", "from turn", "from iteration",
    "by round", "message list", "older", "plus", "of each", "of every", "after each", "after every", "1 t", "one t",
    "1 u", "one u", "之前", "此前", "以往", "先前", "前面", "历史", "对话", "往来", "轮次", "目前", "迄今", "至今",
    "累", "历次",
)  # fmt: skip
"""Each way in which `_PAST` holds has one of these, which are found much sooner."""
THING = (
    r"(?:files?|contents?|text|diffs?|patch(?:es)?|source(?! of truth)s?(?: code)?|code|codebase|documents?|docs"
    r"|spec(?:ification)?s?"
    r"|states?|session|logs?|outputs?|transcripts?|reports?|plans?|pages?|modules?|repositor(?:y|ies)|references?"
    r"|artifacts?"
    r"|artefacts?|chapters?|datasets?|samples|transcripts?|prd|prds|[\w-]{1,60}\.(?:json|md|ya?ml|txt|csv|py|ts|js))\b"
)
物 = r"(?:文件|内容|状态|文档|代码|源码|差异|规格|报告|日志|原文|数据|state|json|diff|patch)"
_WHOLE = re.compile(
    rf"\b(?:full|entire|whole|complete|raw|all(?: of)? (?:the|its)|all)\b(?:(?! (?:of|in|for"
    rf"|to) )[^.,;:\n]){{0,40}}?\b{THING}"
    r"|\b(?:contents?|full text|text|source|body|bodies) of (?:the |all |each |every |both |its )?"
    rf"(?:\w{{1,30}}[- ]){{0,2}}(?:{THING}|`)|\bfile(?:'s|s')? (?:contents?|bodies|text)\b"
    rf"|\btext of the [\w ]{{2,30}}itself\b"
    r"|\b(?:put|paste|copy|insert|include|add|send|pass)\w* (?:it|them|this|these),? (?:complete|whole|in full"
    r"|unabridged|verbatim)\b"
    rf"|\b{THING}[^.;\n]{{0,60}}?\b(?:verbatim|in full|in its entirety|in their entirety|word for word|unabridged"
    rf"|complete|wholesale|as (?:it|they) (?:is|are)|as is|unfiltered)\b"
    r"|\b(?:quotes?|contains?|includes?|carr(?:y|ies)|holds?) (?:the|its|their) [\w-]+ (?:in its entirety|in full"
    r"|verbatim|word for word)\b"
    r"|\b(?:hand|pass|give|send|feed) (?:\w+ ){0,2}?(?:the|their|its) (?:full |whole )?(?:text|contents?)\b"
    r"|\b(?:paste|copy|inline|embed|quote|dump) (?:every|each|all)\b[^.;\n]{0,20}?\b(?:files?|documents?|pages?"
    r"|modules?|sources?)\b"
    rf"|(?:全部|所有|整[个份段篇]|完整的?)[^，。；\n]{{0,12}}?{物}|每[个份一](?:个|份)?(?:文件|文档|报告"
    rf"|源码)[^，。；\n]{{0,4}}内容"
    rf"|{物}[^，。；\n]{{0,12}}?(?:全文|全部内容|完整内容|的内容|原样|一字不)|文件内容|全文",
    re.IGNORECASE,
)
BOUND = re.compile(
    r"\b(?:last|latest|most recent|at most|up to \d|only(?! if| when| in | for )|summar\w+|digest|condensed"
    r"|excerpts?|snippets?|relevant"
    r"|(?:only|by|as|the|its|their) paths?|paths? (?:of|to|only|instead)|pointers?|limit"
    r"|cap(?:ped)?|bounded|trim\w*|first \d+|(?:what|is|are) needed|specific (?:lines|files|parts|sections)|scoped"
    r"|small|under \d|titles?|names? of"
    r"|link(?:s|ed)?|where to find|filename|file names?|sections?"
    r"|references? to|previous (?:step|stage|phase)|as (?:the|its|their) (?:agent )?(?:prompt|instructions)"
    r"|user can)\b"
    r"|最近|最多|至多|只|仅|摘要(?!、)|概要|要点|路径|上限|相关|裁剪|截断",
    re.IGNORECASE,
)
NEGATED = re.compile(
    r"(?:\b(?:not|never|no|don['’]t|avoid|without|instead of|rather than|nor|cannot|can['’]t|isn['’]t|stop|refuse"
    r"|forbid\w*"
    r"|prohibit\w*|skip|unless)\b(?! (?:summari|shorten|drop|trim|omit|leave|cut|condens|prun|compact|truncat"
    r"|filter|skip|reduc"
    r"|paraphras|abridg))|\bn['’]t\b|不|勿|别|禁|无需|而非|避免)[^,，;；:：—.。]{0,48}\Z",
    re.IGNORECASE,
)
OWN_WORDS = re.compile(
    r"\b(?:user'?s?|task|request|question|goal|issue|requirement|criteria|acceptance|instruction|prompt|role|ticket"
    r"|story|brief|persona|rubric|checklist|template|description|query|context)s? (?:text|in full|verbatim)\b"
    r"|\bverbatim (?:user|request|task|question|goal|prompt)\b|\b(?:user|original|exact) (?:request|prompt"
    r"|question|task|words|goal)\b"
    r"|\b(?:request|goal|question|requirements?|words|instructions?)\b[^;\n]{0,40}\bverbatim"
    r"|\b(?:text|words|wording) of the (?:user['’]?s? |original )?(?:request|task|question|goal|issue|order|ticket)\b"
    r"|需求原文|原始需求|用户(?:原话|需求|请求)",
    re.IGNORECASE,
)
"""What an agent has to be told as it was said."""
_FALLBACK = re.compile(r"\bn(?:ot|one (?:is|are)) available|\bunavailable|\bno access|不可用|无法访问", re.IGNORECASE)
"""Where the host can not read a file, its text has to be given."""
_TAKEN_OUT = re.compile(
    r"\b(?:extract|parse|record|collect|identify|capture|locate|look (?:for|at))\b[^.\n]{0,24}[:：]\W{0,4}\Z"
    r"|(?:提取|解析|找出)[:：]",
    re.IGNORECASE,
)
"""What leads a list of things that are looked for."""
_CHECKS = re.compile(r"\b(?:check|criteri|valid|verif|pass (?:if|when)|quality)\w*|检查|标准|验收|校验", re.IGNORECASE)
"""The head of a table that says what is looked at, not what is done."""
_EXAMPLES = re.compile(r"\bexamples?\b|示例|例子", re.IGNORECASE)
_STEMS = (
    (
        "prompt", "message", "brief", "instruction", "task", "dispatch", "hand", "context", "inline",
        "payload", "agent",
        "worker", "reviewer", "critic", "planner", "round", "call", "iteration", "fixer", "verifier",
        "judge", "expert",
        "turn", "researcher", "receiv", "session", "shown", "start", "append", "paste", "quote",
        "attach", "inject", "inline", "注入", "贴", "提示",
        "消息", "任务", "指令", "派", "上下文", "代理", "智能体", "轮", "评",
    ),
    (
        "all", "every", "each", "entire", "full", "complete", "whole", "verbatim", "unabridged", "raw",
        "content", "text",
        "source", "history", "transcript", "so far", "accumul", "log", "previous", "prior", "earlier",
        "running", "1 to",
        "one after", "everything", "output of", "grow", "up to", "older", "全", "所有", "完整", "整", "原样",
        "逐", "历",
        "内容", "累", "之前", "此前", "前面", "到目前",
    ),
)  # fmt: skip


@once
def fed(skill: Skill) -> Iterator[tuple[Saying, Fed]]:
    """Sentences that have agents given everything from before, or whole texts, and say no bound."""
    for saying in (*sentences(skill, _STEMS), *drawn(skill, _STEMS)):
        kind = kind_of(saying.text, saying.lead)
        if kind and " | " in saying.text and _CHECKS.search(saying.lead):
            continue
        if kind and _TAKEN_OUT.search(saying.lead):
            continue
        if kind and not (_EXAMPLES.search(saying.lead) or is_story(saying.text) or _FALLBACK.search(saying.text)):
            yield saying, kind


@lru_cache(maxsize=4096)
def kind_of(text: str, lead: str = "") -> Fed | None:
    """`lead`: the line above that the sentence goes on from, or the head of its table."""
    if " | " in text:
        first, *cells = text.strip("| ").split(" | ")
        return next((kind for cell in cells if (kind := kind_of(cell, f"{lead} {first} |"))), None)
    before = f"{lead} " if lead else ""
    both, low = before + text, text.lower()
    for pattern, kind in _KINDS:
        found = pattern.search(text) if kind != "past" or any(stem in low for stem in _PAST_STEMS) else None
        if found is None:
            continue
        start = max(0, found.start() - NEAR)
        near = both[0 if start == 0 else len(before) + start : len(before) + found.end() + NEAR]
        if (
            not (_is_put(near) or lead.endswith("|"))
            or _is_bounded(near)
            or _denied(text, found.start())
            or _denied(text, found.end())
            or OWN_WORDS.search(near)
        ):
            continue
        if _PROMPT.search(near) or (kind == "past" and _RECEIVER.search(both)) or _GETS.search(near) or _given(near):
            return kind
    return None


_GIVEN = re.compile(
    r"\b(?:pass|hand(?: over)?|past[ei]\w*|cop(?:y|ies)|inline|embed|inject\w*|attach|append|concatenate|quote"
    r"|reproduce)\b[^.;\n]{0,60}?"
    r"\b(?:full|complete|entire|whole|verbatim)\b[^.;\n]{0,12}?\b(?:text|contents?|diff|source|output|transcripts?"
    r"|history|files?|logs?)\b"
    r"|\b(?:quote|reproduce|paste|copy|inline|embed)\b[^.;\n]{0,40}?\b(?:all|every|each|entire"
    r"|whole)\b[^.;\n]{0,40}?\b(?:in full|verbatim|word for word)\b"
    r"|\b(?:send|give|show|hand|feed|supply|provide)\b(?! (?:the )?users?)[^.;\n]{0,40}?\b(?:whole|entire|full"
    r"|complete)\b[^.;\n]{0,16}?"
    r"\b(?:files?|texts?|contents?|diff|source|code|documents?|transcripts?|histor(?:y|ies)|state|logs?|specs?)\b"
    r"|\b(?:hand|pass|give|send|feed) (?:\w+ ){0,2}?(?:the|their|its) (?:full |whole )?(?:text|contents?)\b"
    r"|\b(?:paste|copy|inline|embed|quote|dump) (?:every|each|all)\b[^.;\n]{0,20}?\b(?:files?|documents?|pages?"
    r"|modules?|sources?)\b"
    r"|注入[^，。；\n]{0,20}全文|(?:粘贴|复制|附上|贴出)[^，。；\n]{0,20}(?:全文|全部内容|完整内容)",
    re.IGNORECASE,
)
_GETS = re.compile(
    rf"\b{AGENT}\b[^.|\n]{{0,70}}?\b(?:receives?|gets?|(?:is|are) (?:given|handed|fed|shown|told|sent))\b"
    r"|(?<!users )(?<!user )\b(?:receives|is (?:shown|handed|fed|told about))\b"
    r"|(?:传|发|交|塞|喂|贴)给[^。|\n]{0,8}(?:代理|智能体|评审|审查)"
    rf"|{智能体}[^。|\n]{{0,12}}(?:收到|拿到|得到)",
    re.IGNORECASE,
)
_KINDS: tuple[tuple[re.Pattern[str], Fed], ...] = ((_PAST, "past"), (_WHOLE, "content"))
NEAR = 110
"""Characters around what is given in which the verb and the receiver stand."""


def _given(text: str) -> bool:
    """Somebody is handed it, whoever that is."""
    return any(not _denied(text, found.start()) for found in _GIVEN.finditer(text))


def _is_put(text: str) -> bool:
    """Something is put there, and not told not to be."""
    return any(not _denied(text, found.start()) for found in _PUT.finditer(text))


def _is_bounded(text: str) -> bool:
    return any(not _denied(text, found.start()) for found in BOUND.finditer(text))


def _denied(text: str, at: int) -> bool:
    return NEGATED.search(text, max(0, at - 60), at) is not None
