"""What a test framework has to offer; one file in this folder for each."""

from pathlib import Path
from typing import NamedTuple, Protocol

from loopwright.evidence.results import RunnerReport as Reading


class InstrumentedCommand(NamedTuple):
    """The command to run instead, and the environment variables it needs."""

    command: str
    env: dict[str, str]


class FrameworkRunner(Protocol):
    """One test framework. Nothing here runs the tests; see evidence.run."""

    @property
    def name(self) -> str: ...

    def detect(self, root: Path) -> str | None:
        """The command that runs this project's tests, as a person would type it, if they are this framework's."""
        ...

    def recognises(self, command: str, root: Path) -> bool:
        """Whether the command plainly runs this framework, by itself or by a script that the project's files show."""
        ...

    def interpreter(self, command: str, root: Path) -> str | None:
        """The Python that the command runs the tests with, or None when it is not known or no Python."""
        ...

    def instrument(self, command: str, root: Path, folder: Path) -> InstrumentedCommand:
        """Makes the command write machine-readable results below `folder`, which lies outside of the project."""
        ...

    def environment(self, root: Path, folder: Path) -> dict[str, str]:
        """Variables alone that make this framework report below `folder`, whatever wrapper (`make test`) starts it.

        Empty where it cannot be reached that way. All frameworks may get the same folder at once.
        """
        ...

    def read(self, root: Path, folder: Path) -> Reading:
        """Those results, as far as they got."""
        ...
