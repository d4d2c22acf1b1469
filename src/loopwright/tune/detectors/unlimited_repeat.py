"""Something is repeated until it succeeds, and nothing says how often at most."""

import re
from collections.abc import Iterator

from loopwright.tune.detectors.detector import Detector, Hit
from loopwright.tune.reading.agents.agency import MEANT, Act, acts, block_of
from loopwright.tune.reading.state.rounds import Uncounted, uncounted
from loopwright.tune.skill.limits import limit_in
from loopwright.tune.skill.model import Call, Page, Repeat, Skill
from loopwright.tune.skill.within import Within

_LANGS = frozenset({"", "js", "javascript", "ts", "typescript", "pseudo", "pseudocode", "text", "txt", "plaintext"})
_DOES = re.compile(
    r"^(?:execute|dispatch|perform|run|invoke|call|delegate|launch|decide|choose|select|next|poll|check"
    r"|process)(?:[A-Z_]\w*)?$"
)
_FOREVER = re.compile(r"while\s*+\(?\s*+(?:true|True|1|TRUE)\b|^(?:loop|LOOP)\b|for\s*+\(\s*+;\s*+;")
_LEAVES = re.compile(r"\b(?:break|return|throw|exit)\b", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|while|as long as|for as long as)\b|直[到至]|为止", re.IGNORECASE)
"""What the end depends on, whatever it is: nobody knows that it ever comes."""
_REWORK = re.compile(
    r"\bback to (?:an?|the|its|that|their)\s+(?!user\b|caller\b|human\b|chat\b)\w+|(?:退回|打回|送回"
    r"|交回)[^，。；\n]{0,16}(?:重|返|改)",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"rework|reject|revis|redo|defects?|finds (?:problems|issues)|not\s+pass|changes\s+requested|needs\s+work|返工"
    r"|重译|重写|重做|不合格|不通过",
    re.IGNORECASE,
)
_ON_FAILURE = re.compile(
    r"\b(?:otherwise|if (?:not|any|it|they|one|the|a|\w+)\b[^.;\n]{0,50}\b(?:fail\w*|reject\w*|not (?:pass|clean|green"
    r"|ok)|dirty|red"
    r"|gaps?|issues|errors?|problems)|on (?:failure|rejection|fail)|when (?:it|one"
    r"|any)\b[^.;\n]{0,30}\bfails?)\b[^.\n]{0,90}"
    r"\b(?:repeat|loop|iterate|go back|return to|back to|start over|again)\b"
    r"|(?:否则|失败|不通过|未通过)[^。\n]{0,30}(?:重复|回到|重新|再来)",
    re.IGNORECASE,
)
"""Work that did not pass is done again, and again when it does not pass then."""
_PEOPLE = re.compile(
    r"\b(?:users?|you(?:r)?|human|person|they (?:are|say|want|like|agree|approve|confirm|choose|have)|customer"
    r"|stakeholder\w*|confirm\w*"
    r"|interview\w*|ask\w*|question\w*|answer\w*|explicit|clear|intent|feedback|interrupt\w*|cancel\w*)\b"
    r"|manual\w*|expir\w+|手动|过期|到期|用户|人工|确认|认可|批准|同意|询问|提问|回答",
    re.IGNORECASE,
)
_CONSENT = re.compile(r"\b(?:approv\w+|sign(?:ed|s|-?off)|agree\w*|consensus)\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(?:every|each|all|critic|reviewer|checker|verifier|validator|tester|judge|sub-?agents?|agents?|architect"
    r"|oracle)\b"
    r"|代理|审查者|评审员",
    re.IGNORECASE,
)
"""Who consents where it is not the user."""
_ELSEWHERE = re.compile(r"\b(?:row|rule|condition|table|line|gate)\s+`?\d|第\s*\d+\s*[行条]", re.IGNORECASE)
"""The end is said in another place, by its number."""
_FINITE = re.compile(
    r"\b(?:all|every|each|no (?:more|remaining)|empty|list|queue|next)\b[^.;\n]{0,30}\b(?:stor(?:y|ies)|goals?|tasks?"
    r"|todos?|items?|epics?|files?|phases?|stages?|steps?|sections?|agents?|chunks?|units?|batch\w*|pages?|segments?"
    r"|rows?|entries|list|queue|empty|criteria)\b"
    r"|(?:所有|全部|每个|逐)[^，。；\n]{0,16}(?:任务|文件|阶段|步骤|章节|段|项|条|行)",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"\b(?:approv|accept|pass|land|green|verif|resolv|fix|clean|met\b|satisf|succe|correct|agree|happy|good|perfect"
    r"|valid"
    r"|converg|stable)|通过|批准|认可|解决|合格|达标|满意|成功|正确",
    re.IGNORECASE,
)
"""An end that somebody judges: work may be sent back for ever, however few things there are."""
_ROUNDS = re.compile(
    r"(?:round|iteration|attempt|retr(?:y|ies)|cycle|turn|times|loop|pass|step)\w*|轮|次|遍|步", re.IGNORECASE
)
_MOST = re.compile(
    r"max|most|up to|more than|limit|within|after|exceed|reach|cap|only|≤|<|\bfor\b|最多|至多|不超过|上限|最大|超过"
    r"|达到|满|限|用尽|用完|耗尽|以内|步",
    re.IGNORECASE,
)
_POLLS = re.compile(r"\bpoll\w*|轮询", re.IGNORECASE)
_ENDS = re.compile(
    r"\buntil\b[^.;\n]{0,60}\b(?:finish\w*|complet\w*|done|ready|ends?|terminal|healthy|up)\b", re.IGNORECASE
)
_OF_EACH = re.compile(
    r"\b(?:per|each|every|an?|one) (?:word|term|name|question|file|item|entry|query|page|url|search)\b[^.;\n]{0,30}"
    r"\b(?:at most|no more|up to)|(?:一|每)[个条份张页次段篇][^，。；\n]{0,6}(?:最多|至多|不超过)",
    re.IGNORECASE,
)
"""How often something is done with each of many: no limit of rounds."""
_DECLARED = re.compile(r"(?:description|reminder|note)\s*:", re.IGNORECASE)

