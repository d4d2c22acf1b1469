import unittest

from linemerge import PatchError, apply_patch, parse_patch, unified


def numbered(*names):
    return "".join(f"{name}\n" for name in names)


class UnifiedTest(unittest.TestCase):
    def test_nothing_differs(self):
        self.assertEqual(unified("a\n", "a\n"), "")

    def test_simple_patch(self):
        self.assertEqual(
            unified("a\nb\nc\n", "a\nx\nc\n", names=("one", "two"), context=1),
            "--- one\n+++ two\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n",
        )

    def test_one_line_has_no_count(self):
        self.assertIn("@@ -1 +1 @@\n", unified("a\n", "b\n"))

    def test_new_file(self):
        self.assertIn("@@ -0,0 +1,2 @@\n", unified("", "a\nb\n"))

    def test_emptied_file(self):
        self.assertIn("@@ -1,2 +0,0 @@\n", unified("a\nb\n", ""))

    def test_insert_without_context_names_the_line_before(self):
        self.assertIn(
            "@@ -2,0 +3 @@\n", unified("a\nb\nc\n", "a\nb\nx\nc\n", context=0)
        )

    def test_missing_newline_is_marked(self):
        self.assertEqual(
            unified("a\nb", "a\nb\n", context=0).splitlines()[3:],
            ["-b", "\\ No newline at end of file", "+b"],
        )

    def test_options_are_passed_on(self):
        self.assertEqual(unified("A\n", "a\n", ignore_case=True), "")


class ParseTest(unittest.TestCase):
    def test_starts_and_lines(self):
        (hunk,) = parse_patch("--- a\n+++ b\n@@ -3,2 +4 @@ def f\n x\n-y\n")
        self.assertEqual((hunk.old_start, hunk.new_start), (2, 3))
        self.assertEqual(hunk.lines, [(" ", "x\n"), ("-", "y\n")])

    def test_line_of_dashes_is_a_removed_line(self):
        (hunk,) = parse_patch("@@ -1 +0,0 @@\n--- x\n")
        self.assertEqual(hunk.lines, [("-", "-- x\n")])

    def test_editors_may_strip_blank_context_lines(self):
        (hunk,) = parse_patch("@@ -1,2 +1 @@\n\n-a\n")
        self.assertEqual(hunk.old_lines(), ["\n", "a\n"])

    def test_words_around_the_patch(self):
        self.assertEqual(len(parse_patch("Hello\n\n@@ -1 +1 @@\n-a\n+b\n")), 1)

    def test_cut_off_patch(self):
        with self.assertRaisesRegex(PatchError, "ends inside a hunk"):
            parse_patch("@@ -1,2 +1,2 @@\n a\n")

    def test_bad_line(self):
        with self.assertRaisesRegex(PatchError, "line 2: unexpected '\\?a'"):
            parse_patch("@@ -1 +1 @@\n?a\n")

    def test_marker_without_a_line(self):
        with self.assertRaises(PatchError):
            parse_patch("\\ No newline at end of file\n")


class ApplyTest(unittest.TestCase):
    old = numbered("a", "b", "c", "d", "e", "f", "g", "h")

    def check(self, old, new, context=3):
        patch = unified(old, new, context=context)
        self.assertEqual(apply_patch(old, patch), new)
        self.assertEqual(apply_patch(new, patch, reverse=True), old)

    def test_there_and_back(self):
        self.check(self.old, self.old.replace("b\n", "B\n").replace("g\n", ""), 1)

    def test_from_and_to_nothing(self):
        self.check("", "a\nb\n")
        self.check("a\n", "")

    def test_inserts_without_context(self):
        self.check("a\nb\nc\n", "x\na\nb\ny\nc\nz\n", 0)

    def test_newline_at_the_end_appears(self):
        self.check("a\nb", "a\nb\n")
        self.check("a\nb", "a\nc")

    def test_empty_patch(self):
        self.assertEqual(apply_patch("a\n", ""), "a\n")

    def test_hunk_some_lines_off(self):
        patch = unified(self.old, self.old.replace("d\n", "D\n"), context=1)
        moved = "1\n2\n" + self.old
        self.assertEqual(apply_patch(moved, patch), moved.replace("d\n", "D\n"))

    def test_later_hunks_follow_the_shift(self):
        block = numbered("start", "x", "end")
        old = "top\n" + block + numbered(*"12345") + block + numbered(*"6789")
        new = old.replace("top", "TOP", 1)
        cut = new.rindex("x\n")
        new = new[:cut] + "X\n" + new[cut + 2:]
        patch = unified(old, new, context=1)
        extra = numbered(*"pqrstu")
        self.assertEqual(
            apply_patch(extra + old + block, patch), extra + new + block
        )

    def test_nearest_place_is_taken(self):
        old = numbered("x", "1", "2", "3", "x", "4")
        patch = "@@ -5 +5 @@\n-x\n+y\n"
        self.assertEqual(
            apply_patch(old, patch), numbered("x", "1", "2", "3", "y", "4")
        )

    def test_patch_that_does_not_fit(self):
        patch = unified(self.old, self.old.replace("d\n", "D\n"))
        with self.assertRaisesRegex(PatchError, "hunk 1 does not fit"):
            apply_patch("q\n", patch)


if __name__ == "__main__":
    unittest.main()
