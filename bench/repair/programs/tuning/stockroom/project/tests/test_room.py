import pytest

from stockroom import OutOfStock, Stockroom, UnknownItem


def test_receive_and_pick(room):
    room.receive("nails", 10)
    room.receive("nails", 5)
    assert room.pick("nails", 12) == []
    assert room.item("nails").on_hand == 3
    with pytest.raises(OutOfStock, match="nails: 4 wanted, 3 there"):
        room.pick("nails", 4)


def test_unknown(room):
    with pytest.raises(UnknownItem):
        room.pick("gold", 1)
    assert room.item("gold").on_hand == 0


def test_reserved_is_kept_for_its_order(room):
    room.receive("nails", 10)
    room.reserve("nails", 6, "o1")
    assert room.item("nails").available == 4
    with pytest.raises(OutOfStock, match="5 wanted, 4 there"):
        room.pick("nails", 5)
    with pytest.raises(OutOfStock):
        room.reserve("nails", 5, "o2")
    room.pick("nails", 8, order="o1")
    item = room.item("nails")
    assert (item.on_hand, item.reserved) == (2, {})


def test_release(room):
    room.receive("nails", 10)
    room.reserve("nails", 3, "o1")
    room.reserve("nails", 2, "o1")
    assert room.release("nails", "o1") == 5
    assert room.release("nails", "o1") == 0
    assert room.item("nails").available == 10


def test_partial_pick_keeps_the_rest_reserved(room):
    room.receive("nails", 10)
    room.reserve("nails", 6, "o1")
    room.pick("nails", 2, order="o1")
    assert room.item("nails").reserved == {"o1": 4}


def test_count(room):
    room.receive("nails", 10)
    room.count("nails", 0)
    assert room.item("nails").on_hand == 0


def test_as_it_was(room):
    for quantity in (1, 2, 3):
        room.receive("nails", quantity)
    assert [room.item("nails", version).on_hand for version in (1, 2, 3)] == [1, 3, 6]


def test_lots_that_expire_first_go_first(room):
    room.receive("milk", 5, lot="B", expires=20)
    room.receive("milk", 5, lot="A", expires=30)
    room.receive("milk", 5, lot="C", expires=10)
    assert room.pick("milk", 4, today=5) == ["C"]
    assert room.pick("milk", 7, today=5) == ["C", "B", "A"]
    assert room.item("milk").lots == {"A": {"quantity": 4, "expires": 30}}


def test_expired_lots_are_not_picked(room):
    room.receive("milk", 5, expires=10)
    room.receive("milk", 5, expires=11)
    assert room.pick("milk", 1, today=11) == ["milk-11"]
    with pytest.raises(OutOfStock, match="5 wanted, 4 there"):
        room.pick("milk", 5, today=11)


def test_clean(room):
    room.receive("milk", 5, expires=10)
    room.receive("milk", 3, expires=12)
    room.receive("eggs", 6, expires=12)
    room.receive("nails", 2)
    assert room.clean(today=12) == {"milk": 5}
    assert room.clean(today=12) == {}
    assert room.item("milk").on_hand == 3


def test_count_a_lot(room):
    room.receive("milk", 5, lot="A", expires=10)
    room.receive("milk", 5, lot="B", expires=10)
    room.count("milk", 2, lot="A")
    room.count("milk", 0, lot="B")
    item = room.item("milk")
    assert (item.on_hand, sorted(item.lots)) == (2, ["A"])
    with pytest.raises(UnknownItem, match="milk B"):
        room.count("milk", 1, lot="B")


def test_reservations_hold_for_lots_too(room):
    room.receive("milk", 5, lot="A", expires=10)
    room.reserve("milk", 4, "o1")
    with pytest.raises(OutOfStock, match="2 wanted, 1 there"):
        room.pick("milk", 2)
    assert room.pick("milk", 5, order="o1") == ["A"]


def test_snapshots_give_the_same_items(saving_room, store):
    saving_room.receive("nails", 10)
    saving_room.reserve("nails", 3, "o1")
    saving_room.pick("nails", 1, order="o1")
    assert store.snapshot("nails")[0] == 2
    item = saving_room.item("nails")
    assert (item.on_hand, item.reserved, item.version) == (9, {"o1": 2}, 3)
    assert Stockroom(store).item("nails", version=1).on_hand == 10


def test_snapshots_of_lots(saving_room, store):
    saving_room.receive("milk", 10, lot="A", expires=10)
    saving_room.receive("milk", 4, lot="B", expires=9)
    saving_room.pick("milk", 5)
    item = saving_room.item("milk")
    assert (item.on_hand, item.lots) == (9, {"A": {"quantity": 9, "expires": 10}})


def test_items_do_not_share_what_they_loaded(saving_room):
    saving_room.receive("milk", 10, lot="A", expires=10)
    saving_room.receive("milk", 1, lot="A", expires=10)
    first, second = saving_room.item("milk"), saving_room.item("milk")
    first.on_picked({"quantity": 4, "lot": "A"})
    assert second.lots["A"]["quantity"] == 11
    assert saving_room.pick("milk", 11) == ["A"]
