"""Numbers with the thing they count, so that nobody reads of 1 tests. Pure."""

IRREGULAR = {"process": "processes", "hypothesis": "hypotheses", "is": "are", "there is": "there are", "passes": "pass"}


def plural(n: float, thing: str) -> str:
    """`1 test`, `3 tests`, `2.5 minutes`: the number and its noun."""
    return f"{n:,} {agreeing(n, thing)}" if isinstance(n, int) else f"{n:g} {agreeing(n, thing)}"


def agreeing(n: float, word: str) -> str:
    """The word alone, as it stands after that number: a noun, or one of the verbs known here."""
    return word if n == 1 else IRREGULAR.get(word, f"{word}s")
