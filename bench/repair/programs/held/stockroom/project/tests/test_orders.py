import unittest

from stockroom import Proposal, StockError, convert, parse_quantity, proposals, read_delivery

from .helpers import day, small_store


class UnitsTest(unittest.TestCase):
    def test_convert(self):
        self.assertEqual(convert(2, "kg", "g"), 2000)
        self.assertEqual(convert(1500, "g", "KG"), 1.5)
        self.assertEqual(convert(36, "pc", "dozen"), 3)
        self.assertEqual(convert(5, "cl", "ml"), 50)

    def test_convert_between_kinds(self):
        with self.assertRaises(StockError):
            convert(1, "kg", "l")
        with self.assertRaises(StockError):
            convert(1, "stone", "kg")

    def test_parse_quantity(self):
        for text, base, amount in [
            ("12", "pc", 12),
            (" 1.5 kg ", "g", 1500),
            ("0,25L", "ml", 250),
            ("2 dozen", "pc", 24),
            ("1.05 kg", "g", 1050),
            ("1.5 dozen", "pc", 18),
        ]:
            self.assertEqual(parse_quantity(text, base), amount, text)

    def test_parse_quantity_refuses(self):
        for text in ["", "kg", "-1", "1.5", "1 l", "0.5 pc", "1.2345 kg"]:
            with self.assertRaises(StockError, msg=text):
                parse_quantity(text, "g" if text == "1 l" else "pc")


class ReorderTest(unittest.TestCase):
    def setUp(self):
        self.store = small_store()

    def test_nothing_is_short(self):
        self.assertEqual(proposals(self.store, day(1)), [])

    def test_minimum(self):
        self.assertEqual(proposals(self.store, day(6)), [Proposal("MILK-1", 1, 6000, "minimum")])

    def test_full_packs(self):
        self.store.item("FLOUR").minimum = 4600
        self.assertEqual(proposals(self.store, day(1)), [Proposal("FLOUR", 3, 3000, "minimum")])
        self.store.item("FLOUR").minimum = 4500
        self.assertEqual(proposals(self.store, day(1)), [Proposal("FLOUR", 2, 2000, "minimum")])

    def test_reservations_count(self):
        self.store.reserve("Ada", [("FLOUR", 2400)], day(1), day(2))
        self.assertEqual(proposals(self.store, day(1)), [Proposal("FLOUR", 1, 1000, "minimum")])

    def test_sales(self):
        self.store.sell("EGG", 21, day(1))
        self.assertEqual(proposals(self.store, day(1), 14, 28), [Proposal("EGG", 1, 10, "sales")])
        self.assertEqual(proposals(self.store, day(3), 14, 3), [Proposal("EGG", 9, 90, "sales")])
        self.assertEqual(proposals(self.store, day(4), 14, 3), [])

    def test_order_and_tag(self):
        for item in self.store.items():
            item.minimum = 9000
        found = [proposal.sku for proposal in proposals(self.store, day(1))]
        self.assertEqual(found, ["EGG", "FLOUR", "MILK-1"])
        found = [proposal.sku for proposal in proposals(self.store, day(1), tag="fresh")]
        self.assertEqual(found, ["EGG", "MILK-1"])


class DeliveryTest(unittest.TestCase):
    def setUp(self):
        self.store = small_store()

    def test_good_delivery(self):
        report = read_delivery(
            self.store, "sku,quantity,expires,code\nEGG,2 dozen,2024-06-30,e2\nflour,1.5 kg,,f1\n"
        )
        self.assertTrue(report.ok)
        self.assertEqual(report.accepted, [("EGG", 24, "e2"), ("FLOUR", 1500, "f1")])
        self.assertEqual(self.store.available("EGG", day(25)), 24)
        self.assertEqual([lot.quantity for lot in self.store.item("FLOUR").lots], [4000])

    def test_bad_rows_do_not_stop_the_rest(self):
        report = read_delivery(
            self.store,
            "sku,quantity,expires\nTEA,1,\nEGG,many,\nEGG,1,tomorrow\nEGG,0,\n\nEGG,7,2024-07-01\n",
        )
        self.assertEqual(
            report.problems,
            [
                (2, "unknown item TEA"),
                (3, "not a quantity: 'many'"),
                (4, "not a date: 'tomorrow'"),
                (5, "a lot cannot be empty"),
            ],
        )
        self.assertEqual(report.accepted, [("EGG", 7, "")])
        self.assertFalse(report.ok)

    def test_header_is_read_leniently(self):
        report = read_delivery(self.store, "\n Quantity ; SKU \n 5 ; egg \n", delimiter=";")
        self.assertEqual(report.accepted, [("EGG", 5, "")])

    def test_missing_column(self):
        with self.assertRaisesRegex(StockError, "missing column: quantity"):
            read_delivery(self.store, "sku,amount\nEGG,1\n")

    def test_short_rows(self):
        report = read_delivery(self.store, "sku,quantity,code\nEGG\nEGG,4\n")
        self.assertEqual(report.problems, [(2, "not a quantity: ''")])
        self.assertEqual(report.accepted, [("EGG", 4, "")])

    def test_delivery_in_parts(self):
        first = read_delivery(self.store, "sku,quantity\nEGG,1\n")
        other = read_delivery(self.store, "sku,quantity\nEGG,2\n")
        again = read_delivery(self.store, "sku,quantity\nEGG,3\n", report=first)
        self.assertIs(again, first)
        self.assertEqual(first.accepted, [("EGG", 1, ""), ("EGG", 3, "")])
        self.assertEqual(other.accepted, [("EGG", 2, "")])

    def test_empty_delivery_is_not_ok(self):
        self.assertFalse(read_delivery(self.store, "").ok)
        self.assertFalse(read_delivery(self.store, "sku,quantity\n").ok)


if __name__ == "__main__":
    unittest.main()
