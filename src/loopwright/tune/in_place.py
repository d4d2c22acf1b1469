"""What edits leave of a sentence where it stands: names may be exchanged in it, and words may be added. Pure."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from loopwright.domain.findings import Edit
from loopwright.tune.skill.model import Page
from loopwright.tune.substance import KEPT, SAID, Part, Sentence, sentences, words_of

Spot = tuple[int, int, str]
"""Characters of a page, from and to, and what stands there then."""
FEW = 3
"""Words of a sentence that are compared one by one."""


def spots(page: Page, edits: Collection[Edit]) -> tuple[Spot, ...]:
    """What the edits of this page really change: without the beginning and the end that old and new text share."""
    data = page.text.encode("utf-8", "surrogateescape")
    return tuple(_trimmed(len(data[: edit.start].decode("utf-8", "surrogateescape")), edit) for edit in edits)


def _trimmed(at: int, edit: Edit) -> Spot:
    old, new = edit.old, edit.new
    most = min(len(old), len(new))
    front = next((n for n in range(most) if old[n] != new[n]), most)
    back = next((n for n in range(most - front) if old[-1 - n] != new[-1 - n]), most - front)
    while front and _is_part(old[front - 1]) and (_is_part(old[front : front + 1]) or _is_part(new[front : front + 1])):
        front -= 1
    while (
        back
        and _is_part(old[len(old) - back])
        and (
            _is_part(old[len(old) - back - 1 : len(old) - back]) or _is_part(new[len(new) - back - 1 : len(new) - back])
        )
    ):
        back -= 1
    return at + front, at + len(old) - back, new[front : len(new) - back]


def _is_part(char: str) -> bool:
    """Of a name: what changes is a name as a whole."""
    return char.isascii() and (char.isalnum() or char in "_-./") and char != ""


def instructed(page: Page | None) -> tuple[Counter[Part], ...]:
    """The words of each of a page's instructions, or which two of them follow each other."""
    return tuple(_parts(one.words) for one in sentences(page, SAID)) if page else ()


def stays(
    page: Page,
    one: Sentence,
    changes: Sequence[Spot],
    names: Collection[tuple[str, str]],
    said: Sequence[Counter[Part]],
) -> bool:
    """Whether the changes within the sentence leave half of it, or only exchange `names` that are exchanged elsewhere.

    False where something larger than the sentence is replaced. `said`: what the page instructs afterwards:
    nothing may be hidden.
    """
    mine = [spot for spot in changes if spot[0] < one.end and one.start < max(spot[1], spot[0] + 1)]
    if not mine or any(start < one.start or end > one.end for start, end, _ in mine):
        return False
    left = _parts(words_of("".join(_pieces(page.text, one, mine))))
    if all((page.text[start:end], new) in names for start, end, new in mine):
        return left in said
    kept, least = _parts(one.words) & left, KEPT * _parts(one.words).total()
    return any((kept & other).total() >= least for other in said)


def _pieces(text: str, one: Sentence, mine: Sequence[Spot]) -> Iterator[str]:
    at = one.start
    for start, end, new in sorted(mine):
        yield from (text[at:start], new)
        at = end
    yield text[at : one.end]


def _parts(words: tuple[str, ...]) -> Counter[Part]:
    return Counter(words) if len(words) <= FEW else Counter(pairwise(words))
