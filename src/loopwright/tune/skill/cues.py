"""Tables of words that tell something: the row that stands first in its table decides."""

import re
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
_WORD = re.compile(r"(?:--)?[a-z]+(?:['-][a-z]+)*")


class Cue(NamedTuple, Generic[T]):
    """`english`: words and phrases in small letters, between commas. `chinese`: the same, found anywhere."""

    means: T
    english: str
    chinese: str = ""


class Cues(Generic[T]):
    """Looks up whole words in one pass, so that a long table costs no more than a short one."""

    def __init__(self, *table: Cue[T]) -> None:
        self._means = tuple(cue.means for cue in table)
        self._words: dict[str, int] = {}
        self._phrases: dict[str, list[tuple[str, int]]] = {}
        self._chinese = tuple((word, rank) for rank, cue in enumerate(table) for word in _split(cue.chinese))
        for rank, cue in enumerate(table):
            for words in _split(cue.english):
                first = words.partition(" ")[0]
                if " " in words:
                    self._phrases.setdefault(first, []).append((words, rank))
                else:
                    self._words.setdefault(words, rank)

    def find(self, text: str) -> T | None:
        """What `text` (small letters) tells; None where no word of the table is in it."""
        best = len(self._means)
        words = _WORD.findall(text)
        for word in words:
            best = min(best, self._words.get(word, best))
        if not self._phrases.keys().isdisjoint(words):
            best = min(best, self._phrase(words))
        if not text.isascii():
            best = min(best, next((rank for word, rank in self._chinese if word in text), best))
        return self._means[best] if best < len(self._means) else None

    def _phrase(self, words: list[str]) -> int:
        whole = f" {' '.join(words)} "
        return min(
            (rank for word in words for phrase, rank in self._phrases.get(word, ()) if f" {phrase} " in whole),
            default=len(self._means),
        )


def _split(words: str) -> list[str]:
    return [word for one in words.split(",") if (word := one.strip())]
