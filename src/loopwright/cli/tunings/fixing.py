"""`--fix` and `--fix=all`: an option whose value may be left out, which the parser of options does not know."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from loopwright.domain.errors import Invalid

if TYPE_CHECKING:
    from loopwright.domain.tuning_engine import Level

FLAG = "--fix"
LEVELS: "dict[str, Level]" = {"mechanical": "mechanical", "all": "template"}
"""What is typed → what may be mended. The first is meant where nothing is typed."""


class TuneCommand(TyperCommand):
    """Takes `--fix` for its first level, so that a path may follow it."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:  # Any: a context of Typer's own parser
        return super().parse_args(context, with_level(args))


def with_level(args: Sequence[str]) -> list[str]:
    """With a level at each bare `--fix`: the one that follows as a word, else the first."""
    said: list[str] = []
    waiting = [*args]
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            return [*said, word, *waiting]
        if word == FLAG:
            level = waiting.pop(0) if waiting[:1] == ["all"] else next(iter(LEVELS))
            word = f"{FLAG}={level}"
        said.append(word)
    return said


def level_of(fix: str | None) -> "Level":
    """What may be mended; with an agent, all is what it writes, too."""
    if fix is not None and fix not in LEVELS:
        raise Invalid(f"{FLAG} mends what is a fact, {FLAG}=all also what the agent writes (got {FLAG}={fix})")
    return LEVELS[fix] if fix is not None else "none"
