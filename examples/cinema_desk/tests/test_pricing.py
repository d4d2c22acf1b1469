from dataclasses import replace
from datetime import datetime

import pytest

from cinema.pricing import Kind, format_euros, is_matinee, quote, ticket_price


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (datetime(2024, 5, 17, 14, 0), True),
        (datetime(2024, 5, 17, 16, 59), True),
        (datetime(2024, 5, 17, 17, 0), False),
        (datetime(2024, 5, 18, 14, 0), False),
        (datetime(2024, 5, 19, 14, 0), False),
        (datetime(2024, 5, 20, 14, 0), True),
    ],
)
def test_matinees_are_on_weekday_afternoons(evening, start, expected):
    assert is_matinee(replace(evening, starts_at=start)) is expected


def test_evening_prices(evening):
    assert [ticket_price(kind, evening) for kind in Kind] == [1200, 950, 900, 800]


def test_matinees_are_a_fifth_cheaper(evening):
    matinee = replace(evening, starts_at=datetime(2024, 5, 17, 14, 0))
    assert [ticket_price(kind, matinee) for kind in Kind] == [960, 760, 720, 640]


def test_the_surcharge_for_3d_is_never_reduced(evening):
    film = replace(evening.film, three_d=True)
    matinee = replace(evening, film=film, starts_at=datetime(2024, 5, 17, 14, 0))
    assert ticket_price(Kind.ADULT, matinee) == 960 + 150


def test_an_order_is_the_sum_of_its_tickets(evening):
    order = quote([Kind.ADULT, Kind.ADULT, Kind.CHILD], evening)
    assert (order.tickets, order.group_discount, order.fee) == (3200, 0, 0)
    assert order.total == 3200


def test_the_online_fee_is_paid_once(evening):
    assert quote([Kind.ADULT] * 3, evening, online=True).total == 3700


@pytest.mark.parametrize(("children", "discount"), [(6, 0), (7, 800), (14, 800), (15, 1600)])
def test_one_ticket_in_eight_is_free_and_it_is_the_cheapest(evening, children, discount):
    order = quote([Kind.ADULT] + [Kind.CHILD] * children, evening)
    assert order.group_discount == discount
    assert order.total == 1200 + 800 * children - discount


def test_amounts_read_as_euros():
    assert format_euros(1205) == "€12.05"
    assert format_euros(50) == "€0.50"
