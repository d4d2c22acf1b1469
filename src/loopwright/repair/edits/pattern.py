"""A regular expression that takes too much or too little: quantifiers, ends, classes, a dot meant as a dot, flags."""

import ast
import re
import warnings
from collections.abc import Iterator

from .place import Edit, Place

_FUNCTIONS = ("compile", "match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split")
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+?]\??|\{\d*,?\d*\}\??|\(\?[:=!]|\(\?<[=!]|\(\?P<\w+>|.", re.DOTALL
)
_QUANTIFIERS = ("*", "+", "?", "*?", "+?")
_WIDER = {r"\d": (r"\w", r"[\d.]", r"[\d,]"), r"\w": (r"[\w-]", r"[\w.]", r"\S", "."), r"\s": (" ",), " ": (r"\s",),
          ".": (r"\.", r"[^\n]"), r"\.": (".",), r"\b": ("",)}  # fmt: skip
_FLAGS = ("re.IGNORECASE", "re.DOTALL", "re.MULTILINE")
_CHARACTERS, _LONGEST = 8, 120


def edits(place: Place) -> Iterator[Edit]:
    for node in place.nodes:
        if isinstance(node, ast.Call) and node.args and _is_of_re(place, node):
            yield from _flagged(place, node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_pattern(place, node):
            yield from _other(place, node)


def _is_of_re(place: Place, node: ast.Call) -> bool:
    return place.text(node.func) in [f"re.{name}" for name in _FUNCTIONS]


def _is_pattern(place: Place, node: ast.Constant) -> bool:
    parent = place.source.parents[node]
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        return _is_of_re(place, parent)
    return place.text(node)[:1] in "rR" and not isinstance(parent, ast.JoinedStr)


def _flagged(place: Place, node: ast.Call) -> Iterator[Edit]:
    """The pattern's own flags; `match` begins at the start, and only `fullmatch` goes on to the end."""
    most = {"sub": 4, "subn": 4, "split": 3}.get(getattr(node.func, "attr", ""), 2)
    end = place.source.span(node)[1] - 1
    if len(node.args) <= most and not any(word.arg == "flags" for word in node.keywords):
        for n, flag in enumerate(_FLAGS):
            yield Edit(end, end, f", flags={flag}", 2.2 + 0.1 * n, f"pass `flags={flag}`")


def _other(place: Place, node: ast.Constant) -> Iterator[Edit]:
    shown = place.text(node)
    mark = shown[-3:] if shown.endswith(('"""', "'''")) and len(shown) > 6 else shown[-1]
    head = shown[: shown.index(mark) + len(mark)]
    inner = shown[len(head) : -len(mark)]
    if "\n" in inner or len(inner) > _LONGEST or ("\\" in inner and head[:1] not in "rR"):
        return
    for cost, text in _variants(inner, _characters(place, inner)):
        if text != inner and _compiles(text):
            yield place.swap(node, head + text + mark, cost)


def _compiles(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(text)
    except (re.error, Warning, OverflowError, RecursionError):
        return False
    return True


def _characters(place: Place, inner: str) -> list[str]:
    """Marks in the tests' texts that the pattern does not name."""
    texts = "".join(one for one in place.pool.facts.literals if isinstance(one, str))
    named = re.sub(r"(\w)-(\w)", r"\1\2", inner)
    return [one for one in dict.fromkeys(texts) if not one.isalnum() and one not in named and one not in "\"'\\\n^]["]


def _variants(inner: str, characters: list[str]) -> Iterator[tuple[float, str]]:
    tokens = _TOKEN.findall(inner)
    for n, token in enumerate(tokens):
        before, after = "".join(tokens[:n]), "".join(tokens[n + 1 :])
        follower = tokens[n + 1] if n + 1 < len(tokens) else ""
        if token in _QUANTIFIERS or token.startswith("{"):
            yield 2.0, before + after
            yield from ((1.9, before + other + after) for other in _QUANTIFIERS if other != token)
            continue
        if token.startswith("(?") or token in "(|^$":
            continue
        if follower not in _QUANTIFIERS and not follower.startswith("{"):
            yield from ((2.2 + 0.1 * m, before + token + other + after) for m, other in enumerate(("?", "*", "+")))
        yield from ((2.0, before + other + after) for other in _WIDER.get(token, ()))
        if token.startswith("[") and len(token) > 2:
            for character in characters[:_CHARACTERS]:
                mark = f"\\{character}" if character in "-^]\\" else character
                yield 1.9, before + token[:-1] + mark + "]" + after
        if token != ")":
            yield 2.6, before + after
    yield 2.0, inner.removesuffix("$") if inner.endswith("$") else inner + "$"
    yield 2.0, inner.removeprefix("^") if inner.startswith("^") else "^" + inner
    yield 2.2, rf"\b{inner}\b"
