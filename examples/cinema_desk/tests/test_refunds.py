from datetime import datetime, timedelta

import pytest

from cinema.pricing import Quote
from cinema.refunds import refund_due, refund_share

START = datetime(2024, 5, 17, 20, 0)
ORDER = Quote(tickets=2150, group_discount=0, fee=100)


def refund(order: Quote = ORDER, **notice: float) -> int:
    return refund_due(order, START, START - timedelta(**notice))


@pytest.mark.parametrize(("hours", "percent"), [(-1, 0), (1.99, 0), (2, 50), (23.9, 50), (24, 100), (300, 100)])
def test_the_share_depends_on_the_notice(hours, percent):
    assert refund_share(hours) == percent


def test_days_before_the_film_all_is_refunded_but_the_fee():
    assert refund(days=1) == 2150
    assert refund(days=1, hours=5) == 2150
    assert refund(days=6, minutes=30) == 2150


def test_a_group_gets_back_what_it_paid():
    group = Quote(tickets=6800, group_discount=800, fee=100)
    assert refund(group, days=2) == 6000
    assert refund(group, hours=4) == 3000


def test_on_the_day_itself_half_is_refunded():
    assert refund(hours=23, minutes=59) == 1075
    assert refund(hours=2) == 1075


def test_half_a_cent_stays_with_the_cinema():
    assert refund(Quote(tickets=955, group_discount=0, fee=0), hours=3) == 477


def test_shortly_before_the_film_nothing_is_refunded():
    assert refund(hours=1, minutes=59) == 0
    assert refund(minutes=0) == 0


def test_once_the_film_runs_nothing_is_refunded():
    assert refund(minutes=-10) == 0
    assert refund(days=-3) == 0
