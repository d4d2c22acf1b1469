"""Random sequences of calls on event stores, stockrooms and views."""
import random


def _try(call):
    try:
        return call()
    except Exception as error:
        return (type(error).__name__, str(error))


def _item(item):
    return (type(item).__name__, item.version, item.on_hand, sorted(item.reserved.items()), item.available,
            sorted((n, tuple(sorted(lot.items()))) for n, lot in getattr(item, "lots", {}).items()))


def _events(r):
    from stockroom import Event
    made = []
    for _ in range(r.randint(0, 4)):
        kind = r.choice(["received", "received", "picked", "counted", "discarded"])
        quantity = r.randint(1, 9)
        if r.random() < 0.08:
            kind, quantity = r.choice([("stolen", 1), ("picked", 0), ("received", -1), ("received", "x"), ("counted", 0)])
        made.append(Event(kind, {"quantity": quantity, "marks": [r.randint(0, 3)]}, r.choice([1, 1, 2, 3])))
    return made if r.random() < 0.7 else iter(made)


def _store(r):
    from stockroom import EventStore, Movements, StockTable, Upcaster
    upcaster = Upcaster()
    for number in range(1, r.randint(1, 4)):
        kind = r.choice(["received", "received", "picked"])

        def step(data, number=number):
            data[f"step{number}"] = sorted(data)
            return data

        upcaster.step(kind, number)(step)
    store, log = EventStore(upcaster), []
    views = [StockTable(store), Movements(store)]
    for _ in range(r.randint(2, 6)):
        stream = r.choice("ab")
        log.append(_try(lambda: store.append(stream, _events(r), r.choice([None, None, store.version(stream), 1]))))
        if r.random() < 0.3:
            state = {"list": [1, 2], "map": {"k": {"n": 1}}}
            log.append(_try(lambda: store.save_snapshot(stream, r.choice([store.version(stream), 2]), state)))
            state["map"]["k"]["n"] = 7
            found = store.snapshot(stream, r.choice([None, 1, 3]))
            log.append(repr(found))
            if found:
                found[1]["map"]["k"]["n"] += 1
                found[1]["list"].append(3)
            log.append(repr(store.snapshot(stream)))
    if r.random() < 0.3:
        views[0].rebuild()
    after, upto = r.randint(0, 3), r.choice([None, 2, 5])
    log.append([(e.kind, e.version, e.format, sorted(e.data.items(), key=str)) for e in store.read("a", after, upto)])
    log.append([(e.stream, e.position, e.format, e.data["quantity"]) for e in store.read_all(after)])
    return log, store.streams(), sorted(views[0].quantities.items()), views[0].low(5), views[1].top(2), upcaster.newest("received")


def _room(r):
    from stockroom import EventStore, Movements, StockTable, Stockroom
    store = EventStore()
    room = Stockroom(store, ("milk", "eggs"), r.choice([0, 1, 2, 3]))
    table, moves = StockTable(store), Movements(store)
    today, log = 1, []
    names = ["nails", "milk", "milk", "eggs", "gold"] if r.random() < 0.2 else ["nails", "milk"]
    for name in names[:2]:
        room.receive(name, r.randint(3, 12), r.choice(["A", ""]), r.randint(2, 6))
    for _ in range(r.randint(4, 18)):
        name, order = r.choice(names), r.choice(["o1", "o2"])
        quantity = r.choice([1, 2, 3, 5, 9, 0 if r.random() < 0.1 else 4])
        act = r.random()
        if act < 0.25:
            log.append(_try(lambda: room.receive(name, quantity, r.choice(["A", "B", "C", ""]), today + r.randint(0, 6))))
        elif act < 0.5:
            log.append(_try(lambda: room.pick(name, quantity, r.choice([None, order]), today)))
        elif act < 0.62:
            log.append(_try(lambda: room.reserve(name, quantity, order)))
        elif act < 0.7:
            log.append(_try(lambda: room.release(name, order)))
        elif act < 0.78:
            log.append(_try(lambda: room.count(name, r.randint(0, 6), None if name == "nails" else r.choice("AB"))))
        elif act < 0.85:
            log.append(room.clean(today))
        else:
            today += r.randint(0, 2)
        if r.random() < 0.2:
            taken = _try(lambda: room.item(name))
            if not isinstance(taken, tuple):
                for lot in getattr(taken, "lots", {}).values():
                    lot["quantity"] += 1
                taken.reserved["zz"] = 1
    log.append([_try(lambda: _item(room.item(name))) for name in ("nails", "milk")])
    log.append(_try(lambda: _item(room.item("milk", r.randint(1, 4)))))
    log.append((sorted(table.quantities.items()), table.low(4), moves.top(3), sorted(moves.times.items())))
    return log


def outcomes(seed, count):
    r = random.Random(seed)
    seeds = [(r.choice([_store, _room, _room]), r.getrandbits(48)) for _ in range(count)]
    return [repr(_try(lambda: case(random.Random(seed)))) for case, seed in seeds]
