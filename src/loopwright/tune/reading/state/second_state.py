"""Files that a sentence adds beside the one in which the skill keeps its state."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.letters import small
from loopwright.tune.skill.model import Page, Skill

_FILE = re.compile(r"(?<![\w])((?:[\w.\-<>{}$*]{1,60}/){0,6})([\w\-]{3,40}\.(?:jsonl?|md|ya?ml|csv|txt))(?![\w/])")
_STATE = re.compile(
    r"(?:\w{1,60}[\-_])?(?:progress|status|state|tracker|tracking|checkpoint|cursor)(?:[\-_]\w{1,60})?\.", re.IGNORECASE
)
_STORE = re.compile(
    r"state|status|progress|ledger|board|tasks?\.|team|session|journal|queue|goals|tracker|manifest|run\.|plan\.json",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"schema|example|template|backup|\.bak|\.prev|config|settings|package|state-machine", re.IGNORECASE)
_ALSO = re.compile(
    r"\balso\b|\btoo\b|\bas well\b|\bin addition\b|\badditionally\b|\bmirror|\bduplicat|\bcop(?:y|ies) of\b"
    r"|\bat a glance\b|\bsame (?:states?|status|fields?|values?)\b"
    r"|同时|另外|另存|另写|再(?:写|存|记)|也(?:写|存|记|放)|一份",
    re.IGNORECASE,
)
_KEEPS = re.compile(
    r"\b(?:writ|keep|kept|record|stor|sav|put|track|updat|maintain|log)\w*\b|写|记|存|保存|更新|放", re.IGNORECASE
)
_HELD = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]{0,40}) = [^\n=]{0,160}\Z")
_WRITES = re.compile(r"\b[Ww]rite\w{0,20}\([^\n]{0,120}\Z")
_COPY = re.compile(r"(?<![\w$.])([A-Za-z_]\w{2,40}): \w{0,30}(?:[sS]tate|[sS]tatus|[sS]ession)\.\1(?!\w)")
"""A field that takes the one of the same name of a state."""
_THERE = re.compile(
    r"(?:progress|status|state|track(?:er|ing)|checkpoint|cursor)(?:[\-_]\w{1,60})?\.(?:jsonl?|md|ya?ml|csv|txt)"
)
"""Without one of these no page adds a state."""
_NO_WORDS = frozenset({"script", "data", "template"})
OFTEN, RARE = 2, 4
"""How often the file of the state is named at least, and the added one at most."""
AROUND = 220


@dataclass(frozen=True, slots=True)
class Added:
    page: Page
    start: int
    end: int
    base: str
    first: str
    """The file in which the skill keeps its state, where it names one."""


def added_states(skill: Skill) -> Iterator[Added]:
    if not any(_THERE.search(small(page.text)) for page in skill.pages.values() if page.kind not in _NO_WORDS):
        return
    named: dict[str, list[tuple[Page, int, int]]] = {}
    for page in skill.pages.values():
        if page.kind in _NO_WORDS:
            continue
        for found in _FILE.finditer(page.text):
            named.setdefault(found[2], []).append((page, found.start(), found.end()))
    own = {path.rsplit("/", 1)[-1] for path in skill.files}
    stores = {base: len(at) for base, at in named.items() if _STORE.search(base) and not _ASIDE.search(base)}
    for base, places in named.items():
        others = [one for one in stores if one.rsplit(".", 1)[0] != base.rsplit(".", 1)[0]]
        first = max(others, key=lambda one: stores[one], default="")
        if not _STATE.match(base) or _ASIDE.search(base) or len(places) > RARE or base in own:
            continue
        if first and stores[first] < max(OFTEN, len(places)):
            first = ""
        if not first and len(places) > 1:
            continue
        copied = [place for place in places if _is_copied(*place)] if first and len(places) == 1 else []
        told = next((place for place in places if _is_added(*place)), next(iter(copied), None))
        if told is not None:
            yield Added(*told, base, first)


def _is_copied(page: Page, start: int, end: int) -> bool:
    """Code writes fields into it that it takes from the state."""
    block = page.blocks[block_at(page, start)]
    if block.kind != "code" or block.use in ("negative", "quotation"):
        return False
    line = page.text.rfind("\n", block.start, start) + 1
    held = _HELD.search(page.text[line:start])
    stop = min(block.end, end + 2 * AROUND)
    if held is None:
        return _WRITES.search(page.text[line:start]) is not None and _COPY.search(page.text, end, stop) is not None
    at = page.text.find(f"({held[1]},", end, stop)
    return at >= 0 and _COPY.search(page.text, at, min(block.end, at + AROUND)) is not None


def _is_added(page: Page, start: int, end: int) -> bool:
    """Its sentence says that something is kept in it, too."""
    index = block_at(page, start)
    block = page.blocks[index] if index >= 0 else None
    if block is None or block.use not in ("instruction", "prompt") or block.kind in ("code", "heading"):
        return False
    text = page.text[max(block.start, start - AROUND) : min(block.end, end + AROUND)]
    at = start - max(block.start, start - AROUND)
    begin = max(text.rfind(". ", 0, at), text.rfind("。", 0, at), text.rfind("；", 0, at), text.rfind("\n- ", 0, at))
    stop = min((one for one in (text.find(". ", at + 5), text.find("。", at)) if one >= 0), default=len(text))
    sentence = text[begin + 1 : stop]
    return _ALSO.search(sentence) is not None and _KEEPS.search(sentence) is not None
