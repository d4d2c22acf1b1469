"""Keeping secrets out of what is written and shown: values that are known, and shapes that are well known. Pure."""

import base64
import html
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from pydantic import JsonValue

SHORTEST = 8
"""Characters; a shorter value says too little about itself, and stands in too many other words."""
SHORTEST_LINE = 16
"""Of a value with several lines: each line that is this long is a secret by itself."""
HELD = 4096
"""Characters at the end of a stream that may wait for what follows."""
MASK = "‹masked"
"""Begins what stands for a secret."""
HEAD = 96
"""Characters of a longer secret that stay behind, so that its next piece is still known as one."""

_WORDS = frozenset(
    {
        *("AUTHORIZATION", "BEARER", "COOKIE", "DSN", "JWT", "KEY", "KEYS", "PASS", "PASSPHRASE", "PASSWD", "PASSWORD"),
        *("PAT", "PWD", "SECRET", "SECRETS", "TOKEN"),
    }
)
_ENDINGS = ("APIKEY", "SECRETKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD")
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
    if words[-1] in _BESIDE and words[-2:] != ["SECRET", "ID"]:
        return False
    return any(word in _WORDS or word.endswith(_ENDINGS) or word.startswith("CREDENTIAL") for word in words)


def _names_secret(name: str, value: str) -> bool:
    """By its name; a path says where a secret is."""
    return is_secret(name) and not value.startswith(("/", "~", "./"))


def withheld_names(environment: Mapping[str, str], passed: Iterable[str] = ()) -> tuple[str, ...]:
    """The variables that hold a secret, by name or by shape, but for those that are `passed`: names, or as AWS_*."""
    passed = tuple(passed)
    return tuple(
        name
        for name, value in environment.items()
        if len(value) >= SHORTEST and (_names_secret(name, value) or SHAPES_ALONE.masked(value) != value)
        if not any(fnmatchcase(name, pattern) for pattern in passed)
    )


def withheld_words(names: Iterable[str]) -> str:
    """What to say of variables that programs do not get."""
    listed = ", ".join(sorted(names))
    return (
        f"withheld as secrets from commands, tests, and agents that log in otherwise: {listed} (see setting pass_env)"
    )


def named_in(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of these variables that the text speaks of."""
    return tuple(name for name in names if name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of the variables whose names look secret; paths are not secret."""
    values = [v.strip() for n, v in environment.items() if _names_secret(n, v)]
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


def _quoted_forms(value: str) -> Iterator[str]:
    """As it stands in JSON, in JSON within JSON, in Python, a shell, a URL, and a page."""
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield from (once, json.dumps(once, ensure_ascii=ascii_only)[1:-1])
    yield from (repr(value)[1:-1], html.escape(value), html.escape(value, quote=False))
    yield from (shlex.quote(f" {value}")[2:-1], re.sub(r"([^\w@%+=:,./-])", r"\\\1", value))
    for escape in (partial(quote, safe=""), quote, quote_plus):
        escaped = escape(value, errors="replace")
        yield from (escaped, re.sub(r"%..", lambda found: found[0].lower(), escaped))


def _encoded_forms(value: str) -> Iterator[str]:
    """In hex, and in base64 wherever it begins in what is encoded: those characters that nothing beside it changes."""
    data = value.encode(errors="replace")
    yield from (data.hex(), data.hex().upper())
    for before, first in enumerate((0, 2, 3)):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(bytes(before) + data).decode()[first : (before + len(data)) * 8 // 6]


def _by_length(forms: Iterable[str]) -> tuple[str, ...]:
    """The longest first."""
    return tuple(sorted({form for form in forms if len(form) >= SHORTEST}, key=lambda form: (-len(form), form)))


_RUN = re.compile(r"[A-Za-z0-9+/_-]{9,}")
"""What may be in hex or base64: eight bytes have at least as many characters, wherever they begin."""


class SecretFilter:
    """Takes secrets out of text. `values` are masked wherever they stand, as they are, quoted, in hex or in base64;
    nothing that is put in holds one of them.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        known = [value for value in values if len(value) >= SHORTEST]
        self._values = _by_length(form for value in known for form in (value, *_quoted_forms(value)))
        self._encoded = _by_length(form for value in known for form in _encoded_forms(value))
        self._longest = max(map(len, (*self._values[:1], *self._encoded[:1])), default=0)
        self._holding: dict[str, list[str]] = {}
        for form in (*self._values, *self._encoded):
            for character in set(form):
                self._holding.setdefault(character, []).append(form)
        self._plain = next(m for m in ("‹masked›", "‹…›", "") if not any(v in m for v in self._values))
        self._known = self._mask("environment")
        self._masks = {shape.kind: self._mask(shape.kind) for shape in SHAPES}

    def _mask(self, kind: str) -> str:
        mask = f"{MASK} {kind}›"
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
        most = max(HELD, self._longest)
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
        known = (*self._values, *self._encoded_in(text))
        spans = [SecretMatch(at, at + len(value), self._known) for value in known for at in _places(text, value)]
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

    def _encoded_in(self, text: str) -> list[str]:
        """Looks only at what can be encoded, which is little of most texts."""
        if not self._encoded:
            return []
        runs = "\n".join(_RUN.findall(text))
        return [form for form in self._encoded if form in runs]

    def _unsure_from(self, text: str) -> int:
        """Where a secret may begin whose end is not there yet."""
        edge = _EDGE.search(text[::-1])
        run = len(text) - edge.start() if edge else 0
        if announced := _ANNOUNCED.search(text[max(0, run - 12) : run]):
            run -= len(announced[0])
        begun = [_begun(text, value) for value in self._holding.get(text[-1:], ())]
        key = text.rfind("-----BEGIN ")
        if key >= 0 and _KEY_END.search(text, key):
            key = -1
        return min([run, *begun, *([key] if key >= 0 else [])])


SHAPES_ALONE = SecretFilter()
"""For those who know no values."""


class SecretStream:
    """Passes a text that comes in parts on to `tell`, without its secrets."""

    def __init__(self, secrets: SecretFilter, tell: Callable[[str], None]) -> None:
        self._secrets, self._tell, self._rest = secrets, tell, ""

    def feed(self, text: str) -> None:
        told, self._rest = self._secrets.streamed(self._rest + text)
        if told:
            self._tell(told)

    def finish(self) -> None:
        rest, self._rest = self._rest, ""
        if rest:
            self._tell(self._secrets.masked(rest))


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
