import unittest

from inkwell import Document, EditError


class UndoRedo(unittest.TestCase):
    def setUp(self):
        self.document = Document()
        self.document.insert(0, "one")
        self.document.insert(3, " two")
        self.document.insert(7, " three")

    def test_back_and_forth(self):
        self.assertEqual(self.document.undo(2), ["insert", "insert"])
        self.assertEqual(self.document.text, "one")
        self.document.redo()
        self.assertEqual(self.document.text, "one two")
        self.document.redo(9)
        self.assertEqual(self.document.text, "one two three")

    def test_more_steps_than_there_are(self):
        self.assertEqual(len(self.document.undo(9)), 3)
        self.assertEqual(self.document.undo(), [])
        self.assertEqual(self.document.text, "")

    def test_new_edit_drops_what_was_undone(self):
        self.document.undo()
        self.document.insert(0, "> ")
        self.assertFalse(self.document.can_redo)
        self.assertEqual(self.document.redo(), [])
        self.assertEqual(self.document.text, "> one two")

    def test_cursor_comes_along(self):
        self.document.undo()
        self.assertEqual(self.document.cursor, 7)
        self.document.redo()
        self.assertEqual(self.document.cursor, 13)

    def test_redo_of_a_delete_can_be_undone_again(self):
        self.document.delete(3, 4)
        self.document.undo()
        self.document.redo()
        self.assertEqual(self.document.text, "one three")
        self.document.undo()
        self.assertEqual(self.document.text, "one two three")


class Limit(unittest.TestCase):
    def test_oldest_steps_go(self):
        document = Document(limit=2)
        for letter in "abc":
            document.insert(0, letter)
        self.assertEqual(len(document.undo(5)), 2)
        self.assertEqual(document.text, "a")

    def test_limit_must_be_positive(self):
        with self.assertRaises(ValueError):
            Document(limit=0)


class Saved(unittest.TestCase):
    def test_new_document_is_not_modified(self):
        self.assertFalse(Document("text").modified)

    def test_undo_back_to_the_saved_state(self):
        document = Document()
        document.insert(0, "a")
        self.assertEqual(document.save(), "a")
        document.insert(1, "b")
        self.assertTrue(document.modified)
        document.undo()
        self.assertFalse(document.modified)
        document.undo()
        self.assertTrue(document.modified)
        document.redo()
        self.assertFalse(document.modified)

    def test_saved_state_on_a_dropped_branch(self):
        document = Document()
        document.insert(0, "a")
        document.insert(1, "b")
        document.save()
        document.undo()
        document.insert(1, "c")
        self.assertTrue(document.modified)
        document.undo()
        self.assertTrue(document.modified)

    def test_saved_state_beyond_the_limit(self):
        document = Document(limit=2)
        for letter in "abcd":
            document.insert(0, letter)
        document.undo(2)
        self.assertTrue(document.modified)

    def test_saved_state_moves_with_the_limit(self):
        document = Document(limit=3)
        for letter in "abc":
            document.insert(0, letter)
        document.save()
        document.insert(0, "d")
        self.assertTrue(document.modified)
        document.undo()
        self.assertEqual(document.text, "cba")
        self.assertFalse(document.modified)

    def test_typing_over_a_save(self):
        document = Document()
        document.type("ab")
        document.save()
        document.type("cd")
        self.assertTrue(document.modified)
        document.undo()
        self.assertEqual(document.text, "ab")
        self.assertFalse(document.modified)


class Groups(unittest.TestCase):
    def test_group_is_one_step(self):
        document = Document("abc")
        with document.group("wrap"):
            document.insert(0, "(")
            document.insert(4, ")")
        self.assertEqual(document.steps(), ["wrap"])
        document.undo()
        self.assertEqual(document.text, "abc")
        document.redo()
        self.assertEqual(document.text, "(abc)")

    def test_groups_in_groups(self):
        document = Document("abc")
        with document.group("outer"):
            document.insert(3, "d")
            with document.group("inner"):
                document.delete(0, 2)
                document.insert(0, "xyz")
        self.assertEqual(document.text, "xyzcd")
        self.assertEqual(document.undo(), ["outer"])
        self.assertEqual(document.text, "abc")

    def test_empty_group_is_no_step(self):
        document = Document("abc")
        with document.group("nothing"):
            pass
        self.assertFalse(document.can_undo)

    def test_failing_group_is_taken_back(self):
        document = Document("abc")
        document.insert(3, "d")
        with self.assertRaises(KeyError):
            with document.group("bad"):
                document.delete(0, 1)
                document.insert(0, "zz")
                raise KeyError("oops")
        self.assertEqual(document.text, "abcd")
        self.assertEqual(document.steps(), ["insert"])
        document.insert(0, "x")
        self.assertEqual(document.undo(), ["insert"])

    def test_failing_inner_group_only(self):
        document = Document("abc")
        with document.group("outer"):
            document.insert(0, "1")
            try:
                document.replace(2, 1, 5)
            except TypeError:
                pass
            document.insert(0, "2")
        self.assertEqual(document.undo(), ["outer"])
        self.assertEqual(document.text, "abc")

    def test_typing_does_not_join_a_group(self):
        document = Document()
        with document.group("block"):
            document.type("ab")
        document.type("c")
        document.undo()
        self.assertEqual(document.text, "ab")

    def test_no_undo_inside_a_group(self):
        document = Document("abc")
        with document.group("g"):
            document.insert(0, "x")
            with self.assertRaises(EditError):
                document.undo()
            with self.assertRaises(EditError):
                document.save()


class Bookmarks(unittest.TestCase):
    def setUp(self):
        self.document = Document("0123456789")
        for place in (0, 3, 5, 8, 10):
            self.document.bookmark(f"m{place:02d}", place)

    def places(self):
        return list(self.document.bookmarks().values())

    def test_insert_moves_what_is_behind(self):
        self.document.insert(5, "ab")
        self.assertEqual(self.places(), [0, 3, 5, 10, 12])

    def test_delete_moves_and_collects(self):
        self.document.delete(2, 4)
        self.assertEqual(self.places(), [0, 2, 2, 4, 6])

    def test_undo_of_a_delete_puts_them_back(self):
        self.document.delete(2, 4)
        self.document.undo()
        self.assertEqual(self.places(), [0, 3, 5, 8, 10])

    def test_mark_at_the_end_of_a_deletion(self):
        self.document.delete(1, 2)
        self.assertEqual(self.places(), [0, 1, 3, 6, 8])
        self.document.undo()
        self.assertEqual(self.places(), [0, 3, 5, 8, 10])

    def test_forgotten_marks_stay_away(self):
        self.document.delete(2, 4)
        self.document.forget("m03")
        self.document.undo()
        self.assertNotIn("m03", self.document.bookmarks())

    def test_go(self):
        self.document.go("m03")
        self.assertEqual(self.document.cursor, 3)
        with self.assertRaises(EditError):
            self.document.go("nowhere")

    def test_go_ends_a_typing_run(self):
        self.document.type("x")
        self.document.bookmark("here")
        self.document.go("m00")
        self.document.go("here")
        self.document.type("y")
        self.assertEqual(len(self.document.steps()), 2)

    def test_bookmark_at_the_start(self):
        self.document.move_to(4)
        self.document.bookmark("start", 0)
        self.assertEqual(self.document.bookmarks()["start"], 0)


if __name__ == "__main__":
    unittest.main()
