"""Lists of what must not be done, and sentences that order it all the same."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.rules.clauses import NEGATION, Clause
from loopwright.tune.reading.rules.families import blocks_in
from loopwright.tune.reading.words.spots import block_at, places
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Block, Page, PageKind, Skill
from loopwright.tune.skill.once import once

_TITLE = re.compile(
    r"(?:^|[:：—-]\s{0,4})\W{0,4}(?:you |workers? |agents? |coordinators? |what (?:you |\w{1,20} )?)?"
    r"(?:(?:must|do|should|may|shall|can)(?: |n)(?:not|['’]t)\b|never\b|don['’]?ts\b|forbidden\b|prohibited\b"
    r"|not allowed\b|禁止|不得|不要|严禁|不可|不能|绝不)",
    re.IGNORECASE,
)
_OF_CHOICE = re.compile(
    r"\b(?:when|use|trigger\w*|activat\w+|invoke|for|apply|if)\b|何时|触发|适用|使用", re.IGNORECASE
)
"""When the skill is not to be used is no rule for its work."""
_CUT = re.compile(r"\s?(?:[(（—;；.。]|--|->|→|: |：|, (?:not|never|only|use)\b)")
_WITHOUT = re.compile(r"\b(?:without|unless|before|until|except)\b|未经|除非|没有", re.IGNORECASE)
_LONE = re.compile(r"\b(?:without|no|skip\w*|bypass\w*|not)\b|无需|不经|跳过|不必", re.IGNORECASE)
_VERB = re.compile(r"[A-Za-z]{3,20}")
_WHEN = re.compile(r"\b(?:if|unless|only|when|until|except)\b", re.IGNORECASE)
_LEADS = re.compile(
    r"(?:^|[,:;|>→]|\b(?:and|then|always|may|can|must|should|will|also|first|simply|just|directly|finally|next|now|or"
    r"|please))[\s*_`\"“0-9.)+-]*\Z",
    re.IGNORECASE,
)
_NO_VERB = frozenset({
    "any", "more", "other", "all", "the", "than", "and", "with", "for", "use", "make", "have", "let", "rely", "assume",
    "skip", "user", "users", "when", "this", "request", "requests", "asking", "questions", "simple", "pure",
})  # fmt: skip
_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec", "other"})
_OWN = frozenset({"role", "roles", "agents", "skill", "index", "main", "commands", "phases"})
RULES, ORDERS, LONGEST, FEW, NEAR = 60, 40, 240, 2, 40
"""So many entries of a skill, places of a word, characters of an entry, words that all have to be there, and
characters behind “without” that say what is left out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`deeds`: each with the stem of its verb and what it is done to. `lone`: what has to be there else."""

    page: Page
    block: Block
    text: str
    deeds: tuple[tuple[str, frozenset[str]], ...]
    lone: frozenset[str]


@once
def ban_sections(page: Page) -> Iterator[tuple[int, int]]:
    """Stretches that a title says to be what must not be done."""
    for section in page.sections:
        if section.level > 1 and _TITLE.search(section.title) and not _OF_CHOICE.search(section.title):
            yield section.body, section.end


def is_banned(page: Page, block: Block) -> bool:
    return block.kind in ("item", "row") and any(start <= block.start < end for start, end in ban_sections(page))


@once
def _entries(page: Page) -> Iterator[Entry]:
    for start, end in ban_sections(page) if page.kind in _SAID else ():
        for block in blocks_in(page, start, end):
            if block.kind != "item" or len(block.text) > LONGEST or block.use in ("reference", "negative", "quotation"):
                continue
            cut = _CUT.search(block.text.replace("**", "  "), 3)
            core = block.text.replace("**", "  ")[: cut.start() if cut else None]
            but = _WITHOUT.search(core)
            scope = core[: but.start()] if but else core
            deeds = tuple(_deeds(scope))
            if deeds:
                yield Entry(
                    page, block, core.strip(), deeds, frozenset(stems(core[but.end() :])) if but else frozenset()
                )


def _deeds(scope: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Of “edit, move or delete source files” each verb with the files."""
    parts = [part for part in re.split(r",|\bor\b|\band\b", scope) if part.strip()]
    last = frozenset(stems(parts[-1])[1:]) if parts else frozenset()
    for part in parts[:4]:
        verb = _VERB.match(part.strip(" `*"))
        if verb is None or verb[0].lower() in _NO_VERB or any(char.isdigit() for char in part):
            continue
        words = stems(part)
        things = frozenset(words[1:]) or last
        things = frozenset(word for word in things if word != "direc")
        if words and len(things) >= FEW:
            yield verb[0].lower(), things


