"""A text document that can undo."""

from contextlib import contextmanager


class EditError(ValueError):
    """An edit outside of the text, or at the wrong moment."""


class Edit:
    """One reversible change of a document."""

    label = "edit"

    def apply(self, document):
        raise NotImplementedError

    def revert(self, document):
        raise NotImplementedError

    def absorb(self, later):
        """Take over a later edit into this one; False when it does not fit."""
        return False

    @property
    def empty(self):
        return False


class Insert(Edit):
    label = "insert"

    def __init__(self, at, text):
        self.at = at
        self.text = text

    def apply(self, document):
        document._check(self.at)
        document._splice(self.at, 0, self.text)
        document._cursor = self.at + len(self.text)

    def revert(self, document):
        document._splice(self.at, len(self.text), "")
        document._cursor = self.at

    @property
    def empty(self):
        return not self.text


class Typing(Insert):
    """Letters from the keyboard; neighbours melt into one step."""

    label = "typing"

    def absorb(self, later):
        if type(later) is not Typing:
            return False
        if later.at != self.at + len(self.text):
            return False
        if self.text[-1:].isspace() and not later.text.isspace():
            return False
        self.text += later.text
        return True


class Delete(Edit):
    label = "delete"

    def __init__(self, at, length):
        self.at = at
        self.length = length
        self.removed = None
        self.marks = {}

    def apply(self, document):
        document._check(self.at, self.length)
        end = self.at + self.length
        self.removed = document.text[self.at:end]
        self.marks = {
            name: place
            for name, place in document._marks.items()
            if self.at < place <= end
        }
        document._splice(self.at, self.length, "")
        document._cursor = self.at

    def revert(self, document):
        document._splice(self.at, 0, self.removed)
        for name, place in self.marks.items():
            if name in document._marks:
                document._marks[name] = place
        document._cursor = self.at + self.length

    @property
    def empty(self):
        return self.length == 0


class Group(Edit):
    def __init__(self, label):
        self.label = label
        self.edits = []

    def apply(self, document):
        for edit in self.edits:
            edit.apply(document)

    def revert(self, document):
        for edit in reversed(self.edits):
            edit.revert(document)

    @property
    def empty(self):
        return not self.edits


class History:
    """Done and undone steps, and the point where the document was saved."""

    def __init__(self, limit=None):
        if limit is not None and limit < 1:
            raise ValueError("the limit must be positive")
        self.limit = limit
        self.done = []
        self.undone = []
        self.saved_at = 0
        self.closed = True

    def record(self, edit):
        if self.undone:
            self.undone.clear()
            if self.saved_at is not None and self.saved_at > len(self.done):
                self.saved_at = None
        if self.done and not self.closed and self.done[-1].absorb(edit):
            return
        self.done.append(edit)
        self.closed = False
        if self.limit is not None and len(self.done) > self.limit:
            del self.done[0]
            if self.saved_at is not None:
                self.saved_at = self.saved_at - 1 if self.saved_at > 0 else None

    def close(self):
        """The next edit starts a step of its own."""
        self.closed = True

    def step_back(self):
        edit = self.done.pop()
        self.undone.append(edit)
        self.closed = True
        return edit

    def step_forward(self):
        edit = self.undone.pop()
        self.done.append(edit)
        self.closed = True
        return edit

    def mark_saved(self):
        self.saved_at = len(self.done)
        self.closed = True

    @property
    def at_saved(self):
        return self.saved_at == len(self.done)


class Document:
    def __init__(self, text="", limit=None):
        self.text = text
        self._cursor = len(text)
        self._marks = {}
        self._history = History(limit)
        self._groups = []

    # -- the text ----------------------------------------------------------

    def _check(self, at, length=0):
        if length < 0 or not 0 <= at <= at + length <= len(self.text):
            raise EditError(f"no text at {at}+{length}")

    def _splice(self, at, length, text):
        end = at + length
        self.text = self.text[:at] + text + self.text[end:]
        for name, place in self._marks.items():
            if place > end or (place == end and length):
                self._marks[name] = place - length + len(text)
            elif place > at:
                self._marks[name] = at

    def _do(self, edit):
        if edit.empty:
            return
        edit.apply(self)
        if self._groups:
            self._groups[-1].edits.append(edit)
        else:
            self._history.record(edit)

    def insert(self, at, text):
        self._do(Insert(at, text))

    def delete(self, at, length):
        self._do(Delete(at, length))

    def replace(self, at, length, text):
        with self.group("replace"):
            self.delete(at, length)
            self.insert(at, text)

    def type(self, text):
        """Write at the cursor, letter by letter."""
        for letter in text:
            self._do(Typing(self._cursor, letter))

    def backspace(self):
        if self._cursor > 0:
            self._do(Delete(self._cursor - 1, 1))

    def replace_all(self, old, new):
        """Replace every occurrence as one step and say how many there were."""
        if not old:
            raise EditError("nothing to look for")
        places = []
        start = self.text.find(old)
        while start >= 0:
            places.append(start)
            start = self.text.find(old, start + len(old))
        with self.group("replace all"):
            for place in reversed(places):
                self.replace(place, len(old), new)
        return len(places)

    @property
    def cursor(self):
        return self._cursor

    def move_to(self, place):
        self._check(place)
        if place != self._cursor:
            self._history.close()
        self._cursor = place

    # -- groups ------------------------------------------------------------

    @contextmanager
    def group(self, label):
        group = Group(label)
        self._groups.append(group)
        try:
            yield group
        except BaseException:
            self._groups.pop()
            group.revert(self)
            raise
        self._groups.pop()
        if group.empty:
            return
        if self._groups:
            self._groups[-1].edits.append(group)
        else:
            self._history.close()
            self._history.record(group)
            self._history.close()

    # -- undo and redo -----------------------------------------------------

    @property
    def can_undo(self):
        return bool(self._history.done)

    @property
    def can_redo(self):
        return bool(self._history.undone)

    def undo(self, steps=1):
        """Take back up to `steps` steps; returns the labels taken back."""
        self._no_group()
        labels = []
        while self.can_undo and len(labels) < steps:
            edit = self._history.step_back()
            edit.revert(self)
            labels.append(edit.label)
        return labels

    def redo(self, steps=1):
        self._no_group()
        labels = []
        while self.can_redo and len(labels) < steps:
            edit = self._history.step_forward()
            edit.apply(self)
            labels.append(edit.label)
        return labels

    def _no_group(self):
        if self._groups:
            raise EditError("a group is open")

    def steps(self):
        """Labels of the steps that can be undone, latest first."""
        return [edit.label for edit in reversed(self._history.done)]

    def save(self):
        """Remember this state as the saved one and return the text."""
        self._no_group()
        self._history.mark_saved()
        return self.text

    @property
    def modified(self):
        return not self._history.at_saved

    # -- bookmarks ---------------------------------------------------------

    def bookmark(self, name, place=None):
        place = self._cursor if place is None else place
        self._check(place)
        self._marks[name] = place

    def forget(self, name):
        self._marks.pop(name, None)

    def bookmarks(self):
        return dict(sorted(self._marks.items()))

    def go(self, name):
        if name not in self._marks:
            raise EditError(f"no bookmark {name!r}")
        self.move_to(self._marks[name])
