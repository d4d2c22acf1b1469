"""What the debugger's tools take from who drives loops; an agent at work gives the same, but for the first three."""

from typing import Annotated, Any

from pydantic import Field

from loopwright.domain import debug_calls
from loopwright.domain.debug_calls import MOST_EXPRESSIONS, MOST_HITS, MOST_SECONDS, MOST_STATEMENTS, MOST_TESTS
from loopwright.mcp.asked import Arguments, Word

Names = Annotated[tuple[Word, ...], Field(strict=False, max_length=MOST_TESTS)]


class Debugging(Arguments):
    id: Annotated[
        Word | None, Field(description="Id of a loop, whose failing tests are meant; default: all that fail.")
    ] = None
    project: Annotated[Word | None, Field(description="Name of a project, see `list`; default: the first.")] = None
    test_command: Annotated[Word | None, Field(description="How the tests are run; default: detected.")] = None

    @property
    def question(self) -> dict[str, Any]:  # Any: by name, checked by the fields of each kind
        """What the debugger is asked, without where."""
        own = self.model_dump()
        return {name: value for name, value in own.items() if name not in Debugging.model_fields}


class RunTests(Debugging):
    tests: Annotated[Names, Field(description=debug_calls.TESTS)] = ()


class Rank(Debugging):
    limit: Annotated[int, Field(ge=1, le=MOST_STATEMENTS, description=debug_calls.STATEMENTS)] = 20


class Watch(Debugging):
    place: Annotated[Word, Field(description=debug_calls.PLACE)]
    expressions: Annotated[
        tuple[Word, ...], Field(strict=False, max_length=MOST_EXPRESSIONS, description=debug_calls.EXPRESSIONS)
    ] = ()
    tests: Annotated[Names, Field(description=debug_calls.TESTS)] = ()
    hits: Annotated[int, Field(ge=1, le=MOST_HITS, description=debug_calls.HITS)] = 5


class SearchFix(Debugging):
    seconds: Annotated[float, Field(ge=1, le=MOST_SECONDS, description=debug_calls.SECONDS)] = 40
