"""How much a function's words are those of the failing tests: a test speaks of what it tests."""

import ast
import math
import re
from collections import Counter
from collections.abc import Mapping

from .source import FUNCTIONS, Source

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|\d+")
_ENDINGS = ("ing", "ed", "es", "s")
_COMMON = frozenset((
    "assert", "test", "self", "def", "return", "none", "true", "false", "import", "from", "for", "not", "and", "the",
    "with", "pytest", "raise", "error", "value", "list",
))  # fmt: skip

Words = Counter[str]


def likenesses(sources: Mapping[str, Source], text: str) -> dict[ast.AST, float]:
    """For each function: 1 for the one most like `text`, 0 for those that share no word with it."""
    functions: dict[ast.AST, Words] = {}
    for source in sources.values():
        for node in ast.walk(source.tree):
            if isinstance(node, FUNCTIONS):
                owner = source.owner(node)
                functions[node] = words(source.segment(node)) + words(owner.name if owner else "")
    held = Counter(word for counts in functions.values() for word in counts)
    weight = {word: math.log(1 + len(functions) / count) for word, count in held.items()}
    asked = words(text)
    found = {node: _cosine(counts, asked, weight) for node, counts in functions.items()}
    most = max(found.values(), default=0.0)
    return {node: value / most for node, value in found.items()} if most else found


def words(text: str) -> Words:
    """The words in names, strings and comments, each without its ending."""
    stems = (_stem(word.lower()) for word in _WORD.findall(text))
    return Counter(word for word in stems if len(word) > 2 and word not in _COMMON)


def _stem(word: str) -> str:
    ending = next((end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), "")
    return word.removesuffix(ending)


def _cosine(one: Words, other: Words, weight: Mapping[str, float]) -> float:
    def much(counts: Words, word: str) -> float:
        return weight.get(word, 0.0) * min(1 + math.log(counts[word]), 2.0)

    length = math.prod(math.sqrt(sum(much(counts, word) ** 2 for word in counts)) for counts in (one, other))
    return sum(much(one, word) * much(other, word) for word in one if word in other) / length if length else 0.0
