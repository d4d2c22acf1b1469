import pytest

from cinema.halls import Hall, Seat, best_block


def seats(*labels: str) -> tuple[Seat, ...]:
    return tuple(Seat.parse(label) for label in labels)


def test_a_seat_reads_as_it_prints():
    assert Seat.parse("c7") == Seat("C", 7)
    assert str(Seat("C", 7)) == "C7"


@pytest.mark.parametrize("label", ["", "7", "C", "7C", "C-1"])
def test_nonsense_is_not_a_seat(label):
    with pytest.raises(ValueError):
        Seat.parse(label)


def test_a_hall_knows_its_seats(hall):
    assert hall.capacity == 40
    assert len(set(hall.seats())) == 40
    assert Seat("E", 8) in hall
    assert Seat("E", 9) not in hall
    assert Seat("F", 1) not in hall
    assert Seat("A", 0) not in hall


def test_a_couple_sits_in_the_middle(hall):
    assert best_block(hall, set(hall.seats()), 2) == seats("C4", "C5")


def test_the_next_best_block_is_beside_the_middle(hall):
    free = set(hall.seats()) - set(seats("C4", "C5"))
    assert best_block(hall, free, 4) == seats("B3", "B4", "B5", "B6")


def test_a_full_row_is_a_block():
    hall = Hall("Studio", rows="AB", seats_per_row=3)
    free = set(seats("A1", "A3", "B1", "B2", "B3"))
    assert best_block(hall, free, 3) == seats("B1", "B2", "B3")


def test_no_block_is_left(hall):
    assert best_block(hall, set(seats("A1", "A3", "B2")), 2) is None
    assert best_block(hall, set(hall.seats()), 9) is None
