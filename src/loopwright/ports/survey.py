"""A look at the project's files, without running any of them."""

from typing import Protocol

from loopwright.domain.survey import Survey


class Surveyor(Protocol):
    """Knows the project."""

    def survey(self) -> Survey:
        """What is there now. Takes a bounded time, says what it left out, and fails on no file. Blocks."""
