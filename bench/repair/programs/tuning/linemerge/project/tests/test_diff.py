import unittest

from linemerge import Change, changes, hunks, matches, similarity, split


class SplitTest(unittest.TestCase):
    def test_lines_keep_their_ends(self):
        self.assertEqual(split("a\nb\n"), ["a\n", "b\n"])

    def test_last_line_without_end(self):
        self.assertEqual(split("a\nb"), ["a\n", "b"])

    def test_empty_text(self):
        self.assertEqual(split(""), [])

    def test_other_line_ends_stay_inside(self):
        self.assertEqual(split("a\x0cb\r\nc\u2028d"), ["a\x0cb\r\n", "c\u2028d"])


class MatchesTest(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(matches("ab", "ab"), [(0, 0), (1, 1)])

    def test_nothing_in_common(self):
        self.assertEqual(matches("ab", "cd"), [])

    def test_longest_is_found(self):
        self.assertEqual(len(matches("abcbdab", "bdcaba")), 4)

    def test_start_and_end_do_not_overlap(self):
        self.assertEqual(matches("aa", "aaa"), [(0, 0), (1, 1)])
        self.assertEqual(matches("aba", "a"), [(0, 0)])


class ChangesTest(unittest.TestCase):
    def test_none(self):
        self.assertEqual(changes("abc", "abc"), [])
        self.assertEqual(changes("", ""), [])

    def test_insert(self):
        self.assertEqual(changes("ac", "abc"), [Change(1, 1, 1, 2)])

    def test_delete(self):
        self.assertEqual(changes("abc", "ac"), [Change(1, 2, 1, 1)])

    def test_replace_and_append(self):
        self.assertEqual(
            changes("abc", "xbcd"), [Change(0, 1, 0, 1), Change(3, 3, 3, 4)]
        )

    def test_everything_new(self):
        self.assertEqual(changes("", "ab"), [Change(0, 0, 0, 2)])

    def test_ignore_case(self):
        self.assertEqual(changes(["A\n"], ["a\n"], ignore_case=True), [])
        self.assertEqual(changes(["STRASSE"], ["straße"], ignore_case=True), [])

    def test_ignore_space(self):
        old, new = ["a  b\n", "c\n"], [" a b \n", "d\n"]
        self.assertEqual(
            changes(old, new, ignore_space=True), [Change(1, 2, 1, 2)]
        )

    def test_both_together(self):
        self.assertEqual(
            changes(["A  b"], ["a B"], ignore_case=True, ignore_space=True), []
        )


class SimilarityTest(unittest.TestCase):
    def test_share(self):
        self.assertEqual(similarity("abcd", "abxy"), 0.5)

    def test_ends(self):
        self.assertEqual(similarity("ab", "cd"), 0.0)
        self.assertEqual(similarity("", ""), 1.0)


class HunksTest(unittest.TestCase):
    def setUp(self):
        self.old = [f"{number}\n" for number in range(20)]

    def changed(self, *numbers):
        return [f"x{line}" if i in numbers else line
                for i, line in enumerate(self.old)]

    def test_context_on_both_sides(self):
        (hunk,) = hunks(self.old, self.changed(10), context=2)
        self.assertEqual(hunk.old_start, 8)
        self.assertEqual(
            hunk.lines,
            [(" ", "8\n"), (" ", "9\n"), ("-", "10\n"), ("+", "x10\n"),
             (" ", "11\n"), (" ", "12\n")],
        )

    def test_less_context_at_the_ends(self):
        first, last = hunks(self.old, self.changed(1, 19), context=3)
        self.assertEqual((first.old_start, len(first.old_lines())), (0, 5))
        self.assertEqual((last.old_start, len(last.old_lines())), (16, 4))

    def test_touching_hunks_become_one(self):
        self.assertEqual(len(hunks(self.old, self.changed(5, 10), context=2)), 1)
        self.assertEqual(len(hunks(self.old, self.changed(5, 11), context=2)), 2)

    def test_no_context(self):
        found = hunks(self.old, self.changed(5, 7), context=0)
        self.assertEqual([len(hunk.lines) for hunk in found], [2, 2])

    def test_new_start_follows_earlier_changes(self):
        new = ["top\n"] + self.changed(15)
        self.assertEqual(
            [(hunk.old_start, hunk.new_start) for hunk in hunks(self.old, new, 1)],
            [(0, 0), (14, 15)],
        )


if __name__ == "__main__":
    unittest.main()
