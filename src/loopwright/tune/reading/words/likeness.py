"""How alike two names are: the same words otherwise spelled, a slip of the keys, a word more or less."""

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[A-Z]{1,60}(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[\u4e00-\u9fff]+")
LONGEST = 60
"""Characters of a name that are compared."""
SHORT = 6
ALIKE = 0.6
"""From here on one name may be the other's old or mistaken form."""


@lru_cache(maxsize=8192)
def words_of(name: str) -> tuple[str, ...]:
    """`openIssues`, `open_issues` and `open-issues` are open, issues."""
    return tuple(word.lower() for word in _WORD.findall(name[:LONGEST]))


def joined(name: str) -> str:
    bare = name.replace("_", "").replace("-", "")
    if len(name) <= LONGEST and bare.isascii() and bare.isalnum():
        return bare.lower()
    return "".join(words_of(name))


def otherwise_spelled(one: str, other: str) -> bool:
    """The same letters with other hyphens, underscores or capitals."""
    return one != other and joined(one) == joined(other) != ""


@lru_cache(maxsize=8192)
def alike(one: str, other: str) -> float:
    """From 0 to 1; 1 for names of the same words."""
    left, right = words_of(one), words_of(other)
    if not left or not right:
        return 0.0
    if "".join(left) == "".join(right):
        return 1.0
    shared = {_stem(word) for word in left} & {_stem(word) for word in right}
    # The last word says what a thing is, so it counts more than the others.
    heavy = 0.15 if _stem(left[-1]) == _stem(right[-1]) and len(shared) else 0.0
    by_words = len(shared) / max(len(left), len(right)) + heavy if shared else 0.0
    a, b = "".join(left), "".join(right)
    # Short words differ by a letter and mean other things: stats, state.
    longest = max(len(a), len(b))
    by_letters = 1 - distance(a, b) / longest if longest > SHORT else 0.0
    begins = 0.65 if min(len(a), len(b)) >= 4 and (a.startswith(b) or b.startswith(a)) else 0.0
    return min(0.99, max(by_words, by_letters, begins))


def nearest(name: str, names: Iterable[str], least: float = ALIKE) -> str | None:
    """The one that is most like it, where it is clearly the most."""
    scored = sorted(((alike(name, other), other) for other in set(names) if other != name), reverse=True)
    if not scored or scored[0][0] < least:
        return None
    return None if len(scored) > 1 and scored[1][0] == scored[0][0] < 1 else scored[0][1]


def distance(one: str, other: str) -> int:
    """Letters to insert, delete, replace or swap."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, right in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _stem(word: str) -> str:
    """Without the ending of a plural or of a verb's form, as far as a rule of thumb goes."""
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
