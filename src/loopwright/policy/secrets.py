"""Keeping secrets out of what is written and shown: values that are known, and shapes that are well known. Pure."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

SHORTEST = 8
"""Characters; a shorter value says too little about itself, and stands in too many other words."""
SHORTEST_LINE = 16
"""Of a value with several lines: each line that is this long is a secret by itself."""
HELD = 4096
"""Characters at the end of a stream that may wait for what follows."""
HEAD = 96
"""Characters of a longer secret that stay behind, so that its next piece is still known as one."""

_WORDS = frozenset({"KEY", "KEYS", "TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PAT", "DSN"})
_ENDINGS = ("APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD")
_BESIDE = frozenset({"FILE", "PATH", "DIR", "NAME", "ID", "SOCK", "SOCKET", "COMMAND", "HELPER"})
"""Ends of names whose values say where a secret is, not what it is."""


class SecretShape(NamedTuple):
    """A kind of secret that is known by its looks. `sign` is cheap to look for, and in every match.

    Every pattern is linear: it begins at the edge of a run of its own characters, or its length is bounded.
    """

    kind: str
    sign: str
    pattern: re.Pattern[str]
    believed: Callable[[str], bool]


def _mixed(found: str) -> bool:
    """Letters and digits: words with hyphens between them are no key."""
    return any(c.isdigit() for c in found) and any(c.isalpha() for c in found)


def _always(found: str) -> bool:
    return True


def _no_variable(found: str) -> bool:
    """`$PASSWORD` and its like stand for a secret, and tell none."""
    return not found.startswith(("$", "<", "{", "%"))


def _shape(kind: str, sign: str, pattern: str, believed: Callable[[str], bool] = _mixed) -> SecretShape:
    return SecretShape(kind, sign, re.compile(pattern), believed)


_KEY_BODY = (
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----"
    r"|(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{16,}+)*+)"
)
"""Up to its end; where that is missing, what looks like its lines."""

SHAPES = (
    _shape("private key", "PRIVATE KEY-----", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----" + _KEY_BODY, _always),
    _shape("key", "sk-", r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}"),
    _shape("key", "k_live_", r"(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{10,}"),
    _shape("GitHub token", "gh", r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{20,}"),
    _shape("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    _shape("GitLab token", "glpat-", r"(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{16,}"),
    _shape("AWS key", "AKIA", r"(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}(?![A-Za-z0-9])", _always),
    _shape("AWS key", "ASIA", r"(?<![A-Za-z0-9])ASIA[0-9A-Z]{16}(?![A-Za-z0-9])"),
    _shape("Slack token", "xox", r"(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _shape("Google key", "AIza", r"(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{30,}"),
    _shape("npm token", "npm_", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}"),
    _shape("token", "hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}"),
    _shape("token", "eyJ", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*", _always),
    _shape("bearer", "earer", r"(?<=[Bb]earer)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})"),
    _shape("bearer", "EARER", r"(?<=BEARER)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})"),
    _shape("password", "://", r"(?<=://)[^\s/@:\"'<>`]{0,256}:([^\s/@\"'<>`]{1,512})(?=@)", _no_variable),
)

_EDGE = re.compile(r"[\s\"'<>`]")
"""What no secret holds, but for private keys and values that are known."""
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----")
_ANNOUNCED = re.compile(r"bearer\s*\Z", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether an environment variable of that name holds a secret itself."""
    words = name.upper().replace("-", "_").split("_")
    if words[-1] in _BESIDE:
        return False
    return any(word in _WORDS or word.endswith(_ENDINGS) or word.startswith("CREDENTIAL") for word in words)


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of the variables whose names look secret, also as they stand in JSON; paths are not secret."""
    values = [v.strip() for n, v in environment.items() if is_secret(n) and not v.startswith(("/", "~", "./"))]
    lines = [line.strip() for value in values if "\n" in value for line in value.splitlines()]
    known = [*values, *(line for line in lines if len(line) >= SHORTEST_LINE)]
    return tuple(dict.fromkeys(value for value in known if len(value) >= SHORTEST))


_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})


def secret_headers(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The values of HTTP headers that say who asks, and the last word of each: `Bearer …`."""
    values = [v.strip() for n, v in headers.items() if n.lower() in _HEADERS or is_secret(n)]
    return tuple(v for value in values for v in dict.fromkeys((value, value.split()[-1])) if len(v) >= SHORTEST)


