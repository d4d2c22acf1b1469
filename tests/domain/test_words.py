"""Numbers agree with what they count."""

from loopwright.core.text import agree_word, plural
from tests.tables import each


@each(
    ("n", "thing", "words"),
    [
        (0, "test", "0 tests"), (1, "test", "1 test"), (2, "test", "2 tests"), (1, "process", "1 process"),
        (3, "process", "3 processes"), (2, "hypothesis", "2 hypotheses"), (12_000, "edit", "12,000 edits"),
        (0.5, "minute", "0.5 minutes"), (1.0, "minute", "1 minute"),
    ],
)  # fmt: skip
def test_a_number_and_its_noun(n: float, thing: str, words: str) -> None:
    assert plural(n, thing) == words


def test_a_verb_agrees_too() -> None:
    assert [agree_word(n, "is") for n in (0, 1, 2)] == ["are", "is", "are"]
