import pytest

from gridcalc import FormulaError
from gridcalc.parser import Area, Binary, Cell, Text, Unary, moved_text, parse, references


def shape(node):
    if isinstance(node, Binary):
        return f"({shape(node.left)}{node.op}{shape(node.right)})"
    if isinstance(node, Unary):
        return f"{node.op}[{shape(node.operand)}]"
    if isinstance(node, Cell):
        return str(node.ref)
    return f"{node.value:g}"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("1+2*3", "(1+(2*3))"),
        ("(1+2)*3", "((1+2)*3)"),
        ("1-2-3", "((1-2)-3)"),
        ("-A1^2", "-[(A1^2)]"),
        ("2^3^2", "(2^(3^2))"),
        ("2^-1", "(2^-[1])"),
        ("50%^2", "(%[50]^2)"),
        ("A1<>B1+1", "(A1<>(B1+1))"),
    ],
)
def test_levels(text, expected):
    assert shape(parse(text)) == expected


def test_quotes_inside_text():
    assert parse('"say ""hi"""') == Text('say "hi"')


def test_spaces_and_case_do_not_matter():
    assert parse(" sum( a1 , $b$2 ) ") == parse("SUM(A1,$B$2)")


def test_moved_text():
    assert moved_text('A1 + SUM($B$1:C2) & "A1"', 1, 1) == 'B2+SUM($B$1:D3)&"A1"'
    assert moved_text("A1:B2", -1, 0) == "#REF!:A2"


def test_broken_references_are_readable():
    assert parse("#REF!:A2") == parse("#REF!") == parse("A1:#REF!")


@pytest.mark.parametrize("bad", ["", "1+", "(1", "1 2", "SUM(1", "A1:", "foo", "1;2", "\"open"])
def test_unreadable(bad):
    with pytest.raises(FormulaError):
        parse(bad)


def test_references_in_reading_order():
    found = list(references(parse("B1+SUM(A1:A3,-C1)")))
    assert [type(node) for node in found] == [Cell, Area, Cell]
