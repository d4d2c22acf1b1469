"""Ways to find an expression sooner find what the expression alone finds."""

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.tune.reading.agents import outsiders
from loopwright.tune.reading.fields import strays
from loopwright.tune.reading.files import rival_paths
from loopwright.tune.reading.lists import alternatives
from loopwright.tune.reading.prompts import feeding
from loopwright.tune.reading.shell import command_lines
from loopwright.tune.reading.words.likeness import joined, words_of
from loopwright.tune.reading.words.spots import on_lines
from loopwright.tune.skill.letters import among, has


def _texts(parts: str) -> st.SearchStrategy[str]:
    """Texts of these parts, which are parted by spaces, of spaces, and of ends of lines."""
    return st.lists(st.sampled_from([*parts.split(), " ", " ", "\n", "\r\n", "状"]), max_size=24).map("".join)


def _spans(found: Iterable[re.Match[str]]) -> list[tuple[int, int]]:
    return [one.span() for one in found]


@given(_texts("./ / docs plan.md {id} <n> ~ - http: a ` *"))
def test_paths_on_lines(text: str) -> None:
    assert _spans(on_lines(text, "/", rival_paths._PATH)) == _spans(rival_paths._PATH.finditer(text))


@given(_texts("mode status.x _id ` ** \" ' : = := != is of to becomes 为 是 open done a | / - ."))
def test_values_that_are_given_a_name(text: str) -> None:
    assert _spans(strays._set(text)) == _spans(strays._SET.finditer(text))


@given(_texts("npm run --dry-run --out=x --- -- ` \\ $ | - git"))
def test_options_of_command_lines(text: str) -> None:
    def given_in(lines: Iterable[re.Match[str]]) -> list[tuple[str, str, int]]:
        return [
            (line["program"], option[1], option.start())
            for line in lines
            for option in command_lines._OPTION.finditer(text, line.start("rest"), line.end("rest"))
        ]

    assert given_in(command_lines._lines(text)) == given_in(command_lines._LINE.finditer(text))


@given(
    _texts("Agents agent spawn, the-agent so far SO \u00a0 ."), st.sampled_from(["agent", "so far", "s", " the", "状"])
)
def test_stems(text: str, stem: str) -> None:
    assert has(text, stem) == (stem in text.lower())


@given(_texts("Agents re-do REDO， 智能 能体 \u00a0 é . _"))
def test_several_stems(text: str) -> None:
    stems = ("redo", "re-do", "nts re", "智能", "体", "é", "，")
    assert among(text, stems) == tuple(stem for stem in stems if stem in text.lower())


@given(_texts("the-agent a_b plug:in-it @ . / ( - x1 _ é"))
def test_names_of_several_parts(text: str) -> None:
    assert outsiders._compounds(text) == [found[0] for found in outsiders._COMPOUND.finditer(text)]


@given(_texts('open done `a1` | / , or and 、 ( ) : \\ " shut .'))
def test_alternatives_behind_a_second_word(text: str) -> None:
    """Signs that are passed over begin no alternatives."""
    signs = re.compile(r"[|/](?=[ \"'`*]{0,4}[A-Za-z])"), re.compile(r"[,、](?=[ A-Za-z])")
    for sign, less, reading in zip(
        signs, (alternatives._BAR, alternatives._COMMA), (alternatives._barred, alternatives._plain), strict=True
    ):
        assert _spans(alternatives._from(text, less, reading)) == _spans(alternatives._from(text, sign, reading))


@given(st.text("abAB1_-中é.", max_size=70))
def test_letters_of_names(name: str) -> None:
    assert joined(name) == "".join(words_of(name))


@pytest.mark.parametrize(
    "text",
    [
        "all output so far", "every message up to now", "the complete debate", "all that was ever said",
        "earlier answers verbatim", "the collected answers in full", "the running notes", "cumulative findings",
        "a file that keeps growing", "append each answer from round to round", "add it round by round",
        "never trim the message list", "do not drop older", "the prompt of the last round plus its answer",
        "the last prompt plus the answer", "accumulate all", "outputs of every iteration", "outputs, of each turn",
        "rounds 1 to the last", "turns one through five", "never drop earlier", "所有历史", "每一轮的往来",
        "到目前为止全部", "累积的", "此前所有会话", "历次评审", "之前的内容原样",
    ],
)  # fmt: skip
def test_words_of_the_past(text: str) -> None:
    """Each way to say it has one of the words that are looked for first."""
    assert feeding._PAST.search(text)
    assert any(stem in text.lower() for stem in feeding._PAST_STEMS)