_ASKS = re.compile(
    r"AskUserQuestion|request_user_input|ask_user|\b\w{0,30}(?:[Uu]ser|[Mm]enu)\w{0,30}(?:Choice|Input|Select|Confirm|_choice|_input)"
    r"|\bshow_?[Mm]enu|\binput\(|询问用户|用户选择|等待用户"
)
"""In the body of a loop: each round waits for somebody, who can end it."""
_SLEEPS = re.compile(r"\b(?:sleep|delay|setTimeout)\w{0,10}\s{0,2}\(|^[ \t]*sleep \d", re.MULTILINE)
"""In the body of a loop: it waits for something that another does."""
_LEFT = re.compile(
    r"\b(?:pending|remaining|unprocessed|unfinished|todo\w*|queue\w*|hasNext|has_next)\b|\.length\s*>|\.size\s*>|len\("
    r"|待处理|未完成|剩余|待办",
    re.IGNORECASE,
)
_REFILLS = re.compile(
    r"\.(?:push|unshift|append|add|enqueue|extend)\(|\bre-?(?:try|queue|set|open|do|work)|重试|重新|退回", re.IGNORECASE
)


def look(skill: Skill) -> Iterator[Hit]:
    made: tuple[Act, ...] | None = None
    known: dict[str, bool] = {}
    counted = {
        one.at.file for one in skill.repeats if one.kind == "code" and one.bound is not None and one.over is None
    }
    for index, repeat in enumerate(skill.repeats):
        if repeat.kind == "prose" and repeat.at.file in counted and _introduces(skill, repeat):
            continue  # the loop whose code is below
        if _is_bound(repeat) or repeat.over is not None or repeat.at.use not in MEANT:
            continue
        page = skill.pages[repeat.at.file]
        if page.kind in ("template", "script", "data", "reference"):
            continue
        if repeat.kind == "prose":
            if (hit := _said(skill, page, repeat, known)) is not None:
                yield hit
        else:
            made = acts(skill) if made is None else made
            if _is_of_agents(skill, page, index, repeat, made):
                yield _coded(page, repeat)
    yield from map(_uncounted, uncounted(skill))


def _introduces(skill: Skill, repeat: Repeat) -> bool:
    """It says what the page is about: it stands above the first section of its title."""
    page = skill.pages[repeat.at.file]
    block = block_of(page, repeat.at.start)
    return block is not None and (block.section < 0 or page.sections[block.section].level == 1)


def _uncounted(one: Uncounted) -> Hit:
    words = " ".join(one.words.split())[:100]
    sure = bool(one.where) or not _is_row(one)
    beside = f"; {one.where} compares that count with its limit" if one.where else "; no words say how often at most"
    return Hit(
        file=one.page.path, start=one.start, end=one.end, subject=words[:60], also=(one.where,) if one.where else (),
        message=f"it goes round again at “{words}”{beside}", confidence="likely" if sure else "hint",
        advice="Go back only while the limit is not reached, and say what happens then.",
        severity=None if one.where else "medium", facts={"kind": "rounds"},
    )  # fmt: skip


def _is_row(one: Uncounted) -> bool:
    """What a table says of a failure is often meant once."""
    text = one.page.text
    return text[text.rfind("\n", 0, one.start) + 1 : one.end].lstrip().startswith("|")


def _is_bound(repeat: Repeat) -> bool:
    """A name of something else beside the words, such as `max_lock_s`, is no limit of rounds."""
    said = repeat.bound
    if said is None or repeat.kind == "code" or said in repeat.head:
        return said is not None
    return not (said.isidentifier() and "_" in said and not _ROUNDS.search(said))


