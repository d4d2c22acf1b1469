"""Orders that another sentence forbids: the same deed with the same thing, whatever the words around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.rules.clauses import Clause, not_ordered, sentence_at, speaks
from loopwright.tune.reading.words.spots import begun, places
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Page, PageKind, Skill

_FULL = re.compile(r"[.!?](?=[\s*_\"”)\]]|$)|[。；！？|]")
_DASH = re.compile(r"\s(?:[—–]|--|→|->)\s|——")
_SIGNS = (
    "never", "must ", "mustn", "do not", "do *", "don't", "don’t", "should", "shall not",
    "不", "绝不", "禁止", "严禁", "切勿", "勿", "别",
)  # fmt: skip
_FORBIDS = re.compile(
    r"(?:never|must \*{0,3}not\*{0,3}|mustn't|must never|do \*{0,3}not\*{0,3}|don't|don’t|should not|shouldn't|shall "
    r"not)\**\s+(?:ever\s+"
    r"|directly\s+|simply\s+|just\s+)?(?=[a-z])"
    r"|(?:绝不|不得|不要|不许|不能|不可|禁止|严禁|切勿|勿|别)(?:能|要|可|许|再|准|允许|直接|擅自)?(?=[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[,，:：;(（]|\b(?:so that|so|because|since|to avoid|instead|rather|even|but|as that|which|that|during"
    r"|at any|while"
    r"|yet|anymore|any more|here|in this (?:step|phase|skill))\b|以免|因为|否则|而是"
)
_BOUND = re.compile(
    r"\b(?:if|unless|until|except|when|whenever|while|before|after|without|only|once|otherwise|in case|again"
    r"|twice|more than"
    r"|just|both|all|between|other|automatically)\b|除非|除了|之前|之后|如果|若|当|时|才|只|否则|再次|以外",
    re.IGNORECASE,
)
EXCEPT = re.compile(
    r"\b(?:if|unless|until|except|when|whenever|only|once|otherwise|in case|where)\b|除非|除了|如果|若|当"
    r"|时[,，]|才|只有|否则",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:never|not|no|without|avoid\w*|refuse\w*|forbid\w*|forbidden|prohibit\w*|nor|neither|cannot|stop"
    r"|don|prevent\w*|instead"
    r"|rather|reject\w*|fail\w*|wrong|bad|unless|against|ban\w*)\b|n't|n’t|不|禁|勿|别|无|未|没|避免|拒绝",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"(?:^|[,:，：、]|\b(?:and|then|always|may|can|must|should|please|also|first|simply|just|directly|to"
    r"|finally|next|now|shall|or)"
    r"|并且?|然后|再|直接|可以|必须|应该?|要|先|允许|随时|一律|请|[)）\]】])[\s*_`\"“0-9.)-]*\Z",
    re.IGNORECASE,
)
_PERMITS = re.compile(
    r"\b(?:is|are) (?:\w+ )?(?:good enough|enough|fine|normal|ok|okay|acceptable|allowed|permitted|welcome)\b"
    r"|\bfeel free\b"
    r"|(?:^|:\*{0,3})[\s*_-]{0,8}let\b|\b(?:may|can) be\b|可以|允许|没关系|无妨|即可",
    re.IGNORECASE,
)
_KINDS = {
    verb: kind
    for kind, verbs in {
        "change": "write edit modify change alter touch rewrite overwrite fix correct patch update revise",
        "delete": "delete remove drop erase",
        "ask": "ask prompt query",
        "run": "run execute invoke",
        "start": "spawn launch start dispatch",
        "end": "stop end abort terminate halt quit",
        "wait": "wait pause",
        "send": "send post publish",
        "skip": "skip omit",
    }.items()
    for verb in verbs.split()
}
_LIGHT = frozenset(
    [
        "use",
        "allow",
        "let",
        "permit",
        "rely",
        "accept",
        "add",
        "include",
        "create",
        "make",
        "have",
        "put",
        "set",
        "give",
        "take",
        "do",
        "be",
        "keep",
        "try",
    ]
)
"""Verbs that say little: what they are done to has to tell."""
_PREPOSITION = re.compile(r"\s+(?:in|on|onto|at|of|as|by|about|against|within)\b", re.IGNORECASE)
_GENERIC = frozenset(
    {"file", "files", "data", "state", "step", "task", "tasks", "work", "code", "resul", "outpu", "conte", "text"}
)
_NO_DEED = frozenset(
    [
        "need",
        "want",
        "mean",
        "have",
        "auto",
        "care",
        "worry",
        "matter",
        "assume",
        "exist",
        "know",
        "think",
        "like",
        "guarantee",
        "imply",
        "require",
    ]
)
"""What nobody orders."""
_STRONG = re.compile(r"\b(?:NEVER|MUST NOT|Do NOT|DO NOT|under any circumstances|no exceptions?)\b|绝不|严禁")
_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec", "template", "other"})
LABEL = 5
"""Words of a sentence that ends with a colon and is no title."""
RULES, ORDERS, LONGEST, MOST = 120, 60, 400, 6
"""So many rules of a skill, places of a word, characters of a sentence, and words of a rule are looked at."""
_FORMS = {"user": ("user", "human", "people", "person")}
_TIME = re.compile(r"\b(?:during|while)\s+([^,.;:(]{3,60})", re.IGNORECASE)
_MEANS = re.compile(r"\b(?:with|via|using|through|by means of)\s+(?:the |a |an )?[`\w -]{3,40}", re.IGNORECASE)
FEW = 2
_VERB = re.compile(r"[A-Za-z]+(?:-[a-z]+)*|[\u4e00-\u9fff]{2}")
_AIM = re.compile(r"\bto (?!the |this |that |them |an |your |its )([a-z]{3,} .+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ban:
    """`things`: what must not be done `verb` to."""

    clause: Clause
    verb: str
    things: frozenset[str]
    said: str
    during: frozenset[str]
    """The time for which it holds, where it is not said to hold always."""
    strong: bool = False
    """It is said to hold without exception."""


def opposites(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """The order, the rule that forbids it, and the deed."""
    for ban in islice(_bans(skill), RULES):
        pages = _read_with(ban.clause.page, skill)
        rarest = min(ban.things, key=lambda thing: sum(len(places(page.text, thing)) for page in pages))
        for page in pages:
            for at in [at for form in _FORMS.get(rarest, (rarest,)) for at in places(page.text, form)][:ORDERS]:
                order = clause_at(page, at)
                if order is not None and order.block is not ban.clause.block and _against(order, ban):
                    yield order, ban.clause, ban.said


def _read_with(page: Page, skill: Skill) -> list[Page]:
    """What is read by those who read the page: all of SKILL.md and of specs; SKILL.md of a phase."""
    everywhere = page.path == skill.main or page.kind == "spec"
    return [
        one for one in skill.pages.values() if one.kind in _SAID and (everywhere or one.path in (page.path, skill.main))
    ]


def _bans(skill: Skill) -> Iterator[Ban]:
    for page in skill.pages.values():
        for found in begun(page.text, _SIGNS, _FORBIDS) if page.kind in _SAID and page.kind != "template" else ():
            clause = clause_at(page, found.start())
            before = page.text[found.start() - 2 : found.start()]
            if (
                clause is not None
                and clause.block.kind != "row"
                and before not in ("I ", "I\n", "u ")
                and not EXCEPT.search(whole(clause))
            ):
                yield from _of(clause, _rest(clause, found.end()))


def clause_at(page: Page, position: int) -> Clause | None:
    """The part of the sentence between dashes that holds the position, where it speaks to the model."""
    sentence = sentence_at(page, position)
    if sentence is None or len(sentence.text) > LONGEST or sentence.block.use in ("reference", "negative", "quotation"):
        return None
    if not speaks(sentence.block, page) and not (
        page.kind == "template" and sentence.block.kind in ("item", "paragraph")
    ):
        return None
    begin, stop = sentence.start, sentence.end
    for found in _DASH.finditer(sentence.text):
        if sentence.start + found.end() <= position:
            begin = sentence.start + found.end()
        else:
            stop = sentence.start + found.start()
            break
    return Clause(page, sentence.block, page.text[begin:stop], begin)


def whole(clause: Clause) -> str:
    """The sentence over the ends of lines, with what leads to it up to the dash."""
    block, at = clause.block, clause.start - clause.block.body
    begins = [found.end() for found in _FULL.finditer(block.text, max(0, at - LONGEST), at)]
    stop = _FULL.search(block.text, at + len(clause.text) - 1, at + LONGEST)
    return block.text[begins[-1] if begins else max(0, at - LONGEST) : stop.start() if stop else at + LONGEST]


def _rest(clause: Clause, position: int) -> str:
    """What follows in the sentence, over the ends of lines."""
    block = clause.block
    text = clause.page.text[position : min(block.end, position + LONGEST)]
    stop = _FULL.search(text)
    return (text[: stop.start()] if stop else text).replace("*", " ").replace("\n", " ")


def _of(clause: Clause, rest: str) -> Iterator[Ban]:
    end = _ENDS.search(rest)
    scope = rest[: end.start()] if end else rest
    if _BOUND.search(rest) or any(char.isdigit() for char in scope):
        return
    parts = re.split(r"\s(?:or|nor)\s|、|或", scope)
    first = _VERB.match(parts[-1].strip())
    last = stems(parts[-1])[1 + (first[0].count("-") if first else 0) :]
    time = _TIME.search(rest)
    during = frozenset(stems(time[1])[:2][-1:]) if time else frozenset()
    aims = [part[found.start(1) :] for part in parts if (found := _AIM.search(part))]
    for part in [*parts[:3], *aims]:
        part = part.strip()
        verb = _VERB.match(part)
        if verb is None or _PREPOSITION.match(part, verb.end()):
            continue
        things = frozenset(stems(part[verb.end() :])) or frozenset(last)
        if (
            1 <= len(things) <= MOST
            and not (len(things) == 1 and things <= _GENERIC)
            and verb[0].lower() not in _NO_DEED
        ):
            said = " ".join(part.split()[:8]).strip(" `.,")
            yield Ban(clause, verb[0].lower(), things, said, during, _STRONG.search(clause.text) is not None)


def _against(order: Clause, ban: Ban) -> bool:
    """It tells or permits what the rule forbids, without a condition."""
    text = order.text
    if (
        not _within(ban.things, text)
        or _is_label(text)
        or _under_a_ban(order)
        or not _in_time(order, ban)
        or (EXCEPT.search(whole(order)) and not ban.strong)
    ):
        return False
    permits = len(ban.things) >= 2 and _PERMITS.search(text) is not None and not _NEGATED.search(text)
    if ban.verb in _LIGHT and len(ban.things) < 2:
        return False
    return permits or _leads(text, ban.verb, ban.things)


def _in_time(order: Clause, ban: Ban) -> bool:
    """It stands in a part whose title names the time for which the rule holds."""
    index = order.block.section if ban.during else -1
    while index >= 0:
        section = order.page.sections[index]
        if section.level > 1 and ban.during & {*stems(section.title)}:
            return True
        index = section.parent
    return not ban.during


def _under_a_ban(order: Clause) -> bool:
    """An entry of a list of what must not be done."""
    page, block = order.page, order.block
    if block.kind != "item":
        return False
    before = page.text[max(0, block.start - LONGEST) : block.start]
    lead = before[before.rfind("\n\n", 0, len(before.rstrip())) + 1 :] if "\n\n" in before else before
    title = page.sections[block.section].title if block.section >= 0 else ""
    return _NEGATED.search(title) is not None or any(
        line.rstrip(" *").endswith((":", "：")) and _NEGATED.search(line) for line in lead.splitlines()
    )


def _within(things: frozenset[str], text: str) -> bool:
    """All of them stand in it, of many all but one."""
    return len(things - {*stems(text)}) <= (1 if len(things) > FEW else 0)


def _is_label(text: str) -> bool:
    """A question, or the title of what follows."""
    end = text.rstrip(" `")
    return end.endswith("?") or (end.rstrip("*").endswith((":", "：")) and ("**" in end or len(end.split()) < LABEL))


def _leads(text: str, verb: str, things: frozenset[str]) -> bool:
    """A verb of that kind is ordered in the text, and the things follow it."""
    kind = _KINDS.get(verb)
    for found in _VERB.finditer(text) if verb.isascii() else re.finditer(re.escape(verb), text):
        word = found[0].lower()
        if (word != verb and (kind is None or _KINDS.get(word) != kind)) or text[found.end() : found.end() + 1] == "(":
            continue
        after = text[found.end() :]
        if not_ordered(text, found.start()):
            continue
        if _LEADS.search(text, max(0, found.start() - 24), found.start()) and _within(things, after):
            return not _NEGATED.search(text[: found.end()]) and not _NEGATED.match(after.lstrip())
    return verb == "use" and _with(text, things)


def _with(text: str, things: frozenset[str]) -> bool:
    """Something is ordered to be done with them."""
    found = _MEANS.search(text)
    return found is not None and things <= {*stems(found[0])} and not _NEGATED.search(text[: found.end()])
