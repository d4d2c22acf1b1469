"""Orders that another sentence forbids: the same deed with the same thing, whatever the words around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.clauses import Clause, holds_in, sentence_at, speaks
from loopwright.tune.reading.spots import begun, places
from loopwright.tune.reading.stems import stems
from loopwright.tune.skill.model import Page, PageKind, Skill

_FULL = re.compile(r"[.!?](?=\s)|[。；！？|]")
_DASH = re.compile(r"\s(?:[—–]|--|→|->)\s|——")
_SIGNS = (
    "never", "must ", "mustn", "do not", "do *", "don't", "don’t", "should", "shall not",
    "不", "绝不", "禁止", "严禁", "切勿", "勿", "别",
)  # fmt: skip
_FORBIDS = re.compile(
    r"(?:never|must \**not\**|mustn't|must never|do \**not\**|don't|don’t|should not|shouldn't|shall "
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
    r"|^[\s*_-]*let\b|\b(?:may|can) be\b|可以|允许|没关系|无妨|即可",
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
_PREPOSITION = re.compile(r"\s+(?:in|into|to|from|on|onto|at|with|of|as|for|by|about|against|within)\b", re.IGNORECASE)
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
_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec", "template", "other"})
LABEL = 5
"""Words of a sentence that ends with a colon and is no title."""
RULES, ORDERS, LONGEST, MOST = 120, 60, 400, 6
"""So many rules of a skill, places of a word, characters of a sentence, and words of a rule are looked at."""
_VERB = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Ban:
    """`things`: what must not be done `verb` to."""

    clause: Clause
    verb: str
    things: frozenset[str]


def opposites(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """The order, the rule that forbids it, and the deed."""
    for ban in islice(_bans(skill), RULES):
        pages = [page for page in holds_in(ban.clause.page, skill) if page.kind in _SAID]
        rarest = min(ban.things, key=lambda thing: sum(len(places(page.text, thing)) for page in pages))
        for page in pages:
            for at in places(page.text, rarest)[:ORDERS]:
                order = clause_at(page, at)
                if order is not None and order.block is not ban.clause.block and _against(order, ban):
                    yield order, ban.clause, f"{ban.verb} {' '.join(sorted(ban.things))}"


def _bans(skill: Skill) -> Iterator[Ban]:
    for page in skill.pages.values():
        for found in begun(page.text, _SIGNS, _FORBIDS) if page.kind in _SAID and page.kind != "template" else ():
            clause = clause_at(page, found.start())
            if clause is not None and clause.block.kind != "row" and not EXCEPT.search(whole(clause)):
                yield from _of(clause, _rest(clause, found.end()))


def clause_at(page: Page, position: int) -> Clause | None:
    """The part of the sentence between dashes that holds the position, where it speaks to the model."""
    sentence = sentence_at(page, position)
    if sentence is None or len(sentence.text) > LONGEST or not speaks(sentence.block, page):
        return None
    if sentence.block.use == "reference":
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
    last = stems(parts[-1])
    for part in parts[:3]:
        part = part.strip()
        verb = _VERB.match(part)
        if verb is None or _PREPOSITION.match(part, verb.end()):
            continue
        things = frozenset(stems(part[verb.end() :])) or frozenset(last[1:])
        if (
            1 <= len(things) <= MOST
            and not (len(things) == 1 and things <= _GENERIC)
            and verb[0].lower() not in _NO_DEED
        ):
            yield Ban(clause, verb[0].lower(), things)


def _against(order: Clause, ban: Ban) -> bool:
    """It tells or permits what the rule forbids, without a condition."""
    text = order.text
    if not ban.things <= {*stems(text)} or _NEGATED.search(text) or _is_label(text):
        return False
    if ban.verb in _LIGHT or (len(ban.things) >= 2 and _PERMITS.search(text)):
        does = len(ban.things) >= 2 and (bool(_PERMITS.search(text)) or _leads(text, ban.verb, ban.things))
    else:
        does = _leads(text, ban.verb, ban.things)
    return does and not EXCEPT.search(whole(order))


def _is_label(text: str) -> bool:
    """A question, or the title of what follows."""
    end = text.rstrip(" `")
    return end.endswith("?") or (end.rstrip("*").endswith((":", "：")) and ("**" in end or len(end.split()) < LABEL))


def _leads(text: str, verb: str, things: frozenset[str]) -> bool:
    """A verb of that kind is ordered in the text, and the things follow it."""
    kind = _KINDS.get(verb)
    for found in _VERB.finditer(text):
        word = found[0].lower()
        if (word != verb and (kind is None or _KINDS.get(word) != kind)) or text[found.end() : found.end() + 1] == "(":
            continue
        if _LEADS.search(text, max(0, found.start() - 24), found.start()) and things <= {*stems(text[found.end() :])}:
            return True
    return False
