from datetime import date
from decimal import Decimal

import pytest

from pennybook import BookError, pages, statement

YEAR = (date(2024, 1, 1), date(2024, 12, 31))


def test_rows_run_a_balance(busy):
    rows = list(statement(busy, "assets:bank", *YEAR))
    assert [row.balance for row in rows] == [1000, 600, 750, 600, 200]


def test_period_starts_from_the_earlier_balance(busy):
    rows = list(statement(busy, "assets:bank", date(2024, 2, 11), date(2024, 2, 29)))
    assert [(row.text, row.balance) for row in rows] == [("Rent February", Decimal("200.00"))]


def test_period_backwards(busy):
    with pytest.raises(BookError):
        list(statement(busy, "assets:bank", date(2024, 2, 2), date(2024, 2, 1)))


@pytest.mark.parametrize("size, sizes", [(1, [1] * 5), (2, [2, 2, 1]), (5, [5])])
def test_page_sizes(busy, size, sizes):
    result = pages(busy, "assets:bank", *YEAR, size=size)
    assert [len(page.rows) for page in result] == sizes
    assert all(page.count == len(sizes) for page in result)


def test_pages_carry_the_balance_forward(busy):
    first, second, third = pages(busy, "assets:bank", *YEAR, size=2)
    assert (first.opening, first.closing) == (0, 600)
    assert (second.opening, second.closing) == (600, 600)
    assert (third.opening, third.closing) == (600, 200)


def test_empty_statement_has_one_page(busy):
    (page,) = pages(busy, "assets:bank", date(2024, 6, 1), date(2024, 6, 30))
    assert page.rows == ()
    assert page.opening == page.closing == Decimal("200.00")


def test_page_size_must_be_positive(busy):
    with pytest.raises(BookError):
        pages(busy, "assets:bank", *YEAR, size=0)


def test_render_second_page(busy):
    page = pages(busy, "assets:bank", *YEAR, size=2)[1]
    assert page.render(width=10).splitlines() == [
        "Page 2/3",
        "brought forward            600.00",
        "2024-02-10 To savings      150.00      750.00",
        "2024-02-10 To savings    (150.00)      600.00",
    ]


def test_render_cuts_long_texts(busy):
    page = pages(busy, "expenses:rent", *YEAR)[0]
    assert "Rent Fe...  " in page.render(width=10)