def masked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as they may be shown."""
    return {n: "‹masked›" if n.lower() in _HEADERS or is_secret(n) else v for n, v in headers.items()}


def masked_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables as they may be shown: no value of a name that looks secret, and nothing that looks so by itself."""
    secrets = SecretFilter()
    return {n: "‹masked›" if is_secret(n) and v else secrets.masked(v) for n, v in environment.items()}


class MaskedPart(NamedTuple):
    """What of a stream can be shown, and what has to wait for the next part, as it came."""

    text: str
    rest: str


class SecretMatch(NamedTuple):
    """A secret from `start` to `end`, and what takes its place."""

    start: int
    end: int
    mask: str


class SecretFilter:
    """Takes secrets out of text. `values` are masked wherever they stand; nothing that is put in holds one of them."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        spelled = {form for value in values for form in (value, json.dumps(value)[1:-1]) if len(value) >= SHORTEST}
        self._values = tuple(sorted(spelled, key=lambda value: (-len(value), value)))
        self._plain = next(m for m in ("‹masked›", "‹…›", "") if not any(v in m for v in self._values))
        self._known = self._mask("environment")
        self._masks = {shape.kind: self._mask(shape.kind) for shape in SHAPES}

    def _mask(self, kind: str) -> str:
        mask = f"‹masked {kind}›"
        return self._plain if any(value in mask for value in self._values) else mask

    def masked(self, text: str) -> str:
        return _replaced(text, self._found(text))

    def masked_json(self, value: JsonValue) -> JsonValue:
        """Every text in a document, keys too."""
        if isinstance(value, str):
            return self.masked(value)
        if isinstance(value, list):
            return [self.masked_json(item) for item in value]
        if isinstance(value, dict):
            return {self.masked(key): self.masked_json(item) for key, item in value.items()}
        return value

    def streamed(self, text: str) -> MaskedPart:
        """As `masked`, for a part of a longer text: a secret may have begun at its end."""
        found = self._found(text)
        most = max(HELD, len(self._values[0]) if self._values else 0)
        cut = max(self._unsure_from(text), len(text) - most)
        for start, end, _ in found:
            if not start < cut < end:
                continue
            if end == len(text) and end - start > most:
                return MaskedPart(_replaced(text, found), text[start : start + HEAD])
            cut = end if end < len(text) else start
        return MaskedPart(_replaced(text[:cut], [f for f in found if f.end <= cut]), text[cut:])

    def _found(self, text: str) -> list[SecretMatch]:
        """Every secret in the text, in order; what overlaps is one."""
        spans = [SecretMatch(at, at + len(value), self._known) for value in self._values for at in _places(text, value)]
        for shape in SHAPES:
            if shape.sign in text:
                groups = ((m, m.lastindex or 0) for m in shape.pattern.finditer(text))
                spans += [SecretMatch(*m.span(g), self._masks[shape.kind]) for m, g in groups if shape.believed(m[g])]
        joined: list[SecretMatch] = []
        for span in sorted(spans):
            if joined and span.start < joined[-1].end:
                joined[-1] = joined[-1]._replace(end=max(joined[-1].end, span.end))
            else:
                joined.append(span)
        return joined

    def _unsure_from(self, text: str) -> int:
        """Where a secret may begin whose end is not there yet."""
        edge = _EDGE.search(text[::-1])
        run = len(text) - edge.start() if edge else 0
        if announced := _ANNOUNCED.search(text[max(0, run - 12) : run]):
            run -= len(announced[0])
        begun = [_begun(text, value) for value in self._values]
        key = text.rfind("-----BEGIN ")
        if key >= 0 and _KEY_END.search(text, key):
            key = -1
        return min([run, *begun, *([key] if key >= 0 else [])])


def _places(text: str, value: str) -> Iterable[int]:
    at = text.find(value)
    while at >= 0:
        yield at
        at = text.find(value, at + len(value))


def _begun(text: str, value: str) -> int:
    """Where the end of the text is the beginning of the value."""
    at = text.find(value[0], max(0, len(text) - len(value) + 1))
    while at >= 0 and not value.startswith(text[at:]):
        at = text.find(value[0], at + 1)
    return at if at >= 0 else len(text)


def _replaced(text: str, found: Iterable[SecretMatch]) -> str:
    parts, at = [], 0
    for start, end, mask in found:
        parts += [text[at:start], mask]
        at = end
    return "".join([*parts, text[at:]])
