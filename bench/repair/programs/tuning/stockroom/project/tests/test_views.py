from stockroom import Movements, StockTable


def fill(room):
    room.receive("nails", 10)
    room.receive("milk", 8, lot="A", expires=9)
    room.receive("milk", 2, lot="B", expires=5)
    room.pick("nails", 4)
    room.pick("milk", 3, today=1)
    room.clean(today=10)


def test_stock_table_follows(room, store):
    table = StockTable(store)
    fill(room)
    room.count("nails", 5)
    assert table.quantities == {"nails": 5, "milk": 0}
    assert table.low(6) == ["milk", "nails"]
    assert table.low(0) == []


def test_view_made_later_catches_up(room, store):
    fill(room)
    table = StockTable(store)
    room.receive("nails", 1)
    assert table.quantities == {"nails": 7, "milk": 0}


def test_movements(room, store):
    moves = Movements(store)
    fill(room)
    assert moves.times == {"nails": 1, "milk": 2}
    assert moves.top(1) == [("nails", 4)]
    assert moves.top(5) == [("nails", 4), ("milk", 3)]


def test_rebuild_gives_the_same(room, store):
    table, moves = StockTable(store), Movements(store)
    fill(room)
    before = dict(table.quantities), dict(moves.times), dict(moves.total)
    table.rebuild()
    moves.rebuild()
    assert (table.quantities, moves.times, moves.total) == before


def test_event_seen_twice_counts_once(room, store):
    moves = Movements(store)
    fill(room)
    for event in store.read_all():
        moves.see(event)
    assert moves.total == {"nails": 4, "milk": 3}
