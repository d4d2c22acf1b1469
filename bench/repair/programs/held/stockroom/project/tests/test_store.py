import unittest

from stockroom import Item, NotEnough, StockError, UnknownItem

from .helpers import day, small_store


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.store = small_store()

    def test_lookup_ignores_case(self):
        self.assertEqual(self.store.item(" milk-1 ").name, "milk")
        with self.assertRaises(UnknownItem):
            self.store.item("tea")
        with self.assertRaises(StockError):
            self.store.add(Item("egg", "more eggs"))

    def test_items_by_name(self):
        self.assertEqual([item.sku for item in self.store.items()], ["EGG", "FLOUR", "MILK-1"])
        self.assertEqual([item.sku for item in self.store.items("fresh")], ["EGG", "MILK-1"])

    def test_sell(self):
        self.assertEqual(self.store.sell("milk-1", 2500, day(1)), [("m2", 2000), ("m1", 500)])
        self.assertEqual(self.store.available("MILK-1", day(1)), 2500)
        with self.assertRaises(NotEnough):
            self.store.sell("MILK-1", 2501, day(1))

    def test_sold_counts_both_ends(self):
        for number in (1, 2, 3, 4):
            self.store.sell("egg", number, day(number))
        self.assertEqual(self.store.sold("EGG", day(2), day(3)), 5)
        self.assertEqual(self.store.sold("FLOUR", day(1), day(9)), 0)

    def test_reserved_goods_are_not_sold(self):
        self.store.reserve("Ada", [("egg", 25)], day(1), day(3))
        self.assertEqual(self.store.available("egg", day(3)), 5)
        with self.assertRaises(NotEnough) as caught:
            self.store.sell("EGG", 6, day(2))
        self.assertEqual(caught.exception.available, 5)

    def test_reservation_runs_out(self):
        self.store.reserve("Ada", [("EGG", 25)], day(1), day(3))
        self.assertEqual(self.store.available("EGG", day(4)), 30)
        with self.assertRaisesRegex(StockError, "reservation 1 has run out"):
            self.store.collect(1, day(4))

    def test_reserve_adds_up_repeated_items(self):
        with self.assertRaises(NotEnough):
            self.store.reserve("Ada", [("EGG", 20), ("egg", 20)], day(1), day(3))
        booked = self.store.reserve("Ada", [("EGG", 10), ("egg", 10)], day(1), day(3))
        self.assertEqual(booked.wanted, {"EGG": 20})

    def test_reserve_all_or_nothing(self):
        with self.assertRaises(NotEnough):
            self.store.reserve("Ada", [("EGG", 5), ("FLOUR", 9999)], day(1), day(3))
        self.assertEqual(self.store.reserved("EGG", day(1)), 0)

    def test_bad_reservations(self):
        with self.assertRaises(StockError):
            self.store.reserve("Ada", [("EGG", 0)], day(1), day(3))
        with self.assertRaises(StockError):
            self.store.reserve("Ada", [("EGG", 1)], day(4), day(3))
        with self.assertRaises(UnknownItem):
            self.store.reserve("Ada", [("TEA", 1)], day(1), day(3))

    def test_collect(self):
        self.store.reserve("Ada", [("EGG", 25), ("FLOUR", 500)], day(1), day(3))
        self.assertEqual(self.store.collect(1, day(3)), {"EGG": [("e1", 25)], "FLOUR": [("f1", 500)]})
        self.assertEqual(self.store.available("EGG", day(3)), 5)
        self.assertEqual(self.store.sold("EGG", day(3), day(3)), 25)

    def test_collect_only_once(self):
        self.store.reserve("Ada", [("EGG", 5)], day(1), day(3))
        self.store.collect(1, day(2))
        with self.assertRaisesRegex(StockError, "reservation 1 is collected"):
            self.store.collect(1, day(2))
        with self.assertRaisesRegex(StockError, "reservation 1 is collected"):
            self.store.cancel(1, day(2))

    def test_collect_needs_all_goods(self):
        self.store.reserve("Ada", [("EGG", 5), ("MILK-1", 4000)], day(1), day(9))
        with self.assertRaises(NotEnough):
            self.store.collect(1, day(6))
        self.assertEqual(self.store.item("EGG").on_hand(day(6)), 30)
        self.assertEqual(self.store.reserved("EGG", day(6)), 5)

    def test_cancel(self):
        self.store.reserve("Ada", [("EGG", 25)], day(1), day(3))
        self.store.reserve("Bob", [("EGG", 5)], day(1), day(3))
        self.store.cancel(1, day(2))
        self.assertEqual(self.store.available("EGG", day(2)), 25)
        with self.assertRaisesRegex(StockError, "no reservation 3"):
            self.store.cancel(3, day(2))


if __name__ == "__main__":
    unittest.main()
