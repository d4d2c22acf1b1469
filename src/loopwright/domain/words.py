"""Words for people: numbers with the thing they count, so that nobody reads of 1 tests, and a bound on length. Pure."""

import unicodedata

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
    return f"{n:,} {agreeing(n, thing)}" if isinstance(n, int) else f"{n:g} {agreeing(n, thing)}"


def agreeing(n: float, word: str) -> str:
    """The word alone, as it stands after that number: a noun, or one of the verbs known here."""
    return word if n == 1 else IRREGULAR.get(word, f"{word}s")


def clipped(text: str, most: int) -> str:
    """At most that many characters, the last of them an ellipsis where some are missing."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def relative(text: str, project: str) -> str:
    """With the project's own paths as they are seen from inside it."""
    return text.replace(f"{project}/", "").replace(project, ".") if len(project) > 1 else text


def whole(text: str) -> str:
    """Without halves of characters, which can be said and not be written."""
    return text.encode(errors="replace").decode()


def clean(text: str) -> str:
    """One line without control characters: what an agent wrote must not steer the terminal."""
    return "".join(c for c in " ".join(text.split()) if unicodedata.category(c)[0] != "C")
