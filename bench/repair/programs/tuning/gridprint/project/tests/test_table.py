import pytest

from gridprint import Column, Table, fit_widths


@pytest.fixture
def stock():
    table = Table(["Item", "Qty"], align="lr")
    table.add_row("Tea", 12)
    table.add_row("Coffee", 3)
    return table


def test_render(stock):
    assert stock.render() == (
        "Item    Qty\n"
        "------  ---\n"
        "Tea      12\n"
        "Coffee    3"
    )


def test_render_without_rows():
    assert Table(["A", "B"]).render() == "A  B\n-  -"


def test_zero_and_false_are_shown():
    table = Table(["n", "ok"])
    table.add_row(0, False)
    table.add_row(0.0, True)
    assert table.render().splitlines()[2:] == ["0    no", "0.0  yes"]


def test_short_row_is_completed():
    table = Table(["a", Column("b", missing="n/a")])
    table.add_row("x")
    assert table.render().splitlines()[-1] == "x  n/a"


def test_long_row_is_refused(stock):
    with pytest.raises(ValueError, match="3 values for 2 columns"):
        stock.add_row(1, 2, 3)


def test_empty_text_still_takes_a_line():
    table = Table(["a"])
    table.add_row("")
    table.add_row("x")
    assert table.render() == "a\n-\n\nx"


def test_cells_wrap_and_stay_aligned():
    table = Table(["Name", "Note"], gap=" | ")
    table.add_row("x", "one two three")
    assert table.render(width=14) == (
        "Name | Note\n"
        "---- | -------\n"
        "x    | one two\n"
        "     | three"
    )


def test_blank_line_inside_a_cell_is_kept():
    table = Table(["a", "b"])
    table.add_row("x\n\ny", "1\n2\n3")
    assert table.render().splitlines()[2:] == ["x  1", "   2", "y  3"]


def test_max_width_limits_a_column():
    table = Table([Column("Id", max_width=3)])
    table.add_row("abcdef")
    assert table.render() == "Id\n---\nabc\ndef"


def test_footer_has_its_own_rule(stock):
    stock.set_footer("Sum", stock.total("Qty"))
    assert stock.render().splitlines()[-2:] == ["------  ---", "Sum      15"]


def test_wide_footer_widens_its_column(stock):
    stock.set_footer("Everything", 15)
    assert stock.render().splitlines()[0] == "Item        Qty"


def test_wide_characters_stay_aligned():
    table = Table(["w", "n"])
    table.add_row("日本", 1)
    table.add_row("ab", 2)
    assert table.render().splitlines()[2:] == ["日本  1", "ab    2"]


def test_coloured_cells_stay_aligned():
    table = Table(["w", "n"])
    table.add_row("\x1b[31mab\x1b[0m", 1)
    table.add_row("abc", 2)
    assert table.widths() == [3, 1]
    assert table.render().splitlines()[2] == "\x1b[31mab\x1b[0m   1"


def test_decimals():
    table = Table([Column("v", "r", decimals=2)])
    for value in (1.005, 20.0, -0.001, 3):
        table.add_row(value)
    assert table.render().splitlines()[2:] == [" 1.00", "20.00", " 0.00", "    3"]


def test_sort_by_number(stock):
    stock.sort("Qty")
    assert [row[0] for row in stock.rows] == ["Coffee", "Tea"]


def test_sort_puts_missing_values_last_both_ways():
    table = Table(["a", "b"])
    table.add_row("x", 1)
    table.add_row("y")
    table.add_row("z", 2)
    table.sort("b")
    assert [row[0] for row in table.rows] == ["x", "z", "y"]
    table.sort("b", reverse=True)
    assert [row[0] for row in table.rows] == ["z", "x", "y"]


def test_sort_texts_descending_with_missing_ones():
    table = Table(["n", "town"])
    for row in ((1, "Bonn"), (2, None), (3, "Graz"), (4, None), (5, "")):
        table.add_row(*row)
    table.sort("town", reverse=True)
    assert [row[0] for row in table.rows] == [3, 1, 5, 2, 4]


def test_sort_by_unknown_column(stock):
    with pytest.raises(KeyError):
        stock.sort("Price")


def test_total_skips_missing_values(stock):
    stock.add_row("Sugar")
    assert stock.total("Qty") == 15


def test_markdown(stock):
    stock.set_footer("Sum", 15)
    assert stock.markdown() == (
        "| Item | Qty |\n"
        "| :-- | --: |\n"
        "| Tea | 12 |\n"
        "| Coffee | 3 |\n"
        "| Sum | 15 |"
    )


def test_markdown_escapes():
    table = Table(["a|b"])
    table.add_row("c:\\x|y\nz")
    assert table.markdown().splitlines()[0] == "| a\\|b |"
    assert table.markdown().splitlines()[2] == "| c:\\\\x\\|y<br>z |"


def test_unknown_alignment():
    with pytest.raises(ValueError):
        Table(["a"], align="z")


def test_fit_widths_takes_from_the_widest():
    assert fit_widths([10, 3, 8], 15) == [6, 3, 6]


def test_fit_widths_leaves_its_argument_alone():
    widths = [4, 4]
    fit_widths(widths, 6)
    assert widths == [4, 4]


def test_fit_widths_without_room():
    with pytest.raises(ValueError):
        fit_widths([3, 3], 1)
