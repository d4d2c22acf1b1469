"""How many mutants of the changed lines the tests notice: plain values between the proof and the debugger."""

from pydantic import Field

from loopwright.domain.record import Items, Record, absent
from loopwright.domain.words import plural

MOST_MUTANTS = 200
MUTATION_SECONDS = 60.0
SURVIVORS_KEPT = 50


class MutationOrder(Record):
    """`tests` that pass, by key, on the project as it is; `lines` of it that were changed, by project-relative file.

    `reached`: of these lines, as `file:line`, what each test runs, also in processes that it starts. `seconds` bound
    the whole answer.
    """

    project: str
    python: str
    test_command: str
    tests: Items[str]
    lines: dict[str, Items[int]]
    reached: dict[str, Items[str]] = Field(default_factory=dict)
    most: int = MOST_MUTANTS
    seconds: float = MUTATION_SECONDS


class Survivor(Record):
    """A mutant that no test notices: what was changed where."""

    file: str
    line: int
    change: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.change}"


class Mutants(Record):
    """Of `total` that were tried, how many made a test fail or never end. `survivors`: the first of the others.

    `made`: how many there are, where not all of them were tried: those that were are spread evenly over the lines and
    the kinds of changes.
    """

    killed: int = Field(ge=0)
    total: int = Field(ge=1)
    survivors: Items[Survivor] = Field(default=(), max_length=SURVIVORS_KEPT)
    made: int | None = Field(default=None, exclude_if=absent)

    @property
    def percent(self) -> float:
        return 100 * self.killed / self.total

    @property
    def score(self) -> str:
        """`41 of 47 mutants`."""
        return f"{self.killed:,} of {plural(self.total, 'mutant')}"

    @property
    def words(self) -> str:
        """The figure in a sentence, without a full stop."""
        sampled = f" ({self.total:,} of {self.made:,} possible ones were tried)" if self.made else ""
        return f"{self.score} of the changed lines {'is' if self.killed == self.total == 1 else 'are'} killed{sampled}"


class Mutation(Record):
    """What came of an order: `mutants`, or the `trouble` why there is no figure."""

    mutants: Mutants | None = None
    trouble: str = ""
    note: str = ""
