"""Words for people: numbers with the thing they count, so that nobody reads of 1 tests, and a bound on length. Pure."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

IRREGULAR = {
    "fix": "fixes",
    "process": "processes",
    "hypothesis": "hypotheses",
    "is": "are",
    "there is": "there are",
    "passes": "pass",
    "fails": "fail",
    "shows": "show",
    "behaves": "behave",
    "occurs": "occur",
}


def plural(n: float, thing: str) -> str:
    """`1 test`, `3 tests`, `2.5 minutes`: the number and its noun."""
    return f"{n:,} {agree_word(n, thing)}" if isinstance(n, int) else f"{n:g} {agree_word(n, thing)}"


def agree_word(n: float, word: str) -> str:
    """The word alone, as it stands after that number: a noun, or one of the verbs known here."""
    return word if n == 1 else IRREGULAR.get(word, f"{word}s")


def clip_text(text: str, most: int) -> str:
    """At most that many characters, the last of them an ellipsis where some are missing."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def heading_of(text: str) -> str:
    """Its first heading in Markdown where it begins with one, else its first paragraph."""
    first = text.strip().partition("\n\n")[0]
    return first.partition("\n")[0].strip("# ") if first.startswith("#") else first


def strip_project(text: str, project: str) -> str:
    """With the project's own paths as they are seen from inside it."""
    return text.replace(f"{project}/", "").replace(project, ".") if len(project) > 1 else text


def drop_surrogates(text: str) -> str:
    """Without halves of characters, which can be said and not be written."""
    return text.encode(errors="replace").decode()


def clean_line(text: str) -> str:
    """One line without control characters: what an agent wrote must not steer the terminal."""
    return "".join(c for c in " ".join(text.split()) if unicodedata.category(c)[0] != "C")


_STEERING = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""What JSON leaves as it is, though terminals obey it or UTF-8 has no place for it; the rest JSON escapes by itself."""


def json_line(document: object, default: Callable[[Any], object] | None = None) -> str:  # Any: what JSON does not know
    """`default` as json.dumps takes it."""
    return _STEERING.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(document, ensure_ascii=False, default=default))


def json_objects(text: str) -> Iterator[dict[str, Any]]:  # Any: parsed JSON
    """The lines that hold a JSON object; others are passed over."""
    for line in text.split("\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


_PLAIN = re.compile(r'[^\s"\x00-\x1f\x7f-\x9f\u2028\u2029][^\x00-\x1f\x7f-\x9f\u2028\u2029]*(?<!\s)')
"""What stands there as it is."""


def encode_word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json_line(text)


def decode_word(text: str) -> str:
    """The text that `word` made a line of."""
    try:
        value = json.loads(text) if text.startswith('"') else text
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text
