import pytest

from sumscript import ParseError, tokenize


def kinds(source):
    return [(token.kind, token.value) for token in tokenize(source)][:-1]


def test_numbers():
    assert kinds("1 2.5 .5 1e3") == [
        ("number", 1), ("number", 2.5), ("number", 0.5), ("number", 1000.0),
    ]


def test_whole_numbers_stay_whole():
    assert isinstance(tokenize("12")[0].value, int)


def test_long_symbols_win():
    assert [value for _, value in kinds("a<=b//c")] == ["a", "<=", "b", "//", "c"]


def test_keywords_are_not_names():
    assert kinds("if iffy") == [("key", "if"), ("name", "iffy")]


def test_text_escapes():
    assert kinds(r'"a\"b\\n\n"') == [("text", 'a"b\\n\n')]


def test_comments_end_with_their_line():
    assert kinds("1 # one\n2") == [("number", 1), ("eol", None), ("number", 2)]


def test_blank_lines_make_no_tokens():
    assert kinds("\n\n1\n\n\n2") == [("number", 1), ("eol", None), ("number", 2)]


def test_lines_inside_brackets_go_on():
    assert ("eol", None) not in kinds("f(1,\n 2)")
    assert ("eol", None) in kinds("f(1)\n2")


def test_line_numbers():
    assert [token.line for token in tokenize("a\n\nb # x\n c")] == [1, 1, 3, 3, 4, 4]


def test_line_numbers_after_text_with_line_ends():
    assert tokenize('"a\nb\n" x')[1].line == 3


@pytest.mark.parametrize(
    "source, message",
    [
        ("1\n2 ? 3", "line 2: unexpected character '?'"),
        ('"abc', "line 1: text without end"),
        (r'"a\q"', r"line 1: unknown escape \q"),
        ('"abc\\', "line 1: unknown escape \\"),
    ],
)
def test_errors(source, message):
    with pytest.raises(ParseError) as caught:
        tokenize(source)
    assert str(caught.value) == message
