"""A prompt as it is found."""

from dataclasses import dataclass

from loopwright.tune.skill.model import Interpolation, Use


@dataclass(frozen=True, slots=True)
class Given:
    """A prompt before the page as a whole is known. `owner`: where the call begins that gives it, or -1."""

    start: int
    end: int
    use: Use
    text: str
    interpolations: tuple[Interpolation, ...]
    owner: int = -1
    agent: str | None = None
