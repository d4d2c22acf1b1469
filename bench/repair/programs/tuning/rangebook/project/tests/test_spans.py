import unittest
from datetime import date

from rangebook import Span, free, merge, subtract
from rangebook.spans import total_days


def may(first, last):
    return Span(date(2024, 5, first), date(2024, 5, last))


class SpanTests(unittest.TestCase):
    def test_end_is_not_included(self):
        span = may(1, 4)
        self.assertEqual(len(span), 3)
        self.assertIn(date(2024, 5, 3), span)
        self.assertNotIn(date(2024, 5, 4), span)
        self.assertEqual([day.day for day in span], [1, 2, 3])

    def test_of_days_includes_the_last(self):
        self.assertEqual(Span.of_days(date(2024, 5, 1), date(2024, 5, 1)), may(1, 2))

    def test_order_of_ends(self):
        with self.assertRaisesRegex(ValueError, "ends before it starts"):
            may(4, 1)
        self.assertFalse(may(4, 4))

    def test_touching_spans_do_not_overlap(self):
        self.assertFalse(may(1, 4).overlaps(may(4, 6)))
        self.assertTrue(may(1, 5).overlaps(may(4, 6)))
        self.assertTrue(may(1, 9).overlaps(may(4, 6)))

    def test_intersection(self):
        self.assertEqual(may(1, 5) & may(3, 9), may(3, 5))
        self.assertFalse(may(1, 2) & may(5, 9))

    def test_shift(self):
        self.assertEqual(may(30, 31).shift(3), Span(date(2024, 6, 2), date(2024, 6, 3)))


class MergeTests(unittest.TestCase):
    def test_overlapping_and_touching(self):
        self.assertEqual(merge([may(6, 8), may(1, 3), may(3, 4), may(7, 9)]), [may(1, 4), may(6, 9)])

    def test_one_inside_the_other(self):
        self.assertEqual(merge([may(1, 10), may(3, 4), may(12, 13)]), [may(1, 10), may(12, 13)])

    def test_empty_spans_vanish(self):
        self.assertEqual(merge([may(2, 2), may(5, 6)]), [may(5, 6)])
        self.assertEqual(merge([]), [])

    def test_total_days_counts_each_once(self):
        self.assertEqual(total_days([may(1, 5), may(2, 3), may(4, 6)]), 5)


class SubtractTests(unittest.TestCase):
    def test_hole_in_the_middle(self):
        self.assertEqual(subtract([may(1, 10)], [may(3, 5)]), [may(1, 3), may(5, 10)])

    def test_ends_cut_off(self):
        self.assertEqual(subtract([may(2, 8)], [may(1, 3), may(7, 9)]), [may(3, 7)])

    def test_nothing_taken(self):
        self.assertEqual(subtract([may(1, 3), may(5, 6)], []), [may(1, 3), may(5, 6)])

    def test_all_taken(self):
        self.assertEqual(subtract([may(3, 5)], [may(1, 4), may(4, 9)]), [])

    def test_free_of_some_length(self):
        taken = [may(4, 6), may(8, 20)]
        self.assertEqual(free(may(1, 10), taken, 2), [may(1, 4), may(6, 8)])
        self.assertEqual(free(may(1, 10), taken, 3), [may(1, 4)])
