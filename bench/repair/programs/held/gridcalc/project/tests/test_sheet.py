import pytest

from gridcalc import CellError, FormulaError, Sheet


def filled(**cells):
    sheet = Sheet()
    for address, raw in cells.items():
        sheet.set(address, raw)
    return sheet


def value_of(formula, **cells):
    sheet = filled(**cells)
    sheet.set("Z99", formula)
    return sheet.get("Z99")


@pytest.mark.parametrize(
    "formula, expected",
    [
        ("=1+2*3", 7.0),
        ("=-2^2", -4.0),
        ("=2^3^2", 512.0),
        ("=7/2", 3.5),
        ("=50%*4", 2.0),
        ('="a"&1&"b"', "a1b"),
        ('="Abc"="aBC"', True),
        ("=1<>1", False),
        ('=9<"a"', True),
        ('="3"+4', 7.0),
    ],
)
def test_arithmetic(formula, expected):
    assert value_of(formula) == expected


def test_constants():
    sheet = filled(A1="3.5", A2="hello", A3="true", A4="'007")
    assert [sheet.get(f"A{n}") for n in range(1, 6)] == [3.5, "hello", True, "007", None]


def test_bad_formula_leaves_the_old_one():
    sheet = filled(A1="=1+1")
    with pytest.raises(FormulaError):
        sheet.set("A1", "=1+")
    assert sheet.get("A1") == 2.0


def test_errors_travel():
    sheet = filled(A1="=1/0", A2="=A1+1", A3="=SUM(A1:A2)")
    assert sheet.get("A3") == CellError("#DIV/0!")
    assert sheet.show("A2") == "#DIV/0!"


@pytest.mark.parametrize(
    "formula, code",
    [("=NOPE(1)", "#NAME?"), ('="x"+1', "#VALUE!"), ("=A1:A3", "#VALUE!"), ("=IF()", "#VALUE!"), ("=#REF!", "#REF!")],
)
def test_error_codes(formula, code):
    assert value_of(formula) == CellError(code)


def test_chain_recalculates():
    sheet = filled(A1="1", A2="=A1*2", A3="=A2*2", A4="=A3*2")
    assert sheet.get("A4") == 8.0
    sheet.set("A1", "5")
    assert sheet.get("A4") == 40.0
    assert sheet.get("A2") == 10.0


def test_range_recalculates_when_a_blank_is_filled():
    sheet = filled(A1="1", B1="=SUM(A1:A3)")
    assert sheet.get("B1") == 1.0
    sheet.set("A3", "4")
    assert sheet.get("B1") == 5.0
    sheet.clear("A1")
    assert sheet.get("B1") == 4.0


def test_cycle_and_repair():
    sheet = filled(A1="=B1+1", B1="=A1+1")
    assert sheet.get("A1") == CellError("#CYCLE!")
    assert sheet.get("B1") == CellError("#CYCLE!")
    sheet.set("B1", "1")
    assert sheet.get("A1") == 2.0


def test_dependents_follow_the_formula():
    sheet = filled(B2="=A1", B1="=A1+A2")
    assert sheet.dependents("A1") == ["B1", "B2"]
    sheet.set("B1", "=A2*2")
    assert sheet.dependents("A1") == ["B2"]
    assert sheet.dependents("A2") == ["B1"]
    sheet.set("B2", "plain")
    assert sheet.dependents("A1") == []


def test_if_only_evaluates_the_branch_taken():
    assert value_of("=IF(A1=0,0,10/A1)") == 0.0
    assert value_of("=IF(A1=0,0,10/A1)", A1="4") == 2.5


def test_if_without_else():
    assert value_of("=IF(1>2,5)") is False


def test_average_skips_blanks_and_text():
    assert value_of("=AVERAGE(A1:A4)", A1="2", A2="x", A4="4") == 3.0
    assert value_of("=AVERAGE(A1:A4)") == CellError("#DIV/0!")


def test_count_min_max():
    cells = {"A1": "5", "A2": "-1", "A3": "no"}
    assert value_of("=COUNT(A1:A9)", **cells) == 2.0
    assert value_of("=MIN(A1:A9)", **cells) == -1.0
    assert value_of("=MAX(A1:A9,7)", **cells) == 7.0
    assert value_of("=MIN(A1:A3)") == 0.0


def test_copy_moves_relative_references():
    sheet = filled(A1="1", A2="2", B1="=A1*10")
    sheet.copy("B1", "B2")
    assert sheet.raw("B2") == "=A2*10"
    assert sheet.get("B2") == 20.0


def test_copy_keeps_fixed_references():
    sheet = filled(A1="3", B1="=$A$1+A$1+$A1+SUM($A1:A1)")
    sheet.copy("B1", "C3")
    assert sheet.raw("C3") == "=$A$1+B$1+$A3+SUM($A3:B3)"


def test_copy_off_the_grid():
    sheet = filled(B2="=A1+1")
    sheet.copy("B2", "A2")
    assert sheet.raw("A2") == "=#REF!+1"
    assert sheet.show("A2") == "#REF!"


def test_copy_plain_text():
    sheet = filled(A1="A1")
    sheet.copy("A1", "B7")
    assert sheet.raw("B7") == "A1"


def test_rows():
    assert Sheet().rows() == []
    assert filled(B1="x", A2="=1/4").rows() == [["", "x"], ["0.25", ""]]


def test_rows_of_a_wide_sheet():
    sheet = filled(AB1="end")
    assert len(sheet.rows()[0]) == 28
    assert sheet.rows()[0][-1] == "end"
