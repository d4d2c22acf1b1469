"""An update that waits for its turn, and what comes of it."""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Generic

from loopwright.domain.errors import StoreError
from loopwright.domain.events import Event
from loopwright.store.kind import S


@dataclass(slots=True)
class Request(Generic[S]):
    """One update and its outcome: a result, or the error that its caller gets."""

    rule: Callable[[S], S]
    actor: str
    event: Event
    epoch: int | None
    result: S | None = None
    error: Exception | None = None


class HandedOver(Generic[S]):
    """What goes wrong inside is an answer to those who asked, each in its own thread.

    An interrupt goes on as such only in the thread that was interrupted.
    """

    def __init__(self, *requests: Request[S]) -> None:
        self._requests = requests

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        told = error if error is None or isinstance(error, Exception) else StoreError("the commit was interrupted")
        for request in self._requests:
            request.error = request.error or told
        return isinstance(error, Exception)
