"""Sections that are named elsewhere: by an anchor of a link, or by their title in a sentence."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, normpath

from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_DROPPED = re.compile(r"[^\w\- ]")
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』"}
_FILE = r"(?:\[[^\]\n]{0,80}\]\(([^)\s]{1,120})\)|`?([\w./\-]{1,80}\.md)`?)"
_SENT = re.compile(
    r"\b(?:see|follow|refer to|go to|back to|as in|(?:described|explained|defined) (?:in|under)|under)"
    r"(?: the)?(?: section)?\s\Z",
    re.IGNORECASE,
)
_SENT_TO_FILE = re.compile(rf"\b(?:in|under|see|follow|per|by|to)\s{_FILE}, (?:section |under )?\Z", re.IGNORECASE)
_IN_FILE = re.compile(rf"\s(?:section )?(?:in|of)\s{_FILE}", re.IGNORECASE)
_HERE = re.compile(r"\s(?:section|below|above)\b", re.IGNORECASE)
_CHINESE_FILE = re.compile(rf"(?:见|参见|参照|详见|按照?|走|依照?|参考)\s*{_FILE}\s*(?:的|中的?|里的?)\s*\Z")
_CHINESE_HERE = re.compile(r"(?:见|参见|详见)(?:下文|上文|前文|后文)(?:的)?\s*\Z")
_LAST = ("see", "the", "section", "follow", "to", "in", "under", ",", "的", "中", "里", "文")
"""What stands right before a title that the reader is sent to."""
_OPENS = re.compile(r"[\"“「『](?<=[\s的中里文].)")
BEFORE, LONGEST = 160, 60


@dataclass(frozen=True, slots=True)
class Missing:
    """A section that is named at `start`–`end` of the page and that `where` does not have."""

    page: Page
    start: int
    end: int
    name: str
    where: str
    titles: tuple[str, ...]


def slug(title: str) -> str:
    """As GitHub makes anchors of titles."""
    return _DROPPED.sub("", title.strip().lower()).replace(" ", "-")


def missing_anchors(skill: Skill) -> Iterator[Missing]:
    for page in skill.pages.values():
        at = page.text.find("](")
        while at >= 0:
            start, at = at + 2, page.text.find("](", at + 2)
            end = page.text.find(")", start, start + 200)
            path, mark, anchor = page.text[start:end].partition("#") if end > 0 else ("", "", "")
            if not mark or not anchor or "\n" in anchor or ":" in path or "{" in anchor or " " in path:
                continue
            where = _page(skill, page, path)
            if where is None or not _is_told(page, start) or f'"{anchor}"' in where.text or f"'{anchor}'" in where.text:
                continue
            if not any(anchor.lower() == one for one in _anchors(where)):
                yield Missing(page, start, end, "#" + anchor, where.path, tuple(s.title for s in where.sections))


def missing_titles(skill: Skill) -> Iterator[Missing]:
    """A title in quotation marks, with words that send the reader there."""
    for page in skill.pages.values():
        if page.kind in ("script", "data", "template"):
            continue
        for start, end in _quoted(page.text):
            told = _told(page.text, start, end)
            if told is None or not _is_told(page, start):
                continue
            where = _page(skill, page, told)
            name = page.text[start + 1 : end]
            if where is not None and not _has(where, name, start + 1 if where is page else -1):
                yield Missing(page, start + 1, end, name, where.path, tuple(s.title for s in where.sections))


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    """Where a quotation opens and closes behind words that may send the reader to it."""
    for found in _OPENS.finditer(text):
        at = found.start()
        if text[max(0, at - 12) : at].rstrip().lower().endswith(_LAST):
            end = text.find(_QUOTES[found[0]], at + 1, at + LONGEST + 2)
            if end > at + 2 and "\n" not in text[at:end]:
                yield at, end


def _told(text: str, start: int, end: int) -> str | None:
    """The file whose section it is, empty for this page; None where nobody is sent there."""
    before, after = text[max(0, start - BEFORE) : start], text[end + 1 : end + 1 + BEFORE]
    before = before[before.rfind("\n\n") + 1 :].replace("\n", " ").replace("\r", "")
    for pattern in (_SENT_TO_FILE, _CHINESE_FILE):
        if (found := pattern.search(before)) is not None:
            return found[1] or found[2]
    if _CHINESE_HERE.search(before):
        return ""
    if _SENT.search(before):
        if (found := _IN_FILE.match(after.replace("\n", " "))) is not None:
            return found[1] or found[2]
        return "" if _HERE.match(after) else None
    return None


def _has(page: Page, name: str, but: int) -> bool:
    """The words stand anywhere on the page but where they are named, or a title has most of them."""
    wanted = name.strip(" .,，。").lower()
    text = page.text.lower()
    at = text.find(wanted)
    while at >= 0:
        if not but <= at < but + len(name):
            return True
        at = text.find(wanted, at + 1)
    words = {word for word in re.findall(r"\w+", wanted) if len(word) > 2}
    return any(words and len(words & {*re.findall(r"\w+", s.title.lower())}) * 2 > len(words) for s in page.sections)


def _page(skill: Skill, page: Page, path: str) -> Page | None:
    if not path:
        return page
    for one in (normpath(f"{dirname(page.path)}/{path}"), normpath(path), path.rsplit("/", 1)[-1]):
        if (found := skill.pages.get(one)) is not None:
            return found
    return None


def _anchors(page: Page) -> Iterator[str]:
    for block in page.blocks:
        if block.kind == "heading":
            yield slug(block.text)
            yield slug(block.text).strip("-")
            yield re.sub("-+", "-", slug(block.text))
            if "{#" in block.text:
                yield block.text.rsplit("{#", 1)[1].rstrip("}").strip().lower()


def _is_told(page: Page, at: int) -> bool:
    index = block_at(page, at)
    block = page.blocks[index] if index >= 0 else None
    return block is not None and block.kind != "code" and block.use in ("instruction", "prompt", "reference")
