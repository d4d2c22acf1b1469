from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from cinema.halls import Hall
from cinema.programme import Clash, Film, Programme, Screening


@pytest.fixture
def programme(evening):
    programme = Programme()
    programme.add(evening)
    return programme


def at(screening: Screening, start: datetime) -> Screening:
    return replace(screening, starts_at=start)


def test_a_screening_may_begin_when_the_hall_is_clean(programme, evening):
    late = programme.add(at(evening, datetime(2024, 5, 17, 22, 50)))
    assert programme.on(date(2024, 5, 17)) == [evening, late]


def test_a_screening_may_not_begin_during_the_cleaning(programme, evening):
    with pytest.raises(Clash, match="Metropolis clashes with Metropolis in Lumière"):
        programme.add(at(evening, datetime(2024, 5, 17, 22, 49)))


def test_a_screening_must_be_over_and_cleaned_before_the_next(programme, evening):
    with pytest.raises(Clash):
        programme.add(at(evening, evening.starts_at - timedelta(minutes=169)))
    programme.add(at(evening, evening.starts_at - timedelta(minutes=170)))


def test_another_hall_is_another_matter(programme, evening):
    studio = Hall("Studio", rows="AB", seats_per_row=6)
    programme.add(replace(evening, hall=studio))
    assert [showing.hall.name for showing in programme.on(date(2024, 5, 17))] == ["Lumière", "Studio"]


def test_a_refused_screening_is_not_planned(programme, evening):
    with pytest.raises(Clash):
        programme.add(evening)
    assert programme.on(date(2024, 5, 17)) == [evening]


def test_the_next_showing_of_a_film(programme, evening):
    tomorrow = programme.add(at(evening, evening.starts_at + timedelta(days=1)))
    assert programme.next_showing("Metropolis", evening.starts_at - timedelta(days=3)) == evening
    assert programme.next_showing("Metropolis", evening.starts_at) == evening
    assert programme.next_showing("Metropolis", evening.starts_at + timedelta(minutes=1)) == tomorrow
    assert programme.next_showing("Metropolis", evening.starts_at + timedelta(days=2)) is None


def test_a_film_that_is_not_shown(programme, evening):
    programme.add(Screening(Film("M", 117), evening.hall, datetime(2024, 5, 18, 20, 0)))
    assert programme.next_showing("Nosferatu", evening.starts_at) is None
