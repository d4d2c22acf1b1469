"""What the failing tests know: literals, unequal values, exceptions that came or did not."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache

_NAME = r"'(\w+)'"
_ERRORS = {
    "NameError": (("undefined", rf"^name {_NAME} is not defined"), ("unset", rf"^cannot access free variable {_NAME}")),
    "UnboundLocalError": (("unset", rf"^cannot access local variable {_NAME}"),),
    "AttributeError": (("lacking", rf"^(?:type object )?{_NAME} (?:object )?has no attribute {_NAME}"),),
    "TypeError": (
        ("unexpected", rf"^(?:[\w.<>]*?)(\w+)\(\) got an unexpected keyword argument {_NAME}"),
        ("required", rf"^(?:[\w.<>]*?)(\w+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: {_NAME}"),
        ("counted", r"^(?:[\w.<>]*?)(\w+)\(\) takes (\d+) positional arguments? but \d+ (?:was|were) given"),
    ),
    "KeyError": (("keys", r"^(.+)$"),),
}
"""Exception → what it complains of, and where its message says so."""


@dataclass
class FailureComplaints:
    """Each in the order in which the failing tests brought it up, and once.

    `undefined` and `unset`: variables. `lacking`: (class, attribute). `unexpected`, `required`: (function, parameter).
    `counted`: (function, how many arguments it takes). `keys`: as they stand in code.
    """

    undefined: list[tuple[str, ...]] = field(default_factory=list)
    unset: list[tuple[str, ...]] = field(default_factory=list)
    lacking: list[tuple[str, ...]] = field(default_factory=list)
    unexpected: list[tuple[str, ...]] = field(default_factory=list)
    required: list[tuple[str, ...]] = field(default_factory=list)
    counted: list[tuple[str, ...]] = field(default_factory=list)
    keys: list[tuple[str, ...]] = field(default_factory=list)

    def learn(self, error: str, message: str) -> None:
        """Adds what one exception's message names."""
        for what, pattern in _ERRORS.get(error, ()):
            known: list[tuple[str, ...]] = getattr(self, what)
            if (found := re.search(pattern, message)) and found.groups() not in known:
                known.append(found.groups())


Literal = int | float | str | bytes | bool | None
PLAIN = (int, float, str, bytes, bool, type(None))
_INSERTED, _FRAGMENT, _LONGEST = 4, 8, 2000
_ASSERT = re.compile(r"^(?:AssertionError: )?(?:assert )?(.+?) (==|!=) (.+?)(?: : .*)?$", re.MULTILINE)
_RAISES = re.compile(r"DID NOT RAISE.*?'(?:[\w.]*\.)?(\w+)'|^(\w+) not raised", re.MULTILINE)


@dataclass
class FailureFacts:
    """What the failing tests know. `pairs` are (one side, other side) of failed equalities, either way round.

    `raises`: exceptions that tests waited for; `errors`: those that came instead; `complaints`: what those name.
    """

    literals: list[object] = field(default_factory=list)
    pairs: list[tuple[object, object]] = field(default_factory=list)
    raises: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    complaints: FailureComplaints = field(default_factory=FailureComplaints)
    _inserted: Counter[str] = field(default_factory=Counter)

    @property
    def inserted(self) -> list[str]:
        """Short texts that one side of a failed equality has, and the other has not: those found most often first."""
        return [text for text, _ in self._inserted.most_common(_INSERTED)]

    def learn(self, error: str, message: str, source: str) -> None:
        """Adds what one failing test's error message and source text say."""
        if error not in ("AssertionError", "Failed", "TimeUp", *self.errors):
            self.errors.append(error)
        self.complaints.learn(error, message)
        for left, _, right in _ASSERT.findall(message):
            sides = _value(left), _value(right)
            if None not in sides:
                unequal = _unequal(sides[0], sides[1])
                self.pairs += unequal
                self._inserted.update(text for one, other in unequal for text in set(_inserted(one, other)))
        for first, second in _RAISES.findall(message):
            self.raises += [name for name in (first or second,) if name not in self.raises]
        self.literals += [value for value in _literals(source) if value not in self.literals]


def _inserted(one: object, other: object) -> Iterator[str]:
    if isinstance(one, str) and isinstance(other, str):
        for tag, _, _, start, end in diff_values(one, other):
            if tag == "insert" and end - start <= _FRAGMENT:
                yield other[start:end]


@cache
def diff_values(one: str, other: str) -> Sequence[tuple[str, int, int, int, int]]:
    """As difflib tells them; none for long texts, in which they are many and take long to find."""
    if len(one) + len(other) > _LONGEST:
        return []
    return SequenceMatcher(None, one, other, autojunk=False).get_opcodes()


def _value(text: str) -> object:
    """The literal, None for what is none."""
    try:
        value: object = ast.literal_eval(text.strip())
        return value
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _unequal(left: object, right: object, depth: int = 3) -> list[tuple[object, object]]:
    """The smallest parts in which two values differ, both ways round."""
    if depth and isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)) and len(left) == len(right):
        return [pair for a, b in zip(left, right, strict=True) if a != b for pair in _unequal(a, b, depth - 1)]
    if depth and isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return [pair for key in left if left[key] != right[key] for pair in _unequal(left[key], right[key], depth - 1)]
    return [(left, right), (right, left)]


def _literals(source: str) -> list[Literal]:
    """Without what an assertion says to people."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    said = {node.msg for node in ast.walk(tree) if isinstance(node, ast.Assert)}
    plain = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in said]
    return [node.value for node in plain if isinstance(node.value, PLAIN)]
