import unittest

from linemerge import merge

BASE = "a\nb\nc\nd\ne\n"


class MergeTest(unittest.TestCase):
    def clean(self, base, ours, theirs, expected):
        result = merge(base, ours, theirs)
        self.assertEqual(result.text, expected)
        self.assertTrue(result.clean)

    def test_no_changes(self):
        self.clean(BASE, BASE, BASE, BASE)

    def test_one_side_changed(self):
        changed = BASE.replace("c", "C")
        self.clean(BASE, changed, BASE, changed)
        self.clean(BASE, BASE, changed, changed)

    def test_changes_in_different_places(self):
        self.clean(BASE, BASE.replace("a", "A"), BASE.replace("e", "E"),
                   "A\nb\nc\nd\nE\n")

    def test_insert_and_delete(self):
        self.clean(BASE, "a\nb\nc\nd\ne\nf\n", "b\nc\nd\ne\n", "b\nc\nd\ne\nf\n")

    def test_same_change_on_both_sides(self):
        changed = BASE.replace("c", "C")
        self.clean(BASE, changed, changed, changed)

    def test_same_insert_at_the_end(self):
        self.clean(BASE, BASE + "f\n", BASE + "f\n", BASE + "f\n")

    def test_both_deleted(self):
        self.clean(BASE, "a\nb\nd\ne\n", "a\nb\nd\ne\n", "a\nb\nd\ne\n")

    def test_empty_base(self):
        self.clean("", "a\n", "a\n", "a\n")
        self.clean("", "", "", "")

    def test_conflict(self):
        result = merge(BASE, BASE.replace("c", "1"), BASE.replace("c", "2"),
                       labels=("mine", "yours"))
        self.assertEqual(
            result.text,
            "a\nb\n<<<<<<< mine\n1\n=======\n2\n>>>>>>> yours\nd\ne\n",
        )
        self.assertEqual(result.conflicts, 1)
        self.assertFalse(result.clean)

    def test_changed_here_deleted_there(self):
        result = merge(BASE, BASE.replace("c", "C"), BASE.replace("c\n", ""))
        self.assertIn("<<<<<<< ours\nC\n=======\n>>>>>>> theirs\n", result.text)

    def test_common_lines_stay_out_of_the_conflict(self):
        result = merge("m\n", "x\n1\ny\n", "x\n2\ny\n")
        self.assertEqual(
            result.text,
            "x\n<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\ny\n",
        )

    def test_markers_begin_on_their_own_line(self):
        result = merge("a", "b", "c")
        self.assertEqual(
            result.text, "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"
        )

    def test_newline_is_missing_on_one_side_only(self):
        result = merge("x\na\n", "x\nb", "x\nc\n")
        self.assertEqual(
            result.text, "x\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"
        )
        result = merge("x\na\n", "x\nb\n", "x\nc")
        self.assertEqual(
            result.text, "x\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"
        )

    def test_two_conflicts(self):
        result = merge(BASE, BASE.replace("a", "1").replace("e", "1"),
                       BASE.replace("a", "2").replace("e", "2"))
        self.assertEqual(result.conflicts, 2)

    def test_favour_one_side(self):
        ours, theirs = BASE.replace("c", "1"), BASE.replace("c", "2")
        self.assertEqual(merge(BASE, ours, theirs, favour="ours").text, ours)
        self.assertEqual(merge(BASE, ours, theirs, favour="theirs").text, theirs)
        self.assertTrue(merge(BASE, ours, theirs, favour="ours").clean)

    def test_favour_keeps_what_does_not_conflict(self):
        result = merge(BASE, BASE.replace("c", "1"),
                       BASE.replace("c", "2").replace("e", "E"), favour="ours")
        self.assertEqual(result.text, "a\nb\n1\nd\nE\n")

    def test_favour_without_any_conflict(self):
        ours, theirs = BASE.replace("a", "A"), BASE.replace("e\n", "")
        for side in ("ours", "theirs"):
            self.assertEqual(
                merge(BASE, ours, theirs, favour=side).text, "A\nb\nc\nd\n"
            )

    def test_unknown_favour(self):
        with self.assertRaises(ValueError):
            merge("", "", "", favour="mine")


if __name__ == "__main__":
    unittest.main()
