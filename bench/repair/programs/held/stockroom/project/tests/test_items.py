import unittest

from stockroom import Item, Lot, NotEnough, StockError

from .helpers import day


class ItemTest(unittest.TestCase):
    def setUp(self):
        self.item = Item("A", "apples")

    def test_new_item_is_empty(self):
        self.assertEqual(self.item.lots, [])
        self.assertEqual(self.item.tags, set())
        self.assertEqual(self.item.on_hand(day(1)), 0)

    def test_items_do_not_share_lots(self):
        self.item.receive(5)
        self.assertEqual(Item("B", "bananas").on_hand(day(1)), 0)

    def test_given_lots_are_copied(self):
        lots = [Lot(3)]
        item = Item("B", "bananas", lots=lots)
        item.receive(2)
        self.assertEqual(len(lots), 1)
        self.assertEqual(item.on_hand(day(1)), 5)

    def test_bad_items(self):
        with self.assertRaises(StockError):
            Item("B", "bananas", base="kg")
        with self.assertRaises(StockError):
            Item("B", "bananas", pack=0)

    def test_lots_cannot_be_empty(self):
        self.item.receive(1, day(2), "x")
        for code in ("x", "y"):
            with self.assertRaises(StockError):
                self.item.receive(0, day(2), code)

    def test_same_code_and_date_are_one_lot(self):
        self.item.receive(1, day(2), "x")
        self.item.receive(2, day(2), "x")
        self.item.receive(3, day(3), "x")
        self.item.receive(4, day(2))
        self.item.receive(5, day(2))
        self.assertEqual([lot.quantity for lot in self.item.lots], [3, 3, 4, 5])

    def test_usable_on_the_last_day(self):
        self.item.receive(5, day(3))
        self.assertEqual(self.item.on_hand(day(3)), 5)
        self.assertEqual(self.item.on_hand(day(4)), 0)

    def test_first_expired_goes_first(self):
        self.item.receive(5, None, "keeps")
        self.item.receive(5, day(9), "late")
        self.item.receive(5, day(2), "soon")
        self.assertEqual(self.item.take(7, day(1)), [("soon", 5), ("late", 2)])
        self.assertEqual(self.item.take(8, day(1)), [("late", 3), ("keeps", 5)])
        self.assertEqual(self.item.lots, [])

    def test_same_date_goes_by_arrival(self):
        for code in "zay":
            self.item.receive(1, day(2), code)
        self.assertEqual([code for code, _ in self.item.take(3, day(1))], ["z", "a", "y"])

    def test_expired_goods_are_not_taken(self):
        self.item.receive(5, day(2), "old")
        self.item.receive(5, day(9), "new")
        self.assertEqual(self.item.take(5, day(3)), [("new", 5)])
        with self.assertRaises(NotEnough) as caught:
            self.item.take(1, day(3))
        self.assertEqual(str(caught.exception), "A: 1 wanted, 0 available")

    def test_take_nothing(self):
        with self.assertRaises(StockError):
            self.item.take(0, day(1))

    def test_discard_expired(self):
        self.item.receive(1, day(2), "a")
        self.item.receive(2, day(3), "b")
        self.item.receive(3, day(9), "c")
        gone = self.item.discard_expired(day(4))
        self.assertEqual([lot.code for lot in gone], ["a", "b"])
        self.assertEqual([lot.code for lot in self.item.lots], ["c"])
        self.assertEqual(self.item.discard_expired(day(4)), [])


if __name__ == "__main__":
    unittest.main()
