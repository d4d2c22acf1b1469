import unittest

from inkwell import Document, EditError


class InsertAndDelete(unittest.TestCase):
    def setUp(self):
        self.document = Document("hello world")

    def test_insert_in_the_middle(self):
        self.document.insert(5, ",")
        self.assertEqual(self.document.text, "hello, world")
        self.assertEqual(self.document.cursor, 6)

    def test_delete(self):
        self.document.delete(0, 6)
        self.assertEqual(self.document.text, "world")
        self.assertEqual(self.document.cursor, 0)

    def test_outside_of_the_text(self):
        for at, length in ((-1, 1), (11, 1), (3, 20), (12, 0), (3, -1)):
            with self.subTest(at=at, length=length):
                with self.assertRaises(EditError):
                    self.document._check(at, length)

    def test_bad_edit_is_no_step(self):
        with self.assertRaises(EditError):
            self.document.delete(8, 9)
        self.assertFalse(self.document.can_undo)
        self.assertEqual(self.document.text, "hello world")

    def test_empty_edits_are_no_steps(self):
        self.document.insert(3, "")
        self.document.delete(3, 0)
        self.assertEqual(self.document.steps(), [])

    def test_replace_is_one_step(self):
        self.document.replace(0, 5, "bye")
        self.assertEqual(self.document.text, "bye world")
        self.assertEqual(self.document.undo(), ["replace"])
        self.assertEqual(self.document.text, "hello world")

    def test_backspace(self):
        self.document.backspace()
        self.assertEqual(self.document.text, "hello worl")
        self.document.move_to(0)
        self.document.backspace()
        self.assertEqual(self.document.text, "hello worl")


class ReplaceAll(unittest.TestCase):
    def test_longer_text(self):
        document = Document("a-b-c")
        self.assertEqual(document.replace_all("-", " to "), 2)
        self.assertEqual(document.text, "a to b to c")
        document.undo()
        self.assertEqual(document.text, "a-b-c")
        document.redo()
        self.assertEqual(document.text, "a to b to c")

    def test_occurrences_do_not_overlap(self):
        document = Document("aaaaa")
        self.assertEqual(document.replace_all("aa", "b"), 2)
        self.assertEqual(document.text, "bba")

    def test_nothing_found(self):
        document = Document("abc")
        self.assertEqual(document.replace_all("x", "y"), 0)
        self.assertFalse(document.can_undo)

    def test_nothing_asked(self):
        with self.assertRaises(EditError):
            Document("abc").replace_all("", "y")


class Typing(unittest.TestCase):
    def test_a_word_is_one_step(self):
        document = Document()
        document.type("good day")
        self.assertEqual(document.steps(), ["typing", "typing"])
        document.undo()
        self.assertEqual(document.text, "good ")
        document.undo()
        self.assertEqual(document.text, "")

    def test_moving_the_cursor_ends_a_run(self):
        document = Document()
        document.type("ab")
        document.move_to(0)
        document.move_to(2)
        document.type("cd")
        document.undo()
        self.assertEqual(document.text, "ab")

    def test_moving_nowhere_does_not(self):
        document = Document()
        document.type("ab")
        document.move_to(2)
        document.type("cd")
        document.undo()
        self.assertEqual(document.text, "")

    def test_other_edits_end_a_run(self):
        document = Document()
        document.type("abc")
        document.backspace()
        document.type("d")
        self.assertEqual(document.steps(), ["typing", "delete", "typing"])

    def test_typing_after_undo_is_a_new_step(self):
        document = Document()
        document.type("one two")
        document.undo()
        document.type("x")
        document.undo()
        self.assertEqual(document.text, "one ")
