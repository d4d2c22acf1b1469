from datetime import datetime

import pytest

from cinema.desk import Desk
from cinema.halls import Hall
from cinema.programme import Film, Screening


@pytest.fixture
def hall() -> Hall:
    return Hall("Lumière", rows="ABCDE", seats_per_row=8)


@pytest.fixture
def evening(hall: Hall) -> Screening:
    """A Friday evening."""
    return Screening(Film("Metropolis", minutes=150), hall, datetime(2024, 5, 17, 20, 0))


@pytest.fixture
def desk() -> Desk:
    return Desk()
