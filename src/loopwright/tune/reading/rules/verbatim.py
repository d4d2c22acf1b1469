"""What all pages of a family say word for word, and one of them no longer says."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.rules.families import Member
from loopwright.tune.skill.model import Block

_NOISE = re.compile(r"[\s*_`\"'“”‘’()（）:：,，、>—–-]+")
_WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]")
FEWEST, WORTH, NEAR = 4, 50, 0.45
"""Members of the family; bytes of such a text; the share of its words by which another one stands for it."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """`text` as it stands in `model`; `after`: the end of what it belongs behind."""

    member: Member
    model: Member
    text: str
    having: int
    after: int


def dropped(family: tuple[Member, ...]) -> Iterator[Dropped]:
    if len(family) < FEWEST or any(member.section >= 0 for member in family):
        return
    said = {member.name: _texts(member) for member in family}
    counts = Counter(key for texts in said.values() for key in texts)
    for key, count in counts.items():
        if count != len(family) - 1:
            continue
        member = next(one for one in family if key not in said[one.name])
        if _stands_for(key, said[member.name]):
            continue
        model = next(one for one in family if key in said[one.name])
        block = said[model.name][key]
        text = model.page.text[block.start : block.end].rstrip()
        yield Dropped(member, model, text, count, _place(member, model, block))


def _texts(member: Member) -> dict[str, Block]:
    blocks = (block for block in member.page.blocks if block.kind in ("paragraph", "quote"))
    found = {_NOISE.sub(" ", block.text).strip().casefold(): block for block in blocks if block.use == "instruction"}
    return {key: block for key, block in found.items() if len(key.encode()) >= WORTH}


def _stands_for(key: str, texts: dict[str, Block]) -> bool:
    words = {*_WORD.findall(key)}
    return any(len(words & {*_WORD.findall(text)}) >= NEAR * len(words) for text in texts)


def _place(member: Member, model: Member, block: Block) -> int:
    """Behind the heading below which the model says it: the one of the same title, else the first."""
    above = [s for s in model.page.sections if s.start <= block.start]
    own = [s for s in member.page.sections if above and s.title == above[-1].title] or [*member.page.sections[:1]]
    if not own:
        return -1
    line, _, _ = member.page.text[own[0].start :].partition("\n")
    return own[0].start + len(line.rstrip("\r"))
