"""States that were just read or written, so that the next step needs no parsing."""

import threading
from collections import OrderedDict
from typing import Generic

from loopwright.store.kind import S
from loopwright.store.known import Known

KEPT = 256


class Cache(Generic[S]):
    """The last used `Known` by id. Entries are hints: whoever takes one checks it against the files."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._known: OrderedDict[str, Known[S]] = OrderedDict()

    def get(self, id: str) -> Known[S] | None:
        with self._mutex:
            known = self._known.get(id)
            if known is not None:
                self._known.move_to_end(id)
            return known

    def put(self, id: str, known: Known[S]) -> None:
        with self._mutex:
            self._known[id] = known
            self._known.move_to_end(id)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)

    def drop(self, id: str) -> None:
        with self._mutex:
            self._known.pop(id, None)
