"""What the interpreter's own error messages name: a name that is not there, an attribute, an argument, a key."""

import re
from dataclasses import dataclass, field

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
class Complaints:
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
