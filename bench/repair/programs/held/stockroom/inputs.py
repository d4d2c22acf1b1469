"""Random cases for stockroom."""

import random
from datetime import date, timedelta

import stockroom
from stockroom import Item, Lot, Store

FIRST = date(2024, 2, 20)
SKUS = ["EGG", "egg", "Milk", "FLOUR", " tea ", "none"]


def _try(call):
    try:
        return repr(call())
    except Exception as error:
        if isinstance(error, stockroom.StockError):
            return f"{type(error).__name__}: {error}"
        return type(error).__name__


def _day(rng):
    return FIRST + timedelta(days=rng.randint(0, 20))


def _expiry(rng):
    return rng.choice([None, _day(rng), _day(rng)])


def _unit_case(rng):
    number = rng.choice(["0", "1", "12", "1.5", "0,25", "2.05", "1.005", "0.001", "3.1234", "-1", "x", ""])
    text = rng.choice(["", " "]) + number + rng.choice(["", " "]) + rng.choice(["", "g", "KG", "l", "cl", "dozen", "pc", "t"])
    base = rng.choice(["g", "ml", "pc"])
    amount = rng.choice([0, 1, 12, 1500, 2.5])
    names = [rng.choice(["g", "kg", "t", "ml", "cl", " L", "pc", "dozen", "lb"]) for _ in range(2)]
    return _try(lambda: stockroom.parse_quantity(text, base)) + _try(lambda: stockroom.convert(amount, *names))


def _item_case(rng):
    log = []
    lots = [Lot(rng.randint(1, 5), _expiry(rng), "given") for _ in range(rng.choice([0, 0, 1, 3]))]
    item = Item("A", "a", lots=lots)
    for _ in range(rng.randint(3, 14)):
        day = _day(rng)
        step = rng.choice([0, 0, 0, 1, 2, 3, 4])
        quantity = rng.choice([0, 1, 2, 3, 8])
        code = rng.choice(["", "x", "y"])
        if step < 2:
            expires = _expiry(rng)
            log.append(_try(lambda: item.receive(quantity, expires, code)))
        elif step == 2:
            log.append(_try(lambda: item.take(quantity, day)))
        elif step == 3:
            log.append(repr(item.on_hand(day)))
        else:
            log.append(_try(lambda: item.discard_expired(day)))
    return repr((log, item.lots, len(lots)))


def _csv(rng):
    delimiter = rng.choice([",", ",", ";"])
    names = ["sku", "quantity", "expires", "code"]
    rng.shuffle(names)
    names = [rng.choice([name, name.upper(), f" {name} "]) for name in names[: rng.choice([4, 4, 4, 3])]]
    lines = [delimiter.join(names)] if rng.random() < 0.95 else []
    for _ in range(rng.randint(0, 5)):
        cells = []
        for name in names:
            values = {
                "sku": SKUS,
                "quantity": ["1", "1.5 kg", "2 dozen", "0.5 l", "2", "0", "many", "3 ", "1.25"],
                "expires": ["", "2024-02-29", "2024-03-05", "soon"],
                "code": ["", "x", '"a;b"', "y"],
            }[name.strip().lower()]
            cells.append(rng.choice(values))
        lines.append(delimiter.join(cells[: rng.choice([4, 4, 4, 2])]))
        if rng.random() < 0.1:
            lines.append("")
    return "\n".join(lines), delimiter


def _store_case(rng):
    store = Store()
    log = []
    for sku, base in [("EGG", "pc"), ("milk", "ml"), ("Flour", "g"), ("TEA", "g")]:
        item = Item(sku, rng.choice(["b", "A", "c"]), base, rng.choice([0, 5, 900]), rng.choice([1, 6, 500]), rng.choice([None, ["t"]]))
        if rng.random() < 0.9:
            store.add(item)
            item.receive(rng.choice([30, 1000]), rng.choice([None, None, _expiry(rng)]), "x")
    log.append(_try(lambda: store.add(Item("Egg", "again")).sku))
    day = FIRST
    report = None
    for _ in range(rng.randint(2, 18)):
        day += timedelta(days=rng.choice([0, 0, 0, 1, 3]))
        now = day
        sku = rng.choice(SKUS)
        quantity = rng.choice([0, 1, 2, 5, 20, 400])
        number = rng.choice([1, 1, 1, 2, 3])
        step = rng.randrange(9)
        if step == 0:
            log.append(_try(lambda: store.sell(sku, quantity, now)))
        elif step in (1, 2):
            wanted = [(rng.choice(SKUS[:5]), rng.choice([1, 3, 10, 10, quantity])) for _ in range(rng.choice([1, 1, 2]))]
            until = now + timedelta(days=rng.choice([-1, 0, 2, 9, 9]))
            log.append(_try(lambda: sorted(store.reserve("c", wanted, now, until).wanted.items())))
        elif step == 3:
            log.append(_try(lambda: store.cancel(number, now)))
        elif step in (4, 5):
            log.append(_try(lambda: store.collect(number, now)))
        elif step == 6:
            log.append(_try(lambda: [store.available(sku, now), store.reserved(sku, now), store.sold(sku, FIRST, now)]))
        elif step == 7:
            cover, back = rng.choice([7, 14]), rng.choice([1, 7, 28, 0])
            tag = rng.choice([None, None, "t"])
            log.append(_try(lambda: stockroom.proposals(store, now, cover, back, tag)))
        else:
            text, delimiter = _csv(rng)
            given = {} if report is None or rng.random() < 0.6 else {"report": report}
            try:
                report = stockroom.read_delivery(store, text, delimiter, **given)
                log.append(repr((report.ok, report.accepted[-20:], report.problems[-20:])))
            except Exception as error:
                log.append(f"{type(error).__name__}: {error}")
    log.append(_try(lambda: [(item.name, store.available(item.sku, day), item.lots) for item in store.items()]))
    return repr(log)


def outcomes(seed, count):
    rng = random.Random(seed)
    kinds = [_unit_case, _item_case, _store_case, _store_case, _store_case]
    results = []
    for _ in range(count):
        case = random.Random(rng.random())
        results.append(case.choice(kinds)(case))
    return results
