from datetime import date

from stockroom import Item, Store


def day(number, month=6):
    return date(2024, month, number)


def small_store():
    store = Store(
        [
            Item("MILK-1", "milk", base="ml", minimum=4000, pack=6000, tags=["fresh"]),
            Item("FLOUR", "Flour", base="g", minimum=500, pack=1000),
            Item("EGG", "eggs", minimum=0, pack=10, tags=["fresh"]),
        ]
    )
    store.item("MILK-1").receive(3000, day(10), "m1")
    store.item("MILK-1").receive(2000, day(5), "m2")
    store.item("FLOUR").receive(2500, None, "f1")
    store.item("EGG").receive(30, day(20), "e1")
    return store