def _is_of_agents(skill: Skill, page: Page, index: int, repeat: Repeat, made: tuple[Act, ...]) -> bool:
    """Its body works with tools, or goes from action to action: no loop of a program."""
    block = block_of(page, repeat.at.start)
    if block is None or block.kind != "code" or block.lang.lower() not in _LANGS:
        return False
    body = page.text[repeat.at.start : repeat.at.end]
    if _limited_below(page, repeat) or _ASKS.search(body) or (_LEFT.search(repeat.head) and not _REFILLS.search(body)):
        return False
    inner = [act for act in made if _in(act.call, repeat)]
    return (
        bool(inner)
        or _SLEEPS.search(body) is not None
        or any(_in(call, repeat) and _DOES.match(call.name) for call in skill.calls)
    )


def _in(call: Call, repeat: Repeat) -> bool:
    return call.at.file == repeat.at.file and repeat.at.start <= call.at.start < repeat.at.end


def _limited_below(page: Page, repeat: Repeat) -> bool:
    """The words of its section say a limit of rounds."""
    block = block_of(page, repeat.at.start)
    return any(
        _is_limit(limit_in(page.text, other.body, other.end))
        for other in page.blocks
        if block is not None and other.section == block.section and other.kind in ("paragraph", "item", "row")
    )


def _is_limit(said: str | None) -> bool:
    return said is not None and _ROUNDS.search(said) is not None and _MOST.search(said) is not None


def _coded(page: Page, repeat: Repeat) -> Hit:
    forever = _FOREVER.search(repeat.head) is not None
    leaves = _LEAVES.search(page.text, repeat.at.start, repeat.at.end) is not None
    head = " ".join(repeat.head.split())[:80]
    return Hit(
        file=repeat.at.file, start=repeat.at.start, end=repeat.at.start + len(repeat.head), subject=head,
        phase=repeat.at.phase,
        message=f"the loop “{head}” has no limit: it ends only when the work says so",
        advice="Count the rounds, end at a fixed number of them, and say what happens then.",
        severity="critical" if forever and not leaves else "high",
        facts={"repeat": str(repeat.at.start), "kind": "code"},
    )  # fmt: skip


def _said(skill: Skill, page: Page, repeat: Repeat, known: dict[str, bool]) -> Hit | None:
    head = " ".join(repeat.head.split())
    until = _UNTIL.search(head) or (_POLLS.search(head) and _ENDS.search(head))
    if until is None and not (_REWORK.search(head) and _REJECTED.search(head)) and not _ON_FAILURE.search(head):
        return None
    if (
        _PEOPLE.search(head)
        or (_CONSENT.search(head) and not _OTHERS.search(head))
        or _ELSEWHERE.search(head)
        or (_FINITE.search(head) and not _JUDGED.search(head))
        or _DECLARED.search(head[:20])
        or head.lstrip("> ").startswith(("|", "#"))
    ):
        return None
    start = page.text.find(repeat.head, repeat.at.start, repeat.at.end + len(repeat.head))
    start = repeat.at.start if start < 0 else start
    words = head[:100]
    sure = not _limited_elsewhere(skill, page, repeat, known)
    return Hit(
        file=repeat.at.file, start=start, end=start + len(repeat.head), subject=words[:60], phase=repeat.at.phase,
        message=f"it is repeated without a limit: {words}",
        advice="Say how often at most, and what happens when that was not "
        "enough.", severity="medium" if until is None else None,
        confidence="likely" if sure else "hint", facts={"repeat": str(repeat.at.start), "kind": "prose"},
    )  # fmt: skip


def _limited_elsewhere(skill: Skill, page: Page, repeat: Repeat, known: dict[str, bool]) -> bool:
    """Instructions of the page, or of SKILL.md, say a limit of rounds that is not the one of another repetition.

    `known` keeps the answer by page.

    Who gets a prompt does not know of what is said around it.
    """
    if repeat.at.use == "prompt" and page.kind != "role":
        return False
    for path in {page.path, skill.main}:
        if path not in known:
            known[path] = path in skill.pages and _says_limit(skill, skill.pages[path])
        if known[path]:
            return True
    return False


def _says_limit(skill: Skill, page: Page) -> bool:
    bound = [one.at for one in skill.repeats if one.bound is not None and one.at.file == page.path]
    own = Within(sorted(((at.start, at.end) for at in bound), key=lambda span: (span[0], -span[1])))
    for block in page.blocks:
        if block.use != "instruction" or block.kind not in ("paragraph", "item", "row"):
            continue
        if own.innermost(block.body) >= 0:
            continue
        said = limit_in(page.text, block.body, block.end)
        if _is_limit(said) and not _POLLS.search(block.text) and not _OF_EACH.search(block.text):
            return True
    return False


DETECTOR = Detector(
    rule="unlimited-repeat", dimension="agent", severity="high", confidence="likely", strategy="orchestrator_refactor",
    title="A repetition without a limit",
    why="When the condition never comes true the run goes on for ever, and each round costs as much as the one before.",
    advice="Set the most rounds, and say what happens then.", look=look,
)  # fmt: skip
