import pytest

from sumscript import ParseError, parse


def test_empty_script():
    assert parse("\n# nothing\n") == []


def test_statements():
    assert [node[0] for node in parse("let a = 1\ndef f(x) = x\nf(a)")] == [
        "let", "def", "call",
    ]


def test_trailing_comma_is_fine():
    assert parse("[1, 2,]") == parse("[1, 2]")


@pytest.mark.parametrize(
    "source, message",
    [
        ("1 2", "line 1: unexpected 2"),
        ("let 3 = 4", "line 1: expected a name, found 3"),
        ("let a\n= 1", "line 1: expected =, found end of line"),
        ("(1 + 2", "line 1: expected ), found end of script"),
        ("1 +", "line 1: unexpected end of script"),
        ("def f(a, a) = a", "line 1: parameter a twice"),
        ("if true then 1", "line 1: expected else, found end of script"),
        ('"\n\n" )', "line 3: unexpected )"),
    ],
)
def test_errors(source, message):
    with pytest.raises(ParseError) as caught:
        parse(source)
    assert str(caught.value) == message