def governed(skill: Skill, page: Page) -> tuple[Page, ...]:
    """Pages for which a rule of this page holds: of a role also the commands in its folder."""
    if page.path == skill.main or page.kind == "spec":
        return tuple(other for other in skill.pages.values() if other.kind in _SAID)
    folder, _, name = page.path.rpartition("/")
    alone = page.kind == "role" and not any(
        other.path != page.path and other.path.rpartition("/")[0] == folder for other in skill.pages.values()
    )
    return tuple(
        other for other in skill.pages.values()
        if other.kind in _SAID and (other is page or (alone and name and other.path.startswith(folder + "/")))
    )  # fmt: skip


def listed(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """The order, the entry that forbids it, and what is done."""
    entries = (entry for page in skill.pages.values() for entry in _entries(page))
    for entry in islice(entries, RULES):
        rule = Clause(entry.page, entry.block, entry.text, entry.block.body)
        own = {*entry.page.path.lower().removesuffix(".md").split("/")} - _OWN
        for verb, things in entry.deeds:
            for page in governed(skill, entry.page):
                order = _ordered(page, entry, verb, things, own)
                if order is not None:
                    yield order, rule, " ".join(entry.text.split()[:6]).lower()


def _ordered(page: Page, entry: Entry, verb: str, things: frozenset[str], own: set[str]) -> Clause | None:
    rarest = min(sorted(things), key=lambda thing: len(places(page.text, thing)))
    seen: set[int] = set()
    for at in islice(places(page.text, rarest), ORDERS):
        index = block_at(page, at)
        block = page.blocks[index]
        if index in seen or block is entry.block or not _speaks(page, block):
            continue
        seen.add(index)
        clause = _against(page, block, entry, verb, things, own)
        if clause is not None:
            return clause
    return None


def _speaks(page: Page, block: Block) -> bool:
    return (
        block.kind in ("item", "paragraph", "row")
        and block.use in ("instruction", "prompt")
        and len(block.text) <= 3 * LONGEST
        and not is_banned(page, block)
    )


def _against(page: Page, block: Block, entry: Entry, verb: str, things: frozenset[str], own: set[str]) -> Clause | None:
    whole = {*stems(block.text)}
    if len(things - whole) > (1 if len(things) > FEW else 0) or (entry.lone and not entry.lone & whole):
        return None
    row = block.kind == "row"
    for begin, text in _sentences(block):
        if (row and not begin) or not (row or things <= {*stems(text)} or len(things) > FEW):
            continue
        for found in _VERB.finditer(text):
            before, after = text[: found.start()], text[found.end() :]
            ordered = _is_form(found[0].lower(), verb) and not NEGATION.search(before) and _leads(before, own)
            if ordered and (_has_lone(after, entry) if entry.lone else _is_plain(text, after, things)):
                return Clause(page, block, text, block.body + begin)
    return None


def _has_lone(after: str, entry: Entry) -> bool:
    """Without what the entry asks for: no confirmation needed."""
    return any(entry.lone & {*stems(after[one.end() : one.end() + NEAR])} for one in _LONE.finditer(after))


def _is_plain(text: str, after: str, things: frozenset[str]) -> bool:
    """The deed is ordered as it is forbidden, without a condition."""
    return not NEGATION.search(after) and not _WHEN.search(text) and bool(things & {*stems(after)})


def _sentences(block: Block) -> Iterator[tuple[int, str]]:
    """Cells of a row; else sentences."""
    pattern = r"[^|]+" if block.kind == "row" else r"[^.;。；\n]+(?:\.(?=\w)[^.;。；\n]+)*"
    for found in re.finditer(pattern, block.text):
        yield found.start(), found[0]


def _is_form(word: str, verb: str) -> bool:
    return word in (verb, verb + "s", verb + "es", verb[:-1] + "ies")


def _leads(before: str, own: set[str]) -> bool:
    words = before.split()
    return _LEADS.search(before) is not None or (len(words) <= FEW and words[-1:] != [] and words[-1].lower() in own)
